#include "rigspace/rig/driver.h"

#include "graph_rigs.h"
#include "rigspace/base/error.h"
#include "rigspace/rig/pose_weights.h"

#include <numbers>

namespace rigspace {
namespace {

using namespace testing;
constexpr double kToDegrees = 180 / std::numbers::pi;

/// The knee bends with the hip: twice its angle, at most 60 degrees; the foot's height by a slot's entry.
std::shared_ptr<ControlGraph> driven_leg(std::vector<int>& slots) {
  auto graph = std::make_shared<ControlGraph>();
  const int hip = add_body(*graph, "hip", Vec3(0, 1, 0));
  const Expression twice = Expression::parse("smoothstep(-60, 60, hip.rx) * 60 + hip.ry * hip.rx / 90");
  const int bend = add_driver(*graph, {.name = "knee.rx",
                                       .expression = twice,
                                       .variables = {Source::of_control(graph->find("hip.rx"), kToDegrees),
                                                     Source::of_control(graph->find("hip.ry"), kToDegrees)},
                                       .scale = 1 / kToDegrees});
  NodeDescription knee{.name = "knee", .parent_slot = hip, .translation = Vec3(0, -0.5, 0)};
  knee.driven = {{7, Source::of_slot(bend)},
                 {8, Source::of_control(graph->find("hip.rz"), 0.5)},
                 {1, {.slot = hip, .entry = 10, .scale = 0.3, .value = -0.1}},
                 {12, Source::constant(0.2)},
                 {7, Source::of_control(graph->find("hip.tx"), 0.7)}};
  slots = {hip, add_node(*graph, knee)};
  PointDescription toe{.name = "toe", .parent_slot = slots[1], .position = Vec3(0, -0.4, 0.2)};
  toe.driven = {{2, Source::of_slot(bend, 0.4)}};
  slots.push_back(add_transform_of_point(*graph, add_point(*graph, toe)));
  slots.push_back(add_transform_of_point(*graph, add_point_of_transform(*graph, hip, Vec3(0.1, 0.2, 0.3))));
  return graph;
}

TEST(Driver, HasExactDerivatives) {
  std::vector<int> slots;
  const auto graph = driven_leg(slots);
  EXPECT_TRUE(check_rig(*cloud_on(graph, slots)).ok()) << check_rig(*cloud_on(graph, slots));
}

TEST(Driver, AddsToTheControlItDrives) {
  ControlGraph graph;
  const int smile = add_number(graph, "smile", 0);
  const int raised = add_driver(
      graph,
      {.name = "brow.ty", .expression = Expression::parse("smile ^ 2 * 3"), .variables = {Source::of_control(smile)}});
  NodeDescription brow{.name = "brow", .translation = Vec3(0, 1, 0), .driven = {{1, Source::of_slot(raised)}}};
  const int slot = add_node(graph, brow);
  Vec p = rest_pose(graph);
  EXPECT_EQ(position_of(graph, p, slot), Vec3(0, 1, 0));
  set(graph, p, "smile", 0.5);
  EXPECT_EQ(position_of(graph, p, slot), Vec3(0, 1.75, 0));
  set(graph, p, "brow.ty", 2);  // keyed over
  EXPECT_EQ(position_of(graph, p, slot), Vec3(0, 2.75, 0));
  EXPECT_EQ(first_control(graph, slot), graph.find("brow.tx"));
}

TEST(Driver, NamesItselfWhereItIsNotFinite) {
  ControlGraph graph;
  const int elbow = add_number(graph, "elbow.rx", 1);
  add_driver(graph,
             {.name = "knee", .expression = Expression::parse("1/elbow.rx"), .variables = {Source::of_control(elbow)}});
  Vec p = rest_pose(graph);
  EXPECT_EQ(slots_at(graph, p)[0], 1);
  p[elbow] = 0;
  try {
    slots_at(graph, p);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(std::string(error.what()).substr(0, 60),
              "driver \"knee\" fails: 1/elbow.rx is infinite at elbow.rx = 0;");
  }
}

TEST(Driver, RefusesWrongVariablesAndChannels) {
  ControlGraph graph;
  add_number(graph, "a", 0);
  EXPECT_THROW(
      add_driver(graph, {.name = "b", .expression = Expression::parse("a + c"), .variables = {Source::of_control(0)}}),
      Error);
  EXPECT_THROW(
      add_driver(graph, {.name = "b", .expression = Expression::parse("a"), .variables = {Source::of_slot(3)}}), Error);
  EXPECT_THROW(add_node(graph, {.name = "n", .driven = {{13, Source::of_control(0)}}}), Error);
  EXPECT_THROW(add_node(graph, {.name = "n", .driven = {{0, Source::of_slot(99)}}}), Error);
  EXPECT_THROW(add_point(graph, {.name = "n", .driven = {{3, Source::of_control(0)}}}), Error);
}

TEST(Point, RestsAtItsPositionAndMovesInItsParentsSpace) {
  ControlGraph graph;
  const int body = add_body(graph, "body", Vec3(1, 2, 3));
  const int point = add_point(graph, {.name = "cv", .parent_slot = body, .position = Vec3(0.1, 0.2, 0.3)});
  Vec p = rest_pose(graph);
  EXPECT_EQ(p[graph.find("cv.tx")], 0);
  set3(graph, p, "cv.t", Vec3(0.5, -0.25, 1));
  const Vec3 expected = apply(transform_of(graph, p, body), Vec3(0.6, -0.05, 1.3));
  EXPECT_LT((position_of(graph, p, point) - expected).norm(), 1e-14);
}

PoseWeights arm_weights(const ControlGraph& graph, PoseKernel kernel) {
  PoseWeights weights{.name = "arm", .kernel = kernel};
  weights.inputs = {Source::of_control(graph.find("a")), Source::of_control(graph.find("b"), 2)};
  weights.examples = {{0, 0}, {1, 0}, {0, 1.5}, {1, 1}, {-1, 0.3}};
  return weights;
}

TEST(PoseWeights, AreOneAtTheirExampleZeroAtTheOthersAndSumToOne) {
  for (const PoseKernel kernel : {PoseKernel::linear, PoseKernel::gaussian, PoseKernel::multiquadric}) {
    ControlGraph graph;
    add_number(graph, "a", 0), add_number(graph, "b", 0);
    const PoseWeights weights = arm_weights(graph, kernel);
    const std::vector<int> slots = add_pose_weights(graph, weights);
    ASSERT_EQ(slots.size(), 5u);
    for (std::size_t j = 0; j < 5; ++j) {
      const Vec p = Eigen::Vector2d(weights.examples[j][0], weights.examples[j][1] / 2);
      const Vec u = slots_at(graph, p);
      for (std::size_t k = 0; k < 5; ++k)
        EXPECT_NEAR(u[graph.slots()[slots[k]].offset], j == k ? 1 : 0, 1e-10);  // the solve's condition is below 1e5
    }
    const Vec u = slots_at(graph, Eigen::Vector2d(0.3, 4));
    double sum = 0;
    for (const int slot : slots) sum += u[graph.slots()[slot].offset];
    EXPECT_NEAR(sum, 1, 1e-10);
  }
}

TEST(PoseWeights, HaveExactDerivatives) {
  for (const PoseKernel kernel : {PoseKernel::linear, PoseKernel::gaussian, PoseKernel::multiquadric}) {
    auto graph = std::make_shared<ControlGraph>();
    add_number(*graph, "a", 0.2), add_number(*graph, "b", 0.1);
    std::vector<MorphTarget> targets;
    for (const int slot : add_pose_weights(*graph, arm_weights(*graph, kernel)))
      targets.push_back({slot, {0, 1}, {Vec3(1, slot, 0), Vec3(0, 1, -slot)}});
    const auto rig = make_rig_of(graph, random_points(2, 1), make_blend_shapes(0, 2, targets));
    EXPECT_TRUE(check_rig(*rig).ok()) << check_rig(*rig);
  }
}

TEST(PoseWeights, RefuseWhatCannotBeToldApart) {
  ControlGraph graph;
  add_number(graph, "a", 0), add_number(graph, "b", 0);
  PoseWeights weights = arm_weights(graph, PoseKernel::gaussian);
  weights.radius = 1e5;
  EXPECT_THROW(add_pose_weights(graph, weights), Error);
  weights = arm_weights(graph, PoseKernel::multiquadric);
  weights.examples.push_back({1, 0});
  EXPECT_THROW(add_pose_weights(graph, weights), Error);
  weights.examples.back() = {1};
  EXPECT_THROW(add_pose_weights(graph, weights), Error);
}

}  // namespace
}  // namespace rigspace
