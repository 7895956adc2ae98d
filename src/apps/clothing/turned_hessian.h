#pragma once
// Private to clothing: a Hessian of all points, seen before the skin turns them, to be kept over poses.

#include "rigspace/apps/clothing/kinematic_reference.h"
#include "rigspace/optimize/sparse_assembly.h"

#include <vector>

namespace rigspace {

/// H_y = B^T H B, symmetric, in blocks of 3 x 3. Since x = B y + t turns with the body, H_y serves later poses where H
/// would not. In floats: what a step in a subspace needs is far coarser.
class TurnedHessian {
 public:
  bool empty() const { return first_.empty(); }
  void set(const SparseAssembly& H, const KinematicReference& reference);
  void clear() { first_.clear(); }

  /// y = H_y u.
  void multiply(const Eigen::VectorXf& u, Eigen::VectorXf& y) const;
  /// The block of one point with itself.
  const Eigen::Matrix3f& diagonal(int point) const { return diagonal_[static_cast<std::size_t>(point)]; }

 private:
  std::vector<int> first_, column_;  // by rows of blocks, both triangles
  std::vector<Eigen::Matrix3f> block_, diagonal_;
};

}  // namespace rigspace
