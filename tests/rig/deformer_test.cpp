#include "rigs.h"
#include "rigspace/base/parallel.h"
#include "rigspace/testing/check_rig.h"

#include <gtest/gtest.h>

#include <Eigen/LU>

#include <cmath>
#include <cstring>
#include <numbers>
#include <numeric>

namespace rigspace {
namespace {

using testing::add_tree;
using testing::answers;
using testing::check_rig;
using testing::make_rig_of;
using testing::random_points;
using testing::random_pose;
using testing::random_skin;

std::vector<MorphTarget> random_morphs(ControlGraph& graph, int points, int targets) {
  std::vector<MorphTarget> morphs;
  for (int m = 0; m < targets; ++m) {
    MorphTarget target{.weight_slot = add_scalar(graph, {.name = "face:morph" + std::to_string(m), .node = "face"})};
    const Vec offsets = random_points(points, 50 + m);
    for (int i = m; i < points; i += 1 + m) {
      target.points.push_back(i);
      target.offsets.push_back(0.3 * offsets.segment<3>(3 * i));
    }
    morphs.push_back(target);
  }
  return morphs;
}

TEST(LinearBlendSkin, ObeysTheLawsOfRigs) {
  auto graph = std::make_shared<ControlGraph>();
  const auto joints = add_tree(*graph, 7);
  const auto rig = make_rig_of(graph, random_points(60, 1), make_linear_blend_skin(random_skin(60, 5, joints, 2)));
  EXPECT_TRUE(check_rig(*rig).ok()) << check_rig(*rig);
}

TEST(DualQuaternionSkin, ObeysTheLawsOfRigs) {
  auto graph = std::make_shared<ControlGraph>();
  const auto joints = add_tree(*graph, 7);
  const auto rig = make_rig_of(graph, random_points(60, 1), make_dual_quaternion_skin(random_skin(60, 4, joints, 2)));
  EXPECT_TRUE(check_rig(*rig).ok()) << check_rig(*rig);
}

TEST(BlendShapes, ObeyTheLawsOfRigs) {
  auto graph = std::make_shared<ControlGraph>();
  const auto morphs = random_morphs(*graph, 40, 5);
  const auto rig = make_rig_of(graph, random_points(40, 1), make_blend_shapes(0, 40, morphs));
  EXPECT_TRUE(check_rig(*rig).ok()) << check_rig(*rig);
}

TEST(Stack, OfEveryDeformerObeysTheLawsOfRigs) {
  auto graph = std::make_shared<ControlGraph>();
  const auto joints = add_tree(*graph, 7);
  const auto morphs = random_morphs(*graph, 30, 3);
  auto late = random_skin(20, 3, joints, 4);
  late.first_point = 25;  // deformers overlap in part: points 20..50 morph, all are skinned, 25..45 skinned again
  const auto rig = make_rig_of(graph, random_points(60, 1), make_blend_shapes(20, 30, morphs),
                               make_dual_quaternion_skin(random_skin(60, 4, joints, 2)), make_linear_blend_skin(late),
                               make_rigid(10, 20, joints[3]));
  const auto report = check_rig(*rig, {.spread = 0.7});
  EXPECT_TRUE(report.ok()) << report;
  EXPECT_GT(report.checks(), 100);
}

TEST(MayaJoint, ObeysTheLawsOfRigsInEveryRotateOrder) {
  for (const RotateOrder order :
       {RotateOrder::xyz, RotateOrder::yzx, RotateOrder::zxy, RotateOrder::xzy, RotateOrder::yxz, RotateOrder::zyx}) {
    auto graph = std::make_shared<ControlGraph>();
    std::vector<int> joints;
    for (int k = 0; k < 4; ++k)
      joints.push_back(add_maya_joint(*graph, {.name = "j" + std::to_string(k),
                                               .parent_slot = k > 0 ? joints.back() : -1,
                                               .translate = Vec3(0, 1, 0.2),
                                               .rotate = Vec3(0.1, -0.3, 0.2),
                                               .scale = Vec3(1.2, 0.9, 1.1),
                                               .order = order,
                                               .joint_orient = Vec3(0.5, 0.2, -0.4),
                                               .rotate_axis = Vec3(-0.1, 0.3, 0.2),
                                               .segment_scale_compensate = k != 2}));
    const auto rig = make_rig_of(graph, random_points(40, 1), make_linear_blend_skin(random_skin(40, 3, joints, 2)));
    const auto report = check_rig(*rig);
    EXPECT_TRUE(report.ok()) << "order " << static_cast<int>(order) << ": " << report;
  }
}

// Maya's documentation writes row vectors: matrix = S * RO * R * JO * IS * T. Built here literally that way.
TEST(MayaJoint, EqualsTheProductOfMayasDocumentation) {
  const auto row4 = [](const Mat3& columns) {
    Mat4 M = Mat4::Identity();
    M.topLeftCorner<3, 3>() = columns.transpose();
    return M;
  };
  const auto turn = [](int axis, double angle) { return Mat3(Eigen::AngleAxisd(angle, Vec3::Unit(axis))); };
  const Vec3 t(0.1, 0.7, -0.2), r(0.4, -0.6, 0.9), s(1.3, 0.8, 1.1), jo(0.2, 0.1, -0.3), ra(-0.5, 0.25, 0.15);
  const Vec3 parent_scale(1.5, 0.5, 2.0);
  auto graph = std::make_shared<ControlGraph>();
  const int parent = add_maya_joint(*graph, {.name = "parent", .scale = parent_scale});
  const int child = add_maya_joint(*graph, {.name = "child",
                                            .parent_slot = parent,
                                            .translate = t,
                                            .rotate = r,
                                            .scale = s,
                                            .order = RotateOrder::zxy,
                                            .joint_orient = jo,
                                            .rotate_axis = ra});
  ControlGraph::Memory memory;
  Vec p(graph->controls().size()), u;
  for (std::size_t i = 0; i < graph->controls().size(); ++i) p[i] = graph->controls()[i].rest;
  graph->evaluate(p, u, memory);

  // In row vectors the first rotation stands left: zxy is Rz * Rx * Ry.
  Mat4 T = Mat4::Identity();
  T.row(3).head<3>() = t.transpose();
  const Mat4 R = row4(turn(2, r[2])) * row4(turn(0, r[0])) * row4(turn(1, r[1]));
  const Mat4 JO = row4(turn(0, jo[0])) * row4(turn(1, jo[1])) * row4(turn(2, jo[2]));
  const Mat4 RO = row4(turn(0, ra[0])) * row4(turn(1, ra[1])) * row4(turn(2, ra[2]));
  const Mat4 S = row4(s.asDiagonal()), IS = row4(parent_scale.cwiseInverse().asDiagonal());
  const Mat4 world = S * RO * R * JO * IS * T * row4(parent_scale.asDiagonal());
  const Affine ours = transform_at(u, graph->slots()[child]);
  EXPECT_LT((ours - world.transpose().topRows<3>()).cwiseAbs().maxCoeff(), 1e-14);
}

TEST(Node, AtZeroScaleHasAFiniteExactJacobian) {
  // Derivatives through generators divide by the scale; F_pre L' F_post does not.
  auto graph = std::make_shared<ControlGraph>();
  const auto joints = add_tree(*graph, 3);
  const auto rig = make_rig_of(graph, random_points(20, 1), make_linear_blend_skin(random_skin(20, 2, joints, 2)));
  Vec p = rig->rest();
  for (const char* axis : {"sx", "sy", "sz"}) p[rig->find(std::string("joint1.") + axis)] = 0;
  std::vector<int> all(p.size());
  std::iota(all.begin(), all.end(), 0);
  const auto workspace = rig->make_workspace();
  BlockJacobian exact, differences;
  rig->jacobian(*workspace, p, all, exact);
  rig->Rig::jacobian(*workspace, p, all, differences);
  const Mat expected = differences.dense();
  ASSERT_GT(expected.cwiseAbs().maxCoeff(), 0.1);
  EXPECT_LT((exact.dense() - expected).cwiseAbs().maxCoeff(), 1e-8);
}

TEST(RotationExp, AndItsDerivativeHoldFromTinyToMoreThanHalfATurn) {
  const Vec3 axis = Vec3(0.6, -0.48, 0.64).normalized();
  for (const double angle : {0.0, 1e-9, 1e-4, 0.0999, 0.1001, 1.0, 3.1, 3.5, 6.2}) {
    const Vec3 r = angle * axis;
    EXPECT_LT((rotation_exp(r) - Mat3(Eigen::AngleAxisd(angle, axis))).cwiseAbs().maxCoeff(), 1e-15 * (10 + angle));
    for (int k = 0; k < 3; ++k) {
      const double h = 1e-5;
      const Mat3 difference = (rotation_exp(r + h * Vec3::Unit(k)) - rotation_exp(r - h * Vec3::Unit(k))) / (2 * h);
      EXPECT_LT((rotation_exp_derivative(r, k) - difference).cwiseAbs().maxCoeff(), 1e-9) << angle;
    }
    if (angle < std::numbers::pi) {
      EXPECT_LT((rotation_log(rotation_exp(r)) - r).norm(), 1e-14) << angle;
    }
  }
}

TEST(DualQuaternionSkin, EqualsLinearSkinningForOneJointAndKeepsVolumeWhereThatCollapses) {
  auto graph = std::make_shared<ControlGraph>();
  const int a = add_node(*graph, {.name = "a"});
  const int b = add_node(*graph, {.name = "b", .parent_slot = a});
  SkinDescription skin{.joint_slots = {a, b}, .inverse_bind = {Affine::Identity(), Affine::Identity()}};
  skin.influences = {{{0, 1.0}}, {{1, 1.0}}, {{0, 0.5}, {1, 0.5}}};
  Vec points(9);
  points << 1, 0, 0, 1, 0, 0, 1, 0, 0;
  const auto linear_rig = make_rig_of(graph, points, make_linear_blend_skin(skin));
  const auto dual_rig = make_rig_of(graph, points, make_dual_quaternion_skin(skin));
  Vec p = linear_rig->rest();
  p[linear_rig->find("b.ry")] = 0.999 * std::numbers::pi;
  p[linear_rig->find("a.rz")] = 0.3;
  p[linear_rig->find("a.tx")] = 0.7;
  p[linear_rig->find("b.sx")] = 1.5;
  Vec s_linear, s_dual;
  linear_rig->evaluate(*linear_rig->make_workspace(), p, s_linear);
  dual_rig->evaluate(*dual_rig->make_workspace(), p, s_dual);
  EXPECT_LT((s_linear.head<6>() - s_dual.head<6>()).norm(), 1e-14);
  const Vec3 centre(0.7, 0, 0);
  EXPECT_LT((s_linear.tail<3>() - centre).norm(), 0.3);         // the candy wrapper
  EXPECT_NEAR((s_dual.tail<3>() - centre).norm(), 1.25, 1e-3);  // the mean of stretches 1 and 1.5
}

TEST(RestJacobian, IsTheDerivativeByTheRestPosition) {
  auto graph = std::make_shared<ControlGraph>();
  const auto joints = add_tree(*graph, 5);
  const auto morphs = random_morphs(*graph, 20, 2);
  const auto make = [&](const Vec& points) {
    return make_rig_of(graph, points, make_blend_shapes(0, 20, morphs),
                       make_dual_quaternion_skin(random_skin(20, 3, joints, 7)), make_rigid(5, 10, joints[1]));
  };
  const Vec points = random_points(20, 3);
  const auto rig = make(points);
  const Vec p = random_pose(*rig, 1, 5);
  std::vector<Mat3> B;
  ASSERT_TRUE(rig->rest_jacobian(*rig->make_workspace(), p, B));
  const double h = 1e-6;
  for (int k = 0; k < 3; ++k) {
    Vec low = points, high = points, s_low, s_high;
    for (int i = 0; i < 20; ++i) low[3 * i + k] -= h, high[3 * i + k] += h;
    const auto rig_low = make(low), rig_high = make(high);
    rig_low->evaluate(*rig_low->make_workspace(), p, s_low);
    rig_high->evaluate(*rig_high->make_workspace(), p, s_high);
    for (int i = 0; i < 20; ++i)
      EXPECT_LT((B[i].col(k) - (s_high - s_low).segment<3>(3 * i) / (2 * h)).norm(), 1e-8) << "point " << i;
  }
}

TEST(BuiltInRig, GivesTheSameBitsOnAnyNumberOfThreads) {
  auto graph = std::make_shared<ControlGraph>();
  const auto joints = add_tree(*graph, 15);
  const auto rig = make_rig_of(graph, random_points(5000, 1), make_linear_blend_skin(random_skin(5000, 4, joints, 2)));
  const Vec p = random_pose(*rig, 1, 3);
  std::vector<int> free;
  for (int k = 0; k < static_cast<int>(p.size()); k += 2) free.push_back(k);
  const auto one = answers(*rig, p, free, 1);
  for (const int threads : {2, 8}) {
    const auto many = answers(*rig, p, free, threads);
    ASSERT_EQ(one.size(), many.size());
    EXPECT_EQ(std::memcmp(one.data(), many.data(), one.size() * sizeof(double)), 0) << threads << " threads";
  }
}

TEST(CheckRig, CatchesAWrongJacobianAndAForgetfulRig) {
  struct Wrong : Rig {
    std::vector<Control> list{{.name = "a"}, {.name = "b"}};
    bool wrong_jacobian = false;
    mutable int calls = 0;
    bool drifts = false;
    std::span<const Control> controls() const override { return list; }
    int point_count() const override { return 2; }
    void evaluate(Workspace&, In p, Vec& s) const override {
      s.resize(6);
      s << p[0], p[1], p[0] * p[1], std::sin(p[0]), 0, drifts ? ++calls : 1;
    }
    void jacobian(Workspace& workspace, In p, std::span<const int> free, BlockJacobian& J) const override {
      Rig::jacobian(workspace, p, free, J);
      if (wrong_jacobian) J.value *= 1.01;
    }
  };
  Wrong rig;
  EXPECT_TRUE(check_rig(rig).ok()) << check_rig(rig);
  rig.wrong_jacobian = true;
  EXPECT_NE(check_rig(rig).message().find("jacobian differs"), std::string::npos);
  rig.wrong_jacobian = false;
  rig.drifts = true;
  EXPECT_NE(check_rig(rig).message().find("history"), std::string::npos);
}

}  // namespace
}  // namespace rigspace
