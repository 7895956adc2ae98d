#include "rigspace/rig/ik.h"

#include "graph_rigs.h"
#include "rigspace/base/error.h"

#include <cmath>

namespace rigspace {
namespace {

using namespace testing;

/// Hip, knee, ankle beneath a pelvis; a target, a pole, and controls for blend, stretch and orient.
struct Leg {
  std::shared_ptr<ControlGraph> graph = std::make_shared<ControlGraph>();
  int pelvis = add_plain(*graph, "pelvis", Vec3(0, 2, 0));
  int hip = add_plain(*graph, "hip", Vec3(0.2, -0.1, 0), pelvis);
  int knee = add_plain(*graph, "knee", Vec3(0, -0.9, 0.1), hip);
  int ankle = add_plain(*graph, "ankle", Vec3(0.02, -0.8, -0.1), knee);
  int target = add_plain(*graph, "target", Vec3(0.22, 0.3, 0));
  int pole = add_point(*graph, {.name = "pole", .position = Vec3(0.2, 1, 2), .typical_length = 0.3});
  int blend = add_number(*graph, "blend", 1), stretch = add_number(*graph, "stretch", 0);
  int orient = add_number(*graph, "orient", 0);
  TwoBoneSlots out;

  TwoBoneIk ik() const {
    return {.name = "leg",
            .root_slot = hip,
            .mid_slot = knee,
            .tip_slot = ankle,
            .target_slot = target,
            .pole_slot = pole,
            .blend = Source::of_control(blend),
            .stretch = Source::of_control(stretch),
            .orient = Source::of_control(orient)};
  }
  void add(const TwoBoneIk& description) { out = add_two_bone_ik(*graph, description); }

  Vec3 at(In p, int slot) const { return position_of(*graph, p, slot); }
  double length(In p) const { return (at(p, knee) - at(p, hip)).norm() + (at(p, ankle) - at(p, knee)).norm(); }
  std::unique_ptr<BuiltInRig> rig() const { return cloud_on(graph, {out.root, out.mid, out.tip}); }
};

TEST(TwoBoneIk, ReachesKeepsLengthsAndBendsToThePole) {
  Leg leg;
  leg.add(leg.ik());
  const auto rig = leg.rig();
  std::mt19937 random(3);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (std::uint32_t k = 0; k < 200; ++k) {
    Vec p = random_pose(*rig, 0.7, 100 + k);
    for (const char* node : {"pelvis.s", "hip.s", "knee.s"})
      set3(*leg.graph, p, node, Vec3::Constant(1 + 0.2 * uniform(random)));
    p[leg.blend] = 1, p[leg.stretch] = 0, p[leg.orient] = 0;
    const Vec3 hip = leg.at(p, leg.hip);
    const double thigh = (leg.at(p, leg.knee) - hip).norm(), shin = leg.length(p) - thigh;
    const Vec3 way = Vec3(uniform(random), uniform(random), uniform(random)).normalized();
    const double share = 0.5 + 0.49 * uniform(random);
    const Vec3 goal = hip + way * (std::abs(thigh - shin) * (1 - share) + (thigh + shin) * share);
    set3(*leg.graph, p, "target.t", goal);

    const Vec3 root = leg.at(p, leg.out.root), mid = leg.at(p, leg.out.mid), tip = leg.at(p, leg.out.tip);
    EXPECT_LT((root - hip).norm(), 1e-14);
    EXPECT_LT((tip - goal).norm(), 1e-11);
    EXPECT_NEAR((mid - root).norm(), thigh, 1e-12);
    EXPECT_NEAR((tip - mid).norm(), shin, 1e-12);
    const Vec3 pole = leg.at(p, leg.pole) - root;
    EXPECT_GT((pole - way * way.dot(pole)).dot(mid - root), 0);
    EXPECT_NEAR(way.cross(pole).normalized().dot(mid - root), 0, 1e-12);
    // The root's own axes hold the middle joint where FK has them hold it.
    const int tx = leg.graph->find("knee.tx");
    EXPECT_LT((apply(transform_of(*leg.graph, p, leg.out.root), p.segment<3>(tx)) - mid).norm(), 1e-12);
  }
}

TEST(TwoBoneIk, DependsOnFkOnlyWhereBlended) {
  Leg leg;
  leg.add(leg.ik());
  Vec p = rest_pose(*leg.graph), turned = p;
  set3(*leg.graph, turned, "hip.r", Vec3(0.3, 1, -2));
  set3(*leg.graph, turned, "knee.r", Vec3(-1, 0.2, 0.7));
  for (const int slot : {leg.out.root, leg.out.mid, leg.out.tip})
    EXPECT_LT((transform_of(*leg.graph, p, slot) - transform_of(*leg.graph, turned, slot)).norm(), 1e-12);
  turned[leg.blend] = 0;
  const std::array<std::pair<int, int>, 3> pairs = {
      {{leg.out.root, leg.hip}, {leg.out.mid, leg.knee}, {leg.out.tip, leg.ankle}}};
  for (const auto& [ik, fk] : pairs)
    EXPECT_LT((transform_of(*leg.graph, turned, ik) - transform_of(*leg.graph, turned, fk)).norm(), 1e-14);
  turned[leg.blend] = 0.5;  // lengths are kept on the way
  EXPECT_NEAR((leg.at(turned, leg.out.mid) - leg.at(turned, leg.out.root)).norm(), Vec3(0, 0.9, 0.1).norm(), 1e-13);
}

TEST(TwoBoneIk, LeavesTheRestPoseAloneWithItsTargetInPlace) {
  Leg leg;
  TwoBoneIk ik = leg.ik();
  ik.target_slot = add_body(*leg.graph, "at_ankle", leg.at(rest_pose(*leg.graph), leg.ankle));
  ik.pole_slot = -1;  // then FK gives the plane
  ik.orient = Source::constant(1);
  leg.add(ik);
  const Vec p = rest_pose(*leg.graph);
  EXPECT_LT((transform_of(*leg.graph, p, leg.out.root) - transform_of(*leg.graph, p, leg.hip)).norm(), 1e-12);
  EXPECT_LT((transform_of(*leg.graph, p, leg.out.mid) - transform_of(*leg.graph, p, leg.knee)).norm(), 1e-12);
  EXPECT_LT((transform_of(*leg.graph, p, leg.out.tip) - transform_of(*leg.graph, p, leg.ankle)).norm(), 1e-12);
}

TEST(TwoBoneIk, IsMatchedByFkBeforeSwitching) {
  Leg leg;
  leg.add(leg.ik());
  Vec p = rest_pose(*leg.graph);
  set3(*leg.graph, p, "target.t", Vec3(0.5, 0.8, 0.6));
  set3(*leg.graph, p, "target.r", Vec3(0.5, -0.2, 0.3));
  set3(*leg.graph, p, "hip.r", Vec3(0.3, 1, -2));
  p[leg.orient] = 1;
  Vec matched = fk_matching_ik(*leg.graph, p, std::array{leg.hip, leg.knee, leg.ankle},
                               std::array{leg.out.root, leg.out.mid, leg.out.tip});
  matched[leg.blend] = 0;
  for (const int slot : {leg.out.root, leg.out.mid, leg.out.tip})
    EXPECT_LT((transform_of(*leg.graph, p, slot) - transform_of(*leg.graph, matched, slot)).norm(), 1e-12);
}

TEST(TwoBoneIk, StretchesAndTurnsWithItsTargetAsTold) {
  Leg leg;
  leg.add(leg.ik());
  Vec p = rest_pose(*leg.graph);
  set3(*leg.graph, p, "target.t", Vec3(0.5, -2, 1));
  const Vec3 goal(0.5, -2, 1), hip = leg.at(p, leg.hip);
  EXPECT_NEAR((leg.at(p, leg.out.tip) - hip).norm(), leg.length(p), 1e-5 * leg.length(p));
  EXPECT_FALSE(ik_reports(*leg.graph, p, slots_at(*leg.graph, p)).at(0).reached);
  p[leg.stretch] = 1;
  EXPECT_LT((leg.at(p, leg.out.tip) - goal).norm(), 1e-12);
  EXPECT_TRUE(ik_reports(*leg.graph, p, slots_at(*leg.graph, p)).at(0).reached);
  p[leg.orient] = 1;
  set3(*leg.graph, p, "target.r", Vec3(0.1, 2, -0.5));
  EXPECT_LT((linear(transform_of(*leg.graph, p, leg.out.tip)) - rotation_exp(Vec3(0.1, 2, -0.5))).norm(), 1e-12);
}

TEST(TwoBoneIk, HasExactDerivatives) {
  for (const bool pole : {true, false})
    for (const double soft : {0.0, 0.1}) {
      Leg leg;
      TwoBoneIk ik = leg.ik();
      if (!pole) ik.pole_slot = -1;
      ik.soft_distance = soft;
      leg.add(ik);
      const auto rig = leg.rig();
      for (std::uint32_t seed = 1; seed < 6; ++seed) {
        Vec p = random_pose(*rig, 0.4, seed);
        p[leg.blend] = 0.2 * seed - 0.1, p[leg.stretch] = 0.3, p[leg.orient] = 0.5;
        EXPECT_LT(jacobian_error(*rig, p), 1e-6) << "pole " << pole << " soft " << soft << " seed " << seed;
      }
    }
}

TEST(TwoBoneIk, HasExactDerivativesNearFullExtension) {
  Leg leg;
  leg.add(leg.ik());
  const auto rig = leg.rig();
  Vec p = rest_pose(*leg.graph);
  p[leg.blend] = 0.9, p[leg.stretch] = 0.1, p[leg.orient] = 0.3;
  const Vec3 hip = leg.at(p, leg.hip), way = Vec3(0.1, -1, 0.2).normalized();
  for (const double share : {0.99, 0.999, 0.9999, 1.01, 1.5}) {
    set3(*leg.graph, p, "target.t", hip + share * leg.length(p) * way);
    // The knee moves as sqrt(1 - share): steps must be small against the distance to full extension.
    const double h = 1e-2 * std::min(std::abs(1 - share), 1e-2);
    EXPECT_LT(jacobian_error(*rig, p, h), 1e-5) << share;
  }
}

TEST(TwoBoneIk, StaysFiniteWhereItIsSingular) {
  Leg leg;
  leg.add(leg.ik());
  const auto rig = leg.rig();
  const auto workspace = rig->make_workspace();
  const Vec rest = rest_pose(*leg.graph);
  const Vec3 hip = leg.at(rest, leg.hip);
  const double length = leg.length(rest);
  for (const Vec3& goal : {hip, Vec3(hip - Vec3(0, length, 0)), Vec3(hip + Vec3(0, 1e-12, 0)),
                           Vec3(hip + Vec3(0, 1e9, 0)), Vec3(hip + Vec3(0, 0, 1)), leg.at(rest, leg.pole)}) {
    Vec p = rest, s;
    set3(*leg.graph, p, "target.t", goal);
    rig->evaluate(*workspace, p, s);
    EXPECT_TRUE(s.allFinite()) << goal.transpose();
    const Mat J = jacobian_at(*rig, p);
    EXPECT_TRUE(J.allFinite()) << goal.transpose();
    EXPECT_LT((leg.at(p, leg.out.tip) - hip).norm(), length * (1 + 1e-12));
  }
  // At full extension the knee's slope is bounded: sqrt(L / 2 soft), 224 for the tightest, times the lever of a point.
  Vec p = rest;
  set3(*leg.graph, p, "target.t", hip - Vec3(0, length, 0));
  EXPECT_LT(jacobian_at(*rig, p).cwiseAbs().maxCoeff(), 2000);
}

TEST(TwoBoneIk, WorksOnAStraightRestPose) {
  auto graph = std::make_shared<ControlGraph>();
  const int root = add_plain(*graph, "root", Vec3::Zero()), mid = add_plain(*graph, "mid", Vec3(1, 0, 0), root);
  const int tip = add_plain(*graph, "tip", Vec3(1, 0, 0), mid), target = add_plain(*graph, "target", Vec3(1.5, 0, 0));
  const TwoBoneSlots out = add_two_bone_ik(*graph, {.name = "arm",
                                                    .root_slot = root,
                                                    .mid_slot = mid,
                                                    .tip_slot = tip,
                                                    .target_slot = target,
                                                    .bend_axis = Vec3::UnitZ()});
  const Vec p = rest_pose(*graph);
  const double height = std::sqrt(1 - 0.75 * 0.75);
  // A turn of the middle joint about +z: the elbow goes down.
  EXPECT_LT((position_of(*graph, p, out.mid) - Vec3(0.75, -height, 0)).norm(), 1e-12);
  EXPECT_LT((position_of(*graph, p, out.tip) - Vec3(1.5, 0, 0)).norm(), 1e-12);
}

TEST(TwoBoneIk, RefusesWhatIsNotThere) {
  Leg leg;
  TwoBoneIk ik = leg.ik();
  ik.target_slot = leg.pole;  // a point has no orientation, which `orient` asks for
  EXPECT_THROW(add_two_bone_ik(*leg.graph, ik), Error);
  ik = leg.ik();
  ik.mid_slot = -1;
  EXPECT_THROW(add_two_bone_ik(*leg.graph, ik), Error);
}

}  // namespace
}  // namespace rigspace
