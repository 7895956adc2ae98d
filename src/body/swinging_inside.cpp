#include "swinging_inside.h"

#include "rigspace/base/decompositions.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <limits>

namespace rigspace {
namespace {

constexpr std::array kRates{0.25, 0.4, 0.6, 0.8, 0.9, 1.0, 1.15, 1.4, 1.8, 2.4, 3.5};  // of the body's own
constexpr double kDampingRatio = 0.2;  // at its own rate: a quarter by mass, the rest by stiffness, as parts have it
constexpr double kRidge = 1e-3;        // of the mean of the examples' Gram matrix
constexpr double kHeld =
    0.01;  // directions that next to nothing holds count as held by this share of each control's own
constexpr double kSmallest = 1e-7;  // of the largest singular value: what is below it is left out

/// M = L L^T, of which rows and columns that are (nearly) nothing are raised.
Mat cholesky_of(Mat K) {
  K.diagonal() += kHeld * K.diagonal().cwiseMax(1e-9 * std::max(K.diagonal().maxCoeff(), 1e-300));
  for (double more = 1e-12; more < 1; more *= 100) {
    if (auto L = cholesky(K)) return std::move(*L);
    K.diagonal().array() += more * K.diagonal().maxCoeff();
  }
  return {};
}

/// Free oscillations of M x" + K x = 0 with K = L L^T: shapes phi with phi^T K phi = 1 and phi^T M phi = mu, so that
/// the answer to a force f at w is the sum of phi (phi^T f) / (1 + i w beta + (i w alpha - w^2) mu). Massless ones have
/// mu = 0.
struct Oscillations {
  Mat shapes;
  Vec mu;

  Oscillations(const Mat& L, const Mat& M) {
    const auto lower = L.triangularView<Eigen::Lower>();
    Mat scaled = lower.solve(M);
    scaled = lower.solve(scaled.transpose().eval()).eval();
    SymmetricEigen eigen = symmetric_eigen(0.5 * (scaled + scaled.transpose()));
    shapes = lower.transpose().solve(eigen.vectors);
    mu = eigen.values.cwiseMax(0);
  }

  /// In phase and a quarter turn behind, for each load, at each of kRates times the rate w0.
  Mat answers(const Mat& loads, double w0) const {
    const double alpha = 0.5 * kDampingRatio * w0, beta = 1.5 * kDampingRatio / w0;
    const Mat taken = shapes.transpose() * loads;
    Mat all(shapes.rows(), 2 * loads.cols() * std::ssize(kRates));
    Eigen::Index at = 0;
    for (const double rate : kRates) {
      const double w = rate * w0;
      Mat real = taken, imaginary = taken;
      for (Eigen::Index k = 0; k < mu.size(); ++k) {
        const auto factor = 1.0 / std::complex<double>(1 - w * w * mu[k], w * beta + w * alpha * mu[k]);
        real.row(k) *= factor.real(), imaginary.row(k) *= factor.imag();
      }
      all.middleCols(at, loads.cols()) = shapes * real;
      all.middleCols(at + loads.cols(), loads.cols()) = shapes * imaginary;
      at += 2 * loads.cols();
    }
    return all;
  }
};

/// The rate that answers a push slowest, rad/s: of u with K u = load, sqrt(u^T K u / u^T M u).
double slowest_rate(const Mat& L, const Mat& M, const Mat& loads) {
  double slowest = std::numeric_limits<double>::infinity();
  for (Eigen::Index k = 0; k < std::min<Eigen::Index>(3, loads.cols()); ++k) {
    const Vec half = L.triangularView<Eigen::Lower>().solve(loads.col(k));
    const Vec u = L.triangularView<Eigen::Lower>().transpose().solve(half);
    if (const double moved = u.dot(M * u); moved > 0) slowest = std::min(slowest, half.squaredNorm() / moved);
  }
  return std::isfinite(slowest) ? std::sqrt(slowest) : 0;
}

/// An orthonormal basis of the columns, by their singular values.
Mat basis_of(const Mat& columns, double smallest) {
  if (columns.size() == 0) return columns;
  const SymmetricEigen eigen = symmetric_eigen(columns.transpose() * columns);
  const double least = smallest * smallest * eigen.values[eigen.values.size() - 1];
  Eigen::Index first = 0;
  while (first < eigen.values.size() && !(eigen.values[first] > std::max(least, 1e-300))) ++first;
  const Eigen::Index count = eigen.values.size() - first;
  return columns * eigen.vectors.rightCols(count) *
         eigen.values.tail(count).cwiseSqrt().cwiseInverse().asDiagonal().toDenseMatrix();
}

/// Shapes of the inside that its own inertia makes, e = (K - s M)^-1 M (..) for small s: of K^-1 M, up to its third
/// power, on what accelerates it. K-orthonormal.
Mat inertial_shapes(const BalancedBody& body, const Mat& accelerated) {
  constexpr int kPowers = 3;
  const Eigen::Index n = accelerated.rows(), count = accelerated.cols();
  Mat V(n, kPowers * count), KV(n, kPowers * count);
  Mat from = accelerated;
  for (int power = 0; power < kPowers; ++power) {
    for (Eigen::Index c = 0; c < count; ++c) {
      const Vec force = body.masses.cwiseProduct(from.col(c));
      Vec shape;
      body.inside.solve(force, shape);
      const double size = shape.norm();
      const double unit = size > 0 ? 1 / size : 0;
      V.col(power * count + c) = unit * shape, KV.col(power * count + c) = unit * force;
    }
    from = V.middleCols(power * count, count);
  }
  const SymmetricEigen eigen = symmetric_eigen(V.transpose() * KV);
  const double least = kSmallest * eigen.values[eigen.values.size() - 1];
  Eigen::Index first = 0;
  while (first < eigen.values.size() && !(eigen.values[first] > std::max(least, 1e-300))) ++first;
  const Eigen::Index kept = eigen.values.size() - first;
  return V * eigen.vectors.rightCols(kept) *
         eigen.values.tail(kept).cwiseSqrt().cwiseInverse().asDiagonal().toDenseMatrix();
}

}  // namespace

Mat swing_of_inside(const BalancedBody& body) {
  const Mat& T = body.balance;
  const Eigen::Index controls = T.cols();
  const Mat none = Mat::Zero(T.rows(), controls);
  const auto weighted = [&](const Mat& x) -> Mat { return body.masses.asDiagonal() * x; };

  // In balance, to see what moves at all.
  const Mat L = cholesky_of(body.stiffness);
  if (L.size() == 0) return none;
  const Mat inertia = body.skin_inertia + T.transpose() * weighted(T);
  const Mat loads = -(body.skin_loads + T.transpose() * weighted(body.accelerations));
  const double rate = slowest_rate(L, inertia, loads);
  if (!(rate > 0) || !std::isfinite(rate)) return none;
  const Mat seen = basis_of(L.transpose() * Oscillations(L, inertia).answers(loads, rate), 1e-3);
  const Mat moved = T * L.transpose().triangularView<Eigen::Upper>().solve(seen);

  // With the shapes that inertia gives the inside beside.
  Mat accelerated(T.rows(), body.accelerations.cols() + moved.cols());
  accelerated << body.accelerations, moved;
  const Mat V = inertial_shapes(body, accelerated);
  const Eigen::Index shapes = V.cols(), size = controls + shapes;
  Mat whole_L = Mat::Identity(size, size), whole_inertia(size, size), whole_loads(size, loads.cols());
  whole_L.topLeftCorner(controls, controls) = L;
  const Mat between = V.transpose() * weighted(T);
  whole_inertia << inertia, between.transpose(), between, V.transpose() * weighted(V);
  whole_loads << loads, -V.transpose() * weighted(body.accelerations);
  const Mat answers = Oscillations(whole_L, whole_inertia).answers(whole_loads, rate);

  // e = V y with y = D' p in the least squares, p in the norm of the stiffness.
  const Mat P = L.transpose() * answers.topRows(controls), Y = answers.bottomRows(shapes);
  Mat gram = P * P.transpose();
  gram.diagonal().array() += kRidge * gram.trace() / static_cast<double>(controls);
  return V * (solve_llt(gram, P * Y.transpose()).transpose() * L.transpose());
}

}  // namespace rigspace
