#include "rigspace/rig/control.h"

#include "rigspace/rig/graph.h"
#include "rigspace/rig/skeleton.h"

#include <gtest/gtest.h>

namespace rigspace {
namespace {

TEST(Pattern, MatchesTheControlOrItsNode) {
  const Control control{.name = "tail_01.rx", .node = "tail_01"};
  EXPECT_TRUE(matches(control, "tail*"));
  EXPECT_TRUE(matches(control, "tail_0?"));
  EXPECT_TRUE(matches(control, "*.rx"));
  EXPECT_TRUE(matches(control, "tail_01"));
  EXPECT_FALSE(matches(control, "tail"));
  EXPECT_FALSE(matches(control, "*.ry"));
  EXPECT_FALSE(matches(control, ""));
}

TEST(Pattern, OfManyStarsEnds) {
  EXPECT_FALSE(matches_pattern(std::string(60, 'a'), "*a*a*a*a*a*a*a*a*b"));
  EXPECT_TRUE(matches_pattern("", "***"));
}

TEST(ControlGraph, NumbersRepeatedNames) {
  ControlGraph graph;
  add_node(graph, {.name = "arm"});
  add_node(graph, {.name = "arm"});
  add_node(graph, {.name = "arm"});
  EXPECT_GE(graph.find("arm.rx"), 0);
  EXPECT_GE(graph.find("arm.rx#2"), 0);
  EXPECT_GE(graph.find("arm.rx#3"), 0);
}

}  // namespace
}  // namespace rigspace
