#include "rigspace/rig/skeleton_extraction.h"

#include "rigspace/base/error.h"
#include "rigspace/geometry/polygonise.h"
#include "rigspace/geometry/winding_number.h"
#include "rigspace/rig/skeleton.h"

#include <gtest/gtest.h>

#include <set>

namespace rigspace::skeleton_extraction_test {
namespace {

/// A figure that stands: two legs, two bent arms, a head; mirrored in x.
TriMesh figure() {
  return polygonise(
      [](const Vec3& p) {
        double body = tapered_capsule(p, Vec3(0, 1, 0), Vec3(0, 2, 0), 0.28, 0.3);
        body = std::min(body, tapered_capsule(p, Vec3(0, 2, 0), Vec3(0, 2.7, 0), 0.12, 0.12));
        body = std::min(body, sphere(p, Vec3(0, 2.8, 0), 0.25));
        for (const double side : {1.0, -1.0}) {
          body = std::min(body, tapered_capsule(p, Vec3(0.15 * side, 1, 0), Vec3(0.3 * side, 0, 0), 0.14, 0.1));
          body = std::min(body, tapered_capsule(p, Vec3(0, 2, 0), Vec3(0.9 * side, 2, 0), 0.12, 0.1));
          body = std::min(body, tapered_capsule(p, Vec3(0.9 * side, 2, 0), Vec3(0.9 * side, 1.2, 0.1), 0.1, 0.08));
        }
        return body;
      },
      {.low = Vec3(-1.3, -0.3, -0.5), .high = Vec3(1.3, 3.3, 0.5), .cell = 0.06});
}

double distance_to(const ExtractedSkeleton& skeleton, const Vec3& x) {
  double least = 1e300;
  for (const JointPlace& each : skeleton.joints) least = std::min(least, (each.position - x).norm());
  return least;
}

std::vector<Vec3> tips_of(const ExtractedSkeleton& skeleton) {
  std::set<int> parents;
  for (const JointPlace& each : skeleton.joints) parents.insert(each.parent);
  std::vector<Vec3> tips;
  for (int j = 0; j < std::ssize(skeleton.joints); ++j)
    if (!parents.contains(j)) tips.push_back(skeleton.joints[j].position);
  return tips;
}

TEST(ExtractedSkeleton, OfAFigureHasFiveLimbsAndBendsAtTheElbows) {
  const TriMesh mesh = figure();
  const ExtractedSkeleton skeleton = extract_skeleton(mesh);
  EXPECT_EQ(tips_of(skeleton).size(), 5u);
  for (const double side : {1.0, -1.0}) {
    EXPECT_LT(distance_to(skeleton, Vec3(0.9 * side, 2, 0)), 0.15);       // elbows
    EXPECT_LT(distance_to(skeleton, Vec3(0.9 * side, 1.15, 0.1)), 0.15);  // hands
    EXPECT_LT(distance_to(skeleton, Vec3(0.3 * side, 0, 0)), 0.15);       // feet
  }
  EXPECT_LT(distance_to(skeleton, Vec3(0, 3, 0)), 0.15);
  const WindingTree inside(mesh);
  std::set<int> parents;
  for (const JointPlace& each : skeleton.joints) parents.insert(each.parent);
  for (int j = 0; j < std::ssize(skeleton.joints); ++j)
    if (parents.contains(j)) {  // tips are on the skin
      EXPECT_GT(inside(skeleton.joints[j].position), 0.9) << skeleton.joints[j].name;
    }
}

TEST(ExtractedSkeleton, IsItsOwnMirrorImageWhereTheBodyIs) {
  const ExtractedSkeleton skeleton = extract_skeleton(figure());
  EXPECT_EQ(skeleton.mirror_axis, 0);
  for (const JointPlace& each : skeleton.joints) {
    EXPECT_LT(distance_to(skeleton, Vec3(-each.position.x(), each.position.y(), each.position.z())), 1e-6) << each.name;
    if (!each.name.starts_with("left")) continue;
    const std::string twin = "right" + each.name.substr(4);
    const auto found = std::find_if(skeleton.joints.begin(), skeleton.joints.end(),
                                    [&](const JointPlace& other) { return other.name == twin; });
    ASSERT_NE(found, skeleton.joints.end()) << twin;
    EXPECT_NEAR(found->position.x(), -each.position.x(), 1e-6);
  }
}

TEST(ExtractedSkeleton, IsATreeWhoseParentsComeFirst) {
  const ExtractedSkeleton skeleton = extract_skeleton(figure(), {.symmetric = false});
  std::set<std::string> names;
  for (int j = 0; j < std::ssize(skeleton.joints); ++j) {
    EXPECT_LT(skeleton.joints[j].parent, j);
    EXPECT_EQ(skeleton.joints[j].parent < 0, j == 0);
    EXPECT_TRUE(names.insert(skeleton.joints[j].name).second);
  }
  EXPECT_THROW(extract_skeleton(TriMesh{.points = Vec::Zero(9), .triangles = {{0, 1, 2}}}), Error);
}

/// A capsule of three pieces that turn at x = 1 and x = 2, blended over 0.1.
struct Worm {
  TriMesh rest = polygonise([](const Vec3& p) { return tapered_capsule(p, Vec3::Zero(), Vec3(3, 0, 0), 0.2, 0.2); },
                            {.low = Vec3(-0.4, -0.4, -0.4), .high = Vec3(3.4, 0.4, 0.4), .cell = 0.08});
  std::vector<Vec> frames;

  Worm() {
    for (int t = 0; t < 12; ++t) {
      const Vec3 first(0, 0.5 * std::sin(0.5 * t), 0.7 * std::sin(0.9 * t)),
          second(0, 0.4 * std::cos(0.6 * t), -0.8 * std::sin(0.7 * t));
      Vec x = rest.points;
      for (int i = 0; i < rest.point_count(); ++i) {
        const Vec3 own = point(rest.points, i);
        const double a = smooth_step(0.95, 1.05, own.x()), b = smooth_step(1.95, 2.05, own.x());
        const auto bent = [&](double u, double v) {
          const Vec3 beyond = Vec3(2, 0, 0) + rotation_exp(v * second) * (own - Vec3(2, 0, 0));
          return Vec3(Vec3(1, 0, 0) + rotation_exp(u * first) * (beyond - Vec3(1, 0, 0)));
        };
        point(x, i) = (1 - a) * own + a * ((1 - b) * bent(1, 0) + b * bent(1, 1));
      }
      frames.push_back(x);
    }
  }
};

TEST(MotionSkeleton, FindsThePiecesOfAMovingMeshAndTheirJoints) {
  const Worm worm;
  const MotionSkeleton skeleton = skeleton_from_motion(worm.rest, worm.frames, {.most_joints = 3, .tolerance = 1e-3});
  ASSERT_EQ(skeleton.joints.size(), 3u);
  EXPECT_LT(skeleton.rms, 0.01);  // of a worm 3.4 long
  // The root is the middle piece; the joints are where the pieces turn.
  EXPECT_NEAR(skeleton.joints[0].position.x(), 1.5, 0.1);
  std::vector<double> places = {skeleton.joints[1].position.x(), skeleton.joints[2].position.x()};
  std::sort(places.begin(), places.end());
  EXPECT_NEAR(places[0], 1, 0.03);
  EXPECT_NEAR(places[1], 2, 0.03);
  for (int j = 1; j < 3; ++j) EXPECT_LT(skeleton.joints[j].position.tail<2>().norm(), 0.03);
}

TEST(MotionSkeleton, OfARigidMotionIsOneJoint) {
  Worm worm;
  for (std::size_t t = 0; t < worm.frames.size(); ++t) {
    const Mat3 R = rotation_exp(Vec3(0.1, 0.2, 0.3) * static_cast<double>(t));
    for (int i = 0; i < worm.rest.point_count(); ++i)
      point(worm.frames[t], i) = R * point(worm.rest.points, i) + Vec3(0, static_cast<double>(t), 0);
  }
  const MotionSkeleton skeleton = skeleton_from_motion(worm.rest, worm.frames);
  EXPECT_EQ(skeleton.joints.size(), 1u);
  EXPECT_LT(skeleton.rms, 1e-6);
  EXPECT_THROW(skeleton_from_motion(worm.rest, std::vector<Vec>{}), Error);
}

}  // namespace
}  // namespace rigspace::skeleton_extraction_test
