// Maximum entropy coordinates (Hormann and Sukumar 2008, "Maximum entropy coordinates for arbitrary polytopes"): of all
// w >= 0 with sum w_j = 1 and sum w_j c_j = x, those of the least sum w_j log(w_j / m_j) against a prior m. They are
//   w_j = m_j exp(-lambda . (c_j - x)) / Z,
// with lambda the minimiser of the convex log Z, found by Newton's method with a line search. The prior makes the
// coordinates follow the faces, m_j ~ product over the faces f at c_j of 1 / rho_f(x); for a triangle abc
//   rho_f = |xab| + |xbc| + |xca| - |abc|   (areas),
// which is zero on the face and positive elsewhere.
#include "cage_family.h"

#include "rigspace/base/error.h"

#include <Eigen/Cholesky>

#include <cmath>

namespace rigspace {
namespace {

double area_of(const Vec3& a, const Vec3& b, const Vec3& c) { return 0.5 * (b - a).cross(c - a).norm(); }

class MaximumEntropy final : public CageBasis {
 public:
  using CageBasis::CageBasis;

  void evaluate(const Vec3& x, double* w) const override {
    const int n = size();
    thread_local std::vector<double> prior;  // logarithms
    prior.assign(static_cast<std::size_t>(n), 0);
    for (int f = 0; f < cage_.face_count(); ++f) {
      const auto [a, b, c] = cage_.corners(f);
      const double area = area_of(a, b, c);
      const double rho = area_of(x, a, b) + area_of(x, b, c) + area_of(x, c, a) - area;
      for (const int j : cage_.mesh.triangles[f]) prior[j] -= std::log(std::max(rho / area, 1e-16));
    }
    Vec3 lambda = Vec3::Zero();  // per size of the cage
    double value = log_z(x, prior, lambda, w);
    Vec3 mean = mean_of(x, w);  // minus the gradient of log Z
    double damping = 0.02;
    for (int iteration = 0; iteration < 300 && mean.norm() > 1e-15; ++iteration) {
      Mat3 spread = -mean * mean.transpose();
      for (int j = 0; j < n; ++j) {
        const Vec3 d = (cage_.point[j] - x) / cage_.size;
        spread += w[j] * d * d.transpose();
      }
      // Levenberg's share, in proportion to the gradient, keeps steps short as long as whole ones fail.
      const double share = damping * mean.norm() + 1e-18 * spread.trace() + 1e-300;
      const Vec3 step = (spread + share * Mat3::Identity()).ldlt().solve(mean);
      const double descent = mean.dot(step), norm = mean.norm();
      double length = 1;
      for (;; length *= 0.5) {
        const double trial = log_z(x, prior, lambda + length * step, w);
        mean = mean_of(x, w);
        // At the end values differ by rounding alone, and gradients still tell.
        const bool falls = trial <= value - 1e-4 * length * descent || (descent < 1e-8 && mean.norm() < 0.9 * norm);
        if (!falls && length > 1e-8) continue;
        value = trial;
        break;
      }
      lambda += length * step;
      damping = length == 1 ? 0.2 * damping : std::min(10 * damping, 0.02);
      if (length <= 1e-8) break;
    }
    if (!(mean.norm() < 1e-9))
      throw Error({.element = "cage",
                   .problem = "has a point outside the convex hull of its own points, and maximum entropy coordinates "
                              "end there",
                   .remedy = "enlarge the cage, or choose mean-value"});
  }
  bool extends_outside() const override { return true; }

 private:
  /// sum_j w_j (c_j - x), per size of the cage.
  Vec3 mean_of(const Vec3& x, const double* w) const {
    Vec3 mean = Vec3::Zero();
    for (int j = 0; j < size(); ++j) mean += w[j] * (cage_.point[j] - x);
    return mean / cage_.size;
  }

  /// Also the weights.
  double log_z(const Vec3& x, const std::vector<double>& prior, const Vec3& lambda, double* w) const {
    const int n = size();
    double largest = -std::numeric_limits<double>::infinity(), sum = 0;
    for (int j = 0; j < n; ++j) {
      w[j] = prior[j] - lambda.dot(cage_.point[j] - x) / cage_.size;
      largest = std::max(largest, w[j]);
    }
    for (int j = 0; j < n; ++j) sum += w[j] = std::exp(w[j] - largest);
    for (int j = 0; j < n; ++j) w[j] /= sum;
    return largest + std::log(sum);
  }
};

}  // namespace

std::unique_ptr<CageBasis> make_maximum_entropy(const PreparedCage& cage) {
  return std::make_unique<MaximumEntropy>(cage);
}

}  // namespace rigspace
