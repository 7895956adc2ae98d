#pragma once
// Inverse kinematics on top of forward kinematics: joints whose transforms other operators give (FK) are turned so that
// the tip reaches a target. `blend`, a source, goes from FK (0) to IK (1), so IK/FK switching is a control like any
// other; bone lengths are kept on the way. All derivatives are exact; a chain's are taken implicitly at its solution.

#include "rigspace/rig/graph.h"
#include "rigspace/rig/source.h"

#include <numbers>
#include <string>
#include <vector>

namespace rigspace {

/// Thigh, shin, foot. With blend 1 the result depends on target, pole and the joints' own lengths and scales only, not
/// on how FK turns the joints (without a pole, the chain bends the way that FK bends it).
struct TwoBoneIk {
  std::string name;
  int root_slot = -1, mid_slot = -1, tip_slot = -1;  ///< FK transforms
  int target_slot = -1;                              ///< a transform, or a point (then `orient` must be 0)
  int pole_slot = -1;                                ///< a point or transform that the middle joint points at; or none
  Source blend = Source::constant(1);                ///< 0: FK, 1: IK
  Source stretch = Source::constant(0);              ///< 1: bones lengthen until the tip reaches; 0: never
  Source orient = Source::constant(0);               ///< 1: the tip turns with the target, its rest offset kept
  /// The share of the chain's length before full extension in which it slows down, so that the knee does not snap.
  /// At least kTightestIk is used, which bounds the derivatives: a tip at full extension stays behind by 4e-6.
  double soft_distance = 0;
  /// The axis that the middle joint turns about where the rest pose is straight and there is no pole: in the root's
  /// axes.
  Vec3 bend_axis = Vec3::UnitX();
};
constexpr double kTightestIk = 1e-5;

struct TwoBoneSlots {
  int root = -1, mid = -1, tip = -1;
};
TwoBoneSlots add_two_bone_ik(ControlGraph&, const TwoBoneIk&);

/// What a joint of a chain may do, counted from its rest rotation relative to the joint before.
struct ChainJoint {
  bool hinge = false;
  Vec3 axis = Vec3::UnitX();                     ///< of a hinge, in the joint's rest axes
  Vec3 min = Vec3::Constant(-std::numbers::pi);  ///< of the rotation vector, radians; of a hinge, min[0]
  Vec3 max = Vec3::Constant(std::numbers::pi);
  double stiffness = 1;  ///< relative to the others: a stiffer joint turns less
};

/// The pose nearest to FK, in the joints' rotation vectors weighted by stiffness, among those that bring the tip to the
/// target within the limits; if none does, the pose that comes nearest. A function of its inputs alone: no state is
/// kept between evaluations, so a target that passes a point where two answers are equally good may jump. Limits hold
/// at blend 1 for any input.
struct ChainIk {
  std::string name;
  int parent_slot = -1;            ///< the root's parent: limits of the root are relative to it; -1: the scene
  std::vector<int> joint_slots;    ///< FK transforms, root to tip; the tip itself is not turned; at most 25
  std::vector<ChainJoint> joints;  ///< one per joint but the tip; empty: all free
  int target_slot = -1;            ///< a transform or a point
  int pole_slot = -1;              ///< a point or transform that inner joints lean to, as far as reaching allows
  double pole_strength = 1;        ///< of that lean, against staying near FK
  Source blend = Source::constant(1);
  Source orient = Source::constant(0);  ///< as above
  double tolerance = 1e-4;              ///< what counts as reached, share of the chain's length
};

/// One slot per joint, the tip included.
std::vector<int> add_chain_ik(ControlGraph&, const ChainIk&);

/// How near an IK came, before blending.
struct IkReport {
  std::string name;
  double distance = 0;  ///< tip to target, scene units
  bool reached = false;
};
/// Of all IK in the graph, in order; `u` must be evaluate(p).
std::vector<IkReport> ik_reports(const ControlGraph&, In p, In u);

/// p with the rx ry rz of FK joints set so that they pose as the IK joints do at p: for switching from IK to FK without
/// a jump. FK joints are nodes, root first. Exact where bones are not stretched or scaled unevenly.
Vec fk_matching_ik(const ControlGraph&, In p, std::span<const int> fk_slots, std::span<const int> ik_slots);

}  // namespace rigspace
