#pragma once
// What the linear system of a pose is compared with: frames at vertices (PBR 8 as printed), one linearisation a bone,
// and the nonlinear solid.

#include "rigspace/apps/forces/posed_lattice.h"
#include "rigspace/optimize/summary.h"

#include <memory>

namespace rigspace {

/// Elasticity in a frame for each vertex:  A_ij = R_i S_ij R_i^T  (8). Not symmetric, hence LU; its forces do not sum
/// to zero, so a free body drifts.
class VertexWarpedLattice {
 public:
  /// Refers to the body.
  explicit VertexWarpedLattice(const ForceBody& body);
  ~VertexWarpedLattice();

  /// False if the matrix is singular.
  bool set_pose(std::span<const Affine> joints);
  void shape_of(In Q, Vec& y);
  void force_of(In y, Vec& Q) const;
  /// The elastic forces alone, minus what (8) gives: zero at rest.
  void elastic_force(In y, Vec& f) const;

 private:
  void residual(In y, Vec& r) const;
  struct Factor;
  const ForceBody* body_;
  PosedLattice carrier_;  // frames, places of held vertices, twist
  std::vector<Mat24> stiffness_;
  std::unique_ptr<Factor> factor_;
};

/// One linear problem for each joint, in its frame and all of the body, blended by the weights of the vertices:
/// strained at joints, where each frame sees the other bones turned far. Our reading of the earlier scheme that PBR
/// compares with (its figure 2).
void blended_local_shape(const ForceBody& body, std::span<const Affine> joints, Vec& y);

/// Equilibrium of the nonlinear solid of the body's material with the same bones and forces, from y.
Summary nonlinear_shape(const PosedLattice& lattice, In Q, Vec& y);

}  // namespace rigspace
