#include "rigspace/apps/inverse/keep_apart.h"

#include "rigspace/apps/inverse/point_targets.h"
#include "rigspace/base/error.h"
#include "rigspace/cast/cast.h"

#include <gtest/gtest.h>

namespace rigspace::keep_apart_test {
namespace {

// IRM figure 8: targets are the body's alone, and would bring the teeth into the chest.
TEST(KeepApart, TeethStayOutOfTheChestThatTheMotionBringsThemInto) {
  const Character squirrel = make_character("squirrel");
  const std::vector<int> points = spread_points(squirrel, 50, std::vector<std::string>{"teeth", "eyes"});
  const InverseModel model(squirrel, {.clips = {"Nod"}, .points = points, .heading = false, .samples = 40});
  const KeepApart apart(squirrel, std::vector<std::string>{"teeth"}, std::vector<std::string>{"body"});
  EXPECT_EQ(apart.depth(squirrel.rig->rest()), 0);
  Vec p = squirrel.rig->rest(), x;
  for (double bend = 0.3; bend < 1.6 && apart.depth(p) < 0.01; bend += 0.05)
    for (const char* control : {"neck.rx", "head.rx"}) p[squirrel.rig->find(control)] = bend;
  ASSERT_GE(apart.depth(p), 0.01);
  model.features().evaluate(p, x);
  InversePose pose = model.solve(x, {.max_iterations = 30});
  const double before = apart.depth(pose.p), error = pose.joint_error;
  ASSERT_GT(before, 0.008);
  EXPECT_TRUE(apart.refine(model, x, {}, pose));
  EXPECT_LT(apart.depth(pose.p), 0.25 * before);
  EXPECT_LT(pose.joint_error, error + 0.04) << "share of the size: the body hardly gives way";
  Vec reached;
  model.features().evaluate(pose.p, reached);
  EXPECT_NEAR((reached - x).norm() / std::sqrt(static_cast<double>(points.size())) / model.size(), pose.joint_error,
              1e-6);
  // What is apart stays as it is.
  model.features().evaluate(squirrel.rig->rest(), x);
  InversePose rest = model.solve(x);
  EXPECT_FALSE(apart.refine(model, x, {}, rest));
  EXPECT_THROW(KeepApart(squirrel, std::vector<std::string>{"beak"}, std::vector<std::string>{"body"}), Error);
}

}  // namespace
}  // namespace rigspace::keep_apart_test
