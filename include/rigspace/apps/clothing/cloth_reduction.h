#pragma once
// What a garment needs beside its mesh to be simulated in few directions: the skin that carries it, and what it did in
// training.

#include "rigspace/apps/clothing/kinematic_reference.h"
#include "rigspace/apps/clothing/subspace_solver.h"

#include <functional>
#include <memory>
#include <vector>

namespace rigspace {

struct ClothReduction {
  std::shared_ptr<const PoseSpaceDatabase> database;
  KinematicReference reference;  ///< metres; its rest is where the body rests
  /// What each joint does at a time, from rest to pose, metres.
  std::function<void(double time, std::vector<Affine>& C)> joints;
  int root = -1;  ///< the joint whose motion is no part of the pose
  SubspaceOptions options = {};
};

}  // namespace rigspace
