#include "rigspace/anim/key_rate.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace rigspace {
namespace {

constexpr double kSparse = 12, kDense = 1000, kUnknown = 30;  // 1/s
constexpr long kRounding = 10;                                // tenths of a millisecond: times to the millisecond

/// The whole or film rate that a measured one stands for.
double snapped(double rate) {
  const double whole = std::round(rate), film = whole * 1000 / 1001;
  for (const double candidate : {whole, film})
    if (std::abs(rate - candidate) < 1e-4 * candidate) return candidate;
  return rate;
}

/// The same of times to the millisecond. Film's rates are a thousandth below whole ones: distinguished where the clip
/// is so long (s) that a millisecond is much less than that.
double snapped_of_milliseconds(double rate, double duration) {
  constexpr double kLong = 5;
  const double whole = std::round(rate), film = whole * 1000 / 1001;
  if (std::abs(rate - whole) > 0.02 * whole) return rate;
  return duration > kLong && std::abs(rate - film) < std::abs(rate - whole) ? film : whole;
}

}  // namespace

double key_rate(const Animation& animation) {
  struct Spacing {
    double sum = 0;  // s
    long count = 0;
  };
  std::map<long, Spacing> spacings;  // by tenths of a millisecond
  const auto add = [&](const std::vector<double>& times) {
    for (std::size_t k = 1; k < times.size(); ++k) {
      const double gap = times[k] - times[k - 1];
      if (!(gap < 10)) continue;
      Spacing& spacing = spacings[std::lround(1e4 * gap)];
      spacing.sum += gap;
      ++spacing.count;
    }
  };
  for (const Track& track : animation.tracks) add(track.curve.times);
  for (const RotationTrack& track : animation.rotations) add(track.times);
  const auto commonest = std::max_element(spacings.begin(), spacings.end(),
                                          [](const auto& a, const auto& b) { return a.second.count < b.second.count; });
  if (commonest == spacings.end()) return kUnknown;
  Spacing near = commonest->second;
  bool uneven = false;
  for (const long side : {-kRounding, kRounding})
    if (const auto other = spacings.find(commonest->first + side); other != spacings.end()) {
      near.sum += other->second.sum;
      near.count += other->second.count;
      uneven = true;
    }
  const double rate = static_cast<double>(near.count) / near.sum;
  if (!(rate >= kSparse && rate <= kDense)) return kUnknown;
  return uneven ? snapped_of_milliseconds(rate, animation.duration) : snapped(rate);
}

}  // namespace rigspace
