#pragma once
// A skinned body as garments need it: its surface at rest, weights, and what its joints do in a pose.

#include "rigspace/anim/character.h"
#include "rigspace/rig/built_in_rig.h"
#include "rigspace/rig/weight_transfer.h"

#include <memory>
#include <vector>

namespace rigspace {

/// The skinned, drawn surface of a character with a built-in rig. Points that no skin moves are left out. A const
/// object may be used from several threads, each with a workspace of its own.
class WornSkin {
 public:
  /// Throws Error if the rig has no skin or is another kind (a black box).
  explicit WornSkin(const Character& character);

  const TriMesh& surface() const { return surface_; }  ///< at rest, scene space
  const std::vector<std::vector<Influence>>& influences() const { return influences_; }
  int joint_count() const { return static_cast<int>(slots_.size()); }
  /// The bone of the character that a joint is; -1 where none is listed.
  int bone(int joint) const { return bones_[static_cast<std::size_t>(joint)]; }
  std::unique_ptr<Workspace> make_workspace() const { return rig_->make_workspace(); }

  /// C_j = world_j(p) * world_j(rest)^-1: what each joint does to a point that rests in scene space.
  void transforms(Workspace&, In p, std::vector<Affine>& C) const;

  /// The joint nearest to the root below which all joints of these weights hang (itself among them); -1: none. Its
  /// motion is the root motion of what has the weights.
  int common_joint(std::span<const std::vector<Influence>> influences) const;

 private:
  std::shared_ptr<const Rig> owner_;
  const BuiltInRig* rig_;
  TriMesh surface_;
  std::vector<std::vector<Influence>> influences_;
  std::vector<int> slots_;         // of the joints
  std::vector<int> bones_;         // of the joints
  std::vector<int> parents_;       // of the joints, among the joints; -1
  std::vector<Affine> from_rest_;  // world_j(rest)^-1
};

}  // namespace rigspace
