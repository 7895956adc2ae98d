#pragma once
// A skeleton to start a rig with, from a mesh that stands still or from one that moves.

#include "rigspace/base/progress.h"
#include "rigspace/geometry/tri_mesh.h"
#include "rigspace/rig/deformer.h"

#include <span>
#include <string>
#include <vector>

namespace rigspace {

/// A joint of a new skeleton. Parents come before their children.
struct JointPlace {
  std::string name;
  int parent = -1;
  Vec3 position = Vec3::Zero();  ///< scene space
};

struct SkeletonOptions {
  int voxels = 72;             ///< along the longest side of the mesh
  double least_branch = 0.05;  ///< of the mesh's diagonal: shorter branches, counted from the skin, are left out
  double longest_bone = 0.28;  ///< of the diagonal: longer bones are divided
  double bend = 0.02;          ///< of the diagonal: a branch gets a joint where it leaves the straight line by this
  bool symmetric = true;       ///< look for a plane of symmetry; with one, left and right are mirror images
  ProgressCallback progress;

  void validate() const;
};

struct ExtractedSkeleton {
  std::vector<JointPlace> joints;  ///< named by side: `center1_2`, `left1_1`, `right1_1`; `branch..` without a plane
  int mirror_axis = -1;            ///< 0, 1, 2: the plane of symmetry is across x, y, z through the middle of the box
  int branches = 0;
};

/// Curves through the middle of the body, as joints. Voxels of the body are connected to the deepest one along ways
/// that are the cheaper the deeper they run, from the farthest tip to the nearest, a tip that lies in the reach of a
/// way that is there being left out (TEASAR, Sato et al. 2000). Ways become joints where they branch, bend and are
/// long. The root is the branching from which the farthest tip is nearest. Any soup of triangles will do. Throws Error
/// for a mesh without triangles.
ExtractedSkeleton extract_skeleton(const TriMesh& mesh, const SkeletonOptions& options = {});

struct MotionSkeletonOptions {
  int most_joints = 24;
  double tolerance = 0.004;  ///< of the diagonal: parts are divided until they follow as rigidly as this, rms
  int rounds = 8;            ///< of assigning points and fitting motions, after each division

  void validate() const;
};

struct MotionSkeleton {
  std::vector<JointPlace> joints;               ///< in the first frame's place of `rest`
  std::vector<std::vector<Affine>> motions;     ///< [frame][joint]: rigid, takes the rest shape there
  std::vector<std::vector<Influence>> weights;  ///< of points, by motion_weights on these motions
  std::vector<int> part;                        ///< of each point, the joint that alone follows it best
  double rms = 0;                               ///< distance between skinned and given points, scene units
};

/// Points that move alike rigidly become parts: one part is divided again and again where it follows worst. Parts that
/// touch are joined where both their motions agree best and near their border,  min_c sum_t |A_t c - B_t c|^2,  by the
/// tree of the joints that come apart least. The root is the part in the middle of that tree. `frames`: all points
/// each, flattened. Throws Error if sizes differ, or fewer than two frames are given.
MotionSkeleton skeleton_from_motion(const TriMesh& rest, std::span<const Vec> frames,
                                    const MotionSkeletonOptions& options = {});

/// [frame][part]: the rigid motion that takes the rest points of each part nearest to where they are.
std::vector<std::vector<Affine>> rigid_motions(In rest, std::span<const Vec> frames, std::span<const int> part,
                                               int parts);

}  // namespace rigspace
