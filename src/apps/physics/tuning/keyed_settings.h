#pragma once
// Private to physics: settings that change over time, and hits, times at which a part must be in the artist's pose.

#include "run/part_system.h"

#include <span>

namespace rigspace {

/// Sets `scaling` and `load` for an amount: up to part.most_scaling it scales the deviation; above, the deviation is
/// scaled by most_scaling and the inertial load by the rest (docs/default-look.md, "amplitude").
void set_amount(TunedPart& part, double amount);

/// The scaling by which a swing counts for holds and limits: amounts below 1 count as 1, so that half an amount is half
/// of the motion.
double counted_scaling(const TunedPart& part, double amount);

/// The part with its keyed settings at their values at a time of the clip, s, and the values derived from them.
TunedPart part_at(const TunedPart& part, double time);

/// The factor on the deviation at a time of the clip, s.
double scaling_at(const TunedPart& part, double time);

/// What of a system's body depends on settings that change over time, at any time, also before and after the clip; for
/// a loop times are taken modulo its duration. Refers to its arguments.
class KeyedSettings final : public BodyVariation {
 public:
  KeyedSettings(PartSystem& system, const KeyedMotion& motion) : system_(system), motion_(motion) {}

  /// Whether any part has hits, or keys of a setting that the simulation uses.
  bool any() const;
  SteppedBody body(double time) override;
  bool still(double from, double to) const override;

 private:
  double clip_time(double time) const;
  double pull(const PartSettings& settings, double time) const;

  PartSystem& system_;
  const KeyedMotion& motion_;
};

/// The rows of a deviation that correct_hits sets to zero, in value and slope, at the times `hits`.
struct HitRows {
  std::span<const double> times;  ///< s; may be more than there are columns
  std::span<const int> rows;
  std::span<const double> hits;  ///< s
  bool looped = false;
};

/// Makes value and slope of each row zero at each hit, by subtracting a smooth bump of T = 0.3 s to each side (less if
/// another hit is nearer): with u = (t - hit) / T,  d -= (a + b (t - hit)) (1 - u^2)^3, which keeps the deviation
/// continuous up to its acceleration. Value and slope are those of the Catmull-Rom curve through the columns, so that a
/// hit may lie between two columns.
void correct_hits(Mat& deviation, const HitRows& hits);

}  // namespace rigspace
