#include "rigspace/optimize/sparse_system.h"
#include "skin_weight_methods.h"

#include <algorithm>
#include <cmath>

namespace rigspace {
namespace {

constexpr int kMostRounds = 400;
constexpr double kAgreement = 2e-3;  // of both copies of a weight, largest difference
constexpr double kPenalty = 0.02;    // rho, against eigenvalues of L^2 up to 144
constexpr double kRelaxation = 1.6;

/// Voxels of about this number.
SolidVoxels voxels_of(const TriMesh& mesh, int wanted) {
  int across = 48;
  for (int trial = 0;; ++trial) {
    SolidVoxels voxels(mesh, {.across = across});
    const double ratio = static_cast<double>(voxels.count()) / wanted;
    const int next = std::clamp(static_cast<int>(std::lround(across / std::pow(ratio, 0.42))), 8, 400);
    if (trial == 3 || next == across || std::abs(ratio - 1) < 0.1) return voxels;
    across = next;
  }
}

/// True of a link along an axis, of a bridge, and of a diagonal with no voxel that goes around it.
bool carries(const SolidVoxels& voxels, int from, const SolidVoxels::Link& link) {
  if (link.length < 1.1 * voxels.cell() || link.length > 2 * voxels.cell()) return true;
  const Vec3 a = voxels.center(from), d = voxels.center(link.to) - a;
  for (int mask = 1; mask < 7; ++mask) {
    Vec3 part = Vec3::Zero();
    for (int k = 0; k < 3; ++k)
      if ((mask >> k & 1) != 0) part[k] = d[k];
    const bool proper = part.norm() > 0.5 * voxels.cell() && (d - part).norm() > 0.5 * voxels.cell();
    if (proper && voxels.at(a + part) >= 0) return false;
  }
  return true;
}

/// L w at a voxel is sum of (w - w_neighbour): rows of L, the voxel itself first.
std::vector<std::vector<int>> laplacian_rows(const SolidVoxels& voxels) {
  std::vector<std::vector<int>> rows(voxels.count());
  for (int v = 0; v < voxels.count(); ++v) {
    rows[v] = {v};
    for (const SolidVoxels::Link& link : voxels.links(v))
      if (carries(voxels, v, link)) rows[v].push_back(link.to);
  }
  return rows;
}

/// Q + rho, Q = L^T L.
void assemble(const std::vector<std::vector<int>>& rows, SparseSystem& system) {
  Mat block;
  Vec row;
  system.clear();
  for (const std::vector<int>& own : rows) {
    row = Vec::Constant(std::ssize(own), -1);
    row[0] = static_cast<double>(own.size()) - 1;
    block = row * row.transpose();
    block(0, 0) += kPenalty;
    system.add_coordinates(own, block.data());
  }
  system.finish();
}

/// The joint that holds each voxel on a bone, the nearest one, or -1.
std::vector<int> handles_of(const SolidVoxels& voxels, std::span<const SkinJoint> joints) {
  std::vector<int> joint(voxels.count(), -1);
  std::vector<double> best(voxels.count(), SolidVoxels::kFar);
  for (int j = 0; j < std::ssize(joints); ++j)
    for (const BoneLine& bone : joints[j].bones)
      for (const auto& [v, distance] : voxels.along(bone.from, bone.to))
        if (distance < best[v]) best[v] = distance, joint[v] = j;
  return joint;
}

/// min 1/2 w^T Q w over 0 <= w <= 1 with held entries, by the alternating direction method of multipliers:
///   w <- (Q + rho)^-1 rho (z - u),  z <- clamp(w + u),  u <- u + w - z
/// with one factorisation for all joints. Returns z, which keeps the bounds exactly.
Vec bounded(SparseSystem& system, const std::vector<int>& handle, int joint) {
  const Eigen::Index n = std::ssize(handle);
  Vec held = Vec::Zero(n), residual, change, w, relaxed, u = Vec::Zero(n);
  for (Eigen::Index v = 0; v < n; ++v)
    if (handle[v] == joint) held[v] = 1;
  system.multiply(held, residual);  // what the held entries do to the free ones
  Vec z = held;
  for (int round = 0; round < kMostRounds; ++round) {
    const Vec b = kPenalty * (z - u) - residual;
    system.solve(b, change);
    w = held + change;
    for (Eigen::Index v = 0; v < n; ++v)
      if (handle[v] >= 0) w[v] = held[v];
    const double apart = (w - z).cwiseAbs().maxCoeff();
    relaxed = kRelaxation * w + (1 - kRelaxation) * z;
    const Vec before = z;
    z = (relaxed + u).cwiseMax(0).cwiseMin(1);
    u += relaxed - z;
    if (std::max(apart, (z - before).cwiseAbs().maxCoeff()) < kAgreement) break;
  }
  return z;
}

/// A point's weights: those of the voxels around it, nearer ones more.
Eigen::RowVectorXd interpolated(const SolidVoxels& voxels, const Mat& Z, const Vec3& x) {
  const int own = voxels.nearest(x);
  const double reach = 1.5 * voxels.cell() + (voxels.center(own) - x).norm();
  const auto share = [&](int v) {
    const double d = (voxels.center(v) - x).norm() / reach;
    return d < 1 ? (1 - d * d) * (1 - d * d) : 0.0;
  };
  double total = share(own);
  Eigen::RowVectorXd sum = total * Z.row(own);
  for (const SolidVoxels::Link& link : voxels.links(own)) {
    const double part = link.length < 2 * voxels.cell() ? share(link.to) : 0;
    sum += part * Z.row(link.to);
    total += part;
  }
  return sum / total;
}

}  // namespace

Mat biharmonic_weights(const TriMesh& mesh, std::span<const SkinJoint> joints, const SkinWeightOptions& options) {
  report(options.progress, "making voxels", 0);
  const SolidVoxels voxels = voxels_of(mesh, options.nodes);
  const std::vector<int> handle = handles_of(voxels, joints);
  SparseSystem system(voxels.count(), 1);
  assemble(laplacian_rows(voxels), system);
  std::vector<char> held(handle.size());
  for (std::size_t v = 0; v < handle.size(); ++v) held[v] = handle[v] >= 0;
  system.set_fixed(held);
  system.factor(0);
  Mat Z = Mat::Zero(voxels.count(), std::ssize(joints));
  for (int j = 0; j < std::ssize(joints); ++j) {
    report(options.progress, "solving for weights", 0.1 + 0.9 * j / static_cast<double>(joints.size()));
    if (std::find(handle.begin(), handle.end(), j) != handle.end()) Z.col(j) = bounded(system, handle, j);
  }
  for (Eigen::Index v = 0; v < Z.rows(); ++v)
    if (const double sum = Z.row(v).sum(); sum > 1e-9) Z.row(v) /= sum;
  Mat W(mesh.point_count(), Z.cols());
  for (int i = 0; i < mesh.point_count(); ++i) W.row(i) = interpolated(voxels, Z, point(mesh.points, i));
  return W;
}

}  // namespace rigspace
