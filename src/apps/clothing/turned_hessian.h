#pragma once
// Private to clothing: a Hessian of all points, seen before the skin turns them, to be kept over poses.

#include "rigspace/apps/clothing/kinematic_reference.h"
#include "rigspace/optimize/sparse_assembly.h"

#include <vector>

namespace rigspace {

/// H_y = B^T H B, symmetric, in blocks of 3 x 3. Since x = B y + t turns with the body, H_y serves later poses where H
/// would not.
class TurnedHessian {
 public:
  bool empty() const { return first_.empty(); }
  void set(const SparseAssembly& H, const KinematicReference& reference);
  void clear() { first_.clear(); }

  /// A^T H_y A of few columns.
  Mat reduced(const Mat& A) const;
  /// The inverse of its diagonal blocks, times g.
  Vec preconditioned(In g) const;

 private:
  // By rows of blocks, both triangles; floats: what a step in a subspace needs is far coarser.
  std::vector<int> first_, column_;
  std::vector<Eigen::Matrix3f> block_;
  std::vector<Mat3> diagonal_inverse_;
};

}  // namespace rigspace
