#include <gtest/gtest.h>

#include "members.h"

#include <numbers>

namespace rigspace {
namespace {

using testing::built_in;
using testing::points_of;
using testing::posed;

class Peanut : public ::testing::Test {
 protected:
  static const Character& peanut() { return testing::member("peanut"); }
  static const Piece& body() { return peanut().pieces.front(); }
  static const Piece& piece(const std::string& name) {
    return *std::find_if(peanut().pieces.begin(), peanut().pieces.end(),
                         [&](const Piece& p) { return p.name == name; });
  }
  /// The mean of the points of the body that lie within 3 cm of a place at rest.
  static Vec3 place(const Vec& s, const Vec3& at) {
    Vec3 sum = Vec3::Zero();
    int count = 0;
    for (int v = 0; v < body().point_count; ++v) {
      if ((point(built_in(peanut()).points_rest(), v) - at).norm() > 0.03) continue;
      sum += point(s, v);
      ++count;
    }
    EXPECT_GT(count, 3);
    return sum / std::max(count, 1);
  }
};

TEST_F(Peanut, IsSmoothEnoughToShow) { EXPECT_GE(body().point_count, 20000); }

TEST_F(Peanut, StandsOnTheGroundAndIsAboutOnePointTwoMetresTall) {
  const Box box = bounding_box(built_in(peanut()).points_rest().head(3 * body().point_count));
  EXPECT_NEAR(box.low.y(), 0, 1e-3);
  EXPECT_NEAR(box.high.y(), 1.2, 0.03);
}

TEST_F(Peanut, PlantedSolesDoNotSlide) {
  // 2 mm, of points below 1 mm: the sole rolls over the ground.
  for (const Version version : {Version::rig, Version::skeleton}) {
    const Character& character = testing::member("peanut", version);
    EXPECT_LT(testing::longest_slide(character, "Walk", character.pieces.front(), 0.001), 0.002);
  }
  EXPECT_LT(testing::longest_slide(peanut(), "Dance", body(), 0.001), 0.002);
  EXPECT_LT(testing::longest_slide(peanut(), "Workout", body(), 0.001), 0.002);
}

TEST_F(Peanut, StaysAboveTheGround) {
  // 6 mm, half a percent of the height: soft soles on a hard floor.
  for (const Animation& clip : peanut().clips)
    EXPECT_GT(testing::lowest_point(peanut(), clip.name), -0.006) << clip.name;
}

TEST_F(Peanut, ClipsLoop) {
  EXPECT_EQ(testing::seam(peanut(), "Dance"), 0);
  EXPECT_EQ(testing::seam(peanut(), "Workout"), 0);
  EXPECT_EQ(testing::seam(peanut(), "Walk", {"root.tz"}), 0);
  EXPECT_GT(pose_at(peanut(), peanut().clip("Walk"), 1.1)[built_in(peanut()).find("root.tz")], 0.3);
}

TEST_F(Peanut, LeavesBellyTrunkTailAndEarsToPhysics) {
  for (const Version version : {Version::rig, Version::skeleton}) {
    for (const Animation& clip : testing::member("peanut", version).clips) {
      const auto soft = [](const std::string& name) {
        return name.starts_with("belly") || name.starts_with("trunk") || name.starts_with("tail") ||
               name.starts_with("ear") || name.starts_with("shoulders");
      };
      for (const RotationTrack& track : clip.rotations)
        EXPECT_FALSE(soft(track.node)) << clip.name << " " << track.node;
      for (const Track& track : clip.tracks) EXPECT_FALSE(soft(track.control)) << clip.name << " " << track.control;
    }
  }
}

TEST_F(Peanut, ChestAndHeadFollowTheHipsLate) {
  // Overlap: in the walk the head's lean peaks after the pelvis's.
  const auto peak = [&](const std::string& node) {
    double best = -1, at = 0;
    for (int k = 0; k < 66; ++k) {
      const Vec p = pose_at(peanut(), peanut().clip("Walk"), k / 60.0);
      const double z =
          p[built_in(peanut()).find(node + ".qz")] - built_in(peanut()).rest()[built_in(peanut()).find(node + ".qz")];
      if (z > best) best = z, at = k / 60.0;
    }
    return at;
  };
  const double lag = std::fmod(peak("head") - peak("pelvis") + 0.55 + 1.1, 1.1);  // the head tilts back against it
  EXPECT_GT(lag, 0.02);
  EXPECT_LT(lag, 0.3);
}

TEST_F(Peanut, EyesAreOpenUntilTheyBlink) {
  // Seen from the front, the upper lid's edge is above the pupil; shut, it is below the middle of the eye.
  const Piece& eyes = piece("eyes");
  const auto highest_black = [&](const Vec& s) {  // of the pupils: how much of them lies before the lids' front
    double lids = -1, pupil = -1;
    for (int k = 0; k < eyes.point_count; ++k) {
      const Vec3 x = point(s, eyes.first_point + k);
      if (x.x() < 0.08 || x.x() > 0.1 || x.y() < 1.0 || x.y() > 1.05) continue;
      const bool black = eyes.colors[k].head<3>().maxCoeff() < 0.01f;
      double& front = black ? pupil : lids;
      front = std::max(front, x.z());
    }
    return pupil - lids;
  };
  EXPECT_GT(highest_black(built_in(peanut()).points_rest()), 0);
  EXPECT_LT(highest_black(points_of(peanut(), posed(peanut(), {{"blink", 1}}))), 0);
}

TEST_F(Peanut, FeetFollowTheirControlsWithIk) {
  const Vec3 sole(0.155, 0, 0.02);
  const Vec& rest = built_in(peanut()).points_rest();
  // IK alone changes nothing: the controls rest where the feet are. To a tenth of a millimetre: full extension is soft.
  const Vec on =
      points_of(peanut(), posed(peanut(), {{"leg_ik_l", 1}, {"leg_ik_r", 1}, {"arm_ik_l", 1}, {"arm_ik_r", 1}}));
  EXPECT_LT((on - rest).cwiseAbs().maxCoeff(), 1e-4);
  // The foot goes where its control goes; the pelvis moves without it.
  const Vec stepped =
      points_of(peanut(), posed(peanut(), {{"leg_ik_l", 1}, {"foot_ctrl_l.ty", 0.06}, {"foot_ctrl_l.tz", 0.03}}));
  EXPECT_NEAR((place(stepped, sole) - place(rest, sole) - Vec3(0, 0.06, 0.03)).norm(), 0, 2e-3);
  const Vec crouched = points_of(peanut(), posed(peanut(), {{"leg_ik_l", 1}, {"leg_ik_r", 1}, {"pelvis.ty", -0.05}}));
  EXPECT_NEAR((place(crouched, sole) - place(rest, sole)).norm(), 0, 2e-3);
  EXPECT_LT(place(crouched, {0, 0.7, 0.14}).y(), place(rest, {0, 0.7, 0.14}).y() - 0.03);
}

TEST_F(Peanut, FootRollLiftsTheHeelAndKeepsTheBall) {
  const Vec& rest = built_in(peanut()).points_rest();
  const Vec rolled = points_of(
      peanut(), posed(peanut(), {{"leg_ik_l", 1}, {"foot_roll_l", 25 * std::numbers::pi / 180}, {"pelvis.ty", -0.02}}));
  const Vec3 heel(0.15, 0.0, -0.06), ball(0.156, 0, 0.12);
  EXPECT_GT(place(rolled, heel).y(), place(rest, heel).y() + 0.03);
  EXPECT_NEAR(place(rolled, ball).y(), place(rest, ball).y(), 0.01);
}

TEST_F(Peanut, BellyIsPressedOutByACrouch) {
  const Vec3 front(0, 0.45, 0.33);
  const Vec& rest = built_in(peanut()).points_rest();
  const Vec low = points_of(peanut(), posed(peanut(), {{"pelvis.ty", -0.1}}));
  EXPECT_GT(place(low, front).z(), place(rest, front).z() + 0.01);
}

TEST_F(Peanut, TrunkFollowsItsWire) {
  const Vec3 tip(0, 0.535, 0.58), dome(0.072, 1.2, 0.03);
  const Vec& rest = built_in(peanut()).points_rest();
  const Vec swung = points_of(peanut(), posed(peanut(), {{"trunk_4.tx", 0.1}}));
  EXPECT_GT((place(swung, tip) - place(rest, tip)).x(), 0.06);
  EXPECT_LT((place(swung, dome) - place(rest, dome)).norm(), 1e-9);
}

}  // namespace
}  // namespace rigspace
