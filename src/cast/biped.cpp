#include "biped.h"

#include "rigspace/geometry/signed_distance.h"
#include "shapes.h"

#include <cmath>
#include <numbers>
#include <utility>

namespace rigspace::biped {
namespace {

using puppet::about_x;
using puppet::about_y;
using puppet::about_z;
using puppet::Placement;
using puppet::Skeleton;

constexpr std::array kSpineNames{"pelvis", "spine_01", "spine_02", "chest", "neck", "head"};
constexpr std::array kArmNames{"clavicle", "upper_arm", "lower_arm", "hand"};
constexpr std::array kLegNames{"thigh", "shin", "foot", "toe"};

template <std::size_t N>
std::vector<std::string> named(const std::array<const char*, N>& stems, double side) {
  std::vector<std::string> names;
  for (const char* stem : stems) names.push_back(side == 0 ? stem : stem + suffix(side));
  return names;
}

template <std::size_t N>
std::vector<int> found(const Skeleton& skeleton, const std::array<const char*, N>& stems, double side) {
  std::vector<int> joints;
  for (const std::string& name : named(stems, side)) joints.push_back(skeleton.find(name));
  return joints;
}

Quat degrees_about(const Vec3& axis, double degrees) {
  return Quat(Eigen::AngleAxisd(degrees * std::numbers::pi / 180, axis));
}

double stance_pitch(const Gait& gait, double u) {
  if (u < 0.2) return -gait.toe_up * (1 - smooth_step(-0.2, 0.2, u)) * 2;
  const double late = std::max(0.0, (u - 0.5) / 0.5);
  return gait.heel_up * late * late;
}

}  // namespace

std::string suffix(double side) { return side > 0 ? "_l" : "_r"; }
std::string numbered(std::string_view stem, int k) {
  return std::string(stem) + (k < 9 ? "_0" : "_") + std::to_string(k + 1);
}

std::vector<Vec3> on_side(std::span<const Vec3> left, double side) {
  std::vector<Vec3> points(left.begin(), left.end());
  for (Vec3& p : points) p = side < 0 ? shapes::mirrored(p) : p;
  return points;
}

void add_chain(const ChainPlan& chain, Skeleton& skeleton) {
  std::string parent = chain.parent;
  for (std::size_t k = 0; k < chain.names.size(); ++k) {
    const Vec3 &from = chain.points[k], &to = chain.points[k + 1];
    skeleton.add(chain.names[k], parent, from, to, (to - from).cross(chain.forward));
    parent = chain.names[k];
  }
}

Skeleton make_spine(const Plan& plan) {
  Skeleton skeleton;
  skeleton.add("root", "", Vec3::Zero(), Vec3::UnitY(), Vec3::UnitX());
  std::string parent = "root";
  for (std::size_t k = 0; k < kSpineNames.size(); ++k) {
    skeleton.add(kSpineNames[k], parent, plan.spine[k], plan.spine[k + 1], Vec3::UnitX());
    parent = kSpineNames[k];
  }
  return skeleton;
}

void add_limbs(const Plan& plan, double side, Skeleton& skeleton) {
  add_chain({named(kArmNames, side), "chest", on_side(plan.arm, side), Vec3::UnitZ()}, skeleton);
  add_chain({named(kLegNames, side), "pelvis", on_side(plan.leg, side), Vec3(0, 0.3, 1)}, skeleton);
}

Skeleton make_skeleton(const Plan& plan) {
  Skeleton skeleton = make_spine(plan);
  for (const double side : {1.0, -1.0}) add_limbs(plan, side, skeleton);
  return skeleton;
}

flesh::ShareOut held_by(int joint) {
  return [joint](const Vec3&, double share, flesh::WeightRow row) { row[joint] += share; };
}

flesh::ChainWeights spine_weights(const Plan& plan, const Skeleton& skeleton, double width) {
  return {found(skeleton, kSpineNames, 0), on_side(plan.spine, 1), width};
}

flesh::ChainWeights arm_weights(const Plan& plan, const Skeleton& skeleton, double side, double width) {
  return {found(skeleton, kArmNames, side), on_side(plan.arm, side), width};
}

flesh::ShareOut leg_weights(const Plan& plan, const Skeleton& skeleton, double side) {
  return
      [leg = plan.leg, joints = found(skeleton, kLegNames, side)](const Vec3& p, double share, flesh::WeightRow row) {
        const double below_knee = smooth_step(leg[1].y() + 0.05, leg[1].y() - 0.05, p.y());
        const double below_ankle = smooth_step(leg[2].y() + 0.04, leg[2].y() - 0.015, p.y());
        const double before_ball = smooth_step(leg[3].z() - 0.035, leg[3].z() + 0.01, p.z());
        row[joints[0]] += share * (1 - below_knee);
        row[joints[1]] += share * below_knee * (1 - below_ankle);
        row[joints[2]] += share * below_knee * below_ankle * (1 - before_ball);
        row[joints[3]] += share * below_knee * below_ankle * before_ball;
      };
}

double eased(std::initializer_list<Key> keys, double time) {
  const Key* before = keys.begin();
  for (const Key& key : keys) {
    if (time < key.time) {
      const double t = before == &key ? 1 : smooth_step(before->time, key.time, time);
      return before->value + t * (key.value - before->value);
    }
    before = &key;
  }
  return before->value;
}

Placement ankle_of(const Plan& plan, const Step& step, double side) {
  const Vec3 pivot = step.pitch > 0 ? plan.leg[3] : Vec3(plan.leg[2].x(), 0, plan.heel);
  const Quat turn = about_x(step.pitch);
  Vec3 ankle = pivot + turn * (plan.leg[2] - pivot);
  if (side < 0) ankle = shapes::mirrored(ankle);
  return {turn, ankle + step.shift};
}

Foot walking_foot(const Plan& plan, const Gait& gait, double phase, double side) {
  const auto planted = [&](double at) {
    return ankle_of(plan, {{0, 0, 0.5 * gait.stance * gait.stride}, stance_pitch(gait, at / gait.stance)}, side);
  };
  const Vec3 travelled(0, 0, gait.stride * phase);
  if (phase <= gait.stance) {
    Foot foot{planted(phase), std::max(0.0, stance_pitch(gait, phase / gait.stance))};
    foot.ankle.position -= travelled;
    return foot;
  }
  // In the air it follows the cubic that leaves and meets the ground with the velocities it has there, lifted between.
  constexpr double kDelta = 1e-4;
  const double span = 1 - gait.stance, u = (phase - gait.stance) / span;
  const Vec3 from = planted(gait.stance).position;
  const Vec3 from_velocity = (from - planted(gait.stance - kDelta).position) / kDelta * span;
  const Vec3 to = planted(0).position + Vec3(0, 0, gait.stride);
  const Vec3 to_velocity = (planted(kDelta).position - planted(0).position) / kDelta * span;
  const double u2 = u * u, u3 = u2 * u, hump = 16 * u2 * (1 - u) * (1 - u);
  Vec3 ankle = (2 * u3 - 3 * u2 + 1) * from + (u3 - 2 * u2 + u) * from_velocity + (3 * u2 - 2 * u3) * to +
               (u3 - u2) * to_velocity;
  ankle += Vec3(side * gait.aside * hump, gait.lift * hump, 0) - travelled;
  const double pitch = eased({{0, gait.heel_up}, {1, -gait.toe_up}}, std::pow(u, 0.8));
  return {{about_x(pitch), ankle}, gait.heel_up * (1 - smooth_step(0, 0.6, u))};
}

void Puppeteer::arm(double side, const ArmPose& arm) {
  const std::string end = suffix(side);
  const Vec3 forearm = (plan_.arm[3] - plan_.arm[2]).normalized(), upper = (plan_.arm[2] - plan_.arm[1]).normalized();
  // An axis of rotation mirrors the other way round.
  const auto sided = [&](const Vec3& axis) { return side > 0 ? axis : Vec3(axis.x(), -axis.y(), -axis.z()); };
  const Vec3 hinge = sided(forearm.cross(Vec3::UnitZ()).normalized());
  turn("clavicle" + end, about_z(-0.15 * side * arm.lower) * about_y(-0.12 * side * arm.swing));
  turn("upper_arm" + end, about_x(-arm.swing) * about_z(-side * arm.lower) * degrees_about(sided(upper), arm.twist));
  turn("lower_arm" + end, degrees_about(hinge, arm.bend));
  turn("hand" + end, degrees_about(hinge, 0.35 * arm.bend));
}

void Puppeteer::foot(double side, const Foot& foot) {
  const std::string end = suffix(side);
  const puppet::Limb leg{skeleton_.find("thigh" + end), skeleton_.find("shin" + end), skeleton_.find("foot" + end)};
  puppet::reach(skeleton_, leg, foot.ankle, Vec3(0.12 * side, 0, 1), pose);
  turn("toe" + end, about_x(-foot.toe));
}

}  // namespace rigspace::biped
