#pragma once
// Constraints take a node's transform, the owner, and give a new one: children and skins of the constrained node use
// the new slot. `influence` blends from the owner (0) to the constrained transform (1): translations linearly,
// rotations along the shortest arc, scale linearly; it is clamped to 0..1. Of a transform with shear, the rotation is
// that of its axes made orthogonal, x first.

#include "rigspace/rig/graph.h"
#include "rigspace/rig/skeleton.h"
#include "rigspace/rig/source.h"

#include <limits>
#include <optional>
#include <vector>

namespace rigspace {

/// Weights, clamped at 0, are divided by their sum; where all are 0 the owner is left as it is.
struct ConstraintTarget {
  int slot = -1;  ///< a transform; where only a position is needed, a point will do
  Source weight = Source::constant(1);
};

/// Where, which way and how large: common to the constraints that follow targets.
struct FollowConstraint {
  int owner_slot = -1;
  std::vector<ConstraintTarget> targets;
  Source influence = Source::constant(1);
  bool keep_offset = true;  ///< the offset at rest is kept; else the owner is put on the target itself
};

/// The owner's origin goes to the targets' mean position; a kept offset is a displacement in scene space.
int add_point_constraint(ControlGraph&, const FollowConstraint&);
/// The owner's rotation becomes the targets' mean rotation; a kept offset is a rotation in the target's axes.
int add_orient_constraint(ControlGraph&, const FollowConstraint&);
/// Position and rotation follow as if the owner were a child of the targets (transforms); its scale stays.
int add_parent_constraint(ControlGraph&, const FollowConstraint&);
/// The lengths of the owner's axes become the targets' mean; a kept offset is a factor per axis.
int add_scale_constraint(ControlGraph&, const FollowConstraint&);

/// Turns the owner about its origin: `axis` points at the targets' mean position, and `up_axis` as far as it can along
/// the up direction. Exact away from the pole, where the two directions meet; within 1e-6 of it the owner's own up is
/// used instead. With the target at the owner's origin the owner does not turn.
struct AimConstraint {
  int owner_slot = -1;
  std::vector<ConstraintTarget> targets;
  Vec3 axis = Vec3::UnitX();     ///< in the owner's axes
  Vec3 up_axis = Vec3::UnitY();  ///< in the owner's axes; not along `axis`
  int up_slot = -1;              ///< up is towards this point or transform; -1: world_up
  Vec3 world_up = Vec3::UnitY();
  Source influence = Source::constant(1);
  bool keep_offset = false;  ///< the owner's rotation at rest is kept, and turns with the aim
};
int add_aim_constraint(ControlGraph&, const AimConstraint&);

/// The owner's origin, in the parent's space, is kept in a box. Hard: outside, derivatives across the wall are 0.
struct TranslationLimit {
  int owner_slot = -1;
  int parent_slot = -1;  ///< a transform; -1: the scene
  Vec3 min = Vec3::Constant(-std::numeric_limits<double>::infinity());
  Vec3 max = Vec3::Constant(std::numeric_limits<double>::infinity());
  Source influence = Source::constant(1);
};
int add_translation_limit(ControlGraph&, const TranslationLimit&);

/// The owner's rotation relative to its parent's and, if `from_rest`, to its rest rotation there, is kept in a box: of
/// the rotation vector, or of Euler angles of the given order. Radians.
struct RotationLimit {
  int owner_slot = -1;
  int parent_slot = -1;
  Vec3 min = Vec3::Constant(-std::numeric_limits<double>::infinity());
  Vec3 max = Vec3::Constant(std::numeric_limits<double>::infinity());
  std::optional<RotateOrder> euler;  ///< none: the rotation vector
  bool from_rest = true;
  Source influence = Source::constant(1);
};
int add_rotation_limit(ControlGraph&, const RotationLimit&);

/// The distance of the owner's origin to a target, point or transform, is kept within min..max, scene units.
struct DistanceLimit {
  int owner_slot = -1;
  int target_slot = -1;
  double min = 0;
  double max = std::numeric_limits<double>::infinity();
  Source influence = Source::constant(1);
};
int add_distance_limit(ControlGraph&, const DistanceLimit&);

}  // namespace rigspace
