#include "rigspace/apps/inverse/point_targets.h"

#include "rigspace/base/error.h"
#include "rigspace/cast/cast.h"

#include <gtest/gtest.h>

namespace rigspace::point_targets_test {
namespace {

/// The hop as a cache of the whole mesh, or of joints as landmarks.
PointMotion hop(const Character& character, const FeatureRig* landmarks) {
  PointMotion motion{.name = "hop", .file = "hop.csv"};
  if (landmarks != nullptr)
    for (const std::string& name : landmarks->names()) motion.names.push_back("  " + name + " ");
  const auto workspace = character.rig->make_workspace();
  const int count = landmarks != nullptr ? landmarks->count() : character.rig->point_count();
  motion.X.resize(3 * count, 4);
  Vec s;
  for (int k = 0; k < 4; ++k) {
    const Vec p = pose_at(character, character.clip("Hop"), k / 8.0);
    if (landmarks != nullptr)
      landmarks->evaluate(p, s);
    else
      character.rig->evaluate(*workspace, p, s);
    motion.X.col(k) = s, motion.times.push_back(k / 8.0);
  }
  return motion;
}

TEST(PointTargets, LandmarksAndPointsOfTheMeshAreFollowed) {
  const Character bobbin = make_character("bobbin", Version::skeleton);
  const InverseModel by_joints(
      bobbin, {.clips = {"Walk", "Idle"}, .joints = {"pelvis", "hand_?", "foot_?", "head"}, .samples = 40});
  PointMotion landmarks = hop(bobbin, &by_joints.features());
  EXPECT_LT(map_motion(bobbin, by_joints, point_targets(bobbin, by_joints, landmarks)).joint_error, 5e-3);
  landmarks.names[1] = "nose";
  EXPECT_THROW(point_targets(bobbin, by_joints, landmarks), Error);
  const std::string first = by_joints.features().names()[1];
  EXPECT_NO_THROW(point_targets(bobbin, by_joints, landmarks, std::vector<GivenMatch>{{first, "nose"}}));

  const InverseModel by_points(bobbin, {.clips = {"Walk", "Idle"}, .points = spread_points(bobbin, 60), .samples = 40});
  PointMotion cache = hop(bobbin, nullptr);
  EXPECT_LT(map_motion(bobbin, by_points, point_targets(bobbin, by_points, cache)).joint_error, 5e-3);
  cache.X.conservativeResize(cache.X.rows() - 3, Eigen::NoChange);
  EXPECT_THROW(point_targets(bobbin, by_points, cache), Error);
}

}  // namespace
}  // namespace rigspace::point_targets_test
