#pragma once
// Forces from a sculpted or scanned surface (PBR 4.3).

#include "rigspace/apps/forces/force_rig.h"
#include "rigspace/apps/forces/template_drag.h"

namespace rigspace {

struct SurfaceFitOptions {
  /// omega of (23): of gradients of the displacement, times an edge of a cell squared, beside squared distances.
  double smoothness = 1e-3;
  /// Point i of the skin belongs to point i of the target; else to the nearest place of its surface, unless that is on
  /// its border or on that of a hole.
  bool correspond = true;
  std::vector<int> points = {};  ///< of the skin that should match; empty: all
  int rounds = 30;               ///< of nearest places, at most
  double farthest = 0;           ///< nearest places farther off do not count, scene units; 0: all count

  void validate() const;
};

struct SurfaceFit {
  Vec Q;                         ///< generalised forces, in the frames of the rest pose
  Vec y;                         ///< the lattice under them
  double before = 0, after = 0;  ///< root mean square distance of the chosen points, scene units
  double worst = 0;              ///< the largest that is left
  double cost = 0;               ///< of (23): after^2 and the smoothness, scene units squared
  int rounds = 0;
  int left_out = 0;  ///< chosen points without a place: over holes of the target, or too far off
};

/// Since forces and shapes correspond one to one, the best shape y of the lattice is found first,
///   1/N sum_k |E_k y - t_k|^2 + omega/2 integral |grad (y - y_0)|^2  ->  min,   y_0: the pose without forces,
/// a linear problem a round, and then its forces, Q = R^T (A y - b). Printed, the smoothness is of the displacement
/// from rest, which would count the bend of the pose; ours counts what the forces do. Throws Error for a target of
/// another topology where points should correspond, one without triangles, or one that is not finite.
SurfaceFit fit_surface(PosedLattice& lattice, const TriMesh& target, const SurfaceFitOptions& options = {});

struct PoseFit {
  Vec p;
  Summary summary;
  double before = 0, after = 0;  ///< root mean square distance of the features, scene units
};

/// The pose that brings chosen points of the skin to places (22), from `start`, turning the controls `free` within
/// their limits; L-BFGS-B with the rig's adjoint.
PoseFit fit_pose(const ForceRig& rig, std::span<const DragTarget> features, In start, std::span<const int> free);

struct PoseAndForceFit {
  Vec p;
  SurfaceFit fit;  ///< in that pose
  Summary summary;
};

/// Pose and forces together, where the pose of the features and then the forces leave a bend to the forces that the
/// skeleton should have:  min over p of  min over y of (23). The inner minimum is fit_surface's; the controls `free`
/// are turned within their limits by L-BFGS-B, with differences for the gradient, so that they should be few.
PoseAndForceFit fit_pose_and_forces(const ForceRig& rig, const TriMesh& target, In start, std::span<const int> free,
                                    const SurfaceFitOptions& options = {});

/// A rig of these forces: none at 0 (or `none_at`), all at `at` of its control.
ForceRigPart rig_of_fit(std::string name, std::string control, double none_at, double at, Vec Q);

}  // namespace rigspace
