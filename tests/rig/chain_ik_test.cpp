#include "graph_rigs.h"
#include "rigspace/base/error.h"
#include "rigspace/rig/ik.h"
#include "support/allocations.h"

#include <cmath>
#include <numbers>

namespace rigspace {
namespace {

using namespace testing;

enum class Kind { free, boxes, hinges };

/// A chain of bones of different lengths beneath a parent, and a point to reach.
struct Chain {
  std::shared_ptr<ControlGraph> graph = std::make_shared<ControlGraph>();
  int parent = add_plain(*graph, "parent", Vec3(0.1, 0.2, 0.3));
  std::vector<int> joints, out;
  int target = -1, pole = -1;
  ChainIk ik{.name = "chain"};
  double length = 0;
  Vec u_rest;

  Chain(int count, Kind kind, bool with_pole = false) {
    for (int j = 0; j <= count; ++j) {
      NodeDescription node{.name = "j" + std::to_string(j), .parent_slot = j == 0 ? parent : joints.back()};
      const double bone = j == 0 ? 0 : 0.5 + 0.1 * ((3 * j) % 4);
      node.translation = Vec3(bone, 0, 0);
      node.rotation = Quat(rotation_exp(Vec3(0.05 * (j % 3), 0.1, j % 2 == 0 ? 0.2 : -0.15)));
      node.typical_length = 0.1;
      length += bone;
      joints.push_back(add_node(*graph, node));
    }
    target = add_point(*graph, {.name = "target", .position = Vec3(0.6 * length, 0.3, 0.2), .typical_length = 0.3});
    if (with_pole) pole = add_point(*graph, {.name = "pole", .position = Vec3(1, 5, 1), .typical_length = 0.3});
    ik.parent_slot = parent;
    ik.joint_slots = joints;
    ik.target_slot = target;
    ik.pole_slot = pole;
    for (int j = 0; j < count; ++j) {
      ChainJoint joint;
      if (kind == Kind::boxes) joint.min = Vec3(-0.6, -0.9, -0.2), joint.max = Vec3(0.6, 0.4, 1.4);
      if (kind == Kind::hinges) {
        joint.hinge = true;
        joint.axis = j % 3 == 0 ? Vec3(0, 2, 0) : j % 3 == 1 ? Vec3(0, 0, 1) : Vec3(0, 1, 1);
        joint.min[0] = -0.3, joint.max[0] = 1.8;
      }
      joint.stiffness = 1 + 0.5 * (j % 2);
      ik.joints.push_back(joint);
    }
  }
  void add() {
    out = add_chain_ik(*graph, ik);
    u_rest = rest_slots(*graph);
  }

  /// What joint j is turned by in slots u, counted from rest.
  Vec3 turn(const Vec& u, int j) const {
    const auto relative = [&](const Vec& values, const std::vector<int>& slots) {
      const int before = j == 0 ? parent : slots[j - 1];
      return Mat3(rotation_part(transform_at(values, graph->slots()[before])).transpose() *
                  rotation_part(transform_at(values, graph->slots()[slots[j]])));
    };
    return rotation_log(relative(u_rest, joints).transpose() * relative(u, out));
  }
  bool within_limits(const Vec& u) const {
    for (std::size_t j = 0; j < ik.joints.size(); ++j) {
      const ChainJoint& joint = ik.joints[j];
      const Vec3 r = turn(u, static_cast<int>(j));
      const double slack = 1e-9;  // of the rotations read back from matrices
      if (joint.hinge) {
        const Vec3 axis = joint.axis.normalized();
        if ((r - axis * axis.dot(r)).norm() > slack) return false;
        if (axis.dot(r) < joint.min[0] - slack || axis.dot(r) > joint.max[0] + slack) return false;
      } else if ((r.array() < joint.min.array() - slack).any() || (r.array() > joint.max.array() + slack).any()) {
        return false;
      }
    }
    return true;
  }
  Vec3 position(const Vec& u, int slot) const {
    const Slot& s = graph->slots()[slot];
    return u.segment<3>(s.offset + s.size - 3);
  }
  double distance(const Vec& u) const { return (position(u, out.back()) - position(u, target)).norm(); }
  /// A pose of the joints within the limits, through their rx ry rz.
  Vec random_within(std::mt19937& random) const {
    std::uniform_real_distribution<double> uniform(0, 1);
    Vec p = rest_pose(*graph);
    for (std::size_t j = 0; j < ik.joints.size(); ++j) {
      const ChainJoint& joint = ik.joints[j];
      Vec3 r;
      for (int k = 0; k < 3; ++k) {
        const double low = std::max(joint.min[k], -1.5), high = std::min(joint.max[k], 1.5);
        r[k] = low + (high - low) * uniform(random);
      }
      if (joint.hinge) r = joint.axis.normalized() * (joint.min[0] + (joint.max[0] - joint.min[0]) * uniform(random));
      set3(*graph, p, "j" + std::to_string(j) + ".r", r);
    }
    return p;
  }
  void aim(Vec& p, const Vec3& goal) const { set3(*graph, p, "target.t", goal - Vec3(0.6 * length, 0.3, 0.2)); }
  IkReport report(In p) const { return ik_reports(*graph, p, slots_at(*graph, p)).at(0); }
};

TEST(ChainIk, SolvesRandomReachableTargets) {
  for (const Kind kind : {Kind::free, Kind::boxes, Kind::hinges})
    for (const int count : {2, 3, 4, 6, 9, 12}) {
      Chain chain(count, kind);
      chain.add();
      std::mt19937 random(7 * count);
      int solved = 0;
      for (int k = 0; k < 100; ++k) {
        const Vec posed = chain.random_within(random);
        Vec p = rest_pose(*chain.graph);
        chain.aim(p, position_of(*chain.graph, posed, chain.joints.back()));
        const Vec u = slots_at(*chain.graph, p);
        solved += chain.distance(u) <= 1e-4 * chain.length;
        EXPECT_TRUE(chain.within_limits(u));
      }
      EXPECT_GE(solved, 99) << count << " joints, kind " << static_cast<int>(kind);
    }
}

TEST(ChainIk, GoesNearestToWhatItCannotReachAndSaysSo) {
  for (const Kind kind : {Kind::free, Kind::boxes, Kind::hinges}) {
    Chain chain(5, kind);
    chain.add();
    for (const Vec3& way : {Vec3(1, 0.2, 0.1), Vec3(0.1, 1, 0), Vec3(-1, -0.3, 0.4)}) {
      Vec p = rest_pose(*chain.graph);
      const Vec3 root = position_of(*chain.graph, p, chain.joints[0]);
      chain.aim(p, root + 1.5 * chain.length * way.normalized());
      const Vec u = slots_at(*chain.graph, p);
      const IkReport report = ik_reports(*chain.graph, p, u).at(0);
      EXPECT_FALSE(report.reached);
      EXPECT_NEAR(report.distance, chain.distance(u), 1e-12 * chain.length);
      EXPECT_TRUE(chain.within_limits(u));
      if (kind == Kind::free) {
        EXPECT_NEAR(report.distance, 0.5 * chain.length, 1e-6 * chain.length);
        continue;
      }
      // First order: no joint that is not at a limit can bring the tip nearer by turning a little.
      const Vec3 goal = chain.position(u, chain.target), tip = chain.position(u, chain.out.back());
      for (std::size_t j = 0; j < chain.ik.joints.size(); ++j) {
        const ChainJoint& joint = chain.ik.joints[j];
        const Affine world = transform_at(u, chain.graph->slots()[chain.out[j]]);
        const Vec3 r = chain.turn(u, static_cast<int>(j));
        const Vec3 torque = linear(world).transpose() * (tip - translation(world)).cross(goal - tip);  // local axes
        if (joint.hinge) {
          const Vec3 axis = joint.axis.normalized();
          const double angle = axis.dot(r), gain = axis.dot(torque);
          const bool low = angle<joint.min[0] + 1e-6, high = angle> joint.max[0] - 1e-6;
          EXPECT_TRUE((low && gain < 1e-6) || (high && gain > -1e-6) || std::abs(gain) < 1e-6) << gain;
        } else {
          // d/dr of exp(r) turns in local axes by the transposed right Jacobian: by differences of the exponential.
          for (int k = 0; k < 3; ++k) {
            const Mat3 D = rotation_exp(r).transpose() * rotation_exp_derivative(r, k);
            const double gain = Vec3(D(2, 1), D(0, 2), D(1, 0)).dot(torque);
            const bool low = r[k]<joint.min[k] + 1e-6, high = r[k]> joint.max[k] - 1e-6;
            EXPECT_TRUE((low && gain < 1e-6) || (high && gain > -1e-6) || std::abs(gain) < 1e-6) << gain;
          }
        }
      }
    }
  }
}

TEST(ChainIk, KeepsItsLimitsForAbsurdInputs) {
  for (const Kind kind : {Kind::boxes, Kind::hinges}) {
    Chain chain(4, kind);
    chain.add();
    const auto rig = cloud_on(chain.graph, chain.out);
    for (std::uint32_t seed = 1; seed < 20; ++seed) {
      Vec p = random_pose(*rig, 8, seed);
      for (int j = 0; j <= 4; ++j) {  // no shear, in which turns cannot be read back
        set3(*chain.graph, p, "j" + std::to_string(j) + ".s", Vec3::Ones());
      }
      set3(*chain.graph, p, "parent.s", Vec3::Ones());
      if (seed % 3 == 0) chain.aim(p, Vec3(1e8, -1e8, 3));
      if (seed % 3 == 1) chain.aim(p, position_of(*chain.graph, p, chain.joints[0]));
      const Vec u = slots_at(*chain.graph, p);
      EXPECT_TRUE(u.allFinite());
      EXPECT_TRUE(chain.within_limits(u)) << seed;
    }
  }
}

TEST(ChainIk, StaysWithFkWhereThatReaches) {
  Chain chain(5, Kind::boxes);
  chain.add();
  std::mt19937 random(5);
  for (int k = 0; k < 10; ++k) {
    Vec p = chain.random_within(random);
    chain.aim(p, position_of(*chain.graph, p, chain.joints.back()));
    const Vec u = slots_at(*chain.graph, p);
    for (std::size_t j = 0; j < chain.out.size(); ++j)
      EXPECT_LT(
          (transform_at(u, chain.graph->slots()[chain.out[j]]) - transform_at(u, chain.graph->slots()[chain.joints[j]]))
              .norm(),
          1e-9);
  }
}

TEST(ChainIk, HasExactDerivatives) {
  for (const Kind kind : {Kind::free, Kind::boxes, Kind::hinges})
    for (const bool pole : {false, true}) {
      Chain chain(4, kind, pole);
      const int blend = add_number(*chain.graph, "blend", 0.7);
      chain.ik.blend = Source::of_control(blend);
      chain.add();
      const auto rig = cloud_on(chain.graph, chain.out);
      // Within limits and away from them at these seeds, or held at them with room to spare: no limit is just met.
      for (const std::uint32_t seed : {1u, 2u, 3u}) {
        std::mt19937 random(seed);
        Vec p = random_pose(*rig, 0.2, seed);
        // A target that these lengths and scales reach, from a pose of FK within the limits.
        const Vec posed = chain.random_within(random);
        Vec reaching = p;
        for (int j = 0; j < 4; ++j) {
          const int first = first_control(*chain.graph, chain.joints[j]);
          p.segment<4>(first + 3) = reaching.segment<4>(first + 3) = posed.segment<4>(first + 3);
          reaching.segment<3>(first + 7) = posed.segment<3>(first + 7);
        }
        chain.aim(p, position_of(*chain.graph, reaching, chain.joints.back()));
        p[blend] = 0.7;
        EXPECT_TRUE(chain.report(p).reached);
        EXPECT_LT(jacobian_error(*rig, p), 1e-6) << static_cast<int>(kind) << pole << seed;
      }
    }
}

TEST(ChainIk, HasExactDerivativesNearFullExtensionAndBeyond) {
  Chain chain(3, Kind::free);
  chain.add();
  const auto rig = cloud_on(chain.graph, chain.out);
  Vec p = rest_pose(*chain.graph);
  const Vec3 root = position_of(*chain.graph, p, chain.joints[0]);
  for (const double share : {0.99, 0.999, 1.05, 2.0}) {
    chain.aim(p, root + share * chain.length * Vec3(1, 0.3, 0.2).normalized());
    EXPECT_EQ(chain.report(p).reached, share < 1);
    const double h = 3e-2 * std::min(std::abs(1 - share), 1e-2);
    EXPECT_LT(jacobian_error(*rig, p, h), 1e-5) << share;
  }
}

TEST(ChainIk, LeansToItsPole) {
  Chain with(4, Kind::free, true), without(4, Kind::free, false);
  with.ik.pole_strength = 30;
  with.add(), without.add();
  const Vec p = rest_pose(*with.graph), q = rest_pose(*without.graph);
  EXPECT_TRUE(with.report(p).reached);
  const Vec3 pole = position_of(*with.graph, p, with.pole);
  double leaning = 0, plain = 0;
  for (int j = 1; j < 4; ++j) {
    leaning += (position_of(*with.graph, p, with.out[j]) - pole).norm();
    plain += (position_of(*without.graph, q, without.out[j]) - pole).norm();
  }
  EXPECT_LT(leaning, plain - 0.1);
}

TEST(ChainIk, DoesNotAllocate) {
  if (!RIGSPACE_COUNTS_ALLOCATIONS) GTEST_SKIP();
  Chain chain(4, Kind::boxes, true);
  chain.add();
  const Vec p = rest_pose(*chain.graph);
  Vec u;
  ControlGraph::Memory memory;
  GraphJacobian J;
  std::vector<int> all(chain.graph->controls().size());
  for (std::size_t k = 0; k < all.size(); ++k) all[k] = static_cast<int>(k);
  chain.graph->evaluate(p, u, memory);
  chain.graph->jacobian(p, u, all, J, memory);
  allocations = 0;
  counting = true;
  chain.graph->evaluate(p, u, memory);
  chain.graph->jacobian(p, u, all, J, memory);
  counting = false;
  EXPECT_EQ(allocations, 0);
}

TEST(ChainIk, RefusesWrongCountsAndLimits) {
  Chain chain(3, Kind::boxes);
  chain.ik.joints.pop_back();
  EXPECT_THROW(chain.add(), Error);
  chain.ik.joints.push_back({.min = Vec3(1, 0, 0), .max = Vec3(0, 0, 0)});
  EXPECT_THROW(chain.add(), Error);
  chain.ik.joints.clear();
  chain.ik.joint_slots.resize(1);
  EXPECT_THROW(chain.add(), Error);
}

}  // namespace
}  // namespace rigspace
