#pragma once
// A force body in one pose of its skeleton: a linear system between forces and shapes (PBR 3.3 and 4).
//
//   A(a) y = b(a) + R Q     y: all vertices of the lattice; those of the skeleton are held where its bones are
//
// A holds elasticity in a frame for each cell, and the flesh around the bones: symmetric and positive definite in every
// pose, one factorisation a pose. Q are generalised forces in the frames of the rest pose, one a vertex; R turns them
// with the body. Where cells are split, Q_i belongs to the hierarchical function of vertex i (LatticeLevels), so that
// it means the same whatever else is split; R takes it to loads at vertices.

#include "rigspace/apps/forces/force_body.h"
#include "rigspace/optimize/sparse_system.h"

namespace rigspace {

class PosedLattice {
 public:
  /// Refers to the body. The system is A + inertia M, inertia in 1/s^2: of implicit steps.
  explicit PosedLattice(const ForceBody& body, double inertia = 0);
  PosedLattice(const PosedLattice&) = delete;

  /// Assembles for joints' transforms C_k; the same ones again change nothing. The first solve factors, and
  /// throws Error if the system has no factor, which no pose of a valid body brings about.
  void set_pose(std::span<const Affine> joints);

  /// Frames and places alone, for bodies that nothing holds: their systems have no factor. Only shapes and forces that
  /// need no solve may follow.
  void set_pose_without_factor(std::span<const Affine> joints);

  const ForceBody& body() const { return *body_; }
  std::span<const Affine> joints() const { return joints_; }
  const BlendedFrames& vertex_frames() const { return vertices_; }
  const BlendedFrames& cell_frames() const { return cells_; }
  const WarpedLattice& elastic() const { return elastic_; }
  const LatticeTwist& twist() const { return twist_; }
  /// Assembled; perhaps not factored. Vertices that hang or are held have rows, too: mask them.
  SparseSystem& assembled() { return system_; }
  const std::vector<char>& held_mask() const { return mask_; }
  const ConstraintBasis& belts() const { return belts_; }

  /// R Q: loads of the free vertices in the pose, zero at held ones.
  void turned(In Q, Vec& force) const;
  /// Its transpose: R^T u, zero at held vertices.
  void turned_back(In u, Vec& v) const;
  /// The Q that turns into these loads.
  void unturned(In force, Vec& Q) const;
  /// Static equilibrium under Q (13). Empty Q: none.
  void shape_of(In Q, Vec& y);
  /// The Q that holds the shape y: Q = R^T (A y - b) at free vertices, zero at held ones.
  void force_of(In y, Vec& Q) const;
  /// A y - b of the whole lattice: minus the inner forces.
  void residual(In y, Vec& r) const;
  /// A^-1 g, zero at held vertices and within belts; g may be loads of hanging vertices, too.
  void solve(In g, Vec& u);
  /// The same without belts, for loads of free vertices alone.
  void solve_free(In g, Vec& u);
  /// Puts held vertices of y where their joints are, and rings of the skin where their belts are.
  void place_held(Vec& y) const;
  /// M v, whatever the inertia.
  void mass_times(In v, Vec& Mv) const;
  /// Where blended bones alone would take the vertices.
  void carried(Vec& y) const;

 private:
  void add_inertia(BlockSink& sink);
  void factor();
  void turn_to_rest(Vec& v) const;

  const ForceBody* body_;
  BlendedFrames vertices_, cells_;
  WarpedLattice elastic_;
  LatticeTwist twist_;
  SparseSystem system_;
  State none_;
  std::vector<char> mask_;
  ConstraintBasis belts_;
  std::vector<Mat8> mass_;
  double inertia_;
  bool factored_ = false;
  std::vector<Affine> joints_;
  Vec rest_, right_, step_, folded_;
};

}  // namespace rigspace
