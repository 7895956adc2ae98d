#pragma once
// What the bones say of the motion of a place: a blend of their transforms, and the rotation nearest to it.

#include "rigspace/base/types.h"
#include "rigspace/rig/deformer.h"

#include <span>
#include <vector>

namespace rigspace {

/// C_i = sum_k w_ik C_k over the bones of row i (weights sum to 1), and R_i, the rotation nearest to its linear part:
/// of two bones about what slerp gives, and of more than two as well defined. Of a place x_i at rest  C_i x_i = R_i x_i
/// + c_i  (PBR 8; c_i = sum_k w_ik (R_k x_i + c_k) - R_i x_i depends on no origin).
class BlendedFrames {
 public:
  explicit BlendedFrames(std::vector<std::vector<Influence>> rows = {});

  int count() const { return static_cast<int>(rows_.size()); }
  const std::vector<Influence>& row(int i) const { return rows_[i]; }

  void evaluate(std::span<const Affine> bones);
  const Affine& blend(int i) const { return blends_[i]; }
  const Mat3& rotation(int i) const { return rotations_[i]; }
  std::span<const Mat3> rotations() const { return rotations_; }

  /// omega of  dR_i = R_i [omega]x  where the bones change by d_bones.
  Vec3 turn(int i, std::span<const Affine> d_bones) const;
  /// The transposed: adds to g_bones what a gradient by omega is by the bones.
  void add_turn_gradient(int i, const Vec3& g_omega, std::vector<Affine>& g_bones) const;

 private:
  std::vector<std::vector<Influence>> rows_;
  std::vector<Affine> blends_;
  std::vector<Mat3> rotations_;
  std::vector<Mat3> inverse_;  ///< of tr(S) I - S, with S the stretch R^T C
};

}  // namespace rigspace
