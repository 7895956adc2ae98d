#pragma once
// Soft joints: new leaves of a skeleton for flesh that has none, and new chains for sheets that hang on one bone. A
// soft joint takes skin weight from its parent bone alone, so that at rest, and muted, the skin is the original. Where
// a format's few influences a point would spoil that, morph targets do the same work without turning.

#include "rigspace/anim/character.h"

#include <span>
#include <string>
#include <vector>

namespace rigspace {

struct SoftJoint {
  std::string name;                  ///< ASCII, without . : / @, of no other node
  int parent = -1;                   ///< into Character::bones: the bone that its shares are taken from
  Vec3 translation = Vec3::Zero();   ///< at rest, in the parent's space, in its units
  Quat rotation = Quat::Identity();  ///< likewise
  /// The soft joint, earlier in the list and of the same parent, that this one hangs on: its transform is in that
  /// joint's space. -1: it hangs on the parent itself.
  int above = -1;
};

/// Shares of point i: entries start[i] .. start[i + 1]. A share, 0 to 1, is that part of the parent bone's own weight
/// at the point; the shares of joints with the same parent sum to at most 1.
struct SoftJoints {
  std::vector<SoftJoint> joints;
  std::vector<int> start;  ///< points of the rig + 1
  std::vector<int> joint;  ///< into `joints`
  std::vector<double> share;
};

/// The same character with these joints: nodes and their controls appended to its graph, bones appended, weights split;
/// old controls keep their indices; clips, pieces and all else as before. A joint at its rest (muted) moves each point
/// as its parent did:  world_P L (L^-1 inverse_bind_P) = world_P inverse_bind_P, with L = L_1 L_2 .. along a chain.
///
/// A mesh that hangs on a bone rigidly, and that no clip moves against it (carrying_bone), is held by that bone wholly:
/// where joints take from it, it gets a skin of its own,  world_P (world_P^-1 world_mesh at rest).
///
/// Where a point then has more than `max_influences`, and more than it had, the least go, and the sum stays. What a
/// soft joint loses goes to its parent, and what a parent loses to its soft joint: that leaves the muted skin alone,
/// and such weights count a twentieth. What another bone loses goes to all in proportion. `reduced_points` gets the
/// number of points that lost an influence.
///
/// Throws Error, naming joint and point, if the description breaks its rules or a share is taken from a bone that does
/// not hold the point by a linear skin.
Character with_soft_joints(const Character& character, const SoftJoints& soft, int max_influences = 4,
                           int* reduced_points = nullptr);

/// The bone that carries a slot of the built-in rig's graph: its own, or the nearest above it, if no clip moves a node
/// between them. -1: none.
int carrying_bone(const Character& character, int slot);

/// The largest distance, in scene units, between a point of the original and the same point of the muted soft
/// character, at rest and at `samples` times of each clip, evenly from its first to its last. `soft` is what
/// with_soft_joints or with_soft_morphs made of `original`.
double muted_change(const Character& original, const Character& soft, std::span<const Animation> clips,
                    int samples = 24);

/// The same character with three morph targets a joint in place of the joint: controls `<mesh node>:<joint>_x`, `_y`
/// and `_z`, appended, on every mesh node that the joint has a share in. A weight is a displacement in scene units: at
/// the rest pose it moves each point as the joint's translation along that axis of the scene would, by share * bone
/// weight; in other poses the displacement turns with the point's own blend of bones. To move a joint, set its controls
/// on all mesh nodes, `*:<joint>_x`, to one value. Muted it is the original to the bit.
///
/// A bone holds the points of a skin by its weight, and those of a mesh that hangs on it rigidly, with no other bone
/// between, wholly. Translations and rotations of the joints are not used. Throws Error for chains of soft joints:
/// morph targets cannot turn.
Character with_soft_morphs(const Character& character, const SoftJoints& soft);

}  // namespace rigspace
