#pragma once
// Skin weights from a mesh and its bones alone, by five methods. Any soup of triangles will do: it is welded by
// position, and what is inside is decided by winding numbers on voxels, so that meshes may be open and of many shells.

#include "rigspace/base/progress.h"
#include "rigspace/geometry/cover_lattice.h"
#include "rigspace/geometry/tri_mesh.h"
#include "rigspace/rig/deformer.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rigspace {

/// A joint, and the segments of the body that it carries, in the mesh's space at bind. Without bones it gets no weight.
struct SkinJoint {
  std::string name;
  std::vector<BoneLine> bones;
};

enum class SkinWeightMethod {
  nearest,  ///< all of a point goes to the joint whose bone is nearest
  falloff,  ///< w_j proportional to 1 / d_j^power, d_j the distance from bone j through the air
  /// The equilibrium of heat on the surface (Baran and Popovic 2007), -Laplace w_j + H w_j = H p_j with H = 1 / d^2, d
  /// the distance to the nearest bone that is seen through the inside, p_j = 1 where that is bone j.
  heat,
  voxels,  ///< as falloff, d_j the length of the shortest way through voxels of the body (Dionne and de Lasa 2013)
  /// Bounded biharmonic weights (Jacobson et al. 2011) on voxels: min w^T L^2 w, 0 <= w <= 1, w_j = 1 on bone j and 0
  /// on the others.
  biharmonic,
};

std::string_view name(SkinWeightMethod method);
/// The method of this name. Throws Error that lists them.
SkinWeightMethod skin_weight_method(std::string_view name);

struct SkinWeightOptions {
  SkinWeightMethod method = SkinWeightMethod::heat;
  int keep = 4;              ///< the largest weights of a point that stay, 1 or more
  double drop_below = 1e-3;  ///< smaller weights are left out, the others scaled to sum 1
  int smoothing = 0;         ///< rounds of Laplacian smoothing over the mesh, before small weights are left out
  double power = 6;          ///< of falloff and voxels: how sharply a joint's weight ends
  int voxels = 100;          ///< of heat and voxels: along the longest side of the mesh
  int nodes = 5000;          ///< of biharmonic: about so many voxels carry the solve
  ProgressCallback progress;

  void validate() const;
};

struct SkinWeights {
  std::vector<std::vector<Influence>> influences;  ///< one list per point, joints ascending; positive, sum 1
  std::vector<std::string> warnings;               ///< one sentence each: a joint far away, only one joint
};

/// Weights for the points of a mesh. Points at the same place get the same weights. Throws Error if the mesh has no
/// triangles or too few points, or no joint has a bone near it.
SkinWeights make_skin_weights(const TriMesh& mesh, std::span<const SkinJoint> joints,
                              const SkinWeightOptions& options = {});

/// What make_skin_weights does at the end, for weights of any origin (points x joints): rounds of smoothing over the
/// welded mesh, then the largest `keep` of each point, those below `drop_below` left out, scaled to sum 1.
std::vector<std::vector<Influence>> finished_weights(const TriMesh& mesh, Mat W, const SkinWeightOptions& options);

/// Distance of a place from the nearest bone of a joint; infinite without bones. `at`, unless null: the nearest place.
double distance_to_bones(const SkinJoint& joint, const Vec3& x, Vec3* at = nullptr);

}  // namespace rigspace
