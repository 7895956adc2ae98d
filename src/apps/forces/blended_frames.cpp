#include "rigspace/apps/forces/blended_frames.h"

#include "rigspace/base/decompositions.h"

#include <Eigen/LU>

namespace rigspace {

BlendedFrames::BlendedFrames(std::vector<std::vector<Influence>> rows)
    : rows_(std::move(rows)),
      blends_(rows_.size(), identity_affine()),
      rotations_(rows_.size(), Mat3::Identity()),
      inverse_(rows_.size(), 0.5 * Mat3::Identity()) {}

void BlendedFrames::evaluate(std::span<const Affine> bones) {
  for (int i = 0; i < count(); ++i) {
    Affine& C = blends_[i];
    C.setZero();
    for (const Influence& of : rows_[i]) C += of.weight * bones[of.joint];
    const Mat3 R = nearest_rotation(linear(C)), S = R.transpose() * linear(C);
    rotations_[i] = R;
    inverse_[i] = (S.trace() * Mat3::Identity() - 0.5 * (S + S.transpose())).inverse();
  }
}

// With C = R S:  R^T dC - dC^T R = [omega]x S + S [omega]x = [(tr(S) I - S) omega]x.
Vec3 BlendedFrames::turn(int i, std::span<const Affine> d_bones) const {
  Mat3 dC = Mat3::Zero();
  for (const Influence& of : rows_[i]) dC += of.weight * linear(d_bones[of.joint]);
  const Mat3 M = rotations_[i].transpose() * dC;
  return inverse_[i] * Vec3(M(2, 1) - M(1, 2), M(0, 2) - M(2, 0), M(1, 0) - M(0, 1));
}

void BlendedFrames::add_turn_gradient(int i, const Vec3& g_omega, std::vector<Affine>& g_bones) const {
  const Mat3 g = rotations_[i] * cross_matrix(inverse_[i].transpose() * g_omega);
  for (const Influence& of : rows_[i]) linear(g_bones[of.joint]) += of.weight * g;
}

}  // namespace rigspace
