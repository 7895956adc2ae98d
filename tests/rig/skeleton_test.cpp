#include "rigspace/rig/skeleton.h"

#include <gtest/gtest.h>

namespace rigspace {
namespace {

TEST(Skeleton, FindsTheTurnsOfNodesAndOfMayaJointsByName) {
  ControlGraph graph;
  add_scalar(graph, {.name = "smile"});
  const int node = add_node(graph, {.name = "hip"});
  const int joint = add_maya_joint(graph, {.name = "knee", .parent_slot = node});
  for (const auto& [slot, name] : {std::pair{node, "hip"}, std::pair{joint, "knee"}})
    for (int axis = 0; axis < 3; ++axis) {
      const char letter = "xyz"[axis];
      EXPECT_EQ(graph.controls()[translation_controls(graph, slot)[axis]].name, std::string(name) + ".t" + letter);
      EXPECT_EQ(graph.controls()[rotation_controls(graph, slot)[axis]].name, std::string(name) + ".r" + letter);
    }
}

}  // namespace
}  // namespace rigspace
