#pragma once
// The methods of make_skin_weights that solve for something. All return points x joints, rows not negative; joints
// without bones have zeros.

#include "rigspace/geometry/solid_voxels.h"
#include "rigspace/rig/skin_weights.h"

namespace rigspace {

Mat heat_weights(const TriMesh& mesh, std::span<const SkinJoint> joints, const SkinWeightOptions& options);
Mat voxel_weights(const TriMesh& mesh, std::span<const SkinJoint> joints, const SkinWeightOptions& options);
Mat biharmonic_weights(const TriMesh& mesh, std::span<const SkinJoint> joints, const SkinWeightOptions& options);

}  // namespace rigspace
