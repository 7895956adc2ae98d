#include "subspace_system.h"

#include "rigspace/base/decompositions.h"
#include "rigspace/base/parallel.h"

#include <Eigen/LU>

#include <cmath>
#include <limits>

namespace rigspace {
namespace {

/// K q = -b of a symmetric K without negative eigenvalues that may be singular: directions that depend on each other do
/// no harm. K comes from floats, so eigenvalues below 1e-5 of the largest, after scaling, are rounding.
Vec solve_reduced(const Mat& K, const Vec& b) {
  constexpr double kRounding = 1e-5;
  const Vec scale = K.diagonal().unaryExpr([](double k) { return k > 0 ? 1 / std::sqrt(k) : 0.0; });
  const SymmetricEigen eigen = symmetric_eigen(scale.asDiagonal() * K * scale.asDiagonal());
  if (!eigen.converged) return Vec::Constant(b.size(), std::numeric_limits<double>::quiet_NaN());
  const double least = kRounding * eigen.values.maxCoeff();
  Vec along = eigen.vectors.transpose() * scale.cwiseProduct(b);
  for (Eigen::Index k = 0; k < along.size(); ++k) along[k] = eigen.values[k] > least ? along[k] / eigen.values[k] : 0;
  return -scale.cwiseProduct(eigen.vectors * along);
}

}  // namespace

void SubspaceSystem::set(const SparseAssembly& H, const KinematicReference& reference) {
  hessian_.set(H, reference);
  const int count = database_.vector_count();
  H_a_.assign(static_cast<std::size_t>(count), Vector());
  K_.setConstant(count, count, std::numeric_limits<double>::quiet_NaN());
  inverse_.resize(static_cast<std::size_t>(reference.point_count()));
}

void SubspaceSystem::set_local(const PointBlocks& D, const KinematicReference& reference) {
  const std::vector<int>& points = D.points;
  local_points_ = points;
  local_.resize(points.size());
  for (std::size_t k = 0; k < points.size(); ++k) {
    const Mat3& B = reference.matrix(points[k]);
    local_[k] = (B.transpose() * D.blocks[k] * B).cast<float>();
  }
  for (std::size_t i = 0; i < inverse_.size(); ++i) inverse_[i] = hessian_.diagonal(static_cast<int>(i));
  for (std::size_t k = 0; k < points.size(); ++k) inverse_[static_cast<std::size_t>(points[k])] += local_[k];
  parallel_ranges(static_cast<int>(inverse_.size()), 1024, [&](int from, int to) {
    for (int i = from; i < to; ++i)
      inverse_[static_cast<std::size_t>(i)] = inverse_[static_cast<std::size_t>(i)].inverse().eval();
  });
}

void SubspaceSystem::use(int vector) {
  Vector& product = H_a_[static_cast<std::size_t>(vector)];
  if (product.size() == 0) hessian_.multiply(database_.vector(vector), product);
}

void SubspaceSystem::multiply(const Vector& u, Vector& y) const {
  hessian_.multiply(u, y);
  for (std::size_t k = 0; k < local_points_.size(); ++k)
    y.segment<3>(3 * local_points_[k]) += local_[k] * u.segment<3>(3 * local_points_[k]);
}

void SubspaceSystem::precondition(const Vector& r, Vector& z) const {
  z.resize(r.size());
  for (std::size_t i = 0; i < inverse_.size(); ++i)
    z.segment<3>(3 * static_cast<Eigen::Index>(i)) = inverse_[i] * r.segment<3>(3 * static_cast<Eigen::Index>(i));
}

double SubspaceSystem::size_of(const Vector& p) const {
  double sum = 0;
  for (std::size_t i = 0; i < inverse_.size(); ++i) {
    const Eigen::Vector3f own = p.segment<3>(3 * static_cast<Eigen::Index>(i));
    sum += static_cast<double>(own.dot(inverse_[i] * own));
  }
  return std::sqrt(sum);
}

void SubspaceSystem::add_local(std::span<const int> vectors, std::span<const Vector> others, Mat& K) const {
  constexpr int kBlock = 64;  // points
  const auto count = K.rows();
  Eigen::MatrixXf A(3 * kBlock, count), DA(3 * kBlock, count), sum = Eigen::MatrixXf::Zero(count, count);
  for (std::size_t from = 0; from < local_points_.size(); from += kBlock) {
    const auto size = static_cast<Eigen::Index>(std::min<std::size_t>(kBlock, local_points_.size() - from));
    const auto gather = [&](Eigen::Index column, const float* v) {
      for (Eigen::Index k = 0; k < size; ++k) {
        const auto at = from + static_cast<std::size_t>(k);
        const Eigen::Map<const Eigen::Vector3f> own(v + 3 * local_points_[at]);
        A.block<3, 1>(3 * k, column) = own;
        DA.block<3, 1>(3 * k, column) = local_[at] * own;
      }
    };
    for (std::size_t i = 0; i < vectors.size(); ++i)
      gather(static_cast<Eigen::Index>(i), database_.vector(vectors[i]).data());
    for (std::size_t i = 0; i < others.size(); ++i)
      gather(static_cast<Eigen::Index>(vectors.size() + i), others[i].data());
    sum.noalias() += A.topRows(3 * size).transpose() * DA.topRows(3 * size);
  }
  K += sum.cast<double>();
}

Mat SubspaceSystem::reduced(std::span<const int> vectors, std::span<const Vector> others) {
  const auto chosen = static_cast<Eigen::Index>(vectors.size()), all = chosen + std::ssize(others);
  Mat K(all, all);
  for (const int vector : vectors) use(vector);
  for (Eigen::Index i = 0; i < chosen; ++i)
    for (Eigen::Index j = 0; j <= i; ++j) {
      const int a = vectors[static_cast<std::size_t>(i)], b = vectors[static_cast<std::size_t>(j)];
      double& known = K_(std::max(a, b), std::min(a, b));
      if (std::isnan(known)) known = static_cast<double>(database_.vector(a).dot(H_a_[static_cast<std::size_t>(b)]));
      K(i, j) = K(j, i) = known;
    }
  for (Eigen::Index k = chosen; k < all; ++k) {
    const Vector& u = others[static_cast<std::size_t>(k - chosen)];
    hessian_.multiply(u, H_d_);
    for (Eigen::Index i = 0; i < chosen; ++i)
      K(i, k) = K(k, i) = static_cast<double>(database_.vector(vectors[static_cast<std::size_t>(i)]).dot(H_d_));
    for (Eigen::Index i = chosen; i <= k; ++i)
      K(i, k) = K(k, i) = static_cast<double>(others[static_cast<std::size_t>(i - chosen)].dot(H_d_));
  }
  if (!local_points_.empty()) add_local(vectors, others, K);
  return K;
}

const Eigen::VectorXf& SubspaceSystem::direction(std::span<const int> vectors, std::span<const Vector> others,
                                                 const Vector& p, int smoothing) {
  const auto chosen = static_cast<Eigen::Index>(vectors.size()), all = chosen + std::ssize(others);
  dy_.setZero(p.size());
  if (all > 0) {
    const Mat K = reduced(vectors, others);
    Vec b(all);
    for (Eigen::Index i = 0; i < chosen; ++i)
      b[i] = static_cast<double>(database_.vector(vectors[static_cast<std::size_t>(i)]).dot(p));
    for (Eigen::Index i = chosen; i < all; ++i)
      b[i] = static_cast<double>(others[static_cast<std::size_t>(i - chosen)].dot(p));
    const Vec q = solve_reduced(K, b);
    for (Eigen::Index i = 0; i < chosen; ++i)
      dy_ += static_cast<float>(q[i]) * database_.vector(vectors[static_cast<std::size_t>(i)]);
    for (Eigen::Index i = chosen; i < all; ++i)
      dy_ += static_cast<float>(q[i]) * others[static_cast<std::size_t>(i - chosen)];
  }
  if (smoothing > 0) {
    multiply(dy_, r_);
    r_ = -p - r_;
    smooth(smoothing);
  }
  return dy_;
}

// Conjugate gradients from dy with residual r = -p - H dy.
void SubspaceSystem::smooth(int steps) {
  precondition(r_, z_);
  d_ = z_;
  double rz = static_cast<double>(r_.dot(z_));
  for (int k = 0; k < steps && rz > 0; ++k) {
    multiply(d_, H_d_);
    const double curvature = static_cast<double>(d_.dot(H_d_));
    if (!(curvature > 0)) return;
    const auto step = static_cast<float>(rz / curvature);
    dy_ += step * d_;
    r_ -= step * H_d_;
    precondition(r_, z_);
    const double next = static_cast<double>(r_.dot(z_));
    d_ = z_ + static_cast<float>(next / rz) * d_;
    rz = next;
  }
}

}  // namespace rigspace
