#include "rigspace/apps/physics/control_stiffness.h"

#include "energy/bodies.h"
#include "rigspace/base/error.h"
#include "rigspace/body/rig_space_simulation.h"
#include "rigspace/cast/cast.h"
#include "rigspace/rig/built_in_rig.h"
#include "rigspace/rig/skeleton.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace rigspace::control_stiffness_test {
namespace {

/// A rod along x of unit cells, without Poisson's effect: springs in a row. Planes of nodes at the given x are held or
/// follow a control each, `p0.tx`, `p1.tx`; all others are free.
ControlledBody chain(int cells, int held, const std::vector<int>& pulled) {
  const testing::TetBody box = testing::box(Vec3(cells, 1, 1), cells, 1, 1);
  ControlledBody body{.mesh = {box.x, box.tets}, .material = {.young = 1, .poisson = 0}};
  auto graph = std::make_shared<ControlGraph>();
  std::vector<int> slots;
  for (std::size_t k = 0; k < pulled.size(); ++k) slots.push_back(add_node(*graph, {.name = "p" + std::to_string(k)}));
  std::vector<double> points;
  std::vector<std::shared_ptr<const Deformer>> deformers;
  RigSpaceDescription& map = body.map;
  map.node_count = body.mesh.point_count();
  for (int i = 0; i < map.node_count; ++i) {
    const int plane = static_cast<int>(std::lround(box.x[3 * i]));
    const auto at = std::find(pulled.begin(), pulled.end(), plane);
    if (at != pulled.end()) {
      const int point = static_cast<int>(points.size()) / 3;
      deformers.push_back(make_rigid(point, 1, slots[at - pulled.begin()]));
      points.insert(points.end(), &box.x[3 * i], &box.x[3 * i] + 3);
      map.bound.push_back(i), map.ties.add(point, 1), map.ties.end_row();
    } else if (plane != held) {
      map.interior.push_back(i);
    }
  }
  map.rig = std::make_shared<BuiltInRig>(graph, Eigen::Map<const Vec>(points.data(), std::ssize(points)), deformers);
  for (std::size_t k = 0; k < pulled.size(); ++k) map.free.push_back(map.rig->find("p" + std::to_string(k) + ".tx"));
  return body;
}

TEST(ControlStiffness, OfThreeSpringsInARowIsThatOfTheirSeries) {
  const ControlledBody body = chain(3, 0, {3});
  const double soft = control_hessian(body)(0, 0);
  EXPECT_NEAR(soft, 1.0 / 3, 1e-12);  // young 1, area 1, length 3
  // One spring ten times as stiff: by the equations with frozen J_q (RSP 6) the end becomes 4 times as stiff ...
  std::vector<double> factors(15, 1.0);
  const double h = 1e-4;
  std::fill_n(factors.begin(), 5, 1 + h);
  const double slope = (control_hessian(body, factors)(0, 0) - soft) / h;
  EXPECT_NEAR((soft + 9 * slope) / soft, 4, 1e-3);
  // ... and in truth 3 / (2 + 1/10).
  std::fill_n(factors.begin(), 5, 10.0);
  EXPECT_NEAR(control_hessian(body, factors)(0, 0) / soft, 1 / 0.7, 1e-10);
}

TEST(ControlStiffness, IsMetWhereItCanBe) {
  // A rod held in the middle and pulled at both ends: the ends know nothing of each other.
  const ControlledBody body = chain(6, 3, {0, 6});
  const Mat before = control_hessian(body);
  for (const double left : {0.05, 0.3, 4.0, 100.0}) {
    const double scales[] = {left, 1};
    const ControlStiffness result = control_stiffness(body, scales);
    EXPECT_TRUE(result.settled);
    EXPECT_TRUE(result.feasible()) << stiffness_in_words(result, body.map.rig->controls());
    const Mat after = control_hessian(body, result.factors);
    EXPECT_NEAR(after(0, 0) / before(0, 0), left, 1e-3 * left);
    EXPECT_NEAR(after(1, 1) / before(1, 1), 1, 1e-3);
    EXPECT_NEAR(result.controls[0].achieved, after(0, 0) / before(0, 0), 1e-10 * left);
    for (int e = 0; e < 30; ++e) EXPECT_NEAR(result.factors[e], e < 15 ? left : 1, 1e-3 * left) << e;
  }
}

TEST(ControlStiffness, SaysWhatCannotBe) {
  // The plane in the middle is held by the springs on either side, k1 and k2, the end by k2 alone: the end at ten times
  // and the middle as before would take k1 = 2 - 10.
  const ControlledBody body = chain(4, 0, {2, 4});
  const double scales[] = {1, 10};
  const ControlStiffness result = control_stiffness(body, scales);
  EXPECT_FALSE(result.feasible());
  EXPECT_GT(result.controls[1].achieved, 3);
  EXPECT_LT(result.controls[1].achieved, 9.5);
  EXPECT_FALSE(result.controls[0].feasible);
  const std::string words = stiffness_in_words(result, body.map.rig->controls());
  EXPECT_NE(words.find("p1.tx: asked 10, reached "), std::string::npos) << words;
  const double least = *std::min_element(result.factors.begin(), result.factors.end());
  EXPECT_NEAR(least, ControlStiffnessOptions().floor, 1e-9);
}

TEST(ControlStiffness, DoesNotDependOnUnitsOrTheMaterialsModulus) {
  ControlledBody body = chain(4, 0, {2, 4});
  const double scales[] = {0.5, 5};
  const ControlStiffness before = control_stiffness(body, scales);
  body.material.young = 3e5;
  const ControlStiffness after = control_stiffness(body, scales);
  for (std::size_t e = 0; e < before.factors.size(); ++e) EXPECT_NEAR(after.factors[e], before.factors[e], 1e-6);
}

TEST(ControlStiffness, RefusesNonsense) {
  const ControlledBody body = chain(3, 0, {3});
  const double none[] = {0}, two[] = {1, 2};
  EXPECT_THROW(control_stiffness(body, none), Error);
  EXPECT_THROW(control_stiffness(body, two), Error);
  const double one[] = {2};
  EXPECT_THROW(control_stiffness(body, one, {.floor = 0}), Error);
}

/// RSP figure 3: the bar on p1 to p4, held in the middle.
struct Bar {
  Character character = make_character("bar");
  RigSpaceSimulation simulation;
  ControlledBody body;
  std::vector<int> free;

  Bar()
      : simulation(make_rig_body(character, {.cell = 0.053, .use_cache = true}), modes(*character.rig),
                   {.material = {.young = 2e5, .poisson = 0.3}, .gravity = {0, -9.81, 0}}),
        body{simulation.mapping().description(), simulation.body().mesh, simulation.options().material},
        free(simulation.free()) {}

  static std::vector<int> modes(const Rig& rig) {
    std::vector<int> list;
    for (const char* name : {"p1", "p2", "p3", "p4"}) list.push_back(rig.find(name));
    std::sort(list.begin(), list.end());
    return list;
  }
  /// p1 to p4 under the bar's weight.
  Vec sag(std::span<const double> factors) {
    simulation.set_stiffness(factors);
    simulation.restart(character.rig->rest());
    const Summary summary = simulation.settle(character.rig->rest());
    EXPECT_TRUE(summary.converged()) << describe(summary);
    Vec p(4);
    for (int k = 0; k < 4; ++k) p[k] = simulation.controls()[free[k]];
    return p;
  }
};

/// The mean factor of what lies between two places along the bar, metres from its middle.
double mean_factor(const Bar& bar, const ControlStiffness& result, double from, double to) {
  const TetMesh& mesh = bar.body.mesh;
  const Vec size = volumes(mesh);
  double sum = 0, volume = 0;
  for (int e = 0; e < mesh.tet_count(); ++e) {
    double x = 0;
    for (const int corner : mesh.tets[e]) x += mesh.points[3 * corner] / 4;
    if (x > from && x < to) sum += size[e] * result.factors[e], volume += size[e];
  }
  return sum / volume;
}

TEST(ControlStiffness, OfTheBarOfFigure3) {
  Bar bar;
  const double same[] = {1, 1, 1, 1}, half[] = {1, 1, 10, 10}, end[] = {1, 1, 1, 10};
  // Nothing asked, nothing changed; the bar hangs alike on both sides, as far as its few points are alike.
  const ControlStiffness plain = control_stiffness(bar.body, same);
  for (const double factor : plain.factors) EXPECT_NEAR(factor, 1, 1e-6);
  const Vec even = bar.sag(plain.factors);
  EXPECT_NEAR(even[2] / even[1], 1, 0.2);
  EXPECT_NEAR(even[3] / even[0], 1, 0.2);

  // p3 and p4: the right half is stiffer, and bends a tenth as far; the left half as before.
  const ControlStiffness right = control_stiffness(bar.body, half);
  EXPECT_TRUE(right.feasible()) << stiffness_in_words(right, bar.character.rig->controls());
  EXPECT_GT(mean_factor(bar, right, 0.1, 0.5), 8);
  EXPECT_NEAR(mean_factor(bar, right, -0.5, -0.1), 1, 0.05);
  const Vec held = bar.sag(right.factors);
  for (const int k : {2, 3}) EXPECT_NEAR(held[k] / even[k], 0.1, 0.01);
  for (const int k : {0, 1}) EXPECT_NEAR(held[k] / even[k], 1, 0.01);

  // p4 alone: the end is stiff, although p3 bends it too, and three times as much as what is between. p3 cannot stay as
  // it was, since it bends the end as well, and that is said.
  const ControlStiffness tip = control_stiffness(bar.body, end);
  EXPECT_FALSE(tip.controls[2].feasible);
  EXPECT_GT(tip.controls[3].achieved, 5);
  EXPECT_LT(tip.controls[2].achieved, 0.6 * tip.controls[3].achieved);
  EXPECT_GT(mean_factor(bar, tip, 0.25, 0.42), 3 * mean_factor(bar, tip, 0.08, 0.24));
  const Vec stiff_end = bar.sag(tip.factors);
  EXPECT_LT(std::abs(stiff_end[2] + stiff_end[3]), 0.6 * std::abs(even[2] + even[3])) << "the outer joint: half";
  EXPECT_GT(std::abs(stiff_end[2]), 0.5 * std::abs(even[2])) << "the inner joint bends as it did, nearly";
  EXPECT_LT(std::abs(stiff_end[2]), 1.3 * std::abs(even[2]));
  for (const int k : {0, 1}) EXPECT_NEAR(stiff_end[k] / even[k], 1, 0.02);
}

TEST(ControlStiffness, OfSeveralPosesIsMetInEach) {
  // The same chain, unstressed at rest and stretched: two poses, one answer.
  const ControlledBody body = chain(6, 3, {0, 6});
  ControlStiffnessOptions options;
  Vec stretched = body.mesh.points;
  for (Eigen::Index i = 0; i < stretched.size(); i += 3) stretched[i] = 3 + 1.2 * (stretched[i] - 3);
  options.poses.push_back({.p = body.map.rig->rest(), .x = stretched});
  const double scales[] = {5, 0.5};
  const ControlStiffness result = control_stiffness(body, scales, options);
  EXPECT_TRUE(result.feasible()) << stiffness_in_words(result, body.map.rig->controls());
  EXPECT_NEAR(result.controls[0].achieved, 5, 0.01);
  EXPECT_NEAR(result.controls[1].achieved, 0.5, 0.01);
}

TEST(ControlStiffness, LeavesOutWhatNothingResists) {
  // Nobody holds the rod: its one control moves it as a whole.
  const ControlledBody body = chain(3, -1, {3});
  const double scales[] = {7};
  const ControlStiffness result = control_stiffness(body, scales);
  EXPECT_FALSE(result.controls[0].resists);
  EXPECT_FALSE(result.feasible());
  for (const double factor : result.factors) EXPECT_EQ(factor, 1);
  EXPECT_EQ(stiffness_in_words(result, body.map.rig->controls()), "p0.tx: asked 7, has none");
}

}  // namespace
}  // namespace rigspace::control_stiffness_test
