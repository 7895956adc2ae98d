#pragma once
// The kinematic cloth reference (Thesis 6.1): where skinning alone takes a garment, as a map of its untransformed
// shape, with the map back.

#include "rigspace/base/types.h"
#include "rigspace/rig/deformer.h"

#include <span>
#include <vector>

namespace rigspace {

struct KinematicReferenceOptions {
  /// The least stretch that a point's blended matrix keeps in any direction. (6.1) as printed is singular where
  /// rotations by opposite angles are blended (elbows, twists).
  double least_stretch = 0.2;

  void validate() const;
};

/// x_i = r(y)_i = B_i y_i + t_i with [B_i t_i] = sum_j w_ij C_j, y the untransformed shape.
///
/// Where a singular value of B_i is below `least_stretch` (or B_i is mirrored), it is raised to that, about the place
/// that the rest point has: r(x_rest) is as in (6.1) everywhere, and r is invertible. Such points are counted.
class KinematicReference {
 public:
  /// `weights`: one list per point, sum 1, of joints below `joints`.
  KinematicReference(Vec x_rest, std::vector<std::vector<Influence>> weights, int joints,
                     const KinematicReferenceOptions& options = {});

  int point_count() const { return static_cast<int>(x_rest_.size() / 3); }
  int joint_count() const { return joints_; }
  const Vec& rest() const { return x_rest_; }
  const std::vector<std::vector<Influence>>& weights() const { return weights_; }

  /// The pose, all of what is below belongs to; the identity at first. Never allocates after the first call, guarded
  /// points excepted.
  void set_pose(std::span<const Affine> C);

  void transform(In y, Vec& x) const;    ///< x = r(y)
  void untransform(In x, Vec& y) const;  ///< y = r^-1(x)
  void push(In dy, Vec& dx) const;       ///< B dy
  void pull(In g, Vec& g_y) const;       ///< B^T g
  void solve(In dx, Vec& dy) const;      ///< B^-1 dx
  const Mat3& matrix(int point) const { return B_[point]; }
  int guarded() const { return guarded_; }  ///< points of this pose whose matrix was changed

 private:
  void guard(int point);

  Vec x_rest_;
  std::vector<std::vector<Influence>> weights_;
  int joints_;
  KinematicReferenceOptions options_;
  std::vector<Mat3> B_, inverse_;
  Vec t_;
  std::vector<char> weak_;
  int guarded_ = 0;
};

}  // namespace rigspace
