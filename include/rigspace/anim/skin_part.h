#pragma once
// A character's skins as meshes at bind with bones, so that weights can be computed anew and compared on its clips; and
// characters made of a mesh, joints and weights.

#include "rigspace/anim/character.h"
#include "rigspace/rig/skeleton_extraction.h"
#include "rigspace/rig/skin_weights.h"

#include <span>
#include <string>
#include <vector>

namespace rigspace {

/// What one skin of a character moves. Pieces whose skins have the same joints and binds are one part.
struct SkinPart {
  std::vector<int> points;                         ///< of the rig, ascending
  TriMesh mesh;                                    ///< at bind, in the skin's own space; point k is points[k]
  std::vector<SkinJoint> joints;                   ///< of the skin, in its order, with bones at bind
  std::vector<int> bones;                          ///< of each joint, into Character::bones
  std::vector<std::vector<Influence>> influences;  ///< as they are, one list per point
};

/// The linear skins of two joints or more. A joint's bones run to its children that carry weight, else to any children;
/// a bone at the end of a chain runs to the middle of the points that are nearest to it. Joints without weight now have
/// no bones, unless `all_joints` or no joint of the skin has any. Empty for rigs that are not built in.
std::vector<SkinPart> skin_parts(const Character& character, bool all_joints = false);

/// The character with other weights for the points of a part, joints counted in it.
Character with_skin_weights(const Character& character, const SkinPart& part,
                            std::span<const std::vector<Influence>> influences);

/// How far two characters of equal controls and points are apart over clips.
struct SkinDifference {
  double rms = 0;    ///< over points and frames, scene units
  double worst = 0;  ///< the largest distance, scene units
  double swing = 0;  ///< rms distance of the first character's points from their rest shape, moved rigidly to fit
  int frames = 0;

  double share() const { return swing > 0 ? rms / swing : 0; }
};
/// Squared distance of points from their rest shape, moved rigidly to fit: summed over the points.
double swing_of(In rest, In posed);
/// Over `frames_per_clip` evenly spaced times of each clip; `points`: those of the rig that count.
SkinDifference skin_difference(const Character& artist, const Character& other, std::span<const int> points,
                               int frames_per_clip = 12);

/// The joints of `places` with their bones, as skin_parts has them; `mesh` decides where bones at ends of chains run
/// to.
std::vector<SkinJoint> bones_of(std::span<const JointPlace> places, const TriMesh& mesh);

/// A new character: the surface of `shape` at rest, nodes at the joints with the scene's axes, one skin. Influences:
/// one list per point of the rig, joints counted in `places`. Throws Error if places or lists do not fit.
Character rigged_character(const Character& shape, std::span<const JointPlace> places,
                           std::span<const std::vector<Influence>> influences);

/// The places of a character's bones at rest.
std::vector<JointPlace> joint_places(const Character& character);

}  // namespace rigspace
