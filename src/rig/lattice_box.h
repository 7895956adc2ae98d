#pragma once
// The weights of a lattice's points at a place in its box, their slopes, and how far the lattice reaches.

#include "spline_basis.h"

#include "rigspace/rig/lattice.h"

namespace rigspace {

/// Weights along one axis: those from lo to hi (inclusive) are not zero.
struct AxisWeights {
  int lo, hi;
  double b[kMaxLatticeSize], d[kMaxLatticeSize];
};

/// One place l in the box: B_ijk = b_i b_j b_k, and the fading factor f with its gradient by l.
struct BoxWeights {
  AxisWeights axis[3];
  double fade;
  Vec3 fade_slope;
};

/// The ranges of lattice points that one point of the shape is bound to, inclusive; none: hi < lo.
struct BoxRange {
  int lo[3] = {0, 0, 0}, hi[3] = {-1, -1, -1};

  int length(int axis) const { return hi[axis] - lo[axis] + 1; }
  bool empty() const { return hi[0] < lo[0]; }
};

class LatticeBox {
 public:
  explicit LatticeBox(const LatticeDescription&);

  const Affine& to_box() const { return to_box_; }
  const std::array<int, 3>& size() const { return size_; }

  /// False where the lattice has no effect; then the weights are not set.
  bool weights(const Vec3& l, BoxWeights&) const;
  /// Whatever can matter to a point that stays within `radius` of l, along each axis.
  BoxRange range(const Vec3& l, const Vec3& radius) const;

 private:
  void axis_weights(int axis, double l, AxisWeights&) const;

  std::array<int, 3> size_;
  Affine to_box_;
  LatticeBasis basis_;
  LatticeOutside outside_;
  Vec3 margin_;
  std::array<SplineBasis, 3> splines_;
};

}  // namespace rigspace
