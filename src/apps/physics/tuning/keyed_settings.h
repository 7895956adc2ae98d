#pragma once
// Private to physics: settings that change over time, and moments at which a part is in the artist's pose.

#include "run/part_system.h"

#include <span>

namespace rigspace {

/// Up to 1.5 an amount scales the deviation; above it the load grows (docs/default-settings.md, "amplitude").
void set_amount(TunedPart& part, double amount);

/// The settings of a part at a time of the clip, s: keyed controls at their values, and what follows from them.
TunedPart part_at(const TunedPart& part, double time);

/// The factor of the deviation at a time of the clip, s.
double scaling_at(const TunedPart& part, double time);

/// A system whose settings change over time: its body at any moment, also before and after the clip, and round and
/// round for loops. Refers to all that it is given.
class KeyedSettings final : public BodyVariation {
 public:
  KeyedSettings(PartSystem& system, const KeyedMotion& motion) : system_(system), motion_(motion) {}

  /// Whether any part has keys that physics feels, or hits.
  bool any() const;
  SteppedBody body(double time) override;
  bool still(double from, double to) const override;

 private:
  double clip_time(double time) const;
  double pull(const PartSettings& settings, double time) const;

  PartSystem& system_;
  const KeyedMotion& motion_;
};

/// Rows of a run that are to be zero, in value and in slope, at some moments.
struct HitRows {
  std::span<const double> times;  ///< s; may be more than there are columns
  std::span<const int> rows;
  std::span<const double> hits;  ///< s
  bool looped = false;
};

/// Takes from each row what it has left at a hit, value and slope, in a smooth bump of T = 0.3 s to each side: with
/// u = (t - hit) / T,  d -= (a + b (t - hit)) (1 - u^2)^3, which leaves place, speed and acceleration continuous. Zero
/// is the curve through the columns (Catmull-Rom), so that a hit may lie between two of them.
void correct_hits(Mat& deviation, const HitRows& hits);

}  // namespace rigspace
