#include "rigspace/rig/posed_node.h"
#include "rigs.h"
#include "rigspace/base/error.h"
#include "rigspace/testing/check_rig.h"

#include <gtest/gtest.h>

namespace rigspace {
namespace {

using testing::check_rig;
using testing::random_points;
using testing::random_skin;

Affine world_of(const ControlGraph& graph, int slot, In p) {
  Vec u;
  ControlGraph::Memory memory;
  graph.evaluate(p, u, memory);
  return transform_at(u, graph.slots()[slot]);
}

Vec somewhere(const ControlGraph& graph) {
  Vec p = 0.5 * random_points(static_cast<int>(graph.controls().size()), 3).head(std::ssize(graph.controls()));
  for (Eigen::Index k = 0; k < p.size(); ++k) p[k] += graph.controls()[k].rest;
  return p;
}

/// Reads the controls of a node or joint of another kind, one of which begins at `first`.
template <std::size_t N>
void read(std::array<Source, N>& channels, int first) {
  for (std::size_t k = 0; k < N; ++k) channels[k] = Source::of_control(first + static_cast<int>(k));
}

TEST(PosedNode, IsAGltfNodeWhereItsFramesAreNone) {
  ControlGraph graph;
  const int root = add_node(graph, {.name = "root"}), node = add_node(graph, {.name = "arm", .parent_slot = root});
  PosedNode posed{.name = "posed", .parent_slot = root};
  const int tx = first_control(graph, node);
  read(posed.place, tx), read(posed.key, tx + 3), read(posed.angles, tx + 7), read(posed.scale, tx + 10);
  const int slot = add_posed_node(graph, posed);
  const Vec p = somewhere(graph);
  EXPECT_LT((world_of(graph, slot, p) - world_of(graph, node, p)).norm(), 1e-14);
}

TEST(PosedNode, IsAMayaJointInEveryOrder) {
  for (const RotateOrder order :
       {RotateOrder::xyz, RotateOrder::yzx, RotateOrder::zxy, RotateOrder::xzy, RotateOrder::yxz, RotateOrder::zyx}) {
    ControlGraph graph;
    const int joint = add_maya_joint(graph, {.name = "arm", .order = order, .joint_orient = {0.3, -0.2, 0.5}});
    PosedNode posed{.name = "posed", .euler = true, .order = order};
    // T JO R S: the orientation stands before R, and turns no translation.
    posed.before = (Eigen::AngleAxisd(0.5, Vec3::UnitZ()) * Eigen::AngleAxisd(-0.2, Vec3::UnitY()) *
                    Eigen::AngleAxisd(0.3, Vec3::UnitX()))
                       .toRotationMatrix();
    read(posed.place, 0), read(posed.angles, 3), read(posed.scale, 6);
    const int slot = add_posed_node(graph, posed);
    const Vec p = somewhere(graph);
    EXPECT_LT((world_of(graph, slot, p) - world_of(graph, joint, p)).norm(), 1e-14);
  }
}

/// A chain of frames of all kinds: Euler angles, turns, constants, a scalar that another slot passes on.
TEST(PosedNode, KeepsTheLawsOfRigs) {
  auto graph = std::make_shared<ControlGraph>();
  std::vector<int> slots;
  const int weight = add_scalar(*graph, {.name = "weight", .rest = 0.1});
  for (int k = 0; k < 4; ++k) {
    PosedNode node{.name = "n" + std::to_string(k), .parent_slot = slots.empty() ? -1 : slots.back()};
    node.before = rotation_exp(Vec3(0.2, 0.3 * k, -0.1)), node.after = Vec3(1, 1.1, 0.9).asDiagonal();
    node.axes = rotation_exp(Vec3(-0.4, 0.1, 0.2 * k)), node.origin = Vec3(0.1, 0.5, -0.2);
    node.euler = k % 2 == 0, node.order = RotateOrder::yxz;
    const auto control = [&](const char* channel, Unit unit, double rest) {
      return Source::of_control(graph->add_control({.name = node.name + channel, .unit = unit, .rest = rest}));
    };
    for (int c = 0; c < 3; ++c) {
      const std::string axis(1, static_cast<char>('x' + c));
      node.place[c] = c == 1 ? Source::constant(0.3) : control((".t" + axis).c_str(), Unit::length, 0);
      node.angles[c] = control((".r" + axis).c_str(), Unit::angle, 0.2);
      node.scale[c] =
          c == 2 ? Source{.slot = weight, .scale = 0.5, .value = 1} : control((".s" + axis).c_str(), Unit::scale, 1);
    }
    if (!node.euler)
      for (int c = 0; c < 4; ++c)
        node.key[c] = control((".q" + std::string(1, "xyzw"[c])).c_str(), Unit::quaternion, c == 3 ? 1 : 0.2);
    slots.push_back(add_posed_node(*graph, node));
  }
  const BuiltInRig rig(graph, random_points(20, 1), {make_linear_blend_skin(random_skin(20, 3, slots, 2))});
  EXPECT_TRUE(check_rig(rig).ok()) << check_rig(rig);
}

TEST(PosedNode, RefusesWhatIsNotThere) {
  ControlGraph graph;
  EXPECT_THROW(add_posed_node(graph, {.name = "a", .parent_slot = 0}), Error);
  PosedNode node{.name = "b"};
  node.place[0] = Source::of_control(0);
  EXPECT_THROW(add_posed_node(graph, node), Error);
  node.place[0] = Source::of_slot(0);
  EXPECT_THROW(add_posed_node(graph, node), Error);
}

}  // namespace
}  // namespace rigspace
