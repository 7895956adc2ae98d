#pragma once
// Curves of a character, as a camera sees them, drawn towards strokes (Thesis 5.3 to 5.6, index ranges as they must
// be): W = sum_ij w_ij |y_j - z_i(x)|^2 / 2, where z_i is the picture of a place on the character and y_j a point of a
// stroke. Which belong together (w) is lagged: it is renewed by refresh and fixed in between.

#include "rigspace/energy/drawn_curve.h"
#include "rigspace/energy/pull.h"
#include "rigspace/geometry/view_plane.h"
#include "rigspace/optimize/energy.h"

#include <memory>
#include <vector>

namespace rigspace {

/// A curve of the character: places on the points x, in order.
struct CharacterCurve {
  std::vector<Anchor> places;
  bool closed = false;
};

enum class Correspondence {
  ordered,     ///< place and stroke at the same share of their lengths, along the drawing direction (first procedure)
  nearest,     ///< each place with the nearest point of a stroke, and each of these with the nearest place (5.5)
  from_stroke  ///< each point of a stroke with the nearest place alone: the curve may go on beyond the stroke
};

/// Curves and strokes that belong together. `ordered` takes one of each.
struct StrokePair {
  std::vector<int> curves, strokes;
  Correspondence correspondence = Correspondence::ordered;
  bool reversed = false;  ///< `ordered`: the stroke was drawn from the curve's end to its beginning
  double weight = 1;
};

struct StrokeMatchOptions {
  double unit = 1;  ///< view units: all places one unit away from their strokes give the energy 1/2
  /// Units of distance that a difference of direction by a right angle counts for, where nearest points are sought.
  double tangent = 0.05;
  /// `ordered`: every point of the stroke pulls the nearest place of the curve within this share of its length, and
  /// distances along the line count `along` as much as those across it, so that places slide along the stroke: joints
  /// come to lie in its corners, convergence is fast near the solution, and the wobble of a hand is averaged over all
  /// points that it drew. The ends stay together. 0: shares of the lengths alone. `nearest`, `from_stroke`: any number
  /// above 0 lets places slide.
  double slide = 0;
  double along = 0.05;
  /// With `slide`: the share of a pair's weight with which places also look for the stroke, so that no part of the
  /// curve leaves it.
  double from_places = 0.25;
  /// Outlines: curve and stroke run the same way around the body, so opposite directions do not match.
  bool oriented = false;

  void validate() const;
};

/// Weights: those of a pair sum to its weight, shared out evenly over its places, or half over the places and half over
/// the points of its strokes (`nearest`), or over the points of its strokes by their share of the length
/// (`from_stroke`). In HessianMode::projected the Hessian is Gauss and Newton's; that of an orthographic view is exact.
class StrokeMatch final : public Energy {
 public:
  /// Throws Error for places outside the points and for pairs that name what is not there or is empty.
  StrokeMatch(int points, const Camera& camera, std::vector<CharacterCurve> curves, std::vector<DrawnCurve> strokes,
              std::vector<StrokePair> pairs, const StrokeMatchOptions& options = {});

  std::unique_ptr<State> make_state() const override;
  /// Finds correspondences anew.
  Change refresh(State&, In x, Phase) const override;
  /// +infinity where a place is behind the eye.
  double value(const State&, In x) const override;
  void add_gradient(const State&, In x, double weight, Vec& g) const override;
  void add_hessian(const State&, In x, double weight, HessianMode, BlockSink&) const override;
  std::span<const int> support() const override { return support_; }

  /// Root of the mean squared distance, in view units, of the correspondences of a pair found at x, without tangents:
  /// at the same shares of both lengths, or between nearest points as `slide` allows.
  double residual(In x, int pair, bool sliding = false) const;
  const std::vector<StrokePair>& pairs() const { return pairs_; }
  const ViewPlane& view() const { return view_; }

  /// For solvers of their own: the energy is sum_i (z_i^T A_i z_i / 2 - b_i^T z_i) / unit^2 + const over used places.
  struct PlacePull {
    Mat2 A;
    Vec2 b;
  };
  PlacePull pull_of(const State&, int place) const;
  const std::vector<int>& used_places() const { return used_; }  ///< those of curves in a pair, ascending
  const Anchor& place(int i) const { return places_[static_cast<std::size_t>(i)]; }
  double unit() const { return options_.unit; }

 private:
  struct Lagged;
  void correspond(const StrokePair& pair, Lagged& lagged, bool with_tangents) const;
  void correspond_ordered(const StrokePair& pair, Lagged& lagged) const;
  void correspond_sliding(const StrokePair& pair, Lagged& lagged) const;
  void correspond_nearest(const StrokePair& pair, Lagged& lagged, bool with_tangents) const;
  void see(In x, Lagged& lagged) const;

  int points_;
  ViewPlane view_;
  std::vector<CharacterCurve> curves_;
  std::vector<int> first_;  // per curve: its first place among all
  std::vector<Anchor> places_;
  std::vector<DrawnCurve> strokes_;
  std::vector<std::vector<Vec2>> stroke_tangents_;
  std::vector<StrokePair> pairs_;
  StrokeMatchOptions options_;
  std::vector<int> used_;  // places that belong to a pair, ascending
  std::vector<int> support_;
};

/// The place of an anchor.
inline Vec3 anchored(In x, const Anchor& anchor) {
  Vec3 sum = Vec3::Zero();
  for (int a = 0; a < 4; ++a)
    if (anchor.weights[a] != 0) sum += anchor.weights[a] * point(x, anchor.points[a]);
  return sum;
}

}  // namespace rigspace
