#include "rigspace/energy/solid.h"

#include "energy/bodies.h"
#include "rigspace/base/error.h"
#include "rigspace/testing/check_energy.h"

#include <gtest/gtest.h>

#include <cmath>

namespace rigspace {
namespace {

using namespace testing;

class SolidOf : public ::testing::TestWithParam<MaterialKind> {
 protected:
  Material material() const { return {.kind = GetParam(), .young = 1e3, .poisson = 0.3}; }
};

INSTANTIATE_TEST_SUITE_P(Materials, SolidOf, ::testing::ValuesIn(kAllMaterialKinds), [](const auto& test) {
  std::string text(name(test.param));
  std::replace(text.begin(), text.end(), '-', '_');
  return text;
});

TEST_P(SolidOf, KeepsTheLawsOfEnergies) {
  // 5 tets: one full batch and one with padding.
  for (const double amplitude : {0.02, 0.15}) {
    const TetBody body = box(Vec3(1, 1, 1), 1, 1, 1);
    const std::vector<double> stiffness = {1, 2, 0.5, 3, 0};
    const Solid solid(body.x, body.tets, material(), stiffness);
    const Vec x = mapped(body.x + noise(24, 5, amplitude), turn(2));
    const LawReport report = check_energy(solid, x);
    EXPECT_TRUE(report.ok()) << report;
    EXPECT_GT(report.checks(), 50);
  }
}

TEST_P(SolidOf, IsTheSumOfItsElementsOfTheMaterial) {
  const TetBody body = box(Vec3(2, 1, 1), 2, 1, 1);
  const Solid solid(body.x, body.tets, material());
  const Vec x = mapped(body.x + noise(static_cast<int>(body.x.size()), 6, 0.1), turn(3));
  double expected = 0;
  for (int e = 0; e < solid.element_count(); ++e) {
    const double volume = e % 5 == 0 ? 1.0 / 3 : 1.0 / 6;  // the middle tet of a unit cube, and a corner
    expected += volume * energy_density(material(), solid.deformation_gradient(x, e));
  }
  EXPECT_NEAR(value(solid, x), expected, 1e-12 * expected);
}

TEST_P(SolidOf, IsInvariantUnderRigidMotion) {
  const TetBody body = box(Vec3(1, 2, 1), 2, 3, 2);
  const Solid solid(body.x, body.tets, material());
  const Vec x = body.x + noise(static_cast<int>(body.x.size()), 7, 0.06);
  const Mat3 R = turn(8);
  const Vec moved = mapped(x, R, Vec3(3, -2, 1));
  EXPECT_NEAR(value(solid, moved), value(solid, x), 1e-12 * value(solid, x));
  const Vec g = gradient(solid, x);
  EXPECT_LT((gradient(solid, moved) - mapped(g, R)).norm(), 1e-11 * g.norm());
}

TEST_P(SolidOf, RestIsAnEquilibrium) {
  const TetBody body = box(Vec3(1, 2, 1), 2, 3, 2);
  const Solid solid(body.x, body.tets, material());
  const Vec x = mapped(body.x, turn(9), Vec3(1, 2, 3));
  // Rounding of F is 1e-16 of |x| times the shape gradients, some 10.
  EXPECT_LT(gradient(solid, x).cwiseAbs().maxCoeff(), 1e-10);
  EXPECT_LT(std::abs(value(solid, x)), 1e-10);
  EXPECT_NEAR(solid.smallest_volume_ratio(x), 1, 1e-13);
}

TEST_P(SolidOf, ForcesAddUpToNeitherForceNorTorque) {
  const TetBody body = box(Vec3(1, 2, 1), 2, 3, 2);
  const Solid solid(body.x, body.tets, material());
  const Vec x = body.x + noise(static_cast<int>(body.x.size()), 10, 0.06);
  const Vec g = gradient(solid, x);
  Vec3 force = Vec3::Zero(), torque = Vec3::Zero();
  for (int i = 0; i < body.points(); ++i) {
    force += point(g, i);
    torque += Vec3(point(x, i)).cross(Vec3(point(g, i)));
  }
  EXPECT_GT(g.norm(), 1);
  EXPECT_LT(force.norm(), 1e-13 * g.norm());
  EXPECT_LT(torque.norm(), 1e-12 * g.norm());
}

TEST_P(SolidOf, PassesThePatchTest) {
  // An affine displacement of the boundary is affine inside, whatever the mesh there.
  TetBody body = box(Vec3(1, 1, 1), 3, 3, 3);
  const auto boundary = [](const Vec3& x) { return (x.array() < 1e-9).any() || (x.array() > 1 - 1e-9).any(); };
  const Vec wiggle = noise(static_cast<int>(body.x.size()), 11, 0.04);
  for (int i = 0; i < body.points(); ++i)
    if (!boundary(point(body.x, i))) point(body.x, i) += point(wiggle, i);
  const Solid solid(body.x, body.tets, material());
  Mat3 A = turn(12) * (Mat3::Identity() + noise3(13, 0.1));
  const Vec affine = mapped(body.x, A, Vec3(0.3, 0, 1));
  const IdentityMapping identity(static_cast<int>(body.x.size()));
  Objective objective(identity);
  objective.add("solid", solid);
  hold(objective, body.x, affine, boundary);
  Vec x = affine + noise(static_cast<int>(body.x.size()), 14, 0.02);
  const Summary summary = minimize(objective, x, {.gradient_tolerance = 0, .gradient_floor = 1e-9});
  EXPECT_TRUE(summary.converged()) << describe(summary);
  // 1e-9 N over a stiffness of some 100 N/m.
  EXPECT_LT((x - affine).cwiseAbs().maxCoeff(), 1e-10) << describe(summary);
}

TEST_P(SolidOf, GivesTheSameBitsOnAnyNumberOfThreads) {
  const TetBody body = box(Vec3(1, 1, 1), 8, 7, 6);  // 1680 tets: several chunks and rounds
  const Solid solid(body.x, body.tets, material());
  const int n = static_cast<int>(body.x.size());
  const Vec x = body.x + noise(n, 15, 0.02);
  const auto evaluate = [&](int threads) {
    const ThreadCountScope scope(threads);
    return std::tuple(value(solid, x), gradient(solid, x), hessian(solid, x, HessianMode::projected));
  };
  const auto one = evaluate(1);
  for (const int threads : {2, 8}) EXPECT_TRUE(evaluate(threads) == one) << threads;
}

TEST_P(SolidOf, AllMaterialsHaveOneHessianAtRest) {
  const TetBody body = box(Vec3(1, 1, 2), 1, 2, 1);
  const Mat K = hessian(Solid(body.x, body.tets, material()), body.x);
  const Mat expected = hessian(Solid(body.x, body.tets, {.young = 1e3, .poisson = 0.3}), body.x);
  EXPECT_LT((K - expected).norm(), 1e-12 * expected.norm());
}

// Minimises from x; true if the body is back in its rest shape, up to a rigid motion.
bool recovers(const TetBody& body, const Material& material, Vec x) {
  const Solid solid(body.x, body.tets, material);
  EXPECT_LT(solid.smallest_volume_ratio(x), 0) << "nothing was inverted";
  const IdentityMapping identity(static_cast<int>(x.size()));
  Objective objective(identity);
  objective.add("solid", solid);
  minimize(objective, x, {.gradient_floor = 1e-7, .max_iterations = 500});
  return solid.smallest_volume_ratio(x) > 1 - 1e-5 && value(solid, x) < 1e-9;
}

TEST(SolidThatRecovers, ReturnsFromBeingPushedThroughItself) {
  const TetBody body = box(Vec3(1, 1, 1), 2, 2, 2);
  const int n = static_cast<int>(body.x.size());
  const Mat3 mirror = Vec3(1, -1, 1).asDiagonal();
  for (const MaterialKind kind : kAllMaterialKinds) {
    if (!recovers_from_inversion(kind)) continue;
    for (const double poisson : {0.0, 0.3, 0.45})
      for (unsigned seed = 1; seed <= 10; ++seed) {
        const Material material{.kind = kind, .young = 1e3, .poisson = poisson};
        // Points moved by up to a cell along the diagonal; and all of it inside out.
        EXPECT_TRUE(recovers(body, material, body.x + noise(n, seed, 0.3)))
            << name(kind) << " " << poisson << " " << seed;
        EXPECT_TRUE(recovers(body, material, mapped(body.x, mirror) + noise(n, seed, 0.1)))
            << name(kind) << " " << poisson << " " << seed;
      }
  }
}

TEST(SolidThatRecovers, MostlyReturnsFromBeingScrambled) {
  // Points anywhere at all can knot, which is a minimum too: not all come back (38 of these 40 when this was written).
  const TetBody body = box(Vec3(1, 1, 1), 2, 2, 2);
  int back = 0;
  for (unsigned seed = 1; seed <= 40; ++seed)
    back += recovers(body, {.young = 1e3, .poisson = 0.3}, noise(static_cast<int>(body.x.size()), seed, 1));
  EXPECT_GE(back, 34);
}

TEST(SolidNeoHookean, NeverInvertsOnItsWay) {
  const TetBody body = box(Vec3(1, 1, 1), 2, 2, 2);
  const Solid solid(body.x, body.tets, {.kind = MaterialKind::neo_hookean, .young = 1e3, .poisson = 0.3});
  const auto state = solid.make_state();
  const int n = static_cast<int>(body.x.size());
  int limited = 0;
  for (unsigned seed = 0; seed < 50; ++seed) {
    const Vec from = body.x + noise(n, seed, 0.02), to = from + noise(n, seed + 100, 0.02 * (1 + seed));
    const double step = solid.max_step(*state, from, to);
    ASSERT_GE(step, 0);
    ASSERT_LE(step, 1);
    limited += step < 1;
    double least = 1e9;
    for (int k = 0; k <= 200; ++k)
      least = std::min(least, solid.smallest_volume_ratio(from + step * k / 200 * (to - from)));
    EXPECT_GT(least, 0) << seed;
    // And not much too short: a quarter further something is inverted.
    if (step == 1) continue;
    EXPECT_LT(solid.smallest_volume_ratio(from + 1.25 * step * (to - from)), 0.3) << seed;
  }
  EXPECT_GT(limited, 10);
  EXPECT_LT(limited, 50);
  // Through itself and out again: upright at both ends, flat between.
  Vec through = body.x;
  through *= -1;
  const Mat3 half_turn = Vec3(-1, -1, 1).asDiagonal();
  EXPECT_LT(solid.max_step(*state, body.x, mapped(body.x, half_turn)), 0.5);
  EXPECT_EQ(solid.max_step(*state, through, body.x), 0);
}

TEST(Solid, FollowsANewRestShapeAndKeepsTheBindShapeWhereThatIsInverted) {
  const TetBody body = box(Vec3(1, 1, 1), 2, 2, 2);
  const int n = static_cast<int>(body.x.size());
  Solid solid(body.x, body.tets);
  const Vec animated = mapped(body.x + noise(n, 20, 0.03), turn(21) * (Mat3::Identity() + noise3(22, 0.2)));
  solid.set_rest(animated);
  EXPECT_EQ(solid.fallbacks(), 0);
  EXPECT_LT(gradient(solid, animated).cwiseAbs().maxCoeff(), 1e-9);
  const Solid fresh(animated, body.tets);
  const Vec x = animated + noise(n, 23, 0.05);
  EXPECT_NEAR(value(solid, x), value(fresh, x), 1e-12 * value(fresh, x));

  Vec folded = animated;
  const Tet& first = body.tets[0];
  const Vec3 a = point(animated, first[0]), b = point(animated, first[1]);
  point(folded, first[0]) = a + 1.5 * (b - a) + Vec3(0.3, 0.1, -0.2);
  solid.set_rest(folded);
  EXPECT_GT(solid.fallbacks(), 0);
  EXPECT_LT(solid.fallbacks(), solid.element_count());
  EXPECT_TRUE(std::isfinite(value(solid, folded)));
  EXPECT_TRUE(gradient(solid, folded).allFinite());
  solid.set_rest(body.x);
  EXPECT_EQ(solid.fallbacks(), 0);
  EXPECT_NEAR(value(solid, x), value(Solid(body.x, body.tets), x), 1e-12 * value(solid, x));
}

TEST(Solid, SamplesAreWeightedElementsAndFollowTheRestShapeToo) {
  const TetBody body = box(Vec3(1, 1, 1), 2, 2, 2);
  const int n = static_cast<int>(body.x.size());
  Solid solid(body.x, body.tets);
  const std::vector<WeightedElement> few = {{7, 2.0}, {3, 0.5}, {20, 4.0}, {11, 1.0}, {39, 3.0}};
  Solid part = solid.sample(few);
  EXPECT_LT(part.support().size(), solid.support().size());
  const Vec rest = mapped(body.x, Mat3::Identity() + noise3(30, 0.2)), x = rest + noise(n, 31, 0.1);
  solid.set_rest(rest);
  part.set_rest(rest);
  double expected = 0;
  for (const auto& [e, weight] : few) {
    const WeightedElement one[] = {{e, weight}};
    expected += value(*solid.sampled(one), x);
  }
  EXPECT_NEAR(value(part, x), expected, 1e-12 * expected);
  const LawReport report = check_energy(part, x);
  EXPECT_TRUE(report.ok()) << report;
}

TEST(Solid, LeavesOutTetsWithoutVolumeAndRefusesInvertedOnes) {
  TetBody body = box(Vec3(1, 1, 1), 1, 1, 1);
  const Solid whole(body.x, body.tets);
  body.tets.push_back({0, 1, 2, 3});  // a face of the cube
  const Solid solid(body.x, body.tets);
  EXPECT_EQ(solid.degenerate(), 1);
  const Vec x = body.x + noise(24, 40, 0.1);
  EXPECT_NEAR(value(solid, x), value(whole, x), 1e-14);
  EXPECT_TRUE(gradient(solid, x).allFinite());
  EXPECT_TRUE(hessian(solid, x, HessianMode::projected).allFinite());
  Solid moved = solid;
  moved.set_rest(x);
  EXPECT_TRUE(std::isfinite(value(moved, body.x)));

  std::swap(body.tets[1][0], body.tets[1][1]);
  EXPECT_THROW(Solid(body.x, body.tets), Error);
  body.tets[1][0] = 99;
  EXPECT_THROW(Solid(body.x, body.tets), Error);
}

}  // namespace
}  // namespace rigspace
