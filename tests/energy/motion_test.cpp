// Bodies in motion: momentum, integrators and damping together.

#include "energy/bodies.h"
#include "rigspace/base/decompositions.h"
#include "rigspace/energy/damping.h"
#include "rigspace/energy/gravity.h"
#include "rigspace/energy/integrator.h"
#include "rigspace/testing/check_energy.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace rigspace {
namespace {

using namespace testing;

constexpr IntegratorKind kBoth[] = {IntegratorKind::euler, IntegratorKind::bdf2};

// A free body in full space.
class Motion {
 public:
  Motion(const TetBody& body, const Material& material, IntegratorKind kind)
      : solid(body.x, body.tets, material),
        masses(lumped_masses(body.x, body.tets, 1000)),
        momentum(masses),
        damping(solid),
        integrator(kind),
        identity_(static_cast<int>(body.x.size())),
        objective_(identity_) {
    objective_.add("momentum", momentum);
    objective_.add("solid", solid);
    objective_.add("damping", damping);
    v_key = Vec::Zero(body.x.size());
  }

  void step(double h) {
    integrator.begin(h);
    Vec target, drift;
    integrator.momentum_target(a, v_key, target);
    momentum.set_target(target, integrator.momentum_scale(a));
    integrator.drift(v_key, drift);
    damping.set_target(drift, beta / integrator.step().tau);
    Vec x = integrator.x() + h * integrator.v();
    const Summary summary = newton_.solve(objective_, x, workspace_);
    ASSERT_TRUE(summary.converged()) << describe(summary);
    integrator.accept(x);
  }

  Vec3 linear_momentum() const {
    Vec3 sum = Vec3::Zero();
    for (int i = 0; i < masses.size(); ++i) sum += masses(i) * point(integrator.v(), i);
    return sum;
  }
  double energy() const {
    double kinetic = 0;
    for (int i = 0; i < masses.size(); ++i) kinetic += 0.5 * masses(i) * point(integrator.v(), i).squaredNorm();
    return kinetic + value(solid, integrator.x());
  }

  Solid solid;
  Vec masses;
  Momentum momentum;
  Damping damping;
  Integrator integrator;
  Vec v_key;
  double a = 0, beta = 0;

 private:
  IdentityMapping identity_;
  Objective objective_;
  Newton newton_{{.gradient_tolerance = 1e-10, .gradient_floor = 1e-9}};
  NewtonWorkspace workspace_;
};

TetBody stick() { return box(Vec3(0.6, 0.2, 0.2), 3, 1, 1); }
const Material kSoft{.young = 2e4, .poisson = 0.3};

// Turning and stretching, about the middle.
Vec spin(const TetBody& body) {
  Mat3 A;
  A << 1.5, -3, 0.5, 3, -1, 0, -0.5, 0, 0.3;
  return mapped(body.x, A, -A * Vec3(0.3, 0.1, 0.1) + Vec3(0.2, 0.4, -0.1));
}

TEST(Momentum, KeepsTheLawsOfEnergies) {
  const TetBody body = stick();
  Momentum momentum(lumped_masses(body.x, body.tets, 1000));
  EXPECT_NEAR(momentum.total_mass(), 1000 * 0.6 * 0.2 * 0.2, 1e-10);
  momentum.set_target(body.x + noise(static_cast<int>(body.x.size()), 1, 0.1), 3.5);
  const LawReport report = check_energy(momentum, body.x);
  EXPECT_TRUE(report.ok()) << report;
}

TEST(Damping, KeepsTheLawsOfEnergies) {
  const TetBody body = stick();
  const int n = static_cast<int>(body.x.size());
  const Solid solid(body.x, body.tets, {.young = 10, .poisson = 0.3});
  Damping damping(solid);
  damping.set_target(body.x + noise(n, 1, 0.1), 2.5);
  const LawReport report = check_energy(damping, mapped(body.x + noise(n, 2, 0.03), turn(3)));
  EXPECT_TRUE(report.ok()) << report;
}

TEST(Damping, IsTheStiffnessAtRestAndIgnoresRigidVelocities) {
  const TetBody body = stick();
  const Solid solid(body.x, body.tets, {.young = 10, .poisson = 0.3});
  Damping damping(solid);
  damping.set_target(body.x, 1);
  const Mat K = hessian(solid, body.x);
  EXPECT_LT((hessian(damping, body.x) - K).norm(), 1e-12 * K.norm());
  // Turned as a whole, any velocity omega x r + c does no work.
  const Mat3 R = turn(4);
  const Vec x = mapped(body.x, R);
  Mat3 omega;
  omega << 0, -3, 2, 3, 0, -1, -2, 1, 0;
  const Vec rigid = mapped(x, omega, Vec3(1, 2, 3));
  EXPECT_LT((hessian(damping, x) * rigid).norm(), 1e-12 * K.norm() * rigid.norm());
}

TEST(FreeBody, KeepsItsLinearMomentum) {
  const TetBody body = stick();
  for (const IntegratorKind kind : kBoth) {
    Motion motion(body, kSoft, kind);
    motion.beta = 0.002;
    motion.integrator.restart(body.x, spin(body));
    const Vec3 before = motion.linear_momentum();
    for (int k = 0; k < 60; ++k) motion.step(k % 7 == 3 ? 1.0 / 200 : 1.0 / 120);
    EXPECT_GT(before.norm(), 1);
    EXPECT_LT((motion.linear_momentum() - before).norm(), 1e-8 * before.norm());
    EXPECT_GT((motion.integrator.x() - body.x).norm(), 0.5) << "it moved";
  }
}

TEST(FreeBody, FallsAsAStoneUnderBdf2) {
  // The parabola is of second order, so BDF2 is exact on it after its Euler start, whose error of v h^2 it carries on.
  const Vec masses = Vec::Ones(1);
  Momentum momentum(masses);
  const Load weight = gravity(masses, Vec3(0, -10, 0));
  const IdentityMapping identity(3);
  Objective objective(identity);
  objective.add("momentum", momentum);
  objective.add("gravity", weight);
  Integrator integrator;
  integrator.restart(Vec::Zero(3), Vec3(1, 5, 0));
  for (int k = 0; k < 100; ++k) {
    integrator.begin(k < 50 ? 0.01 : 0.005);
    Vec x;
    integrator.momentum_target(x);
    momentum.set_target(x, integrator.momentum_scale());
    ASSERT_TRUE(minimize(objective, x).converged());
    integrator.accept(x);
  }
  EXPECT_NEAR(integrator.v()(1), 5 - 10 * 0.75, 1e-10);
  EXPECT_NEAR(integrator.x()(0), 0.75, 1e-12);
  EXPECT_NEAR(integrator.x()(1), 5 * 0.75 - 5 * 0.75 * 0.75, 10 * 0.01 * 0.01);
}

TEST(ImplicitEuler, NeverGainsEnergy) {
  const TetBody body = stick();
  Motion motion(body, kSoft, IntegratorKind::euler);
  motion.integrator.restart(mapped(body.x, Vec3(1.2, 0.9, 1).asDiagonal().toDenseMatrix()), spin(body));
  double before = motion.energy();
  const double start = before;
  for (int k = 0; k < 120; ++k) {
    motion.step(1.0 / 120);
    const double now = motion.energy();
    EXPECT_LE(now, before * (1 + 1e-10)) << "step " << k;
    before = now;
  }
  EXPECT_LT(before, 0.9 * start);
}

TEST(Bdf2, LosesFarLessEnergyThanEuler) {
  const TetBody body = stick();
  double left[2];
  for (int k = 0; k < 2; ++k) {
    Motion motion(body, kSoft, kBoth[k]);
    motion.integrator.restart(body.x, spin(body));
    const double start = motion.energy();
    for (int step = 0; step < 60; ++step) motion.step(1.0 / 240);
    left[k] = motion.energy() / start;
  }
  EXPECT_LT(left[0], 0.97);
  EXPECT_GT(left[1], 1 - 0.35 * (1 - left[0]));
  EXPECT_LT(left[1], 1.01);
}

// log2 of the ratio of successive differences over halved steps, at one time.
double observed_order(IntegratorKind kind, const std::vector<double>& pattern) {
  const TetBody body = stick();
  const auto end = [&](int refinement) {
    Motion motion(body, kSoft, kind);
    motion.integrator.restart(body.x, spin(body));
    motion.a = 0.5, motion.beta = 0.01;
    motion.v_key = Vec::Constant(body.x.size(), 0.3);
    for (int k = 0; k < 12; ++k)
      for (int r = 0; r < refinement; ++r) motion.step(pattern[k % pattern.size()] / refinement);
    return motion.integrator.x();
  };
  const Vec coarse = end(4), middle = end(8), fine = end(16);
  return std::log2((coarse - middle).norm() / (middle - fine).norm());
}

TEST(Integrators, HaveTheirOrder) {
  const double euler = observed_order(IntegratorKind::euler, {0.01});
  const double bdf2 = observed_order(IntegratorKind::bdf2, {0.01});
  const double varied = observed_order(IntegratorKind::bdf2, {0.01, 0.006, 0.012});
  EXPECT_NEAR(euler, 1, 0.15);
  EXPECT_GT(bdf2, 1.8);
  EXPECT_GT(varied, 1.8) << "with steps of varying length";
  RecordProperty("orders", std::to_string(euler) + " " + std::to_string(bdf2) + " " + std::to_string(varied));
}

TEST(Integrators, RestartedByAnEulerStep) {
  Integrator integrator(IntegratorKind::bdf2);
  integrator.restart(Vec::Zero(3), Vec::Ones(3));
  EXPECT_EQ(integrator.begin(0.1).tau, 0.1);
  integrator.accept(Vec::Constant(3, 0.1));
  EXPECT_NEAR(integrator.begin(0.1).tau, 0.1 * 2 / 3, 1e-15);
  EXPECT_NEAR(integrator.step().x_hat(0), 4.0 / 3 * 0.1, 1e-15);
  integrator.forget();
  EXPECT_EQ(integrator.begin(0.1).tau, 0.1);
  EXPECT_EQ(integrator.step().x_hat(0), 0.1);
}

// The lowest vibration of a free body: K v = omega^2 M v.
struct Vibration {
  double omega;
  Vec shape;  // with shape^T M shape = 1
};
Vibration lowest_vibration(const Motion& motion, In x) {
  Vec root(x.size());  // M^-1/2
  for (int i = 0; i < x.size(); ++i) root(i) = 1 / std::sqrt(motion.masses(i / 3));
  const SymmetricEigen eigen = symmetric_eigen(root.asDiagonal() * hessian(motion.solid, x) * root.asDiagonal());
  return {std::sqrt(eigen.values(6)), root.cwiseProduct(eigen.vectors.col(6))};
}

// How much of a vibration is left after one period, in a body that travels as its animation does.
double left_after_a_period(bool by_mass, double zeta, const Vec3& travel) {
  const TetBody body = stick();
  Motion motion(body, kSoft, IntegratorKind::bdf2);
  const Vibration vibration = lowest_vibration(motion, body.x);
  motion.v_key = mapped(Vec::Zero(body.x.size()), Mat3::Zero(), travel);
  motion.a = by_mass ? mass_damping(zeta, vibration.omega) : 0;
  motion.beta = by_mass ? 0 : stiffness_damping(zeta, vibration.omega);
  const double amplitude = 1e-5;
  motion.integrator.restart(body.x + amplitude * vibration.shape, motion.v_key);
  const double damped = vibration.omega * std::sqrt(1 - zeta * zeta);
  const double period = 2 * std::numbers::pi / damped;
  const int steps = 300;
  for (int k = 0; k < steps; ++k) motion.step(period / steps);
  const Vec moved = motion.integrator.x() - body.x - period * motion.v_key;
  double left = 0;
  for (int i = 0; i < moved.size(); ++i) left += vibration.shape(i) * motion.masses(i / 3) * moved(i);
  return left / amplitude;
}

TEST(Damping, GivesAVibrationItsRatioRelativeToTheAnimation) {
  const double zeta = 0.1;
  const double expected = std::exp(-2 * std::numbers::pi * zeta / std::sqrt(1 - zeta * zeta));
  for (const bool by_mass : {false, true})
    for (const Vec3& travel : {Vec3(0, 0, 0), Vec3(2, 0, -1)})
      EXPECT_NEAR(left_after_a_period(by_mass, zeta, travel), expected, 0.01 * expected) << by_mass;
  EXPECT_GT(left_after_a_period(false, 0, Vec3::Zero()), 0.995) << "the integrator's own";
}

TEST(Damping, LeavesTheAnimatedMotionAlone) {
  const TetBody body = stick();
  Motion motion(body, kSoft, IntegratorKind::bdf2);
  motion.a = 20, motion.beta = 0.05;
  motion.v_key = mapped(Vec::Zero(body.x.size()), Mat3::Zero(), Vec3(1, -2, 0.5));
  motion.integrator.restart(body.x, motion.v_key);
  for (int k = 0; k < 30; ++k) motion.step(0.01);
  EXPECT_LT((motion.integrator.x() - body.x - 0.3 * motion.v_key).cwiseAbs().maxCoeff(), 1e-9);
}

}  // namespace
}  // namespace rigspace
