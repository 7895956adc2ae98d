#pragma once
// The pose in which a character was modelled: where each bone points before anything moves.

#include "rigspace/anim/character.h"

#include <vector>

namespace rigspace {

struct ReferencePose {
  std::vector<Affine> world;  ///< of each bone of the character, scene space
  bool from_skin = false;     ///< the skin was bound in this pose, and the file's rest pose is another
};

/// The pose in which the skin was bound (T or A pose, as a rule) if the rest pose of the file is another: exporters
/// leave nodes at whatever frame was shown last. Bones without skin keep their place beside their parent. A skin leaves
/// one transform G of its space open,  world_j = G inverse_bind_j^-1:  it is that of the first bone if that bone is
/// turned as its parent node says, else the parent node's. Throws Error for rigs without bones of their own.
ReferencePose reference_pose(const Character& character);

/// Transforms of all bones at a pose p. Throws Error for rigs without bones of their own.
std::vector<Affine> bone_transforms(const Character& character, In p);

}  // namespace rigspace
