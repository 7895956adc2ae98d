#include "energy/bodies.h"
#include "rigspace/base/error.h"
#include "rigspace/energy/gravity.h"
#include "rigspace/energy/limit.h"
#include "rigspace/energy/pull.h"
#include "rigspace/energy/rods.h"
#include "rigspace/testing/check_energy.h"

#include <gtest/gtest.h>

#include <cmath>

namespace rigspace {
namespace {

using namespace testing;

TEST(Gravity, KeepsTheLawsOfEnergiesAndPullsByMass) {
  const Vec masses = Vec3(1, 2, 0);
  Load weight = gravity(masses);
  const Vec x = noise(9, 1, 1);
  const LawReport report = check_energy(weight, x);
  EXPECT_TRUE(report.ok()) << report;
  EXPECT_NEAR(gradient(weight, x)(4), 2 * 9.80665, 1e-12);
  weight.set_reference(x);
  EXPECT_EQ(value(weight, x), 0);
  EXPECT_NEAR(value(weight, x + Vec::Unit(9, 1)), 9.80665, 1e-12) << "lifting 1 kg by 1 m";
}

TEST(Pulls, KeepTheLawsOfEnergies) {
  std::vector<Pull> pulls(3);
  pulls[0] = {.anchor = {.points = {2}}, .target = Vec3(1, 0, 0), .stiffness = 3};
  pulls[1] = {.anchor = {.points = {0, 4, 1, 3}, .weights = {0.1, 0.2, 0.3, 0.4}}, .stiffness = 2};
  pulls[2] = {.anchor = {.points = {4, 2, 0, 0}, .weights = {0.5, 0.5, 0, 0}}, .target = Vec3(0, 1, 1), .stiffness = 5};
  const Pulls energy(7, pulls);  // points 5 and 6 are free
  EXPECT_EQ(energy.support().size(), 5u);
  const LawReport report = check_energy(energy, noise(21, 2, 1));
  EXPECT_TRUE(report.ok()) << report;
  EXPECT_THROW(Pulls(2, pulls), Error);
}

TEST(Pulls, BringABodyToItsTargets) {
  const TetBody body = box(Vec3(1, 1, 1), 2, 2, 2);
  const Solid solid(body.x, body.tets);
  const Mat3 R = turn(5);
  std::vector<Pull> pulls;
  for (int k = 0; k < 4; ++k) {
    Pull pull;
    pull.anchor.points = body.tets[7 * k];
    pull.anchor.weights = {0.4, 0.3, 0.2, 0.1};
    pull.stiffness = 100;
    pulls.push_back(pull);
  }
  Pulls energy(body.points(), pulls);
  for (int k = 0; k < 4; ++k) energy.set_target(k, R * energy.position(body.x, k) + Vec3(1, 2, 3));
  const IdentityMapping identity(static_cast<int>(body.x.size()));
  Objective objective(identity);
  objective.add("solid", solid);
  objective.add("pulls", energy);
  Vec x = body.x;
  const Summary summary = minimize(objective, x, {.gradient_tolerance = 0, .gradient_floor = 1e-8});
  EXPECT_TRUE(summary.converged()) << describe(summary);
  EXPECT_LT((x - mapped(body.x, R, Vec3(1, 2, 3))).cwiseAbs().maxCoeff(), 1e-8) << "rigidly, as the targets moved";
}

class LimitTest : public ::testing::Test {
 protected:
  LimitTest() { limit.set_keys(keys); }
  Vec keys = noise(15, 3, 1);
  Limit limit{{1, 3, 4}, {0.2, 0.5, 1.0}, {.stiffness = 7, .free_part = 0.6}};
  Vec at(double part) const {  // displaced by a part of the limit
    Vec x = keys;
    point(x, 1) += part * 0.2 * Vec3(1, 2, -2) / 3;
    point(x, 3) += part * 0.5 * Vec3(0, 0.6, 0.8);
    return x;
  }
};

TEST_F(LimitTest, KeepsTheLawsOfEnergies) {
  for (const double part : {0.7, 0.9, 0.97}) {
    const LawReport report = check_energy(limit, at(part), {.length = 0.05});
    EXPECT_TRUE(report.ok()) << part << ": " << report;
  }
}

TEST_F(LimitTest, IsNotFeltBelowItsFreePartAndSmoothThere) {
  EXPECT_EQ(value(limit, at(0.6 - 1e-9)), 0);
  EXPECT_EQ(gradient(limit, at(0.6 - 1e-9)).norm(), 0);
  const double near = 1e-5;
  EXPECT_GT(value(limit, at(0.6 + near)), 0);
  // The second derivative starts from zero: it is of the order of the distance into the barrier.
  EXPECT_LT(hessian(limit, at(0.6 + near)).norm(), 0.02);
  EXPECT_GT(hessian(limit, at(0.9)).norm(), 100);
}

TEST_F(LimitTest, CannotBePassed) {
  EXPECT_EQ(value(limit, at(1.0001)), std::numeric_limits<double>::infinity());
  EXPECT_GT(value(limit, at(1 - 1e-9)), 1e7);
  const auto state = limit.make_state();
  EXPECT_EQ(limit.max_step(*state, at(0.1), at(0.99)), 1);
  const double step = limit.max_step(*state, at(0.1), at(5));
  EXPECT_NEAR(step, 0.9 * 0.9 / 4.9, 1e-12) << "nine tenths of the way to the limit";
  EXPECT_TRUE(std::isfinite(value(limit, at(0.1) + step * (at(5) - at(0.1)))));

  // A force of any size is held.
  Vec forces = Vec::Zero(15);
  point(forces, 1) = Vec3(1e4, 0, 0);
  const Load load(forces);
  const IdentityMapping identity(15);
  Objective objective(identity);
  objective.add("limit", limit);
  objective.add("load", load);
  Vec lower = Vec::Constant(15, -10), upper = Vec::Constant(15, 10);
  objective.set_bounds(lower, upper);
  Vec x = keys;
  const Summary summary = minimize(objective, x, {.gradient_tolerance = 1e-6});
  EXPECT_TRUE(summary.converged()) << describe(summary);
  const double distance = (point(x, 1) - point(keys, 1)).norm();
  EXPECT_LT(distance, 0.2);
  EXPECT_GT(distance, 0.19);
}

TEST(Rods, ResistBendingAndTwistingApart) {
  const Rods rods({{.first = 0, .axis = Vec3(0, 2, 0), .bend = 3, .twist = 5},
                   {.first = 4, .axis = Vec3(1, 1, 0), .bend = 1, .twist = 10, .rest = Vec3(0.1, 0.2, 0.3)}});
  const Vec q = noise(8, 4, 1);
  const LawReport report = check_energy(rods, q);
  EXPECT_TRUE(report.ok()) << report;
  Vec turn_q = Vec::Zero(8);
  turn_q.segment<3>(4) = Vec3(0.1, 0.2, 0.3);  // no moment in the second joint
  turn_q(1) = 0.5;
  EXPECT_NEAR(value(rods, turn_q), 0.5 * 5 * 0.25, 1e-14) << "twist about the bone";
  turn_q(1) = 0, turn_q(2) = 0.5;
  EXPECT_NEAR(value(rods, turn_q), 0.5 * 3 * 0.25, 1e-14) << "bending across it";
  EXPECT_THROW(Rods(std::vector<RodJoint>{{.axis = Vec3::Zero()}}), Error);
  EXPECT_THROW(Rods(std::vector<RodJoint>{{.bend = -1}}), Error);
}

TEST(CoordinatePrior, KeepsTheLawsOfEnergies) {
  const CoordinatePrior springs({1, 4, 2}, Vec{{1, 2, 3}}, Vec{{0.1, 0, -1}});
  const Vec q = noise(6, 5, 1);
  EXPECT_TRUE(check_energy(springs, q).ok()) << check_energy(springs, q);
  const Mat B = noise3(6, 1);
  const CoordinatePrior coupled({5, 0, 3}, Mat(B * B.transpose()), Vec{{0.1, 0, -1}});
  EXPECT_TRUE(check_energy(coupled, q).ok()) << check_energy(coupled, q);
  EXPECT_THROW(CoordinatePrior({0, 1, 2}, Mat(-Mat3::Identity()), Vec(Vec3::Zero())), Error);
  EXPECT_THROW(CoordinatePrior({0, 1, 2}, Mat(B), Vec(Vec3::Zero())), Error) << "not symmetric";
}

}  // namespace
}  // namespace rigspace
