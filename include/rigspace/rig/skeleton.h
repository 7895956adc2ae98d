#pragma once
// Nodes of a hierarchy as operators of the control graph: each writes the transform from its own space to the scene.

#include "rigspace/rig/graph.h"
#include "rigspace/rig/source.h"

#include <array>
#include <string>
#include <vector>

namespace rigspace {

/// A glTF node:  world = parent * T(t) * R(q) * exp(r) * S(s) * K.
/// q is the keyed orientation, of any length but zero; r, in radians, turns on top of it, in the node's own axes (what
/// physics and `--set` move); K is a constant that holds what is no translation, rotation and scale in a file's matrix.
struct NodeDescription {
  std::string name;
  int parent_slot = -1;
  Vec3 translation = Vec3::Zero();
  Quat rotation = Quat::Identity();
  Vec3 scale = Vec3::Ones();
  Affine constant = Affine::Identity();
  double typical_length = 1;          ///< an ordinary displacement, scene units
  std::vector<DrivenChannel> driven;  ///< channels 0..12, in add_node's order; several on one channel add up
};

/// Adds 13 controls `<name>.tx ty tz qx qy qz qw rx ry rz sx sy sz`, in this order, and the node. Returns its slot.
int add_node(ControlGraph&, const NodeDescription&);

enum class RotateOrder { xyz, yzx, zxy, xzy, yxz, zyx };  ///< Maya's: the first letter turns first

/// A Maya joint (Thesis 3.71, completed; column vectors):  world = parent * T * IS * JO * R * RO * S.
/// JO is the joint orient, RO the rotate axis, IS the inverse of the *parent's* scale where segment-scale compensation
/// is on. All angles in radians; JO and RO are xyz.
struct MayaJointDescription {
  std::string name;
  int parent_slot = -1;
  Vec3 translate = Vec3::Zero();
  Vec3 rotate = Vec3::Zero();
  Vec3 scale = Vec3::Ones();
  RotateOrder order = RotateOrder::xyz;
  Vec3 joint_orient = Vec3::Zero();
  Vec3 rotate_axis = Vec3::Zero();
  bool segment_scale_compensate = true;
  double typical_length = 1;
};

/// Adds 9 controls `<name>.tx ty tz rx ry rz sx sy sz` and the joint. Compensation applies if the parent slot was added
/// by add_maya_joint. Returns its slot.
int add_maya_joint(ControlGraph&, const MayaJointDescription&);

/// Adds a scalar control that is passed on as a slot: a morph weight.
int add_scalar(ControlGraph&, Control control);
/// The same for a control that is there already.
int pass_control(ControlGraph&, int control);
/// The control that a slot passes on, or -1 if the slot is anything else.
int passed_control(const ControlGraph&, int slot);

/// What a slot was made from, or nullptr if no glTF node writes it: for writers of files.
const NodeDescription* node_description(const ControlGraph&, int slot);
/// The first of a node's or joint's controls (tx); -1 if the slot is neither.
int first_control(const ControlGraph&, int slot);
/// The controls `<name>.tx ty tz` of a node or joint, and `<name>.rx ry rz`, found by name: glTF nodes and Maya's joints
/// have theirs in different places. The slot must be that of a node or joint.
std::array<int, 3> translation_controls(const ControlGraph&, int slot);
std::array<int, 3> rotation_controls(const ControlGraph&, int slot);

/// exp(r): the rotation by |r| radians about r.
Mat3 rotation_exp(const Vec3& r);
/// d exp(r) / d r_k, exact for every r.
Mat3 rotation_exp_derivative(const Vec3& r, int k);
/// The rotation vector of R, |r| <= pi.
Vec3 rotation_log(const Mat3& R);

}  // namespace rigspace
