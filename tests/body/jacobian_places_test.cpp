// Places of entries in the Jacobian of a black box: samples may lack entries that the rig has in other poses.

#include "rigspace/body/rig_predictor.h"

#include "rigspace/rig/black_box.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace rigspace {
namespace {

/// Three points: `lift` moves the first, `slide` the second; the third follows `slide` only as far as `lift` is beyond
/// 0.5, as with a collision or a switch in a rig.
std::shared_ptr<const BlackBoxRig> switching_rig() {
  BlackBoxDescription box;
  for (const char* name : {"lift", "slide"}) box.controls.push_back({.name = name, .typical = 0.3});
  box.point_count = 3;
  box.noise = 0;
  box.evaluate = [](In p, Vec& s) {
    s.resize(9);
    point(s, 0) = Vec3(0, p[0], 0);
    point(s, 1) = Vec3(1 + p[1], 0, 0);
    point(s, 2) = Vec3(2, 0, std::max(0.0, p[0] - 0.5) * p[1]);
  };
  return std::make_shared<BlackBoxRig>(box);
}

RigSpaceDescription switching_body(std::shared_ptr<const Rig> rig) {
  return {.rig = std::move(rig), .free = {0, 1}, .node_count = 3, .bound = {0, 1, 2}, .ties = one_point_each(3)};
}

Vec switching_points(const Rig& rig, In p) {
  Vec s;
  rig.evaluate(*rig.make_workspace(), p, s);
  return s;
}

JacobianSample switching_sample(const Rig& rig, const Vec& p) {
  JacobianSample sample{
      .p_key = rig.rest(), .p = p, .s_key = switching_points(rig, rig.rest()), .s = switching_points(rig, p)};
  rig.jacobian(*rig.make_workspace(), p, std::vector<int>{0, 1}, sample.J);
  return sample;
}

Mat dense_rows(const BlockJacobian& J) {
  Mat all = Mat::Zero(3 * J.points(), J.columns);
  for (int i = 0; i < J.points(); ++i)
    for (int e = J.start[i]; e < J.start[i + 1]; ++e) all.block<3, 1>(3 * i, J.column[e]) = J.value.col(e);
  return all;
}

Mat switching_jacobian(const Rig& rig, const Vec& p) { return dense_rows(switching_sample(rig, p).J); }

TEST(LinearRig, HasTheIncludedPlacesAndThoseOfTheRig) {
  const auto rig = switching_rig();
  LinearRig linear(switching_body(rig), switching_points(*rig, rig->rest()));
  // Every control at the first two points; nothing at the third.
  linear.include_places({0, 2, 4, 4}, {0, 1, 0, 1});
  linear.set_point(rig->rest(), switching_points(*rig, rig->rest()));
  linear.evaluate_jacobian();
  EXPECT_EQ(linear.rows().start, (std::vector<int>{0, 2, 4, 4}));
  EXPECT_LT((dense_rows(linear.J()) - switching_jacobian(*rig, rig->rest())).norm(), 1e-12);

  const Vec beyond = Eigen::Vector2d(0.9, 0.2);
  const long pattern = linear.pattern();
  linear.set_point(beyond, switching_points(*rig, beyond));
  linear.evaluate_jacobian();
  EXPECT_EQ(linear.rows().start, (std::vector<int>{0, 2, 4, 6}));
  EXPECT_NE(linear.pattern(), pattern);
  ASSERT_GT(switching_jacobian(*rig, beyond).bottomRows(3).norm(), 0.1);
  EXPECT_LT((dense_rows(linear.J()) - switching_jacobian(*rig, beyond)).norm(), 1e-12);

  // A change is given for the included places alone; other entries stay.
  linear.add_to_rows(Eigen::Matrix3Xd::Ones(3, 4));
  Mat expected = switching_jacobian(*rig, beyond);
  expected.topRows(6).array() += 1;
  EXPECT_LT((dense_rows(linear.J()) - expected).norm(), 1e-12);
}

TEST(RigPredictor, TakesTheUnionOfThePlacesOfItsSamples) {
  const auto rig = switching_rig();
  const Vec rest = switching_points(*rig, rig->rest());
  RigPredictor predictor(switching_body(rig), rest, {.use = JacobianUse::few_evaluations, .frames = 0});
  const std::vector<JacobianSample> samples{switching_sample(*rig, rig->rest()),
                                            switching_sample(*rig, Eigen::Vector2d(0.9, 0.2)),
                                            switching_sample(*rig, Eigen::Vector2d(0, 0.3))};
  ASSERT_NE(samples[0].J.column.size(), samples[1].J.column.size());
  predictor.set_samples(samples, rest.replicate(1, 3));
  predictor.begin(rig->rest(), rig->rest(), rest);
  EXPECT_EQ(predictor.linear().rows().column.size(), 4u);  // one a point, and both at the third
  EXPECT_LT((dense_rows(predictor.linear().J()) - switching_jacobian(*rig, rig->rest())).norm(), 0.05);
}

TEST(RigPredictor, KeepsWhatTheRigMovesBesideTheSamples) {
  // No sample has an entry at the third point. Where the rig has one, an evaluated J has it too: without it the step
  // would be solved as if the third point stood still.
  const auto rig = switching_rig();
  const Vec rest = switching_points(*rig, rig->rest());
  RigPredictor predictor(switching_body(rig), rest,
                         {.use = JacobianUse::few_evaluations, .frames = 0, .most_steps = 1});
  const std::vector<JacobianSample> samples{switching_sample(*rig, rig->rest()),
                                            switching_sample(*rig, Eigen::Vector2d(0.3, 0)),
                                            switching_sample(*rig, Eigen::Vector2d(0, 0.3))};
  predictor.set_samples(samples, rest.replicate(1, 3));
  Vec y;
  for (int k = 0; k < 4; ++k) {  // the second and later steps change an evaluated J by the change of the model
    const Vec p = Eigen::Vector2d(0.9 + 0.01 * k, 0.2);
    predictor.begin(p, rig->rest(), rest);
    while (!predictor.check_linearisation(p, y)) predictor.renew();
    EXPECT_LT((dense_rows(predictor.linear().J()) - switching_jacobian(*rig, p)).norm(), 0.05) << "step " << k;
    predictor.accept(p);
  }
  EXPECT_GT(predictor.counts().jacobians, 0);
}

}  // namespace
}  // namespace rigspace
