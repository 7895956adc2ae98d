#pragma once
// Arithmetic of curves of cubic keys (Interpolation::hermite), for editing a layer: the difference that an edit makes,
// and the curve with it. Sums and differences of such curves are such curves again, exactly: both are cubics between
// two neighbours of all their key times. All curves here hold their end values outside of their keys; one without keys
// is zero everywhere.

#include "rigspace/anim/curve.h"

namespace rigspace {

/// Two keys whose times differ by less than this are one key, s.
inline constexpr double kSameKeyTime = 1e-7;

/// a + factor * b, with keys at the times of both. Where a and -factor * b have the same keys the sum is 0 to the bit.
Curve sum_of_keys(const Curve& a, const Curve& b, double factor = 1);

/// The curve without those inner keys that the cubic through their neighbours meets anyway, in value and in both
/// slopes, up to `tolerance` (of values; of slopes over the length of that cubic).
Curve without_needless_keys(const Curve& curve, double tolerance);

/// A curve on a loop, and whether its end had to be drawn to its start: by more than a thousandth of its largest value,
/// or to another slope.
struct ClosedKeys {
  Curve curve;
  bool changed = false;
};
/// The curve on a loop from `first`, of `period` seconds. The start counts: at the end there is a key with the value
/// and the slope that the curve has at `first`, in place of keys within `slack` seconds of it or behind it, so that
/// value and slope are continuous where the loop repeats. Keys before `first` are left out.
ClosedKeys closed_keys(const Curve& curve, double first, double period, double slack);

/// What an edit of `keys` adds to them: edited - keys, without needless keys. Local: where both have the same keys it
/// is zero to the bit, so that moving one key changes nothing beyond its neighbours; without any change it has no keys.
/// With a `period` above 0, s, the curves are on a loop that begins at the first key: the first key and the one a
/// period later are one, and where only one of the two was moved the other follows; where both were, the first counts.
Curve edit_of_keys(const Curve& keys, const Curve& edited, double period = 0);

}  // namespace rigspace
