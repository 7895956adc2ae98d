#include "rigspace/rig/pose_blend.h"

#include "rigspace/base/decompositions.h"
#include "rigspace/rig/jacobian.h"

#include <Eigen/Cholesky>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace rigspace {

PoseBlend::PoseBlend(std::span<const Vec> poses, In scale) {
  constexpr double kRidge = 1e-4;  // of what the poses spread by
  const auto count = static_cast<Eigen::Index>(poses.size());
  if (count == 0) return;
  mean_ = Vec::Zero(scale.size());
  for (const Vec& p : poses) mean_ += p / static_cast<double>(count);
  Mat A(scale.size(), count);
  for (Eigen::Index k = 0; k < count; ++k) A.col(k) = scale.cwiseProduct(poses[static_cast<std::size_t>(k)] - mean_);
  Mat normal = A.transpose() * A;
  normal.diagonal().array() += kRidge * normal.trace() / static_cast<double>(count) + 1e-300;
  G_ = solve_ldlt(normal, A.transpose()) * scale.asDiagonal();
}

void PoseBlend::weights(In p, Vec& w) const {
  constexpr double kFarthest = 1;  // largest |w - 1/K|: all weights are scaled down to it
  w.noalias() = G_ * (p - mean_);
  const double most = w.cwiseAbs().maxCoeff();
  if (most > kFarthest) w *= kFarthest / most;
  w.array() += 1.0 / static_cast<double>(count());
}

Vec deforming_scale(const Rig& rig, std::span<const int> free) {
  std::vector<int> controls(rig.controls().size());
  std::iota(controls.begin(), controls.end(), 0);
  const auto workspace = rig.make_workspace();
  const int n = rig.point_count();
  Vec s;
  BlockJacobian J;
  rig.evaluate(*workspace, rig.rest(), s);
  rig.jacobian(*workspace, rig.rest(), controls, J);
  Vec3 center = Vec3::Zero();
  for (int i = 0; i < n; ++i) center += point(s, i) / n;
  Mat rigid(3 * n, 6);
  for (int i = 0; i < n; ++i)
    for (int a = 0; a < 3; ++a) {
      rigid.col(a).segment<3>(3 * i) = Vec3::Unit(a);
      rigid.col(3 + a).segment<3>(3 * i) = Vec3::Unit(a).cross(point(s, i) - center);
    }
  const ThinSvd svd = thin_svd(rigid);
  const Mat U = svd.U.leftCols((svd.sigma.array() > 1e-12 * svd.sigma.maxCoeff()).count());  // of rank 6, or less
  Vec scale = Vec::Zero(std::ssize(controls)), column(3 * n);
  for (const int c : controls) {
    if (std::find(free.begin(), free.end(), c) != free.end()) continue;
    J.push(Vec::Unit(std::ssize(controls), c), column);
    const double whole = column.norm(), left = (column - U * (U.transpose() * column)).norm();
    if (left > 1e-6 * whole) scale[c] = left / std::sqrt(static_cast<double>(std::max(n, 1)));
  }
  return scale;
}

}  // namespace rigspace
