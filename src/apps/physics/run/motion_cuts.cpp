#include "motion_cuts.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace rigspace {
namespace {

constexpr double kSample = 1.0 / 60;            // s
constexpr double kTurn = std::numbers::pi / 6;  // rad a sample
constexpr double kWay = 1;                      // of a control's typical change, a tenth of the scene's size, a sample
constexpr double kUnusual = 6, kUsual = 0.8;    // times as fast as in this share of the clip
constexpr double kLongest = 0.12;               // s

double angle_between(const Vec4& a, const Vec4& b) {
  return 2 * std::acos(std::min(1.0, std::abs(a.normalized().dot(b.normalized()))));
}

}  // namespace

std::vector<Cut> motion_cuts(const KeyedMotion& motion, std::span<const Control> controls) {
  const int samples = static_cast<int>(std::ceil(motion.clip_duration() / kSample));
  constexpr int kMost = 60 * 600;  // ten minutes: what is longer is looked at in part
  if (samples < 3) return {};
  const int count = std::min(samples, kMost);
  // Per control (of four that are an orientation the first): its change from sample to sample.
  std::vector<std::vector<float>> steps(controls.size());
  std::vector<std::size_t> watched;
  for (std::size_t c = 0; c < controls.size(); ++c) {
    const Unit unit = controls[c].unit;
    const bool orientation = unit == Unit::quaternion && controls[c].name.ends_with(".qx") && c + 3 < controls.size();
    if (unit == Unit::length || unit == Unit::angle || orientation) watched.push_back(c);
  }
  Vec before, now;
  motion.controls(0, before);
  for (int k = 1; k <= count; ++k) {
    motion.controls(std::min(k * kSample, motion.clip_duration() * (1 - 1e-9)), now);
    for (const std::size_t c : watched) {
      const auto i = static_cast<Eigen::Index>(c);
      const double step = controls[c].unit == Unit::quaternion ? angle_between(before.segment<4>(i), now.segment<4>(i))
                                                               : std::abs(now[i] - before[i]);
      if (step == 0 && steps[c].empty()) continue;
      steps[c].resize(static_cast<std::size_t>(count), 0.0F);
      steps[c][static_cast<std::size_t>(k) - 1] = static_cast<float>(step);
    }
    before = now;
  }
  std::vector<char> jumps(static_cast<std::size_t>(count), 0);
  for (const std::size_t c : watched) {
    const double least = controls[c].unit == Unit::length ? kWay * controls[c].typical : kTurn;
    if (steps[c].empty() || *std::max_element(steps[c].begin(), steps[c].end()) < least) continue;
    std::vector<float> sorted = steps[c];
    const auto usual = sorted.begin() + static_cast<std::ptrdiff_t>(kUsual * static_cast<double>(count - 1));
    std::nth_element(sorted.begin(), usual, sorted.end());
    for (int k = 0; k < count;) {
      int end = k;
      while (end < count && steps[c][end] > least && steps[c][end] > kUnusual * *usual) ++end;
      if (end > k && (end - k) * kSample <= kLongest) std::fill(jumps.begin() + k, jumps.begin() + end, 1);
      k = std::max(end, k + 1);
    }
  }
  std::vector<Cut> cuts;
  for (int k = 0; k < count; ++k) {
    if (!jumps[k]) continue;
    if (cuts.empty() || cuts.back().to < k * kSample - 1e-9) cuts.push_back({k * kSample, k * kSample});
    cuts.back().to = std::min((k + 1) * kSample, motion.clip_duration());
  }
  return cuts;
}

}  // namespace rigspace
