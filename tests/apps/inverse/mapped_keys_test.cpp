#include "rigspace/apps/inverse/mapped_keys.h"

#include "rigspace/anim/kept_keys.h"
#include "rigspace/anim/key_fitting.h"
#include "rigspace/cast/cast.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace rigspace::mapped_keys_test {
namespace {

/// A member's clip with a linear key a frame, as map_motion makes them.
Animation sampled(const Character& own, const Animation& clip, double rate) {
  Animation frames{.name = "mapped", .duration = clip.duration};
  const std::span<const Control> controls = own.rig->controls();
  const Sampler sampler(clip, controls);
  const int count = static_cast<int>(std::ceil(clip.duration * rate));
  for (const int c : sampler.animated()) frames.tracks.push_back({.control = controls[c].name});
  for (int k = 0; k <= count; ++k) {
    const double time = clip.duration * k / count;
    Vec p = own.rig->rest();
    sampler.sample(time, p);
    for (std::size_t t = 0; t < frames.tracks.size(); ++t) {
      frames.tracks[t].curve.times.push_back(time);
      frames.tracks[t].curve.values.push_back(p[sampler.animated()[t]]);
    }
  }
  return frames;
}

class MappedKeysOfBobbin : public ::testing::Test {
 protected:
  MappedKeysOfBobbin() : frames_(sampled(own_, *own_.clip("Hop"), 30)) {}
  double off(const Animation& clip) const {
    const std::vector<double> at = source_frames(frames_);
    return surface_error(*own_.rig, clip, frames_, at).distance / rest_height(*own_.rig);
  }
  Character own_ = make_character("bobbin");
  Animation frames_;
};

TEST_F(MappedKeysOfBobbin, KeepTheSourcesTimesAndAddSomeWhereTheErrorIsAboveTheTolerance) {
  Animation source{.name = "source", .duration = frames_.duration};
  source.tracks.push_back(
      {.control = "x", .curve = {.times = {0, 0.37 * frames_.duration, frames_.duration}, .values = {0, 1, 0}}});
  for (const double tolerance : {0.02, 0.002}) {
    const MappedKeys made = with_mapped_keys(own_, frames_, &source, tolerance);
    EXPECT_TRUE(made.from_source);
    EXPECT_EQ(made.kept_times, 3);
    EXPECT_GT(made.added_times, 0) << "three keys cannot hold a hop";
    EXPECT_LE(off(made.clip), tolerance * (1 + 1e-9));
    EXPECT_NEAR(off(made.clip), made.error, 1e-12);
    const std::vector<double> times = key_times(made.clip);
    for (const double wanted : key_times(source))
      EXPECT_TRUE(std::ranges::any_of(times, [&](double each) { return std::abs(each - wanted) < 1e-4; })) << wanted;
    EXPECT_LT(times.size(), source_frames(frames_).size());
  }
}

TEST_F(MappedKeysOfBobbin, OfASampledMotionAreFittedWithinTheTolerance) {
  const MappedKeys made = with_mapped_keys(own_, frames_, &frames_, 0.005);
  EXPECT_FALSE(made.from_source);
  EXPECT_LE(made.error, 0.005 * (1 + 1e-9));
  EXPECT_NEAR(off(made.clip), made.error, 1e-12);
  EXPECT_LT(key_count(made.clip), key_count(frames_) / 2);
}

}  // namespace
}  // namespace rigspace::mapped_keys_test
