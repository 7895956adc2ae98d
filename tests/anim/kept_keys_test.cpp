#include "rigspace/anim/kept_keys.h"

#include <gtest/gtest.h>

#include <cmath>

namespace rigspace {
namespace {

TEST(KeptKeys, ACubicThatWasSampledComesBackWithItsOwnKeys) {
  const Curve keyed{.interpolation = Interpolation::hermite,
                    .times = {0, 0.4, 1},
                    .values = {0, 2, -1},
                    .in_tangents = {1, 0, -3},
                    .out_tangents = {1, 0, -3}};
  Animation dense{.name = "swing", .duration = 1};
  Track track{.control = "arm.rx", .curve = {}}, still{.control = "arm.ry", .curve = {}};
  RotationTrack turn{.node = "arm"};
  for (int k = 0; k <= 30; ++k) {
    const double time = k / 30.0;
    track.curve.times.push_back(time), track.curve.values.push_back(keyed(time));
    still.curve.times.push_back(time), still.curve.values.push_back(0.7);
    const double sign = k % 7 == 3 ? -1 : 1;  // the same rotation
    turn.times.push_back(time);
    turn.values.push_back(sign * Vec4(std::sin(time), 0, 0, std::cos(time)));
  }
  dense.tracks = {track, still}, dense.rotations = {turn};
  const Animation kept = with_keys_at(dense, std::vector<double>{0, 0.4, 1});
  ASSERT_EQ(kept.tracks[0].curve.times, keyed.times);
  EXPECT_EQ(kept.tracks[1].curve.times.size(), 1u);
  EXPECT_EQ(key_times(kept), (std::vector<double>{0, 0.4, 1}));
  kept.rotations[0].validate("turn");
  for (int k = 0; k <= 60; ++k) {
    const double time = k / 60.0;
    EXPECT_NEAR(kept.tracks[0].curve(time), keyed(time), 1e-3);
    const Vec4 q = kept.rotations[0](time);
    EXPECT_NEAR(std::abs(q.dot(Vec4(std::sin(time), 0, 0, std::cos(time)))), 1, 1e-6);
  }
}

}  // namespace
}  // namespace rigspace
