#include "rigspace/anim/clip_play.h"

#include "rigspace/anim/keyed_motion.h"
#include "rigspace/cast/cast.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace rigspace {
namespace {

constexpr double kFrame = 1.0 / 24;

/// A clip of one joint of Bobbin that turns by `angle(time)` about x, with a key a frame.
Animation turning(const std::string& name, int frames, double (*angle)(double)) {
  RotationTrack track{.node = "tail_01", .interpolation = Interpolation::linear};
  for (int k = 0; k <= frames; ++k) {
    const double a = 0.5 * angle(k * kFrame);
    track.times.push_back(k * kFrame);
    track.values.emplace_back(std::sin(a), 0, 0, std::cos(a));
  }
  return {.name = name, .duration = frames * kFrame, .rotations = {track}};
}

double swing(double t) { return 0.8 * std::sin(2 * std::numbers::pi * t); }
double away(double t) { return 1.2 * t; }
double still(double) { return 0; }

Character with(std::vector<Animation> clips) {
  Character bobbin = make_character("bobbin");
  bobbin.clips = std::move(clips);
  return bobbin;
}

TEST(ClipPlay, OfAnUnnamedClipIsALoopIfThePoseComesBack) {
  const Character character = with({turning("Take 1", 24, swing), turning("Take 2", 24, away)});
  const ClipPlay first = decide_play(character, character.clips[0]),
                 second = decide_play(character, character.clips[1]);
  EXPECT_TRUE(first.loops);
  EXPECT_DOUBLE_EQ(first.period, 1);
  EXPECT_EQ(first.why, "its pose comes back");
  EXPECT_FALSE(second.loops);
}

TEST(ClipPlay, WithoutTheClosingFrameHasAPeriodOfOneFrameMore) {
  const Character character = with({turning("Take", 23, swing)});
  const ClipPlay play = decide_play(character, character.clips[0]);
  EXPECT_TRUE(play.loops);
  EXPECT_NEAR(play.period, 1, 1e-9);
  KeyedMotion motion(character, &character.clips[0]);
  motion.set_cyclic(true);
  EXPECT_NEAR(motion.duration(), 1, 1e-9);
  // In between the pose goes straight to the first, and a turn later it is the same.
  Vec before, after, later;
  const int qx = character.rig->find("tail_01.qx");
  motion.controls(1 - 1e-9, before), motion.controls(1 + 1e-9, after), motion.controls(23.5 * kFrame, later);
  EXPECT_NEAR(before[qx], after[qx], 1e-6);
  EXPECT_NEAR(later[qx], std::sin(0.25 * swing(23 * kFrame)), 1e-6);
}

TEST(ClipPlay, GoesByWordsBeforePoses) {
  const Character character = with({turning("Armature|Attack_Loop", 24, swing), turning("hero:Walk", 23, swing),
                                    turning("Run_Punch", 24, swing), turning("Jump_toIdle", 24, swing),
                                    turning("Walk_Away", 24, away), turning("Shite", 24, swing)});
  const char* why[] = {"its name says \"attack\"", "its name says \"walk\", one frame after its last key",
                       "its name says \"punch\"", "its name says \"to idle\""};
  const bool loops[] = {false, true, false, false, false, true};
  for (std::size_t k = 0; k < 6; ++k) EXPECT_EQ(decide_play(character, character.clips[k]).loops, loops[k]) << k;
  for (std::size_t k = 0; k < 4; ++k) EXPECT_EQ(decide_play(character, character.clips[k]).why, why[k]);
  EXPECT_NE(decide_play(character, character.clips[4]).why.find("degrees from where it begins"), std::string::npos);
}

TEST(ClipPlay, FromAStopToAStopIsPlayedOnce) {
  // What travels steadily goes on; a dash that begins and ends at rest does not.
  Character character = with({turning("Take 1", 24, still), turning("Take 2", 24, still)});
  for (const bool dashes : {false, true}) {
    Curve way{.interpolation = Interpolation::linear};
    for (int k = 0; k <= 24; ++k) {
      const double u = k / 24.0;
      way.times.push_back(k * kFrame), way.values.push_back(2 * (dashes ? u * u * (3 - 2 * u) : u));
    }
    character.clips[dashes ? 1 : 0].tracks.push_back({"tail_01.tz", way});
    character.clips[dashes ? 1 : 0].rotations.clear();
  }
  EXPECT_TRUE(decide_play(character, character.clips[0]).loops);
  const ClipPlay dash = decide_play(character, character.clips[1]);
  EXPECT_FALSE(dash.loops);
  EXPECT_EQ(dash.why, "its pose comes back, but tail_01 does not go on as it began");
}

TEST(ClipPlay, OfALeapIsPlayedOnceUnlessAWordSaysOtherwise) {
  const Character character = with({turning("Jump_Full_Long", 24, swing), turning("Jump_Idle", 24, swing),
                                    turning("Gallop_Jump", 24, swing), turning("Swim_Fast", 24, swing)});
  EXPECT_FALSE(decide_play(character, character.clips[0]).loops);
  EXPECT_TRUE(decide_play(character, character.clips[1]).loops);
  EXPECT_TRUE(decide_play(character, character.clips[2]).loops);
  EXPECT_FALSE(decide_play(character, character.clips[2]).off_ground);
  EXPECT_TRUE(decide_play(character, character.clips[3]).off_ground);
}

TEST(ClipPlay, ThatBeginsAndEndsInTheIdlePoseIsPlayedOnce) {
  const Character character = with({turning("Idle", 24, still), turning("Nod", 24, swing)});
  EXPECT_TRUE(decide_play(character, character.clips[0]).loops);
  const ClipPlay nod = decide_play(character, character.clips[1]);
  EXPECT_FALSE(nod.loops);
  EXPECT_EQ(nod.why, "it begins and ends in the pose of Idle");
}

TEST(ClipPlay, DoesWhatSomebodySays) {
  const Character character = with({turning("rig|Attack", 24, swing), turning("Walk", 24, swing)});
  const PlayRules rules{.loop = {"Att*"}, .once = {"Walk"}};
  EXPECT_TRUE(decide_play(character, character.clips[0], rules).loops);
  EXPECT_FALSE(decide_play(character, character.clips[1], rules).loops);
}

TEST(ClipPlay, FindsTheOrdinaryWayToMove) {
  const Character character = with({turning("Run", 24, swing), turning("Walk_Backwards", 24, swing),
                                    turning("Armature|Walk", 24, swing), turning("Idle", 24, still)});
  EXPECT_EQ(ordinary_locomotion(character), &character.clips[2]);
  const Character idle = with({turning("Idle", 24, still), turning("Wave", 24, swing)});
  EXPECT_EQ(ordinary_locomotion(idle), nullptr);
  const Character pferd = with({turning("Galopp", 24, swing), turning("Trab", 24, swing)});
  EXPECT_EQ(ordinary_locomotion(pferd), &pferd.clips[1]);
  const Character girl = with({turning("踊り", 24, swing), turning("歩く", 24, swing)});
  EXPECT_EQ(ordinary_locomotion(girl), &girl.clips[1]);
}

}  // namespace
}  // namespace rigspace
