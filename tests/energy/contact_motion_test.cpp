// Bodies that touch, in motion: friction's cone, no tunnelling, separation, energy.

#include "energy/contact_world.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace rigspace {
namespace {

using namespace testing;

constexpr double kG = 9.80665;
Vec3 tilted(double angle) { return kG * Vec3(std::sin(angle), -std::cos(angle), 0); }

struct Incline {
  double friction, angle;
  double young = 3e4, damping = 0.03, wait = 0.5;  // Pa; s; s
};
struct Slide {
  double speed, acceleration;
};

/// Settles a body on the ground, tilts gravity within half a second, waits, and watches it for another half.
Slide slide(const testing::TetBody& body, const Incline& incline) {
  World world(body, {Collider::plane(Vec3::Zero(), Vec3::UnitY())},
              {.young = incline.young,
               .contact = {.thickness = 0.004, .reach = 0.03, .friction = incline.friction, .slip_speed = 1e-3}});
  world.beta = 0.03, world.mass_damping = 10;
  world.run(0.7, 1.0 / 120);
  world.mass_damping = 0, world.beta = incline.damping;
  for (int k = 1; k <= 30; ++k) world.set_gravity(tilted(incline.angle * k / 30)), world.run(1.0 / 60, 1.0 / 120);
  world.run(incline.wait, 1.0 / 120);
  const double from = world.center().x(), before = world.velocity().x();
  world.run(0.5, 1.0 / 120);
  return {(world.center().x() - from) / 0.5, (world.velocity().x() - before) / 0.5};
}

TEST(Friction, HoldsABlockBelowItsConeAndLetsItSlipAbove) {
  testing::TetBody block = box(Vec3(0.3, 0.15, 0.3), 4, 2, 4);
  for (int i = 0; i < block.points(); ++i) block.x[3 * i + 1] += 0.003;
  const double cone = std::atan(0.4), above = 1.1 * cone;
  EXPECT_LT(std::abs(slide(block, {0.4, 0.95 * cone}).speed), 1e-3) << "creeps slower than the slip speed";
  const double expected = kG * (std::sin(above) - 0.4 * std::cos(above));
  EXPECT_GT(expected, 0.3);
  EXPECT_NEAR(slide(block, {0.4, above}).acceleration, expected, 0.03 * expected);
}

// The foot of an elastic ball is held as long as rolling, a = g sin / (1 + I/(m R^2)), asks for no more than mu g cos:
// up to tan = mu (1 + m R^2 / I), 7/2 mu of a solid ball.
TEST(Friction, HoldsTheFootOfABallBelowItsConeAndLetsItSlipAbove) {
  const testing::TetBody sphere = soft_ball(Vec3(0, 0.2, 0), 0.2, 0.06);
  const Vec masses = lumped_masses(sphere.x, sphere.tets, 1000);
  double inertia = 0;
  for (int i = 0; i < masses.size(); ++i)
    inertia += masses[i] * (point(sphere.x, i) - Vec3(0, 0.2, 0)).head<2>().squaredNorm();
  const double ratio = inertia / (masses.sum() * 0.04), mu = 0.1, cone = std::atan(mu * (1 + 1 / ratio));
  EXPECT_NEAR(ratio, 0.4, 0.02);
  const double below = 0.6 * cone, above = 1.4 * cone;
  const double rolls = kG * std::sin(below) / (1 + ratio), slips = kG * (std::sin(above) - mu * std::cos(above));
  const double rolling = slide(sphere, {mu, below, 1e5, 1e-3, 0}).acceleration;
  const double slipping = slide(sphere, {mu, above, 1e5, 1e-3, 0}).acceleration;
  EXPECT_NEAR(rolling, rolls, 0.07 * rolls) << "facets and viscosity resist a little";
  EXPECT_NEAR(slipping, slips, 0.03 * slips);
}

/// A ball thrown at a plate of 4 mm, from above; the lowest place of its middle.
double throw_at_plate(double speed, double young) {
  World world(soft_ball(Vec3(0, 0.5, 0), 0.2, 0.08), {Collider::mesh(plate(2, 0.002))},
              {.young = young, .contact = {.thickness = 0.004, .reach = 0.02}, .integrator = IntegratorKind::euler});
  world.start(Vec3(0, -speed, 0).replicate(world.masses.size(), 1), world.integrator.x());
  world.beta = 0.005;
  double lowest = 1, upward = 0;
  world.run(0.15, 1.0 / 120, [&] {
    lowest = std::min(lowest, world.center().y());
    upward = std::max(upward, world.velocity().y());
  });
  EXPECT_GT(upward, 0.02 * speed) << "it was thrown back";
  for (int i = 0; i < world.masses.size(); ++i) EXPECT_GT(world.integrator.x()[3 * i + 1], 0) << speed << " m/s";
  EXPECT_GT(world.substeps, speed > 20 ? 40 : 17) << "where the steps of 1/120 s are 18";
  return lowest;
}

TEST(Contact, LetsNothingThroughAThinPlateHoweverFastItFalls) {
  EXPECT_GT(throw_at_plate(5, 2e5), 0.02);
  EXPECT_GT(throw_at_plate(40, 2e6), 0.02);
  throw_at_plate(
      40, 2e5);  // its inertia, 1.6 MPa, would flatten it to nothing: pressed through, it comes back all the same
}

TEST(Contact, LetsNothingThroughAThinPlateThatIsSwungAtIt) {
  World world(soft_ball(Vec3(0, 0.21, 0), 0.2, 0.08), {Collider::mesh(plate(2, 0.002))},
              {.young = 2e5, .contact = {.thickness = 0.004, .reach = 0.02}, .integrator = IntegratorKind::euler});
  world.beta = 0.005;
  world.move = [](Contact& contact, double from, double to) {  // up by 2 m within a tenth of a second, then still
    const auto pose = [](double time) {
      Affine up = identity_affine();
      translation(up) = Vec3(0, 20 * std::clamp(time - 0.02, 0.0, 0.1), 0);
      return up;
    };
    contact.colliders()[0].place(pose(from), pose(to));
  };
  world.run(0.2, 1.0 / 60);
  for (int i = 0; i < world.masses.size(); ++i) EXPECT_GT(world.integrator.x()[3 * i + 1], 2.0);
  EXPECT_GT(world.substeps, 24) << "of 12 steps of 1/60 s, which are 33 cm each until the ball is under way";
}

TEST(Contact, SeparatesTwoBelliesThatArePressedTogether) {
  World world(together(soft_ball(Vec3(-0.25, 0, 0), 0.2, 0.08), soft_ball(Vec3(0.25, 0, 0), 0.2, 0.08)), {},
              {.young = 2e4, .contact = {.thickness = 0.005, .reach = 0.03, .self = true}});
  world.set_gravity(Vec3::Zero());
  const int half = static_cast<int>(world.masses.size()) / 2;
  Vec v = Vec::Zero(world.integrator.x().size());
  for (int i = 0; i < world.masses.size(); ++i) v[3 * i] = i < half ? 1.5 : -1.5;
  const auto apart = [&] {  // distance of the two middles
    Vec3 a = Vec3::Zero(), b = a;
    for (int i = 0; i < half; ++i)
      a += world.masses[i] * point(world.integrator.x(), i) / world.masses.head(half).sum(),
          b += world.masses[half + i] * point(world.integrator.x(), half + i) / world.masses.tail(half).sum();
    return (b - a).norm();
  };
  world.start(v, world.integrator.x());
  double nearest = 1, deepest = 0;
  int most = 0;
  world.run(0.5, 1.0 / 120, [&] {
    nearest = std::min(nearest, apart());
    deepest = std::max(deepest, world.contact.report().deepest);
    most = std::max(most, world.contact.report().touching);
  });
  EXPECT_LT(nearest, 0.37) << "they were pressed flat against each other, by 3 cm and more";
  EXPECT_GT(most, 10);
  EXPECT_LT(deepest, 0.012) << "penetration stays small against a cell of 8 cm";
  EXPECT_EQ(world.contact.report().touching, 0) << "and they came apart";
  EXPECT_GT(apart(), 0.5);
}

TEST(Contact, GivesABouncingBodyNoEnergy) {
  for (const IntegratorKind kind : {IntegratorKind::euler, IntegratorKind::bdf2}) {
    World world(soft_ball(Vec3(0, 0.5, 0), 0.2, 0.09), {Collider::plane(Vec3::Zero(), Vec3::UnitY())},
                {.young = 5e4, .contact = {.thickness = 0.004, .reach = 0.03}, .integrator = kind});
    const double drop = world.masses.sum() * kG * 0.3;  // J
    const double first = world.energy();
    double highest = first, before = first, worst = 0;
    world.run(2, 1.0 / 120, [&] {
      worst = std::max(worst, world.energy() - before);
      before = world.energy();
      highest = std::max(highest, before);
    });
    EXPECT_LE(highest - first, 1e-3 * drop) << (kind == IntegratorKind::bdf2 ? "bdf2" : "euler");
    EXPECT_LE(worst, 2e-3 * drop) << "in no single step either";
  }
}

}  // namespace
}  // namespace rigspace
