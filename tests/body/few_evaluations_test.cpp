// A rig made linear with as few evaluations as possible (RigPredictor).

#include "rigspace/body/rig_predictor.h"

#include "let_go.h"
#include "rigspace/body/rig_space_simulation.h"
#include "rigspace/cast/cast.h"
#include "rigspace/rig/black_box.h"
#include "support/rig_points.h"

#include <gtest/gtest.h>

#include <cmath>

namespace rigspace {
namespace {

constexpr int kStripPoints = 48;

/// A strip that a keyed control turns as a whole; free ones bend it, stretch it, and lift its far end.
std::shared_ptr<const BlackBoxRig> lifted_strip() {
  BlackBoxDescription box;
  for (const char* name : {"bend", "stretch", "lift", "turn"}) box.controls.push_back({.name = name, .typical = 0.3});
  box.point_count = kStripPoints;
  box.noise = 0;
  box.evaluate = [](In p, Vec& s) {
    const Mat3 turn = Eigen::AngleAxisd(p[3], Vec3(1, 2, 3).normalized()).toRotationMatrix();
    for (int i = 0; i < kStripPoints; ++i) {
      const double t = 0.05 * (i / 2), a = p[0] * t;
      const Vec3 local((1 + p[1]) * t * std::cos(a), t * std::sin(a) + p[2] * t * t * std::cos(a),
                       i % 2 == 0 ? 0.2 : -0.2);
      point(s, i) = turn * (local + Vec3(0, 0.3, 0));
    }
  };
  return std::make_shared<BlackBoxRig>(box);
}

RigSpaceDescription tied_strip(std::shared_ptr<const Rig> rig) {
  RigSpaceDescription map{
      .rig = std::move(rig), .free = {0, 1, 2}, .node_count = kStripPoints, .ties = one_point_each(kStripPoints)};
  for (int i = 0; i < kStripPoints; ++i) map.bound.push_back(i);
  return map;
}

/// Steps of the strip along a motion of its free controls, and what the linear rig missed at their ends.
class Driven {
 public:
  explicit Driven(const LinearRigOptions& options)
      : rig_(lifted_strip()), linear_(tied_strip(rig_), testing::points_at(*rig_, rig_->rest()), options) {}

  void step(const Vec3& free, double turn, double length = 1) {
    Vec p_key(4), p(4);
    p_key << 0, 0, 0, turn;
    p << free, turn;
    linear_.set_step(length);
    linear_.begin(p, p_key, testing::points_at(*rig_, p_key));
    Vec y, touching;
    while (!linear_.check_linearisation(p, y)) linear_.renew();
    linear_.linear().at(p, touching);
    EXPECT_EQ(y, testing::points_at(*rig_, p));
    missed_ = std::max(missed_, (touching - y).norm());
    way_ = std::max(way_, (y - last_).norm());
    last_ = y;
    linear_.accept(p);
  }
  /// Swings that repeat every 200 steps, wide enough that J changes a lot: by 5 % of itself in the fastest step.
  void swing(int from, int to) {
    for (int k = from; k < to; ++k) {
      const double phase = 2 * M_PI * k / 200;
      step({1.5 * std::sin(phase), 0.1 * std::cos(phase), 0.3 * std::sin(2 * phase)}, 0);
    }
  }

  RigPredictor& linear() { return linear_; }
  LinearRigCounts counts() const { return linear_.counts(); }
  double missed() const { return missed_; }
  double way() const { return way_; }

 private:
  std::shared_ptr<const BlackBoxRig> rig_;
  RigPredictor linear_;
  Vec last_ = Vec::Zero(3 * kStripPoints);
  double missed_ = 0, way_ = 0;
};

constexpr LinearRigOptions kFew{.use = JacobianUse::few_evaluations, .most_steps = 10000};

TEST(RigPredictor, EvaluatesOnceAStepWhileItTurnsAndSwingsALittle) {
  Driven driven(kFew);
  for (int k = 0; k < 5; ++k) driven.step({0.02 * std::sin(0.1 * k), 0.01 * std::cos(0.1 * k), 0}, 0.03 * k);
  const long before = driven.counts().evaluations, jacobians = driven.counts().jacobians;
  for (int k = 5; k < 205; ++k) driven.step({0.02 * std::sin(0.1 * k), 0.01 * std::cos(0.1 * k), 0}, 0.03 * k);
  EXPECT_EQ(driven.counts().evaluations - before, 200);
  EXPECT_EQ(driven.counts().jacobians, jacobians);
}

TEST(RigPredictor, CountsAllEvaluations) {
  const auto rig = lifted_strip();
  RigPredictor linear(tied_strip(rig), testing::points_at(*rig, rig->rest()), kFew);
  const long before = rig->evaluations();
  Vec y;
  for (int k = 0; k < 60; ++k) {
    const Vec p = Eigen::Vector4d(std::sin(0.1 * k), 0, 0, 0);
    linear.begin(p, rig->rest(), testing::points_at(*rig, rig->rest()));
    while (!linear.check_linearisation(p, y)) linear.renew();
    linear.accept(p);
  }
  EXPECT_EQ(rig->evaluations() - before - 60, linear.counts().evaluations);  // 60: the keyed pose, by this test
}

TEST(RigPredictor, NeverEndsFartherFromTheRigThanItsTolerance) {
  for (const double tolerance : {0.1, 0.02}) {
    LinearRigOptions options = kFew;
    options.tolerance = tolerance;
    Driven driven(options);
    driven.swing(0, 400);
    EXPECT_LT(driven.missed(), 1.05 * tolerance * driven.way());  // the way is measured by J, which errs itself
    EXPECT_GT(driven.counts().jacobians, 2);
  }
}

/// Jacobians of the strip at rest and around.
void give_samples_of_strip(const Rig& rig, RigPredictor& linear) {
  const Vec rest = testing::points_at(rig, rig.rest());
  std::vector<JacobianSample> known;
  for (const Vec3& free : {Vec3(0, 0, 0), Vec3(0.4, 0, 0), Vec3(-0.4, 0, 0), Vec3(0, 0.1, 0), Vec3(0, 0, 0.3)}) {
    JacobianSample each{.p_key = rig.rest(), .p = rig.rest(), .s_key = rest};
    each.p.head<3>() = free;
    each.s = testing::points_at(rig, each.p);
    rig.jacobian(*rig.make_workspace(), each.p, std::vector<int>{0, 1, 2}, each.J);
    known.push_back(each);
  }
  linear.set_samples(known, rest.replicate(1, std::ssize(known)));
}

TEST(RigPredictor, EvaluatesNoJacobianNearItsSamples) {
  const auto rig = lifted_strip();
  const Vec rest = testing::points_at(*rig, rig->rest());
  RigPredictor linear(tied_strip(rig), rest, kFew);
  give_samples_of_strip(*rig, linear);
  const long before = rig->evaluations();
  const Vec p = Eigen::Vector4d(0.2, 0, 0, 0);
  linear.begin(p, rig->rest(), rest);
  EXPECT_EQ(rig->evaluations() - before, 1);
  BlockJacobian J;
  rig->jacobian(*rig->make_workspace(), p, std::vector<int>{0, 1, 2}, J);
  Vec one, other;
  for (int c = 0; c < 3; ++c) {
    J.push(Vec3(Vec3::Unit(c)), one), linear.linear().J().push(Vec3(Vec3::Unit(c)), other);
    EXPECT_LT((one - other).norm(), 0.03 * one.norm());  // what bends is not linear in its bend
  }
}

TEST(RigPredictor, InterpolatesJacobiansAlongAPath) {
  // So wide a swing that J is far from linear in it: between moments that are known, those around them tell it.
  const auto rig = lifted_strip();
  const Vec rest = testing::points_at(*rig, rig->rest());
  const auto place = [](double phase) {
    return Vec(Eigen::Vector4d(1.2 * std::sin(phase), 0.1 * std::cos(phase), 0.3 * std::sin(2 * phase), 0.2 * phase));
  };
  const auto keyed = [](Vec p) {
    p.head<3>().setZero();
    return p;
  };
  const std::vector<int> free{0, 1, 2};
  std::vector<JacobianSample> known(1);
  known[0].p_key = known[0].p = rig->rest(), known[0].s_key = known[0].s = rest;
  rig->jacobian(*rig->make_workspace(), rig->rest(), free, known[0].J);
  for (int k = 1; k <= 24; ++k) {
    const Vec p = place(k * M_PI / 12);
    JacobianSample each{.p_key = keyed(p),
                        .p = p,
                        .s_key = testing::points_at(*rig, keyed(p)),
                        .s = testing::points_at(*rig, p),
                        .J = {}};
    rig->jacobian(*rig->make_workspace(), p, free, each.J);
    known.push_back(each);
  }
  Mat x_keys(rest.size(), std::ssize(known));
  for (std::size_t k = 0; k < known.size(); ++k) x_keys.col(static_cast<Eigen::Index>(k)) = known[k].s_key;
  RigPredictor linear(tied_strip(rig), rest, kFew);
  linear.set_samples(known, x_keys);
  for (const double between : {0.0, 0.5}) {
    const Vec p = place((7 + between) * M_PI / 12);
    linear.begin(p, keyed(p), testing::points_at(*rig, keyed(p)));
    linear.restart();
    BlockJacobian J;
    rig->jacobian(*rig->make_workspace(), p, free, J);
    Vec one, other;
    for (int c = 0; c < 3; ++c) {
      J.push(Vec3(Vec3::Unit(c)), one), linear.linear().J().push(Vec3(Vec3::Unit(c)), other);
      EXPECT_LT((one - other).norm(), (between == 0 ? 1e-3 : 1e-2) * one.norm()) << "control " << c;
    }
  }
}

TEST(RigPredictor, MissesLessOfAWideSwingWithSamples) {
  const auto steps = [](bool sampled) {
    const auto rig = lifted_strip();
    const Vec rest = testing::points_at(*rig, rig->rest());
    RigPredictor linear(tied_strip(rig), rest, kFew);
    if (sampled) give_samples_of_strip(*rig, linear);
    Vec y;
    for (int k = 0; k < 200; ++k) {
      const Vec p = Eigen::Vector4d(0.4 * std::sin(0.06 * k), 0.05 * std::cos(0.06 * k), 0, 0);
      linear.begin(p, rig->rest(), rest);
      while (!linear.check_linearisation(p, y)) linear.renew();
      linear.accept(p);
    }
    return linear.counts();
  };
  const LinearRigCounts plain = steps(false), sampled = steps(true);
  EXPECT_GT(plain.jacobians, 5);
  EXPECT_LT(4 * sampled.jacobians, plain.jacobians);
}

TEST(RigPredictor, SkipsEvaluationsWhileEvaluatedEndsAreNear) {
  LinearRigOptions options = kFew;
  options.most_unevaluated_steps = 3;
  const auto rig = lifted_strip();
  RigPredictor linear(tied_strip(rig), testing::points_at(*rig, rig->rest()), options);
  give_samples_of_strip(*rig, linear);
  double missed = 0, way = 0;
  Vec y, last = testing::points_at(*rig, rig->rest());
  for (int k = 0; k < 400; ++k) {
    const Vec p = Eigen::Vector4d(0.3 * std::sin(0.05 * k), 0.05 * std::cos(0.05 * k), 0, 0);
    linear.begin(p, rig->rest(), testing::points_at(*rig, rig->rest()));
    while (!linear.check_linearisation(p, y)) linear.renew();
    linear.accept(p);
    missed = std::max(missed, (y - testing::points_at(*rig, p)).norm());
    way = std::max(way, (y - last).norm());
    last = y;
  }
  EXPECT_GT(linear.counts().unevaluated, 200);
  EXPECT_LT(linear.counts().evaluations, 300);     // those of Jacobians included
  EXPECT_LT(missed, 4 * options.tolerance * way);  // what each of four steps may miss
}

TEST(RigPredictor, EvaluatesAsOftenAsItsBoundNeeds) {
  // A swing that grows quicker: at its end fewer steps may go without an evaluation than at its start, and none of them
  // misses by much more than the tolerance, which is what the next evaluated end is expected to miss by.
  LinearRigOptions options = kFew;
  options.most_unevaluated_steps = 7;
  const auto rig = lifted_strip();
  const Vec rest = testing::points_at(*rig, rig->rest());
  RigPredictor linear(tied_strip(rig), rest, options);
  give_samples_of_strip(*rig, linear);
  constexpr int kSteps = 900;
  double worst = 0;
  long skipped[3] = {};
  Vec y, last = rest;
  for (int k = 0; k < kSteps; ++k) {
    const double phase = 0.01 * k + 0.00015 * k * k;
    const Vec p = Eigen::Vector4d(0.4 * std::sin(phase), 0.05 * std::cos(phase), 0, 0);
    const long before = linear.counts().unevaluated;
    linear.begin(p, rig->rest(), rest);
    while (!linear.check_linearisation(p, y)) linear.renew();
    linear.accept(p);
    const Vec truth = testing::points_at(*rig, p);
    const double way = std::max((truth - last).norm(), 1e-3 * rest.norm());
    if (linear.counts().unevaluated > before)
      ++skipped[3 * k / kSteps], worst = std::max(worst, (y - truth).norm() / way);
    last = truth;
  }
  EXPECT_GT(skipped[0], 100);
  EXPECT_LT(skipped[2], skipped[0]);
  EXPECT_LT(worst, 1.5 * options.tolerance);
}

TEST(RigPredictor, ExtrapolatesByTheLengthOfSteps) {
  // Free controls go on evenly while steps change their length: what is carried on is right only for the right length.
  Driven driven(kFew);
  double time = 0;
  for (int k = 0; k < 40; ++k) {
    const double length = k % 3 == 0 ? 0.5 : 1;
    time += length;
    driven.step({0.01 * time, 0.005 * time, 0}, 0, length);
  }
  EXPECT_EQ(driven.counts().moved, 0);
}

TEST(RigPredictor, EvaluatesAgainAfterARestart) {
  Driven driven(kFew);
  driven.swing(0, 30);
  const long before = driven.counts().evaluations;
  driven.linear().restart();
  driven.step({0.1, 0, 0}, 0);
  EXPECT_EQ(driven.counts().evaluations - before, 2);  // where it begins, since nothing led there, and where it ends
}

TEST(RigPredictor, EvaluatesTheJacobiansOfARepeatedMotionOnce) {
  LinearRigOptions remembering = kFew;
  remembering.remember_jacobians = true;
  Driven plain(kFew), knowing(remembering);
  plain.swing(0, 800), knowing.swing(0, 800);
  EXPECT_GT(knowing.counts().from_memory, 5);
  EXPECT_LT(4 * knowing.counts().jacobians, plain.counts().jacobians);
  const long before = knowing.counts().jacobians, paid = knowing.counts().evaluations;
  knowing.swing(800, 1200);
  EXPECT_LT(20 * (knowing.counts().jacobians - before), plain.counts().jacobians);
  EXPECT_LT(knowing.counts().evaluations - paid, 2 * 400);
  EXPECT_LT(knowing.missed(), 1.05 * remembering.tolerance * knowing.way());
}

TEST(RigPredictor, GoesOnFromItsMemoryToTheBit) {
  LinearRigOptions options = kFew;
  options.remember_jacobians = options.broyden = true;
  Driven one(options), other(options);
  one.swing(0, 150);
  other.linear().restore(one.linear().saved_state());
  Vec a, b;
  for (int k = 150; k < 260; ++k) {
    one.swing(k, k + 1), other.swing(k, k + 1);
    const Vec p = Eigen::Vector4d(0.4, 0.1, 0.2, 0);
    one.linear().linear().at(p, a), other.linear().linear().at(p, b);
    ASSERT_EQ(a, b) << "step " << k;
  }
}

Vec let_go(bool linear, double step) {
  LinearRigOptions few = black_box_jacobian();
  few.tolerance = 0.003;  // beside the curvature, what J may miss is left: it does not go with the step
  return rigspace::let_go({linear, step, few});
}

TEST(RigPredictor, ComesToWhereTheRigDoesAsStepsGetSmaller) {
  // What is carried on to second order keeps the rig's curvature in the inertia, which (4.6) as printed loses.
  const Vec coarse = let_go(false, 0.005), fine = let_go(false, 0.00125);
  ASSERT_GT((coarse - Vec::Constant(coarse.size(), 0.3)).norm(), 1);
  const double before = (let_go(true, 0.005) - coarse).norm(), after = (let_go(true, 0.00125) - fine).norm();
  EXPECT_LT(after, before / 4);
  EXPECT_LT(before, (coarse - fine).norm());  // less than what the step itself errs by
}

}  // namespace
}  // namespace rigspace
