// Few elements and masses for a whole body: forces, stiffness and inertia of all of it.

#include "rigspace/reduce/body_cubature.h"
#include "rigspace/reduce/cubature_quality.h"

#include "rigspace/base/error.h"
#include "rigspace/base/parallel.h"
#include "rigspace/cast/cast.h"
#include "rigspace/energy/solid.h"
#include "shaken.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace rigspace {
namespace {

/// `coarser`: times the size of the cells that the papers' bodies have.
RigBody body_of(std::string_view name, double coarser = 1) {
  for (const CastMember& member : cast())
    if (member.name == name)
      return make_rig_body(make_character(name), {.cell = coarser * member.proxy_cell, .use_cache = true});
  throw Error({.element = std::string(name), .problem = "is not of the cast"});
}

std::vector<int> angles_of(const Rig& rig, const std::vector<std::string>& nodes) {
  std::vector<int> found;
  for (int c = 0; c < static_cast<int>(rig.controls().size()); ++c)
    if (rig.controls()[c].unit == Unit::angle &&
        std::find(nodes.begin(), nodes.end(), rig.controls()[c].node) != nodes.end())
      found.push_back(c);
  return found;
}

/// Free controls anywhere about rest; the inside as the body itself carries it.
std::vector<ExamplePose> examples_of(const RigBody& body, std::span<const int> free, int count, double size) {
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  std::vector<ExamplePose> examples;
  for (int k = 0; k < count; ++k) {
    ExamplePose example{.p_key = body.rig->rest(), .p = body.rig->rest(), .x_key = {}, .x = {}};
    for (const int c : free) example.p[c] += size * normal(random);
    example.x_key = testing::carried(body, example.p_key), example.x = testing::carried(body, example.p);
    examples.push_back(std::move(example));
  }
  return examples;
}

/// A bar whose four joints are free.
struct Bar {
  RigBody body = body_of("bar");
  std::vector<int> free = angles_of(*body.rig, {"left_01", "left_02", "right_01", "right_02"});
  CarrierWeights interior = harmonic_weights(body.mesh, body.skin);
  std::vector<ExamplePose> seen = examples_of(body, free, 40, 0.2), unseen;

  Bar() {
    unseen.assign(seen.begin() + 30, seen.end());
    seen.resize(30);
  }
};

/// dE/dp by differences, through the rig itself.
Vec reduced_force(const RigBody& body, std::span<const int> free, In p, const Energy& energy) {
  const auto state = energy.make_state();
  Vec f(static_cast<Eigen::Index>(free.size()));
  for (std::size_t c = 0; c < free.size(); ++c) {
    constexpr double kStep = 1e-5;
    Vec up = p, down = p;
    up[free[c]] += kStep, down[free[c]] -= kStep;
    f[static_cast<Eigen::Index>(c)] =
        (energy.value(*state, testing::carried(body, up)) - energy.value(*state, testing::carried(body, down))) /
        (2 * kStep);
  }
  return f;
}

TEST(BodyCubature, GivesTheForcesOfAllElementsOnPosesThatItNeverSaw) {
  const Bar bar;
  ASSERT_EQ(bar.free.size(), 12u);
  const BodyCubature cubature = train_cubature(bar.body, bar.free, bar.interior, bar.seen,
                                               {.setting = {.tolerance = 0.03}, .held_out = bar.unseen});
  EXPECT_TRUE(cubature.reached);
  EXPECT_LE(cubature.error, 0.03);
  EXPECT_LT(cubature.held_out_error, 0.06);
  EXPECT_LT(3 * cubature.elements.size(), static_cast<std::size_t>(cubature.candidates));
  for (std::size_t k = 0; k < cubature.elements.size(); ++k) {
    EXPECT_GT(cubature.elements[k].weight, 0);
    if (k > 0) {
      EXPECT_LT(cubature.elements[k - 1].element, cubature.elements[k].element);
    }
  }
  // Not by its own word alone: the energy of a sample, through the rig, by differences.
  const Solid whole(bar.body.mesh.points, bar.body.mesh.tets);
  const Solid few = whole.sample(cubature.elements);
  double sum = 0;
  for (const ExamplePose& example : bar.unseen) {
    const Vec f = reduced_force(bar.body, bar.free, example.p, whole);
    sum += (reduced_force(bar.body, bar.free, example.p, few) - f).squaredNorm() / f.squaredNorm();
  }
  EXPECT_LT(std::sqrt(sum / static_cast<double>(bar.unseen.size())), 0.08);  // controls not scaled by their stiffness
}

TEST(BodyCubature, IsAsStiffAsTheBodyAtRestInEveryDirection) {
  const Bar bar;
  const BodyCubature loose = train_cubature(bar.body, bar.free, bar.interior, bar.seen,
                                            {.setting = {.tolerance = 0.3, .lowest = 0, .highest = 1e6}});
  const BodyCubature kept = train_cubature(bar.body, bar.free, bar.interior, bar.seen, {.setting = {.tolerance = 0.3}});
  EXPECT_GE(kept.lowest, 0.8);
  EXPECT_LE(kept.highest, 1.25);
  EXPECT_TRUE(loose.lowest < 0.8 || loose.highest > 1.25);  // or nothing was tested
  EXPECT_GE(kept.elements.size(), loose.elements.size());
  // Energies of small motions are quadratic: their ratio is within the range of eigenvalues.
  const Solid whole(bar.body.mesh.points, bar.body.mesh.tets), few = whole.sample(kept.elements);
  for (const ExamplePose& example : examples_of(bar.body, bar.free, 20, 1e-4)) {
    const double ratio = few.value(*few.make_state(), example.x) / whole.value(*whole.make_state(), example.x);
    EXPECT_GT(ratio, 0.99 * kept.lowest);
    EXPECT_LT(ratio, 1.01 * kept.highest);
  }
}

TEST(CubatureQuality, LeavesTheSettingAsItIsUnlessAnotherIsChosen) {
  const CubatureSetting shipped = cubature_setting(10000), same = with_quality(shipped, kDefaultQuality);
  EXPECT_EQ(same.tolerance, shipped.tolerance);
  EXPECT_EQ(same.most, shipped.most);
  EXPECT_DOUBLE_EQ(same.lowest, shipped.lowest);
  EXPECT_DOUBLE_EQ(same.highest, shipped.highest);
}

TEST(CubatureQuality, KeepsTheStiffnessWithinItsRangeWhateverIsChosen) {
  for (const double quality : {0.0, 0.1, 0.5, 0.9, 1.0}) {
    const CubatureSetting setting = with_quality(cubature_setting(10000), quality);
    setting.validate();
    EXPECT_GE(setting.lowest, 0.8) << quality;
    EXPECT_LE(setting.highest, 1.25) << quality;
  }
  EXPECT_THROW(with_quality({}, 1.1), Error);
  EXPECT_THROW(with_quality({}, -0.1), Error);
}

TEST(CubatureQuality, BuysSmallerErrorsWithMoreElements) {
  const Bar bar;
  const auto trained = [&](double quality) {
    return train_cubature(bar.body, bar.free, bar.interior, bar.seen,
                          {.setting = with_quality({.tolerance = 0.05}, quality), .held_out = bar.unseen});
  };
  const BodyCubature coarse = trained(0.2), usual = trained(0.5), fine = trained(0.8);
  EXPECT_LT(coarse.elements.size(), usual.elements.size());
  EXPECT_LT(usual.elements.size(), fine.elements.size());
  EXPECT_GT(coarse.held_out_error, usual.held_out_error);
  EXPECT_GT(usual.held_out_error, fine.held_out_error);
}

// As a body is stepped that is a part of another: what is held stays, and moves nothing inside.
TEST(BodyCubature, IsAsStiffWhereSkinIsHeldThatControlsWouldMove) {
  Bar bar;
  bar.body.held.assign(bar.body.skin.size(), 0);
  const Vec& rest = bar.body.mesh.points;
  const double middle = Eigen::Map<const Eigen::Matrix3Xd>(rest.data(), 3, bar.body.node_count()).row(2).mean();
  for (int i = 0; i < bar.body.node_count(); ++i) bar.body.held[i] = bar.body.skin[i] && point(rest, i).z() > middle;
  const auto with_held = [&](const ExamplePose& example) {
    Vec x = example.x_key;
    const auto moved = [&](int i) { return Vec3(point(example.x, i) - point(example.x_key, i)); };
    for (int i = 0; i < bar.body.node_count(); ++i) {
      if (bar.body.skin[i] && !bar.body.held[i]) point(x, i) += moved(i);
      if (bar.body.skin[i]) continue;
      for (const auto& [node, weight] : bar.interior[i])
        if (!bar.body.held[node]) point(x, i) += weight * moved(node);
    }
    return x;
  };
  const BodyCubature kept =
      train_cubature(bar.body, bar.free, bar.interior, bar.seen, {.rest_follows = true, .setting = {.tolerance = 0.1}});
  const Solid whole(rest, bar.body.mesh.tets), few = whole.sample(kept.elements);
  for (const ExamplePose& example : examples_of(bar.body, bar.free, 20, 1e-4)) {
    const Vec x = with_held(example);
    const double ratio = few.value(*few.make_state(), x) / whole.value(*whole.make_state(), x);
    EXPECT_GT(ratio, 0.99 * kept.lowest);
    EXPECT_LT(ratio, 1.01 * kept.highest);
  }
}

TEST(BodyCubature, HasTheInertiaOfAllNodesAndTheForcesOfAccelerations) {
  const Bar bar;
  const BodyCubature cubature =
      train_cubature(bar.body, bar.free, bar.interior, bar.seen, {.setting = {.tolerance = 0.05}});
  EXPECT_GT(cubature.lowest_mass, 0.9);
  EXPECT_LT(cubature.highest_mass, 1.1);
  const Vec masses = lumped_masses(bar.body.mesh, 1.0);
  Vec few = Vec::Zero(masses.size());
  for (const auto& [node, mass] : cubature.masses) {
    EXPECT_GT(mass, 0);
    EXPECT_TRUE(std::binary_search(cubature.nodes.begin(), cubature.nodes.end(), node));
    few[node] = mass;
  }
  EXPECT_LT(2 * cubature.masses.size(), static_cast<std::size_t>(masses.size()));
  const auto weighted = [](const Vec& m, const Vec& a, const Vec& b) {
    double sum = 0;
    for (int i = 0; i < m.size(); ++i) sum += m[i] * a.segment<3>(3 * i).dot(b.segment<3>(3 * i));
    return sum;
  };
  const Vec gravity = Vec3(0, -9.81, 0).replicate(masses.size(), 1);
  double error = 0, size = 0;
  for (const ExamplePose& example : examples_of(bar.body, bar.free, 20, 1e-5)) {
    const Vec moved = example.x - example.x_key;
    const double ratio = weighted(few, moved, moved) / weighted(masses, moved, moved);
    EXPECT_GT(ratio, cubature.lowest_mass - 1e-3);
    EXPECT_LT(ratio, cubature.highest_mass + 1e-3);
    error = std::max(error, std::abs(weighted(few, gravity, moved) - weighted(masses, gravity, moved)));
    size = std::max(size, std::abs(weighted(masses, gravity, moved)));
  }
  EXPECT_LT(error, 0.03 * size);  // six times the tolerance of 0.5 %, which is that of all rows together
}

TEST(BodyCubature, NeedsOneElementForOneStrainEverywhere) {
  // Scaling a ball strains all of it alike, and harmonic weights reproduce affine motion: any element tells of all.
  const RigBody ball = body_of("sphere", 2);
  std::vector<int> free;
  for (const char* name : {"sphere.sx", "sphere.sy", "sphere.sz"}) free.push_back(ball.rig->find(name));
  const CarrierWeights interior = harmonic_weights(ball.mesh, ball.skin);
  const BodyCubature cubature =
      train_cubature(ball, free, interior, examples_of(ball, free, 6, 0.1), {.setting = {.tolerance = 1e-6}});
  EXPECT_TRUE(cubature.reached);
  EXPECT_LE(cubature.elements.size(), 4u);  // that join at once
  const Vec all = volumes(ball.mesh);
  double volume = 0;
  for (const auto& [element, weight] : cubature.elements) volume += weight * all[element];
  EXPECT_NEAR(volume, all.sum(), 1e-5 * all.sum());
}

TEST(BodyCubature, FollowsARestShapeThatIsThePose) {
  Bar bar;
  // The key turns the first joint; around it the others move.
  const std::vector<int> others(bar.free.begin() + 3, bar.free.end());
  for (auto* examples : {&bar.seen, &bar.unseen})
    for (ExamplePose& example : *examples) {
      for (std::size_t c = 0; c < 3; ++c) example.p_key[bar.free[c]] = example.p[bar.free[c]] = 0.3;
      example.x_key = testing::carried(bar.body, example.p_key), example.x = testing::carried(bar.body, example.p);
    }
  const BodyCubature cubature =
      train_cubature(bar.body, others, bar.interior, bar.seen,
                     {.rest_follows = true, .setting = {.tolerance = 0.03}, .held_out = bar.unseen});
  EXPECT_TRUE(cubature.reached);
  EXPECT_LT(cubature.held_out_error, 0.06);
  // Without deviation there is no force, and nothing to learn from.
  std::vector<ExamplePose> still = bar.seen;
  for (ExamplePose& example : still) example.p = example.p_key, example.x = example.x_key;
  const BodyCubature at_rest = train_cubature(bar.body, others, bar.interior, still, {.rest_follows = true});
  EXPECT_GE(at_rest.lowest, 0.8);
  EXPECT_LE(at_rest.highest, 1.25);
}

TEST(BodyCubature, HasOneSettingForAllWithinTheRangeOfCorrections) {
  for (const std::size_t elements : {100u, 1499u, 1500u, 100000u}) {
    const CubatureSetting setting = cubature_setting(elements);
    setting.validate();
    EXPECT_GE(setting.lowest, 0.8);
    EXPECT_LE(setting.highest, 1.25);
    EXPECT_LE(setting.tolerance, 0.03);
  }
}

TEST(BodyCubature, IsTheSameOnAnyNumberOfThreads) {
  const Bar bar;
  std::vector<BodyCubature> found;
  for (const int threads : {1, 2}) {
    const ThreadCountScope scope(threads);
    found.push_back(train_cubature(bar.body, bar.free, bar.interior, bar.seen, {.sketch_rows = 200}));
  }
  ASSERT_EQ(found[0].elements.size(), found[1].elements.size());
  for (std::size_t k = 0; k < found[0].elements.size(); ++k) {
    EXPECT_EQ(found[0].elements[k].element, found[1].elements[k].element);
    EXPECT_EQ(found[0].elements[k].weight, found[1].elements[k].weight);
  }
  ASSERT_EQ(found[0].masses.size(), found[1].masses.size());
  for (std::size_t k = 0; k < found[0].masses.size(); ++k)
    EXPECT_EQ(found[0].masses[k].weight, found[1].masses[k].weight);
  EXPECT_EQ(found[0].error, found[1].error);
}

TEST(BodyCubature, RefusesWhatNothingMoves) {
  const Bar bar;
  EXPECT_THROW(train_cubature(bar.body, {}, bar.interior, bar.seen), Error);
  EXPECT_THROW(train_cubature(bar.body, bar.free, CarrierWeights(3), bar.seen), Error);
  EXPECT_THROW(train_cubature(bar.body, bar.free, bar.interior, bar.seen, {.setting = {.tolerance = 0}}), Error);
  EXPECT_THROW(train_cubature(bar.body, bar.free, bar.interior, bar.seen, {.stiffness = {1.0}}), Error);
  const std::vector<ExamplePose> broken(1);
  EXPECT_THROW(train_cubature(bar.body, bar.free, bar.interior, broken), Error);
}

TEST(BodyCubature, CanBeCancelled) {
  const Bar bar;
  EXPECT_THROW(train_cubature(bar.body, bar.free, bar.interior, bar.seen, {},
                              [](const Progress& progress) { return progress.fraction < 0.2; }),
               Cancelled);
}

}  // namespace
}  // namespace rigspace
