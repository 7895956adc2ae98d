#pragma once
// The path of a camera: splines through keys of its place, of what it looks at, and of its field of view (Lecture).

#include "rigspace/anim/compiled_curve.h"
#include "rigspace/geometry/camera.h"

#include <array>
#include <string_view>
#include <vector>

namespace rigspace {

struct ViewKey {
  double time = 0;  ///< seconds
  Vec3 eye = Vec3::Zero(), target = Vec3::Zero();
  double fov = 28 * kDegree;  ///< radians, see Camera
  /// Of kochanek_bartels, each -1 to 1: how sharply the path turns at the key (tension), whether it has a corner
  /// there (continuity), whether it overshoots after or before the key (bias). All 0: Catmull and Rom.
  double tension = 0, continuity = 0, bias = 0;
};

enum class ViewSpline {
  linear,
  catmull_rom,       ///< C1 through the keys
  kochanek_bartels,  ///< the same with tension, continuity and bias (Kochanek and Bartels 1984)
  natural,           ///< C2 through the keys
  bspline,           ///< C2 near the keys
};
std::string_view name(ViewSpline);

/// Immutable; before the first and after the last key the camera stands still.
class ViewPath {
 public:
  /// `constant_speed`: the eye runs along its curve at one speed from the first key's time to the last one's; target
  /// and field of view keep their places along the curve, times between do not count. Throws Error for no keys, times
  /// that do not increase, fields of view outside 1 to 120 degrees, an eye that meets its target, and, at constant
  /// speed, an eye that never moves.
  ViewPath(const std::vector<ViewKey>& keys, ViewSpline spline = ViewSpline::catmull_rom, bool constant_speed = false);

  Camera at(double time) const;
  double begin() const { return begin_; }                                 ///< seconds
  double end() const { return end_; }                                     ///< seconds
  double length() const { return length_.empty() ? 0 : length_.back(); }  ///< of the eye's curve, scene units

 private:
  Camera on_curve(double u) const;
  double speed(double u) const;
  double way(double from, double to) const;
  double place_after(double length) const;

  std::array<CompiledCurve, 3> eye_, target_;
  CompiledCurve fov_;
  double begin_ = 0, end_ = 0;
  bool constant_speed_ = false;
  // Times on the splines, and the length of the eye's curve up to there.
  std::vector<double> u_, length_;
};

}  // namespace rigspace
