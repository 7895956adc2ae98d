// A chain of springs hangs from a nail. Two energies of our own, checked against the laws and minimised by Newton.
#include "rigspace/optimize/newton.h"
#include "rigspace/testing/check_energy.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

using namespace rigspace;

namespace {

constexpr int kLinks = 20;
constexpr double kStiffness = 50;  // N/m
constexpr double kLength = 0.1;    // m
constexpr double kMass = 0.02;     // kg, of each point
constexpr double kGravity = 9.81;  // m/s^2

/// E = sum over links of  k/2 (|d| - L)^2,  d from a point to the next.
class Springs final : public Energy {
 public:
  double value(const State&, In x) const override {
    double E = 0;
    for (int i = 0; i < kLinks; ++i) E += 0.5 * kStiffness * std::pow(link(x, i).norm() - kLength, 2);
    return E;
  }

  void add_gradient(const State&, In x, double weight, Vec& g) const override {
    for (int i = 0; i < kLinks; ++i) {
      const Vec3 d = link(x, i);
      const Vec3 force = weight * kStiffness * (d.norm() - kLength) * d.normalized();
      point(g, i) -= force;
      point(g, i + 1) += force;
    }
  }

  // d2E/dd2 = k (n n^T + (1 - L/|d|) (I - n n^T)): a link pressed together would rather buckle, which makes the second
  // part negative; the projected Hessian leaves that out.
  void add_hessian(const State&, In x, double weight, HessianMode mode, BlockSink& sink) const override {
    for (int i = 0; i < kLinks; ++i) {
      const Vec3 d = link(x, i), n = d.normalized();
      double across = 1 - kLength / d.norm();
      if (mode == HessianMode::projected) across = std::max(across, 0.0);
      const Mat3 nn = n * n.transpose();
      const Mat3 K = weight * kStiffness * (nn + across * (Mat3::Identity() - nn));
      Eigen::Matrix<double, 6, 6> H;
      H << K, -K, -K, K;
      const int points[] = {i, i + 1};
      sink.add(points, H.data());
    }
  }

 private:
  static Vec3 link(In x, int i) { return point(x, i + 1) - point(x, i); }
};

/// E = sum over points of  m g y.
class Weight final : public Energy {
 public:
  double value(const State&, In x) const override {
    double E = 0;
    for (int i = 0; i <= kLinks; ++i) E += kMass * kGravity * x[3 * i + 1];
    return E;
  }
  void add_gradient(const State&, In, double weight, Vec& g) const override {
    for (int i = 0; i <= kLinks; ++i) g[3 * i + 1] += weight * kMass * kGravity;
  }
  void add_hessian(const State&, In, double, HessianMode, BlockSink&) const override {}
};

}  // namespace

int main() {
  // The chain starts bunched in a slanted line; its first point is held by equal bounds.
  Vec x(3 * (kLinks + 1));
  for (int i = 0; i <= kLinks; ++i) point(x, i) = i * Vec3(0.06, 0.04, 0.01 * (i % 3));

  const Springs springs;
  const Weight gravity;
  for (const Energy* energy : {static_cast<const Energy*>(&springs), static_cast<const Energy*>(&gravity)}) {
    const testing::LawReport report = testing::check_energy(*energy, x, {.length = kLength});
    std::printf("%d checks: %s\n", report.checks(), report.ok() ? "all laws hold" : report.message().c_str());
    if (!report.ok()) return 1;
  }

  const IdentityMapping full_space(static_cast<int>(x.size()));
  Objective objective(full_space);
  objective.add("springs", springs);
  objective.add("gravity", gravity);
  Vec lower = Vec::Constant(x.size(), -std::numeric_limits<double>::infinity()), upper = -lower;
  lower.head<3>() = upper.head<3>() = x.head<3>();
  objective.set_bounds(lower, upper);

  const Summary summary = minimize(objective, x, {.gradient_tolerance = 1e-9, .max_iterations = 500});
  std::printf("%s\n", describe(summary).c_str());

  // Hanging straight down, link i carries the weight of all points below it: it is longer by  m g (links - i) / k.
  double depth = 0;
  for (int i = 0; i < kLinks; ++i) depth += kLength + kMass * kGravity * (kLinks - i) / kStiffness;
  const Vec3 tip = point(x, kLinks);
  std::printf("the tip hangs at (%.6f, %.6f, %.6f); by hand at -%.6f\n", tip.x(), tip.y(), tip.z(), depth);
  return summary.converged() && (tip - Vec3(0, -depth, 0)).norm() < 1e-6 ? 0 : 1;
}
