#include "nearest_factors.h"

#include "rigspace/base/decompositions.h"

#include <algorithm>

namespace rigspace {
namespace {

/// The dual objective, to be minimised; convex, once differentiable, with a piecewise constant second derivative:
///     phi(y) = 1/2 |y|^2 - t . y + sum_e [ mu_e b_e . y - r_e/2 (mu_e / m_e - 1)^2 ],   phi' = y - t + B mu(y).
class Dual {
 public:
  explicit Dual(const NearestFactors& problem) : problem_(problem), slope_(problem.weight.size()) {
    for (Eigen::Index e = 0; e < slope_.size(); ++e)
      slope_[e] = problem.weight[e] > 0 ? problem.middle[e] * problem.middle[e] / problem.weight[e] : 0;
  }

  double value(const Vec& y) {
    pull_ = problem_.B.transpose() * y;
    mu_ = (problem_.middle + slope_.cwiseProduct(pull_)).cwiseMax(problem_.floor).cwiseMin(problem_.ceiling);
    const double held = (problem_.weight.array() * (mu_.array() / problem_.middle.array() - 1).square()).sum();
    return 0.5 * y.squaredNorm() - problem_.target.dot(y) + mu_.dot(pull_) - 0.5 * held;
  }
  Vec gradient(const Vec& y) const { return y - problem_.target + problem_.B * mu_; }
  /// I + sum over the elements between the bounds of b_e b_e^T m_e^2 / r_e.
  Mat hessian() const {
    const Vec free = (mu_.array() > problem_.floor && mu_.array() < problem_.ceiling).select(slope_, 0.0);
    const Mat scaled = problem_.B * free.cwiseSqrt().asDiagonal();
    Mat H = Mat::Identity(scaled.rows(), scaled.rows());
    H.selfadjointView<Eigen::Lower>().rankUpdate(scaled);
    return H;
  }
  const Vec& factors() const { return mu_; }

 private:
  const NearestFactors& problem_;
  Vec slope_, pull_, mu_;
};

}  // namespace

Vec nearest_factors(const NearestFactors& problem, Vec& y) {
  constexpr int kMaxIterations = 40;
  if (y.size() != problem.target.size()) y.setZero(problem.target.size());
  Dual dual(problem);
  double phi = dual.value(y);
  const double size = 1 + problem.target.norm();
  for (int iteration = 0; iteration < kMaxIterations; ++iteration) {
    if (problem.check) problem.check();
    const Vec g = dual.gradient(y);
    if (g.norm() <= 1e-7 * size) break;
    const Vec d = -solve_llt(dual.hessian(), g);
    const double slope = g.dot(d);
    double step = 1, next = dual.value(y + d);
    while (next > phi + 1e-4 * step * slope && step > 1e-9) step *= 0.5, next = dual.value(y + step * d);
    if (step <= 1e-9) break;  // rounding
    y += step * d, phi = next;
  }
  dual.value(y);
  return dual.factors();
}

}  // namespace rigspace
