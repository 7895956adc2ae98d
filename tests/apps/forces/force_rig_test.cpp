#include "rigspace/apps/forces/force_rig.h"

#include "rigspace/apps/forces/template_drag.h"
#include "rigspace/base/error.h"
#include "rigspace/testing/check_rig.h"

#include "arm_body.h"

#include <gtest/gtest.h>

#include <array>

namespace rigspace {
namespace {

using testing::arm_body;

/// Largest difference between the given derivative and central differences, relative to its largest entry.
template <class F>
double off_by(const Vec& g, const Vec& at, const Vec& steps, const F& value) {
  double worst = 0;
  for (Eigen::Index k = 0; k < at.size(); ++k) {
    Vec up = at, down = at;
    up[k] += steps[k], down[k] -= steps[k];
    worst = std::max(worst, std::abs((value(up) - value(down)) / (2 * steps[k]) - g[k]) * steps[k]);
  }
  return worst / g.cwiseProduct(steps).cwiseAbs().maxCoeff();
}

TEST(ForceTemplate, HasItsDerivativesAndFadesToNothingAtItsRim) {
  for (const ForceTemplate kind : kAllForceTemplates) {
    const std::vector<double> g{1.3, 0.4, 0.7};
    const Vec3 x = kind == ForceTemplate::torus ? Vec3(0.55, 0.3, 0.12) : Vec3(0.1, -0.15, 0.2);
    const LocalForce f = local_force(kind, g, 2, x);
    EXPECT_GT(f.force.norm(), 0.01) << name(kind);
    for (int k = 0; k < 3; ++k) {
      const Vec3 step = 1e-5 * Vec3::Unit(k);
      const Vec3 by_place = (local_force(kind, g, 2, x + step).force - local_force(kind, g, 2, x - step).force) / 2e-5;
      EXPECT_LT((by_place - f.by_place.col(k)).norm(), 1e-7) << name(kind);
    }
    for (std::size_t k = 0; k < parameters(kind).size(); ++k) {
      std::vector<double> up = g, down = g;
      up[k] += 1e-5, down[k] -= 1e-5;
      const Vec3 by_g = (local_force(kind, up, 2, x).force - local_force(kind, down, 2, x).force) / 2e-5;
      EXPECT_LT((by_g - f.by_parameter.col(static_cast<Eigen::Index>(k))).norm(), 1e-7 * (1 + by_g.norm()))
          << name(kind);
    }
    const Vec3 rim = kind == ForceTemplate::torus ? Vec3(1.0999, 0, 0) : Vec3(0.3999, 0, 0);
    EXPECT_LT(local_force(kind, g, 2, rim).force.norm(), 1e-5);  // C1: it comes to zero as the square
    EXPECT_EQ(local_force(kind, g, 2, 1.01 * rim).force.norm(), 0);
  }
}

TEST(TemplateForce, GradientsOfGeneralisedForcesAgreeWithDifferences) {
  const ForceBody& body = *arm_body();
  const Vec v = testing::random_force(body, 1, 8);
  const TemplateForce on_bone{ForceTemplate::bulge, bone_guide(body, "upper_arm", false)};
  const TemplateForce on_skin{ForceTemplate::bump, skin_guide(body, Vec3(0.4, 0.5, 0), true)};
  const TemplateForce free{ForceTemplate::torus, {.kind = GuideKind::free}};
  const std::vector<std::pair<TemplateForce, Vec>> cases{
      {on_bone, (Vec(6) << 1.2, 0.08, 0.4, 0.02, 0.5, 0.3).finished()},
      {on_skin, (Vec(4) << 0.8, 0.07, 0.01, 0.4).finished()},
      {free, (Vec(9) << 0.7, 0.05, 0.06, 0.25, 0.41, 0.01, 0.3, 0.8, -0.2).finished()}};
  for (const auto& [force, g] : cases) {
    const auto work = [&](const Vec& at) {
      Vec Q = Vec::Zero(v.size());
      add_generalised_force(body, force, at, 1, Q);
      return Q.dot(v);
    };
    Vec gradient = Vec::Zero(g.size());
    add_generalised_force_gradient(body, force, g, v, gradient);
    EXPECT_LT(off_by(gradient, g, Vec::Constant(g.size(), 1e-6), work), 1e-6) << name(force.kind);
  }
}

// The integral of a constant direction over the body is shared out among the vertices: nothing is lost.
TEST(TemplateForce, GeneralisedForcesSumToTheForceOfTheField) {
  const ForceBody& body = *arm_body();
  const TemplateForce radial{ForceTemplate::radial, {.kind = GuideKind::free}};
  Vec g(8), Q = Vec::Zero(3 * body.vertex_count());
  g << 1, 0.02, 0.15, 0.4, 0, 0, 0, 0;  // wholly inside the flesh: opposite forces
  add_generalised_force(body, radial, g, 1, Q);
  const Vec3 sum = Eigen::Map<const Eigen::Matrix3Xd>(Q.data(), 3, Q.size() / 3).rowwise().sum();
  EXPECT_LT(sum.norm(), 0.05 * Q.lpNorm<1>());
  EXPECT_GT(Q.norm(), 0);
}

TEST(ForceRigPart, IsLinearBetweenSamplesAndStaysBeyondThem) {
  ForceRigPart part;
  part.samples = {{1, Vec::Constant(1, 2.0)}, {3, Vec::Constant(1, 6.0)}, {4, Vec::Constant(1, 5.0)}};
  Vec value, slope;
  for (const auto& [c, v, d] : {std::array{0.0, 2.0, 0.0}, {2.0, 4.0, 2.0}, {3.5, 5.5, -1.0}, {9.0, 5.0, 0.0}}) {
    part.sample(c, value, slope);
    EXPECT_DOUBLE_EQ(value[0], v);
    EXPECT_DOUBLE_EQ(slope[0], d);
  }
}

TEST(ForceRig, KeepsTheLawsOfRigs) {
  const ForceRig rig(arm_body(20), testing::arm_rigs(*arm_body(20)));
  EXPECT_GE(rig.find("bump"), 0);
  EXPECT_LT(rig.find("skin:biceps"), 0) << "the shape moves no joint";
  const auto report = testing::check_rig(rig, {.poses = 2, .tolerance = 1e-5});
  EXPECT_TRUE(report.ok()) << report;
}

// Fields add up (14, 15), and the biceps rises as the elbow bends.
TEST(ForceRig, AddsItsForcesAndBulges) {
  const auto body = arm_body();
  const auto rigs = testing::arm_rigs(*body);
  const ForceRig both(body, rigs), none(body, {});
  Vec p = testing::curled(both, 100), s, plain;
  p[both.find("bump")] = 1;
  Vec Q = Vec::Zero(3 * body->vertex_count());
  add_rig_force(*body, rigs[0], 100 * kDegree, Q);
  add_rig_force(*body, rigs[1], 1, Q);
  EXPECT_LT((both.force_at(p) - Q).norm(), 1e-12 * Q.norm());
  both.evaluate(*both.make_workspace(), p, s);
  none.evaluate(*none.make_workspace(), testing::curled(none, 100), plain);
  double most = 0;
  for (int i = 0; i < both.point_count(); ++i)
    if (std::abs(point(body->points_rest, i).x() - 0.15) < 0.02 && point(body->points_rest, i).y() > 0.43)
      most = std::max(most, s[3 * i + 1] - plain[3 * i + 1]);
  EXPECT_GT(most, 0.004);  // metres
  EXPECT_LT(most, 0.05);
}

TEST(TemplateDrag, GradientByOneSolveAgreesWithDifferences) {
  const auto body = arm_body();
  const ForceRig rig(body, {});
  PosedLattice lattice(*body);
  std::vector<Affine> C;
  rig.joints_at(testing::curled(rig, 70), C);
  lattice.set_pose(C);
  TemplateDrag drag(lattice, testing::arm_rigs(*body)[0].force.front(),
                    {{100, Vec3(0.1, 0.5, 0)}, {400, Vec3(0.2, 0.5, 0.05)}});
  const Vec g = (Vec(6) << 1.2, 0.08, 0.4, 0.02, 0.5, 0.3).finished(), preferred = 1.1 * g;
  const DragOptions options{.prior = 0.5};
  Vec gradient, ignored;
  drag.cost(g, preferred, options, gradient);
  EXPECT_LT(off_by(gradient, g, Vec::Constant(6, 1e-6),
                   [&](const Vec& at) { return drag.cost(at, preferred, options, ignored); }),
            1e-5);
}

// The response of the points, computed once, gives what a solve of the lattice and one of its adjoint give.
TEST(TemplateDrag, AnswersAsASolveAnEvaluationDoes) {
  const auto body = arm_body();
  const ForceRig rig(body, testing::arm_rigs(*body));
  PosedLattice lattice(*body);
  std::vector<Affine> C;
  rig.joints_at(testing::curled(rig, 70), C);
  lattice.set_pose(C);
  const TemplateForce force = rig.rigs()[0].force.front();
  const Vec others = rig.force_at(testing::curled(rig, 40));
  const std::vector<DragTarget> targets{{100, Vec3(0.1, 0.5, 0)}, {400, Vec3(0.2, 0.5, 0.05)}, {7, Vec3(0, 0.4, 0)}};
  TemplateDrag drag(lattice, force, {{100, Vec3::Zero()}, {400, Vec3::Zero()}, {7, Vec3::Zero()}}, others);
  drag.move(std::array{targets[0].place, targets[1].place, targets[2].place});
  const Vec g = (Vec(6) << 1.2, 0.08, 0.4, 0.02, 0.5, 0.3).finished();
  Vec gradient, Q = others, y, by_y = Vec::Zero(others.size()), lambda, v, expected = Vec::Zero(6);
  const double cost = drag.cost(g, g, {}, gradient);
  add_generalised_force(*body, force, g, 1, Q);
  lattice.shape_of(Q, y);
  double sum = 0;
  for (const DragTarget& target : targets) {
    const Vec3 miss = body->surface.evaluate(y, target.point) - target.place;
    sum += miss.squaredNorm();
    body->surface.restricted(std::array{target.point}).add_transposed(2 * miss, by_y);
  }
  lattice.solve(by_y, lambda);
  lattice.turned_back(lambda, v);
  add_generalised_force_gradient(*body, force, g, v, expected);
  EXPECT_NEAR(cost, sum, 1e-12 * sum);
  EXPECT_LT((gradient - expected).norm(), 1e-10 * expected.norm());
  EXPECT_THROW(drag.move(std::array{Vec3(0, 0, 0)}), Error);

  // More points than the response is computed for: the same cost again.
  std::vector<DragTarget> many;
  for (int i = 0; i <= TemplateDrag::kResponsePoints; ++i) many.push_back({i, body->surface.evaluate(y, i)});
  EXPECT_LT(TemplateDrag(lattice, force, many, others).distance(g), 1e-12);
}

// Where the targets are what a template gives, its parameters are found back from others.
TEST(TemplateDrag, BringsDraggedPointsToTheirPlaces) {
  const auto body = arm_body();
  const ForceRig rig(body, {});
  PosedLattice lattice(*body);
  std::vector<Affine> C;
  rig.joints_at(testing::curled(rig, 70), C);
  lattice.set_pose(C);
  const TemplateForce force = testing::arm_rigs(*body)[0].force.front();
  const Vec meant = (Vec(6) << 1.5, 0.07, 0.5, 0.02, 0.1, 0).finished();
  Vec Q = Vec::Zero(3 * body->vertex_count()), y;
  add_generalised_force(*body, force, meant, 1, Q);
  lattice.shape_of(Q, y);
  std::vector<DragTarget> targets;
  for (int i = 0; i < body->surface.count(); i += 40)
    if (point(body->points_rest, i).x() < 0.28) targets.push_back({i, body->surface.evaluate(y, i)});
  ASSERT_GT(targets.size(), 5u);
  Vec start = meant;
  start[0] = 0.3, start[2] = 0.4;
  const DragResult result =
      TemplateDrag(lattice, force, targets).solve(start, {.prior = 1e-6, .max_iterations = 80, .tolerance = 1e-7});
  EXPECT_LT(result.after, 0.05 * result.before) << describe(result.summary);
  EXPECT_NEAR(result.parameters[0], meant[0], 0.1);
  EXPECT_THROW(TemplateDrag(lattice, force, {{3, Vec3::Zero()}, {3, Vec3::Ones()}}), Error);
  EXPECT_THROW(TemplateDrag(lattice, force, {{1 << 20, Vec3::Zero()}}), Error);
}

}  // namespace
}  // namespace rigspace
