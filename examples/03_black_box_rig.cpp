// Any function from controls to points is a rig. Here a lambda: an eel that swims. Derivatives come by differences,
// scaled by what the controls say of themselves.
#include "rigspace/rig/black_box.h"
#include "rigspace/testing/check_rig.h"

#include <cmath>
#include <cstdio>
#include <numbers>

using namespace rigspace;

int main() {
  constexpr int kPoints = 50;
  const auto swim = [](In p, Vec& s) {
    const double amplitude = p[0], waves = p[1], phase = p[2];
    for (int i = 0; i < kPoints; ++i) {
      const double along = i / (kPoints - 1.0);
      point(s, i) = Vec3(along, 0, amplitude * along * std::sin(2 * std::numbers::pi * waves * along - phase));
    }
  };
  const BlackBoxRig rig({.controls = {{.name = "eel.amplitude",
                                       .node = "eel",
                                       .unit = Unit::length,
                                       .rest = 0.1,
                                       .min = 0,
                                       .max = 0.5,
                                       .typical = 0.1},
                                      {.name = "eel.waves", .node = "eel", .rest = 1, .typical = 0.5},
                                      {.name = "eel.phase", .node = "eel", .unit = Unit::angle, .typical = 0.5}},
                         .point_count = kPoints,
                         .evaluate = swim,
                         .concurrent = true,
                         .name = "eel"});

  const testing::LawReport report = testing::check_rig(rig);
  std::printf("%d checks: %s\n", report.checks(), report.ok() ? "all laws hold" : report.message().c_str());

  const auto workspace = rig.make_workspace();
  Vec p = rig.rest();
  p[2] = 0.7;
  const long before = rig.evaluations();
  const int free[] = {0, 2};
  BlockJacobian J;
  rig.jacobian(*workspace, p, free, J);
  std::printf("a Jacobian of 2 controls took %ld evaluations\n", rig.evaluations() - before);

  // The tail by hand: z = a sin(2 pi w - phase), so dz/da = sin and dz/dphase = -a cos.
  Vec ds;
  J.push(Vec::Unit(2, 0), ds);
  const double by_amplitude = ds[3 * kPoints - 1];
  J.push(Vec::Unit(2, 1), ds);
  const double by_phase = ds[3 * kPoints - 1];
  const double angle = 2 * std::numbers::pi * p[1] - p[2];
  std::printf("tail per amplitude %.9f (by hand %.9f), per phase %.9f (by hand %.9f)\n", by_amplitude, std::sin(angle),
              by_phase, -p[0] * std::cos(angle));
  const bool right =
      std::abs(by_amplitude - std::sin(angle)) < 1e-8 && std::abs(by_phase + p[0] * std::cos(angle)) < 1e-8;
  return report.ok() && right ? 0 : 1;
}
