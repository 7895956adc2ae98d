#pragma once
// Bones that grow in length and girth without passing it on: flesh hangs on a node of its own below the joint, which
// alone is scaled, and the joints below move to where the flesh ends. So nothing shears when a joint below turns.

#include "assembly.h"

namespace rigspace {

enum class Growth {
  along_and_across,  ///< controls `<joint>.length` and `<joint>.girth`
  along,             ///< `<joint>.length`
  across,            ///< `<joint>.girth`
  size,              ///< `<joint>.size`, the same along all axes: that does not shear, and the joints below inherit it
  each_axis,         ///< `<joint>.width`, `.height`, `.depth`: local x, y, z
};

struct BoneScale {
  std::string joint;
  Growth growth = Growth::along_and_across;
  std::string stem = {};  ///< of the controls' names in place of the joint's: bones that share it grow together
  double least = 0.6, most = 1.6;  ///< limits of its controls, factors
};

/// Adds the controls, in group `group`, and what they drive. After add_joints.
void add_bone_scales(const puppet::Skeleton& skeleton, std::span<const BoneScale> scales, const std::string& group,
                     Assembly& assembly);

}  // namespace rigspace
