#include "rigspace/rig/skin_weights.h"

#include "rigspace/base/affine.h"
#include "rigspace/base/error.h"
#include "rigspace/geometry/polygonise.h"
#include "rigspace/rig/motion_weights.h"

#include <gtest/gtest.h>

#include <random>

namespace rigspace::skin_weights_test {
namespace {

constexpr std::array kAll = {SkinWeightMethod::nearest, SkinWeightMethod::falloff, SkinWeightMethod::heat,
                             SkinWeightMethod::voxels, SkinWeightMethod::biharmonic};

/// A capsule along x from -2 to 2, bones to either side of 0.
TriMesh limb() {
  return polygonise([](const Vec3& p) { return tapered_capsule(p, Vec3(-1.7, 0, 0), Vec3(1.7, 0, 0), 0.3, 0.3); },
                    {.low = Vec3(-2.2, -0.5, -0.5), .high = Vec3(2.2, 0.5, 0.5), .cell = 0.1});
}
std::vector<SkinJoint> limb_joints() {
  return {{.name = "left", .bones = {{Vec3(-1.7, 0, 0), Vec3(0, 0, 0)}}},
          {.name = "right", .bones = {{Vec3(0, 0, 0), Vec3(1.7, 0, 0)}}}};
}

/// Two legs side by side, 0.16 apart, joined at the hip.
TriMesh legs() {
  return polygonise(
      [](const Vec3& p) {
        const double left = tapered_capsule(p, Vec3(-0.28, 0, 0), Vec3(-0.28, 3, 0), 0.2, 0.2);
        const double right = tapered_capsule(p, Vec3(0.28, 0, 0), Vec3(0.28, 3, 0), 0.2, 0.2);
        return std::min(std::min(left, right), sphere(p, Vec3(0, 3.2, 0), 0.5));
      },
      {.low = Vec3(-0.7, -0.4, -0.7), .high = Vec3(0.7, 3.9, 0.7), .cell = 0.06});
}
std::vector<SkinJoint> leg_joints() {
  return {{.name = "hip", .bones = {{Vec3(0, 3, 0), Vec3(0, 3.5, 0)}}},
          {.name = "left", .bones = {{Vec3(-0.28, 3, 0), Vec3(-0.28, 0, 0)}}},
          {.name = "right", .bones = {{Vec3(0.28, 3, 0), Vec3(0.28, 0, 0)}}}};
}

double weight_of(const std::vector<Influence>& list, int joint) {
  for (const Influence& each : list)
    if (each.joint == joint) return each.weight;
  return 0;
}

class SkinWeightsBy : public ::testing::TestWithParam<SkinWeightMethod> {};

TEST_P(SkinWeightsBy, SumToOneAndFollowTheNearerBone) {
  const TriMesh mesh = limb();
  const SkinWeights result = make_skin_weights(mesh, limb_joints(), {.method = GetParam(), .keep = 2, .nodes = 2000});
  ASSERT_EQ(std::ssize(result.influences), mesh.point_count());
  EXPECT_TRUE(result.warnings.empty());
  for (int i = 0; i < mesh.point_count(); ++i) {
    const double x = point(mesh.points, i).x(), right = weight_of(result.influences[i], 1);
    EXPECT_NEAR(weight_of(result.influences[i], 0) + right, 1, 1e-12);
    EXPECT_GE(right, 0);
    if (x > 1.2) {
      EXPECT_GT(right, 0.97) << x;
    }
    if (x < -1.2) {
      EXPECT_LT(right, 0.03) << x;
    }
  }
}

// The limb, its bones, and voxels about the middle of its box are symmetric; vertices are so to 1e-9.
TEST_P(SkinWeightsBy, AreSymmetricWhereTheBodyIs) {
  if (GetParam() == SkinWeightMethod::nearest) return;  // what is equally near goes to the first
  const TriMesh mesh = limb();
  const SkinWeights result = make_skin_weights(mesh, limb_joints(), {.method = GetParam(), .nodes = 2000});
  int pairs = 0;
  for (int i = 0; i < mesh.point_count(); ++i)
    for (int k = 0; k < mesh.point_count(); ++k) {
      const Vec3 mirrored(-point(mesh.points, i).x(), point(mesh.points, i).y(), point(mesh.points, i).z());
      if ((mirrored - point(mesh.points, k)).norm() > 1e-7) continue;
      ++pairs;
      // Voxels: which of two voxels is the nearer is decided by rounding; the solve of the biharmonic stops at 2e-3.
      const double allowed = GetParam() == SkinWeightMethod::biharmonic ? 0.02 : 0.01;
      EXPECT_NEAR(weight_of(result.influences[i], 0), weight_of(result.influences[k], 1), allowed);
    }
  EXPECT_GT(pairs, mesh.point_count() / 2);
}

TEST_P(SkinWeightsBy, ReachAcrossAGapOnlyThroughTheAir) {
  const TriMesh mesh = legs();
  const SkinWeights result = make_skin_weights(mesh, leg_joints(), {.method = GetParam()});
  double most = 0;
  for (int i = 0; i < mesh.point_count(); ++i) {
    const Vec3 x = point(mesh.points, i);
    if (x.y() < 1.5) most = std::max(most, weight_of(result.influences[i], x.x() < 0 ? 2 : 1));
  }
  if (GetParam() == SkinWeightMethod::falloff)
    EXPECT_GT(most, 0.02);  // (0.2 / 0.36)^6 is 0.03
  else
    EXPECT_LT(most, 0.01);
}

TEST_P(SkinWeightsBy, HardlyChangeWhenTheMeshIsOpen) {
  const TriMesh mesh = limb();
  TriMesh open = mesh;
  std::erase_if(open.triangles, [&](const Triangle& t) { return point(mesh.points, t[0]).x() > 1.75; });
  const SkinWeightOptions options{.method = GetParam(), .nodes = 2000};
  const SkinWeights closed = make_skin_weights(mesh, limb_joints(), options);
  const SkinWeights result = make_skin_weights(open, limb_joints(), options);
  for (int i = 0; i < mesh.point_count(); ++i)
    // Voxels of the open mesh lie elsewhere, by up to half a voxel of 0.1; weights change by about 0.6 a unit.
    EXPECT_NEAR(weight_of(result.influences[i], 0), weight_of(closed.influences[i], 0), 0.04);
}

TEST_P(SkinWeightsBy, AreTheSameForPointsAtTheSamePlace) {
  const TriMesh mesh = limb();
  TriMesh soup;
  soup.points.resize(9 * mesh.triangle_count());
  for (int t = 0; t < mesh.triangle_count(); ++t) {
    soup.triangles.push_back({3 * t, 3 * t + 1, 3 * t + 2});
    for (int k = 0; k < 3; ++k) point(soup.points, 3 * t + k) = point(mesh.points, mesh.triangles[t][k]);
  }
  const SkinWeightOptions options{.method = GetParam(), .smoothing = 2, .nodes = 1000};
  const SkinWeights whole = make_skin_weights(mesh, limb_joints(), options);
  const SkinWeights split = make_skin_weights(soup, limb_joints(), options);
  for (int t = 0; t < mesh.triangle_count(); ++t)
    for (int k = 0; k < 3; ++k)
      EXPECT_NEAR(weight_of(split.influences[3 * t + k], 0), weight_of(whole.influences[mesh.triangles[t][k]], 0),
                  1e-6);
}

INSTANTIATE_TEST_SUITE_P(Methods, SkinWeightsBy, ::testing::ValuesIn(kAll),
                         [](const auto& method) { return std::string(name(method.param)); });

TEST(SkinWeights, AJointFarAwayGetsNothingAndOneSentence) {
  std::vector<SkinJoint> joints = limb_joints();
  joints.push_back({.name = "pole", .bones = {{Vec3(90, 0, 0), Vec3(91, 0, 0)}}});
  const SkinWeights result = make_skin_weights(limb(), joints, {.method = SkinWeightMethod::falloff});
  ASSERT_EQ(result.warnings.size(), 1u);
  EXPECT_NE(result.warnings[0].find("\"pole\" lies outside"), std::string::npos) << result.warnings[0];
  for (const auto& list : result.influences) EXPECT_EQ(weight_of(list, 2), 0);
}

std::string sentence_of(const TriMesh& mesh, std::vector<SkinJoint> joints) {
  try {
    make_skin_weights(mesh, joints);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(SkinWeights, BadInputEndsInOneSentence) {
  EXPECT_NE(sentence_of({.points = Vec::Zero(3), .triangles = {}}, limb_joints()).find("has 1 point and 0 triangles"),
            std::string::npos);
  EXPECT_NE(sentence_of(limb(), {{.name = "a", .bones = {}}}).find("has no bone"), std::string::npos);
  EXPECT_NE(sentence_of(limb(), {{.name = "a", .bones = {{Vec3(900, 0, 0), Vec3(901, 0, 0)}}}}).find("same unit"),
            std::string::npos);
  EXPECT_NE(sentence_of({.points = Vec::Zero(9), .triangles = {{0, 1, 2}}}, limb_joints()).find("at one place"),
            std::string::npos);
  EXPECT_THROW(skin_weight_method("magic"), Error);
  EXPECT_THROW(make_skin_weights(limb(), limb_joints(), {.keep = 0}), Error);
  const SkinWeights one = make_skin_weights(limb(), std::vector{limb_joints()[0]});
  ASSERT_EQ(one.warnings.size(), 1u);
  EXPECT_NE(one.warnings[0].find("only one joint"), std::string::npos);
}

std::vector<std::vector<Affine>> turning_joints(int joints, int frames) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> any(-1, 1);
  std::vector<std::vector<Affine>> motions(frames);
  for (auto& frame : motions)
    for (int j = 0; j < joints; ++j) {
      Affine A = Affine::Zero();
      linear(A) = Eigen::AngleAxisd(any(random), Vec3(any(random), any(random), any(random)).normalized()).matrix();
      translation(A) = Vec3(any(random), any(random), any(random));
      frame.push_back(A);
    }
  return motions;
}

TEST(MotionWeights, FindTheWeightsThatMovedAMesh) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> any(0, 1);
  constexpr int kPoints = 40, kJoints = 9, kFrames = 8;
  const auto motions = turning_joints(kJoints, kFrames);
  Vec rest = Vec::Random(3 * kPoints);
  Mat W = Mat::Zero(kPoints, kJoints);
  std::vector<Vec> frames(kFrames, Vec::Zero(rest.size()));
  for (int i = 0; i < kPoints; ++i) {
    for (int k = 0; k < 3; ++k) W(i, (i + 2 * k) % kJoints) = 0.1 + any(random);
    W.row(i) /= W.row(i).sum();
    for (int t = 0; t < kFrames; ++t)
      for (int j = 0; j < kJoints; ++j) point(frames[t], i) += W(i, j) * apply(motions[t][j], point(rest, i));
  }
  const MotionWeights result = motion_weights(rest, motions, frames, {.keep = 3});
  EXPECT_LT(result.rms, 1e-5);
  for (int i = 0; i < kPoints; ++i)
    for (int j = 0; j < kJoints; ++j) EXPECT_NEAR(weight_of(result.influences[i], j), W(i, j), 1e-4);
}

TEST(MotionWeights, RefuseFramesThatDoNotFit) {
  const auto motions = turning_joints(2, 3);
  EXPECT_THROW(motion_weights(Vec::Zero(6), motions, std::vector<Vec>(2, Vec::Zero(6))), Error);
  EXPECT_THROW(motion_weights(Vec::Zero(6), motions, std::vector<Vec>(3, Vec::Zero(9))), Error);
}

}  // namespace
}  // namespace rigspace::skin_weights_test
