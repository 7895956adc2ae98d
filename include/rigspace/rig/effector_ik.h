#pragma once
// Inverse kinematics of a tree of joints by four methods behind one function: what a tool that poses a skeleton needs,
// outside a control graph. Rigs with IK of their own have it in their graph (ik.h), differentiated.

#include "rigspace/base/types.h"
#include "rigspace/rig/ik.h"

#include <span>
#include <string_view>
#include <vector>

namespace rigspace {

/// A joint of the tree, its axes at rest those of the scene. Parents come before their children.
struct ReachJoint {
  int parent = -1;
  Vec3 place = Vec3::Zero();  ///< at rest, scene space; those without a parent stay there
  ChainJoint limits = {};     ///< of its rotation relative to its parent, counted from rest
};

/// A joint that is to come to a place.
struct Effector {
  int joint = -1;
  Vec3 target = Vec3::Zero();  ///< scene space
  double weight = 1;           ///< among those of equal priority
  int priority = 0;            ///< targets of smaller numbers are met first
};

enum class ReachMethod {
  fabrik,  ///< positions forward and backward along the bones (Aristidou and Lasenby 2011), rotations fitted to them
  ccd,     ///< cyclic coordinate descent (Wang and Chen 1991): each joint in turn brings its effectors nearest
  damped,  ///< damped least squares (Wampler 1986); lower priorities in the null space of higher ones (Siciliano 1990)
  graph,   ///< the chain IK of the control graph (ik.h): one effector, joints of one chain
};
std::string_view name(ReachMethod method);

struct ReachOptions {
  ReachMethod method = ReachMethod::damped;
  int max_iterations = 200;
  double tolerance = 1e-4;  ///< what counts as reached, share of the tree's longest way from root to tip
  double damping = 0.05;    ///< of damped

  void validate() const;
};

struct ReachResult {
  std::vector<Mat3> rotation;    ///< of each joint relative to its parent, from rest: within its limits
  std::vector<Vec3> place;       ///< of each joint, scene space
  std::vector<double> distance;  ///< of each effector from its target, scene units
  double limit_slack = 0;        ///< the least angle between a joint's rotation and a limit that it has, radians
  int iterations = 0;            ///< of graph: 0, its solver does not count them
  bool reached = false;          ///< every effector is within the tolerance
};

/// The pose from `start` (rotations as in the result; empty: rest) in which the effectors are as near to their targets
/// as the method gets. Targets out of reach are not an error: the result is the nearest pose found. Throws Error if the
/// tree is none, an effector names no joint, or the method cannot take this many effectors.
ReachResult reach(std::span<const ReachJoint> joints, std::span<const Effector> effectors,
                  const ReachOptions& options = {}, std::span<const Mat3> start = {});

/// The rotation nearest to R that the limits allow: of a hinge its turn about the axis, else the rotation vector,
/// clamped.
Mat3 within_limits(const ChainJoint& limits, const Mat3& R);

}  // namespace rigspace
