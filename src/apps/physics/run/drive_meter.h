#pragma once
// Private to physics: how far the animation would swing a part, and how the part is held where that is too far. Clips
// and real time use the same rule; it needs nothing but the last two seconds of the animation.

#include "rigspace/base/types.h"

#include <numbers>
#include <vector>

namespace rigspace {

/// The largest swing, at its 95th percentile, that a clip may give a part: of the size of flesh, radians at a chain's
/// tip.
inline constexpr double kMostFleshSwing = 0.15, kMostChainSwing = 35 * std::numbers::pi / 180;

/// The value below which this share of the values lies; 0 if there are none.
double percentile(std::vector<double> values, double share);

/// The 95th percentile of the values of the last two seconds. Allocates in the constructor only.
class RecentPeak {
 public:
  /// `step`: s between values.
  explicit RecentPeak(double step);
  void add(double value);
  double value() const;
  void clear();

 private:
  std::vector<double> ring_;
  std::vector<double> sorted_;  // the same values, ascending
  std::size_t newest_ = 0;
};

/// Measures the drive of a part: how far the animation of the last two seconds swings a linear oscillator
///   y'' + 2 zeta omega y' + omega^2 y = a,   2 zeta omega = 6 / settle,
/// with the part's rate and settle time and a the acceleration of its centre of mass.
class DriveMeter {
 public:
  /// `rate`: Hz; `settle`, `step`: s.
  DriveMeter(double rate, double settle, double step);
  /// Continues with another rate and settle time; the past stays.
  void retune(double rate, double settle);
  /// `acceleration`: scene units / s^2.
  void add(const Vec3& acceleration);
  double drive() const { return swings_.value(); }           ///< scene units
  double shaking() const { return accelerations_.value(); }  ///< scene units / s^2
  void clear();

 private:
  double omega_, damping_, h_;
  Vec3 y_ = Vec3::Zero(), v_ = Vec3::Zero();
  RecentPeak swings_, accelerations_;
};

/// The share of the animation's load that a part feels, where all of it would give a swing `too_much` times the
/// largest that a clip may have.
double felt_share(double too_much);

}  // namespace rigspace
