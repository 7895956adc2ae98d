// The hound has the size of IRM's quadruped (table 2, 5.1).

#include <gtest/gtest.h>

#include "members.h"
#include "rigspace/cast/hound.h"

#include <set>

namespace rigspace {
namespace {

TEST(Hound, Has78Joints642ControlsAndClipsThatMove218) {
  const Character& hound = testing::member("hound");
  EXPECT_EQ(hound.bones.size(), 78u);
  int offered = 0;
  for (const Control& control : hound.rig->controls()) offered += control.group.empty() ? 0 : 1;
  EXPECT_EQ(offered, 642);
  std::set<std::string> moved;
  for (const Animation& clip : hound.clips)
    for (const Track& track : clip.tracks) {
      const auto [low, high] = std::minmax_element(track.curve.values.begin(), track.curve.values.end());
      if (*high - *low > 1e-6) moved.insert(track.control);
      EXPECT_FALSE(hound.rig->controls()[hound.rig->find(track.control)].group.empty()) << track.control;
    }
  EXPECT_EQ(moved.size(), 218u);
}

TEST(Hound, MovesOnWithTheSameControlsByTheSeed) {
  const Character& hound = testing::member("hound");
  const Animation one = make_hound_motion(hound, 1, 0.5), again = make_hound_motion(hound, 1, 0.5),
                  other = make_hound_motion(hound, 2, 0.5);
  ASSERT_EQ(one.tracks.size(), 218u);
  bool differs = false;
  for (std::size_t k = 0; k < one.tracks.size(); ++k) {
    EXPECT_EQ(one.tracks[k].control, hound.clips.front().tracks[k].control);
    EXPECT_EQ(one.tracks[k].curve.values, again.tracks[k].curve.values);
    differs = differs || one.tracks[k].curve.values != other.tracks[k].curve.values;
  }
  EXPECT_TRUE(differs);
}

// The skeleton plays what the rig does: joints are where the rig has them.
TEST(Hound, PlaysItsClipsOnJointsAlone) {
  const Character &rigged = testing::member("hound"), &plain = testing::member("hound", Version::skeleton);
  for (const char* clip : {"Sit", "Beg"}) {
    const Vec a = testing::points_at(rigged, clip, 1.5), b = testing::points_at(plain, clip, 1.5);
    // Scales of the squashed body are left out: 20 % at most, on a hound of 1.8 m.
    EXPECT_LT((a - b).cwiseAbs().maxCoeff(), 0.02) << clip;
  }
}

}  // namespace
}  // namespace rigspace
