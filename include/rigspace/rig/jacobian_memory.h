#pragma once
// Jacobians of a rig that were evaluated, and one that is interpolated from them for a shape in between.
//
// Near a shape f the rig's Jacobian is taken to be affine in the shape: J(f) = sum_k w_k J_k over the nearest shapes
// known, with sum_k w_k = 1 and the w_k that come nearest to f = sum_k w_k f_k (as Roweis and Saul 2000 reconstruct a
// point from its neighbours). Distances are between shapes, not controls, since which controls of a black box matter is
// unknown; shapes are compared without their position and turn. The caller checks whether J(f) is near enough to the
// rig.

#include "rigspace/base/types.h"
#include "rigspace/rig/jacobian.h"

#include <vector>

namespace rigspace {

class JacobianMemory {
 public:
  /// Shapes have these points at rest, flattened.
  explicit JacobianMemory(In rest);

  /// J, whose rows are in frames that turn with the shape, is that of the shape y. Of more than `kMost` the one that
  /// the others interpolate best is dropped.
  void add(In y, const BlockJacobian& J);
  /// False if nothing was added. A shape that was added gives its own J.
  bool predict(In y, BlockJacobian& J) const;

  int count() const { return static_cast<int>(known_.size()); }
  static constexpr int kMost = 24;

  /// All of it as numbers.
  Vec saved_state() const;
  void restore(In state);

 private:
  struct Known {
    Vec shape;
    BlockJacobian J;
  };
  Vec shape_of(In y) const;

  std::vector<int> points_;  // that describe a shape
  Vec rest_;                 // those at rest, about their middle
  double size_ = 1;
  std::vector<Known> known_;
};

}  // namespace rigspace
