#include "body_carrier.h"

#include "rigspace/base/decompositions.h"
#include "rigspace/base/error.h"

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>

namespace rigspace {
namespace {

using enum BodyRole;

Vec3 level(const Vec3& v) { return {v.x(), 0, v.z()}; }

/// The joint that a bone points to; null for those that have no direction of their own.
const BodyJoint* pointed_at(const BodyJoints& body, const BodyJoint& joint) {
  switch (joint.role) {
    case upper_arm: return body.find(forearm, joint.side);
    case forearm: return body.find(hand, joint.side);
    case thigh: return body.find(shin, joint.side);
    case shin: return body.find(foot, joint.side);
    case foot: return body.find(toe, joint.side);
    case thumb:
    case index:
    case middle:
    case ring:
    case little: return body.find(joint.role, joint.side, joint.order + 1);
    default: return nullptr;
  }
}

/// The finger by which a hand points, of both.
std::pair<const BodyJoint*, const BodyJoint*> common_finger(const BodyJoints& a, const BodyJoints& b, char side) {
  for (const BodyRole role : {middle, index, ring, little})
    if (const BodyJoint* one = a.find(role, side), *other = b.find(role, side); one != nullptr && other != nullptr)
      return {one, other};
  return {nullptr, nullptr};
}

Mat3 shortest_turn(const Vec3& from, const Vec3& to) { return turn_between(from, to).toRotationMatrix(); }

}  // namespace

BodyCarrier::BodyCarrier(const Character& own, const Character& source, const JointMapping& mapping,
                         std::vector<Affine> source_reference)
    : own_(own), source_(source), mapping_(mapping), source_reference_(std::move(source_reference)) {
  const BodyJoints &mine = mapping.own_body, &theirs = mapping.source.body;
  for (const Affine& each : mine.reference.world) own_reference_.emplace_back(translation(each));
  hips_ = mine.find(hips)->bone, source_hips_ = theirs.find(hips)->bone;
  facing_ = shortest_turn(mine.left, theirs.left);
  if (mine.left.dot(theirs.left) < -0.999) facing_ = Eigen::AngleAxisd(M_PI, Vec3::UnitY()).toRotationMatrix();
  hips_facing_ = chest_facing_ = facing_;
  if (mapping.source.reference_time >= 0) {  // in a pose of a motion shoulders may be turned against hips
    hips_facing_ = shortest_turn(theirs.left, body_line(theirs, thigh)) * facing_;
    chest_facing_ = shortest_turn(theirs.left, body_line(theirs, upper_arm)) * facing_;
  }
  double own_leg = 0, source_leg = 0;
  for (const char side : {'l', 'r'})
    for (const auto& [near, far] : {std::pair{thigh, shin}, std::pair{shin, foot}}) {
      own_leg += (own_reference(mine.find(far, side)->bone) - own_reference(mine.find(near, side)->bone)).norm() / 2;
      const auto at = [&](BodyRole role) -> Vec3 {
        return translation(source_reference_[static_cast<std::size_t>(theirs.find(role, side)->bone)]);
      };
      source_leg += (at(far) - at(near)).norm() / 2;
    }
  has_counterpart_.assign(own.bones.size(), false);
  source_leg_ = source_leg, scale_ = own_leg / std::max(1e-300, source_leg);
  for (const JointMatch& match : mapping.matches) {
    if (match.source < 0) continue;
    Carried carried{.own = match.own, .source = {match.source, match.source}, .aligned = facing_};
    if (const BodyJoint* joint = mine.of_bone(match.own)) {
      carried.aligned = alignment(*joint);
      const int count = mine.count(joint->role), others = theirs.count(joint->role);
      if ((joint->role == spine || joint->role == neck) && match.how != "given" && count != others) {
        // As far along as it is here; the joint before the first of a spine is the hips, of a neck the last of the
        // spine.
        const double along = double(joint->order + 1) * others / count - 1;
        const int first = static_cast<int>(std::floor(along));
        const BodyJoint* before = first >= 0            ? theirs.find(joint->role, 0, first)
                                  : joint->role == neck ? theirs.find(spine, 0, theirs.count(spine) - 1)
                                                        : theirs.find(hips);
        const BodyJoint* after = theirs.find(joint->role, 0, std::min(first + 1, others - 1));
        if (before != nullptr && after != nullptr)
          carried.source = {before->bone, after->bone}, carried.share = along - first;
      }
    }
    carried_.push_back(carried);
    has_counterpart_[static_cast<std::size_t>(match.own)] = true;
  }
  // Parents first, with feet below their shins.
  std::vector<bool> done(own.bones.size(), false);
  while (order_.size() < own.bones.size()) {
    const std::size_t before = order_.size();
    for (int b = 0; b < static_cast<int>(own.bones.size()); ++b) {
      const int parent = mine.parent[static_cast<std::size_t>(b)];
      if (done[static_cast<std::size_t>(b)] || (parent >= 0 && !done[static_cast<std::size_t>(parent)])) continue;
      order_.push_back(b), done[static_cast<std::size_t>(b)] = true;
    }
    if (order_.size() == before) break;
  }
}

Mat3 BodyCarrier::facing(const BodyJoint& joint) const {
  switch (joint.role) {
    case hips:
    case thigh: return hips_facing_;
    case clavicle:
    case upper_arm: return chest_facing_;
    case spine: {
      const double along = double(joint.order + 1) / mapping_.own_body.count(spine);
      return Quat(hips_facing_).slerp(along, Quat(chest_facing_)).toRotationMatrix();
    }
    default: return facing_;
  }
}

Mat3 BodyCarrier::alignment(const BodyJoint& joint) const {
  const BodyJoints &mine = mapping_.own_body, &theirs = mapping_.source.body;
  const BodyJoint* other = theirs.find(joint.role, joint.side, joint.order);
  if (joint.role == toe)
    if (const BodyJoint* ankle = mine.find(foot, joint.side)) return alignment(*ankle);
  const BodyJoint *to = pointed_at(mine, joint), *other_to = other != nullptr ? pointed_at(theirs, *other) : nullptr;
  if (joint.role == hand) std::tie(to, other_to) = common_finger(mine, theirs, joint.side);
  // A limb bends from where the bone above it was turned: shortest turns from the own pose would twist a bent one.
  const BodyJoint* above = joint.role == forearm ? mine.find(upper_arm, joint.side)
                           : joint.role == hand  ? mine.find(forearm, joint.side)
                           : joint.role == shin  ? mine.find(thigh, joint.side)
                                                 : nullptr;
  if (to == nullptr || other_to == nullptr || other == nullptr) {
    if (joint.role == hand) return alignment(*mine.find(forearm, joint.side));
    if (joint.role >= thumb) return alignment(*mine.find(hand, joint.side));
    return facing(joint);
  }
  const auto source_at = [&](const BodyJoint& each) -> Vec3 {
    return translation(source_reference_[static_cast<std::size_t>(each.bone)]);
  };
  const Mat3 base = above != nullptr ? alignment(*above) : facing(joint);
  const Vec3 a = base * (own_reference(to->bone) - own_reference(joint.bone)),
             b = source_at(*other_to) - source_at(*other);
  const auto refuse = [](const Character& character, int bone, int next) {
    throw Error({.file = character.name,
                 .element = "bone \"" + character.bones[static_cast<std::size_t>(bone)].name + "\"",
                 .value = "0",
                 .problem = "has no length: \"" + character.bones[static_cast<std::size_t>(next)].name +
                            "\" is at the same place",
                 .remedy = "give the next joint with --map, or mend the skeleton"});
  };
  const bool needed = joint.role != foot && joint.role < thumb;
  if (needed && b.norm() < 1e-6 * source_leg_) refuse(source_, other->bone, other_to->bone);
  if (needed && a.norm() < 1e-6 * own_leg()) refuse(own_, joint.bone, to->bone);
  if (joint.role == foot)
    return level(a).norm() > 0.02 * own_leg() && level(b).norm() > 0.02 * source_leg_
               ? Mat3(shortest_turn(level(a), level(b)) * facing_)
               : facing_;
  return a.norm() > 0 && b.norm() > 0 ? Mat3(shortest_turn(a, b) * base) : base;
}

CarriedPose BodyCarrier::carry(std::span<const Affine> source, double floor) const {
  CarriedPose pose{.turn = std::vector<Mat3>(own_.bones.size(), facing_), .at = own_reference_};
  const auto turned = [&](int bone) -> Mat3 {
    const auto b = static_cast<std::size_t>(bone);
    return nearest_rotation(linear(source[b])) * nearest_rotation(linear(source_reference_[b])).transpose();
  };
  for (const Carried& each : carried_) {
    Mat3 D = turned(each.source[0]);
    if (each.source[1] != each.source[0] && each.share > 0)
      D = Quat(D).slerp(each.share, Quat(turned(each.source[1]))).toRotationMatrix();
    pose.turn[static_cast<std::size_t>(each.own)] = D * each.aligned;
  }
  const auto h = static_cast<std::size_t>(hips_), s = static_cast<std::size_t>(source_hips_);
  const Vec3 path = translation(source[s]) - translation(source_reference_[s]) - Vec3(0, floor, 0);
  pose.at[h] = own_reference_[h] + scale_ * path;
  place(pose);
  return pose;
}

void BodyCarrier::place(CarriedPose& pose) const {
  const std::vector<int>& parents = mapping_.own_body.parent;
  const Vec3 moved = level(pose.at[static_cast<std::size_t>(hips_)] - own_reference(hips_));
  for (const int bone : order_) {
    const auto b = static_cast<std::size_t>(bone);
    const int parent = parents[b];
    if (parent < 0) {
      if (bone != hips_) pose.at[b] = own_reference_[b] + moved;
      continue;
    }
    const auto above = static_cast<std::size_t>(parent);
    if (!has_counterpart_[b]) pose.turn[b] = pose.turn[above];
    if (bone != hips_) pose.at[b] = pose.at[above] + pose.turn[above] * (own_reference_[b] - own_reference_[above]);
  }
}

}  // namespace rigspace
