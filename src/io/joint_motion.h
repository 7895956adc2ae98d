#pragma once
// Where the joints of a character are at every frame of a clip: for formats that hold joints alone.

#include "rigspace/anim/character.h"
#include "rigspace/base/affine.h"

namespace rigspace {

struct JointMotion {
  struct Joint {
    std::string name;
    int parent = -1;     ///< into joints; parents come first
    int slot = -1;       ///< in the control graph
    bool keyed = false;  ///< whether a control of its own node is animated
  };
  std::vector<Joint> joints;
  std::vector<double> times;               ///< seconds
  std::vector<Affine> rest;                ///< one per joint, to the scene
  std::vector<std::vector<Affine>> world;  ///< per time, one per joint, to the scene

  /// From a joint to its parent joint (to the scene, of a root).
  static Affine local(const std::vector<Joint>& joints, const std::vector<Affine>& world, int joint);
};

/// The bones, or all nodes of a character that has none. Throws Error if its rig is not built of nodes, or if
/// something at a frame is not finite.
JointMotion joint_motion(const Character& character, const Animation& animation, const std::vector<double>& times);

/// Sentence about tracks that move nothing in this character; empty if there are none.
std::string unbound_sentence(std::span<const std::string> unbound);

}  // namespace rigspace
