#pragma once
// The search for the pose that a drawing means: which stroke stands for which curve, and from which poses solves start.

#include "rigspace/apps/sketch/sketch_poser.h"
#include "tied_curves.h"

#include <limits>
#include <span>
#include <vector>

namespace rigspace {

/// How one way of giving strokes to curves ended.
struct PoseAttempt {
  std::vector<StrokeChoice> choices;
  std::vector<StrokePair> pairs;
  Vec p;
  std::vector<double> residuals;                            // of each pair, as a share of the size
  double misfit = std::numeric_limits<double>::infinity();  // mean squared residual, by the pairs' weights
  double energy = std::numeric_limits<double>::infinity();  // misfit and priors: what attempts are compared by
  int iterations = 0;
  bool converged = false;
};

/// One drawing: strokes that are clean, on an abstraction that is tied to the rig in the pose before them.
struct PoseSearch {
  TiedCurves& tied;
  const SketchAbstraction& abstraction;
  const Camera& camera;
  const SketchOptions& options;
  double size, view_size;
  double jitter;  // of the strokes, as a share of the size
  const Vec& p_start;
  std::span<const Stroke> strokes;
  const ProgressCallback& progress;
  int iterations = 0;  // of all solves so far

  /// From the pose p_from; `near`: that is the pose of a moment ago, while the stroke was being drawn.
  PoseAttempt best(In p_from, bool near);
  /// Pairs, residuals and misfit of an attempt whose pose is known.
  void measure(PoseAttempt& attempt);
  /// Whether the strokes are no farther away than the hand's jitter explains.
  bool explained(const PoseAttempt& attempt) const { return attempt.misfit <= good_misfit(); }
  /// The abstraction as it is seen in a pose.
  std::vector<SeenCurve> seen_curves(In p);

 private:
  /// All stages; from a pose nearby; where a part of it is far away; without the last stage.
  enum class Effort { full, near, part, quick };
  PoseAttempt attempt(const std::vector<StrokeChoice>& choices, In p_from, Effort effort);
  void start_elsewhere(PoseAttempt& best, In p_from);
  std::vector<PoseAttempt> other_choices(const std::vector<RankedChoices>& ranked, In p_from);
  Vec pose_weights(const std::vector<char>& drawn) const;
  std::vector<StrokePair> pairs_of(const std::vector<StrokeChoice>& choices) const;
  Vec bent(In p, int start, const std::vector<char>& moved, double most) const;
  bool take_better_limbs(const PoseAttempt& from, PoseAttempt& to) const;
  std::vector<std::vector<int>> own_controls() const;
  std::vector<char> controls_of_missed(const PoseAttempt& attempt) const;
  double good_misfit() const;
};

/// The abstraction as it is seen with its points at x. `per_size`: view units over scene units.
std::vector<SeenCurve> curves_seen(const SketchAbstraction& abstraction, const std::vector<CharacterCurve>& curves,
                                   In x, const Camera& camera, double per_size);

}  // namespace rigspace
