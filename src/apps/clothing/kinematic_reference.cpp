#include "rigspace/apps/clothing/kinematic_reference.h"

#include "rigspace/base/decompositions.h"
#include "rigspace/base/error.h"
#include "rigspace/base/parallel.h"

#include <Eigen/LU>

#include <algorithm>
#include <cassert>
#include <string>
#include <utility>

namespace rigspace {
namespace {

constexpr int kReferenceChunk = 512;  // points

/// A lower bound of the smallest singular value of B (negative if B is mirrored): s3 = det / (s1 s2) and s1 s2 <= |B|^2
/// / 2.
double stretch_bound(const Mat3& B) { return 2 * B.determinant() / std::max(B.squaredNorm(), 1e-300); }

}  // namespace

void KinematicReferenceOptions::validate() const {
  if (!(least_stretch > 0 && least_stretch <= 0.5))
    throw Error({.code = ErrorCode::usage,
                 .element = "least_stretch",
                 .value = std::to_string(least_stretch),
                 .problem = "is " + std::to_string(least_stretch),
                 .remedy = "give a stretch above 0 and up to 0.5"});
}

KinematicReference::KinematicReference(Vec x_rest, std::vector<std::vector<Influence>> weights, int joints,
                                       const KinematicReferenceOptions& options)
    : x_rest_(std::move(x_rest)), weights_(std::move(weights)), joints_(joints), options_(options) {
  options_.validate();
  if (3 * static_cast<Eigen::Index>(weights_.size()) != x_rest_.size())
    throw Error({.code = ErrorCode::usage,
                 .element = "a kinematic reference",
                 .value = std::to_string(weights_.size()),
                 .problem = "has weights for " + std::to_string(weights_.size()) + " points of " +
                            std::to_string(x_rest_.size() / 3),
                 .remedy = "give one list per point"});
  const std::vector<Affine> still(joints_, identity_affine());
  set_pose(still);
}

void KinematicReference::set_pose(std::span<const Affine> C) {
  assert(static_cast<int>(C.size()) == joints_);
  const int count = point_count();
  B_.resize(count), inverse_.resize(count), weak_.resize(count), t_.resize(3 * count);
  parallel_ranges(count, kReferenceChunk, [&](int begin, int end) {
    for (int i = begin; i < end; ++i) {
      Affine blend = Affine::Zero();
      for (const Influence& own : weights_[i]) blend += own.weight * C[own.joint];
      B_[i] = linear(blend);
      point(t_, i) = translation(blend);
      weak_[i] = stretch_bound(B_[i]) < options_.least_stretch;
      if (!weak_[i]) inverse_[i] = B_[i].inverse();
    }
  });
  guarded_ = 0;
  for (int i = 0; i < count; ++i)
    if (weak_[i]) guard(i);
}

// B = R S by polar decomposition, S = V diag(s) V^T, mirrored axes with s < 0; s is raised to the least stretch.
void KinematicReference::guard(int i) {
  const Mat3 R = nearest_rotation(B_[i]);
  const Mat3 S = R.transpose() * B_[i];
  const SymmetricEigen eigen = symmetric_eigen(0.5 * (S + S.transpose()));
  if (eigen.values[0] < options_.least_stretch) {
    const Vec raised = eigen.values.cwiseMax(options_.least_stretch);
    const Mat3 changed = R * (eigen.vectors * raised.asDiagonal() * eigen.vectors.transpose());
    // r(x_rest) stays where it is.
    point(t_, i) += (B_[i] - changed) * point(x_rest_, i);
    B_[i] = changed;
    ++guarded_;
  }
  inverse_[i] = B_[i].inverse();
}

void KinematicReference::transform(In y, Vec& x) const {
  x.resize(y.size());
  parallel_ranges(point_count(), kReferenceChunk, [&](int begin, int end) {
    for (int i = begin; i < end; ++i) point(x, i) = B_[i] * point(y, i) + point(t_, i);
  });
}

void KinematicReference::untransform(In x, Vec& y) const {
  y.resize(x.size());
  parallel_ranges(point_count(), kReferenceChunk, [&](int begin, int end) {
    for (int i = begin; i < end; ++i) point(y, i) = inverse_[i] * (point(x, i) - point(t_, i));
  });
}

void KinematicReference::push(In dy, Vec& dx) const {
  dx.resize(dy.size());
  parallel_ranges(point_count(), kReferenceChunk, [&](int begin, int end) {
    for (int i = begin; i < end; ++i) point(dx, i) = B_[i] * point(dy, i);
  });
}

void KinematicReference::pull(In g, Vec& g_y) const {
  g_y.resize(g.size());
  parallel_ranges(point_count(), kReferenceChunk, [&](int begin, int end) {
    for (int i = begin; i < end; ++i) point(g_y, i) = B_[i].transpose() * point(g, i);
  });
}

void KinematicReference::solve(In dx, Vec& dy) const {
  dy.resize(dx.size());
  parallel_ranges(point_count(), kReferenceChunk, [&](int begin, int end) {
    for (int i = begin; i < end; ++i) point(dy, i) = inverse_[i] * point(dx, i);
  });
}

}  // namespace rigspace
