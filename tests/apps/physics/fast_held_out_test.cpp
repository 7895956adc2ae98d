// The fast method against the full one on a motion that it was not trained on: a small body, a whole clip, one rate.

#include "rigspace/apps/physics/flesh.h"
#include "rigspace/apps/physics/simulation.h"
#include "rigspace/cast/cast.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace rigspace::fast_held_out_test {
namespace {

/// The bar thrown up and down by its middle, at other times and three times as far as in its own clip.
Animation jolts(const Rig& rig) {
  const double rest = rig.rest()[rig.find("bar.ty")];
  Track track{.control = "bar.ty"};
  track.curve.interpolation = Interpolation::natural;
  track.curve.times = {0, 0.12, 0.3, 0.42, 0.6, 0.9, 1.1};
  for (const double up : {0.0, 0.1, -0.12, 0.15, 0.0, 0.05, 0.0}) track.curve.values.push_back(rest + up);
  return {.name = "Jolts", .duration = 1.1, .tracks = {track}};
}

struct Distance {
  double rms = 0, largest = 0;
};

/// Of the rig's points in two series of poses.
Distance distance(const Rig& rig, std::span<const Vec> poses, std::span<const Vec> others) {
  const auto workspace = rig.make_workspace();
  Distance result;
  double sum = 0;
  Vec s, other;
  for (std::size_t k = 0; k < poses.size(); ++k) {
    rig.evaluate(*workspace, poses[k], s);
    rig.evaluate(*workspace, others[k], other);
    for (int i = 0; i < rig.point_count(); ++i) {
      const double squared = (point(s, i) - point(other, i)).squaredNorm();
      sum += squared, result.largest = std::max(result.largest, std::sqrt(squared));
    }
  }
  result.rms = std::sqrt(sum / (static_cast<double>(poses.size()) * rig.point_count()));
  return result;
}

/// The artist's poses with `share` of what physics adds.
std::vector<Vec> poses_of(const Character& character, const Animation& clip, const SoftMotion& motion, double share) {
  std::vector<Vec> poses;
  for (std::size_t k = 0; k < motion.times.size(); ++k) {
    poses.push_back(pose_at(character, &clip, motion.times[k]));
    for (std::size_t c = 0; c < motion.controls.size(); ++c)
      poses.back()[motion.controls[c]] +=
          share * motion.deviation(static_cast<Eigen::Index>(c), static_cast<Eigen::Index>(k));
  }
  return poses;
}

TEST(FastMethod, IsOffByAboutWhatItsTrialWasAndFinerIsNearer) {
  const Character bar = make_character("bar");
  ASSERT_EQ(bar.clips.size(), 1u) << "training sees the clips of the character: the tested one must not be among them";
  Part part = with_solid(bar, control_part_from_pattern(bar, "p?=rubber"));
  part.settings.rate = 3, part.settings.settle = 0.6;
  const Animation clip = jolts(*bar.rig);
  SimulationOptions options{.looping = Looping::never, .end_at_rest = false};
  options.corrections = Corrections::none();
  options.method = Method::full;
  const SoftMotion full = simulate_parts(bar, &clip, std::span(&part, 1), options);
  options.method = Method::fast;
  const SoftMotion fast = simulate_parts(bar, &clip, std::span(&part, 1), options);
  options.quality = 1;  // with shapes of the inside
  const SoftMotion fine = simulate_parts(bar, &clip, std::span(&part, 1), options);
  ASSERT_EQ(fast.times, full.times);
  EXPECT_GE(full.times.back(), clip.duration - 1e-9);
  EXPECT_EQ(full.failed_steps, 0);
  EXPECT_EQ(fast.failed_steps, 0);
  const Piece& proxy = *proxy_of(bar);
  std::vector<int> points;
  for (int i = 0; i < proxy.point_count; ++i) points.push_back(proxy.first_point + i);
  const auto rig = bar.rig->restricted(points);
  const std::vector<Vec> truth = poses_of(bar, clip, full, 1);
  const Distance swing = distance(*rig, truth, poses_of(bar, clip, full, 0));
  const Distance error = distance(*rig, poses_of(bar, clip, fast, 1), truth);
  ASSERT_GT(swing.largest, 0.01) << "m: the bar must bend";
  const double stated = fast.parts.front().expected_error;  // a share of the swing, from jolts at rest
  ASSERT_GT(stated, 0);
  EXPECT_LT(error.rms, 3 * stated * swing.rms);
  EXPECT_GT(error.rms, stated / 3 * swing.rms);
  const Distance finer = distance(*rig, poses_of(bar, clip, fine, 1), truth);
  EXPECT_LT(finer.rms, 0.5 * error.rms);  // 2.9 % where it was 10.4, of the swing
  EXPECT_LT(fine.parts.front().expected_error, 0.5 * stated);
}

}  // namespace
}  // namespace rigspace::fast_held_out_test
