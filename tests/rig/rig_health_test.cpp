#include "rigspace/rig/rig_health.h"

#include "rigspace/rig/black_box.h"
#include "support/full_plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace rigspace {
namespace {

TEST(RigHealth, FindsWhatDoesNothingAndWhatIsDouble) {
  BlackBoxRig rig({.controls = {{.name = "a"}, {.name = "b"}, {.name = "twice_a"}, {.name = "nothing"}},
                   .point_count = 4,
                   .evaluate =
                       [](In p, Vec& s) {
                         for (int i = 0; i < 4; ++i)
                           s.segment<3>(3 * i) = Vec3(p[0] + 2 * p[2] + i, p[1] * i, (p[0] + 2 * p[2]) * p[1]);
                       },
                   .noise = 0});
  const RigHealth health = check_health(rig);
  EXPECT_EQ(health.without_effect, std::vector<std::string>{"nothing"});
  ASSERT_EQ(health.doubles.size(), 1u);
  EXPECT_EQ(health.doubles[0].first, "a");
  EXPECT_EQ(health.doubles[0].second, "twice_a");
  EXPECT_EQ(health.redundant, 1);
  EXPECT_TRUE(health.broken.empty());
}

TEST(RigHealth, SaysWhereAPoseBreaks) {
  BlackBoxRig rig({.controls = {{.name = "a", .min = -1, .max = 1}},
                   .point_count = 1,
                   .evaluate = [](In p, Vec& s) { s.setConstant(p[0] < 0 ? std::sqrt(p[0]) : p[0]); },
                   .noise = 0});
  const RigHealth health = check_health(rig, {.poses = 16});
  EXPECT_FALSE(health.broken.empty());
}

TEST(RigHealth, NamesControlsWhoseDerivativesDependOnTheStep) {
  BlackBoxRig rig({.controls = {{.name = "smooth"}, {.name = "jerky"}},
                   .point_count = 2,
                   .evaluate =
                       [](In p, Vec& s) {
                         const double steps = std::floor(40 * p[1]) / 40;  // as of a solver that ends too early
                         s.segment<3>(0) = Vec3(std::sin(p[0]), steps, p[0] * p[0]);
                         s.segment<3>(3) = Vec3(1, 2, 3);
                       },
                   .noise = 0});
  EXPECT_EQ(check_health(rig).noisy, std::vector<std::string>{"jerky"});
}

TEST(RigHealth, ShowsOnlyWhatHasAGroup) {
  const BuiltRig built = build(testing::full_plan());
  for (const int i : shown_controls(built.rig->controls())) EXPECT_FALSE(built.rig->controls()[i].group.empty());
  const RigHealth health = check_health(*built.rig);
  EXPECT_TRUE(health.broken.empty());
  EXPECT_LT(health.jacobian_error, 1e-3);  // differences at a kink of the foot roll are off; ours are exact
  EXPECT_TRUE(health.without_effect.empty()) << health.without_effect[0];
}

}  // namespace
}  // namespace rigspace
