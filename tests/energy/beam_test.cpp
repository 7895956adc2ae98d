// A slender bar against the theory of beams. Linear tetrahedra are too stiff in bending, with an error of order h^2:
// three meshes, extrapolated.

#include "energy/bodies.h"
#include "rigspace/energy/gravity.h"
#include "rigspace/energy/modes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace rigspace {
namespace {

using namespace testing;

constexpr double kLength = 1, kWidth = 0.1, kYoung = 1e6, kDensity = 1000;
constexpr double kArea = kWidth * kWidth, kInertia = kArea * kWidth * kWidth / 12;

// Cubes, `across` of them side by side.
TetBody bar(int across) { return box(Vec3(kLength, kWidth, kWidth), 10 * across, across, across); }

bool at_wall(const Vec3& x) { return x(0) < 1e-9; }

// f(h) = f0 + a h^2 + b h^4 through the values at h = 1/n.
double extrapolated(const std::array<int, 3>& n, const std::array<double, 3>& f) {
  Mat3 A;
  for (int k = 0; k < 3; ++k) {
    const double h2 = 1.0 / (n[k] * n[k]);
    A.row(k) << 1, h2, h2 * h2;
  }
  return A.fullPivLu().solve(Vec3(f[0], f[1], f[2]))(0);
}

double tip_deflection(int across, double poisson, double g) {
  const TetBody body = bar(across);
  const Solid solid(body.x, body.tets, {.young = kYoung, .poisson = poisson});
  const Load weight = gravity(lumped_masses(body.x, body.tets, kDensity), Vec3(0, -g, 0));
  const IdentityMapping identity(static_cast<int>(body.x.size()));
  Objective objective(identity);
  objective.add("solid", solid);
  objective.add("gravity", weight);
  hold(objective, body.x, body.x, at_wall);
  Vec x = body.x;
  const Summary summary = minimize(objective, x, {.gradient_tolerance = 1e-8});
  EXPECT_TRUE(summary.converged()) << describe(summary);
  double sum = 0;
  int tips = 0;
  for (int i = 0; i < body.points(); ++i)
    if (body.x(3 * i) > kLength - 1e-9) sum += body.x(3 * i + 1) - x(3 * i + 1), ++tips;
  return sum / tips;
}

TEST(Bar, SagsAsEulerAndBernoulliSay) {
  const double g = 1e-3;  // a deflection of 1e-5 lengths: linear
  const std::array<int, 3> meshes = {2, 4, 6};
  for (const double poisson : {0.0, 0.3}) {
    std::array<double, 3> tips;
    for (int k = 0; k < 3; ++k) tips[k] = tip_deflection(meshes[k], poisson, g);
    const double load = kDensity * kArea * g;
    const double bending = load * std::pow(kLength, 4) / (8 * kYoung * kInertia);
    const double shear = load * kLength * kLength / (2 * 5.0 / 6 * kYoung / (2 * (1 + poisson)) * kArea);
    const double tip = extrapolated(meshes, tips);
    RecordProperty(poisson == 0 ? "tip_over_theory_0" : "tip_over_theory_03", std::to_string(tip / (bending + shear)));
    EXPECT_LT(tips[0], tips[1]);
    EXPECT_LT(tips[1], tips[2]);
    EXPECT_NEAR(tip / (bending + shear), 1, 0.02)
        << poisson << ": " << tips[0] / bending << " " << tips[1] / bending << " " << tips[2] / bending;
    EXPECT_NEAR(tip / bending, 1, 0.03);
  }
}

// The lowest frequencies in rad/s with one end held, and how much of each motion is along the bar.
struct Vibrations {
  Vec omega, axial;
};
Vibrations vibrations(int across, double poisson, int wanted) {
  const TetBody body = bar(across);
  std::vector<char> held;
  for (int i = 0; i < body.points(); ++i) held.push_back(at_wall(point(body.x, i)));
  const Modes modes = slowest_modes({body.x, body.tets}, held, wanted, poisson);
  const Vec masses = lumped_masses(body.x, body.tets, 1);
  Vibrations result{(modes.omega_squared * kYoung / kDensity).cwiseSqrt(), Vec::Zero(modes.omega_squared.size())};
  for (int k = 0; k < result.axial.size(); ++k)
    for (int i = 0; i < body.points(); ++i) result.axial(k) += masses(i) * std::pow(modes.shapes(3 * i, k), 2);
  return result;
}

TEST(Bar, VibratesAtTheFrequenciesOfTheory) {
  const std::array<int, 3> meshes = {1, 2, 4};
  std::array<double, 3> bending, axial;
  for (int k = 0; k < 3; ++k) {
    const Vibrations modes = vibrations(meshes[k], 0, 10);
    bending[k] = modes.omega(0);
    axial[k] = 0;
    for (int m = 0; m < modes.omega.size() && axial[k] == 0; ++m)
      if (modes.axial(m) > 0.9) axial[k] = modes.omega(m);
    EXPECT_LT(modes.axial(0), 0.1) << "the lowest mode bends";
    EXPECT_NEAR(modes.omega(1) / modes.omega(0), 1, 1e-2) << "in both directions alike";
  }
  const double axial_theory = std::numbers::pi / 2 * std::sqrt(kYoung / kDensity) / kLength;
  const double bending_theory =
      std::pow(1.8751040687, 2) * std::sqrt(kYoung * kInertia / (kDensity * kArea)) / (kLength * kLength);
  EXPECT_NEAR(axial[2] / axial_theory, 1, 2e-3);
  // Shear and rotary inertia, which Euler and Bernoulli leave out, take about 1 % at this slenderness.
  const double first = extrapolated(meshes, bending);
  EXPECT_NEAR(first / bending_theory, 1, 0.03)
      << bending[0] / bending_theory << " " << bending[1] / bending_theory << " " << bending[2] / bending_theory;
  RecordProperty("bending_over_theory", std::to_string(first / bending_theory));
}

}  // namespace
}  // namespace rigspace
