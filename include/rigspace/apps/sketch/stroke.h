#pragma once
// What was drawn: polylines in view units (see ViewPlane), cleaned, smoothed, sampled, and scribbles made into one
// line.

#include "rigspace/energy/stroke_match.h"

#include <span>
#include <string>
#include <vector>

namespace rigspace {

struct Stroke {
  std::vector<Vec2> points;  ///< view units
  bool closed = false;
  std::string name;   ///< for reports; empty: "stroke 3"
  std::string curve;  ///< the curve of the abstraction that it stands for; empty: to be found
  double time = 0;    ///< seconds: strokes of one time are one pose
  /// Draw-over posing: this stroke is drawn on the character where it is, and the stroke `to` (its number in the list)
  /// says where that line goes. -1: an ordinary stroke.
  int to = -1;
  /// It runs from its curve's beginning to its end, as the second line of a pair does. Otherwise either way is tried.
  /// Closed strokes may run either way.
  bool directed = false;
  std::string part = {};  ///< strokes of one part of a creature have the same; empty: not said
  /// The view that it was drawn in, as --camera takes it, and the abstraction that it belongs to; empty: those of the
  /// drawing. Strokes of one time that follow each other with the same two are solved together, from the pose that
  /// those before them led to.
  std::string camera = {}, abstraction = {};
  /// Set by SketchPoser, which puts strokes in an order and direction of its own so that results do not depend on
  /// those of the drawing: the place in the drawing, and whether it was drawn the other way round.
  int number = 0;
  bool turned = false;

  double length() const;
};

struct StrokeCleaning {
  /// Of the wobble of the hand: a Gaussian along the line, of this many times the estimated jitter. 0: none.
  double smoothing = 1.0;
  int samples = 128;      ///< points of a stroke afterwards
  double adaptive = 0.5;  ///< 0: evenly by length; towards 1 more of them where the line turns
  bool closes = true;     ///< ends that meet make a closed stroke
};

/// Throws Error, in one sentence that names the stroke: no points, a single point, no length, a coordinate that is not
/// finite, a stroke that lies beyond the picture (its width over its height is `aspect`; some of it must be inside).
void check_stroke(const Stroke& stroke, std::size_t number, double aspect);

/// Without repeated points, smoothed, sampled anew. check_stroke holds afterwards if it did before.
Stroke clean_stroke(const Stroke& stroke, const StrokeCleaning& cleaning = {});

/// Root of the mean squared distance of a stroke's points from a smooth line through them, view units, estimated from
/// its third differences.
double estimated_jitter(const Stroke& stroke);

/// `count` points evenly by length; and by length and turning together, `adaptive` of the density by turning.
std::vector<Vec2> resampled(const std::vector<Vec2>& points, bool closed, int count);
std::vector<Vec2> resampled_by_turning(const std::vector<Vec2>& points, bool closed, int count, double adaptive);

/// Strokes that lie along each other, drawn several times over as one scribbles, become one; ends that meet in one
/// direction are joined. At most as many are left as went in, and no fewer than `at_least`. `tolerance`: view units.
/// Strokes with a curve, a pair or another time stay apart.
std::vector<Stroke> group_strokes(std::span<const Stroke> strokes, double tolerance, int at_least);

}  // namespace rigspace
