#pragma once
// Which joint of a two-legged skeleton is which part of the body, by names in many spellings (CMU, Mixamo, Unreal,
// Rigify, VRM, Biped, Daz, SMPL) and by where joints are in the reference pose.

#include "rigspace/parts/reference_pose.h"

#include <string>
#include <string_view>
#include <vector>

namespace rigspace {

enum class BodyRole {
  hips,
  spine,
  neck,
  head,
  clavicle,
  upper_arm,
  forearm,
  hand,
  thigh,
  shin,
  foot,
  toe,
  thumb,
  index,
  middle,
  ring,
  little
};

std::string_view name(BodyRole);

struct BodyJoint {
  BodyRole role = BodyRole::hips;
  char side = 0;        ///< 'l' or 'r'; 0: in the middle
  int order = 0;        ///< along a spine, a neck or a finger, away from the hips
  int bone = -1;        ///< into Character::bones
  double by_name = 0;   ///< 0 to 1: how plainly the name says this role
  double by_place = 0;  ///< 0 to 1: how well the joint is where a body has it

  /// 0 to 1: 1 - (1 - 0.9 by_name) (1 - 0.6 by_place).
  double sure() const { return 1 - (1 - 0.9 * by_name) * (1 - 0.6 * by_place); }
};

struct BodyJoints {
  std::vector<BodyJoint> joints;  ///< those that carry others first; empty if this is no body on two legs
  ReferencePose reference;
  std::vector<int> parent;    ///< of each bone: as in the character, but a foot that hangs elsewhere is below its shin
  Vec3 left = Vec3::UnitX();  ///< level, unit length: the direction of the body's left

  const BodyJoint* find(BodyRole role, char side = 0, int order = 0) const;
  const BodyJoint* of_bone(int bone) const;
  int count(BodyRole role, char side = 0) const;  ///< of a spine, a neck, a finger
  bool found() const { return !joints.empty(); }
};

/// "left forearm", "spine 2".
std::string describe(const BodyJoint& joint);

/// Two legs of thigh, shin and foot below one joint are needed; arms, spine, neck, head, toes and fingers may lack.
/// Helpers (IK, poles, twists, controls) are never taken. Throws Error where names and hierarchy contradict each other:
/// a forearm above its upper arm.
BodyJoints find_body_joints(const Character& character);
/// The same, where the character stands in this pose rather than in its own reference pose.
BodyJoints find_body_joints(const Character& character, ReferencePose pose);

/// How plainly a joint's name says a role, 0 to 1; sides do not count, but a hip with a side is a thigh.
double name_evidence(std::string_view joint, BodyRole role);
/// Names of helpers: IK targets, poles, twist bones, controls, end markers.
bool is_helper_joint(std::string_view joint);

}  // namespace rigspace
