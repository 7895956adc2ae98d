// Drivers that add to controls which stand alone: every expression that names the control gets the sum.

#include "rigspace/base/error.h"
#include "rigspace/rig/rig_plan.h"
#include "rigspace/testing/check_rig.h"
#include "support/full_plan.h"

#include <gtest/gtest.h>

#include <numbers>

namespace rigspace {
namespace {

using testing::full_plan;

RigPlan with_driver(const std::string& channel, const std::string& expression) {
  RigPlan plan = full_plan();
  plan.controls.push_back({.name = "slider", .node = "slider", .typical = 0.3});
  plan.drivers.push_back({.name = channel, .mode = plan::Driver::Mode::add, .expression = expression});
  return plan;
}

Vec points_at(const Rig& rig, const std::vector<std::pair<std::string, double>>& values) {
  Vec p = rig.rest(), s;
  for (const auto& [name, value] : values) p[rig.find(name)] = value;
  rig.evaluate(*rig.make_workspace(), p, s);
  return s;
}

TEST(DriverAddition, IsWhatTurningTheControlIs) {
  // An angle, degrees in expressions; a plain number; the weight of a shape.
  for (const auto& [control, factor] :
       {std::pair{"roll", 10 * std::numbers::pi / 180}, std::pair{"squash", 10.0}, std::pair{"limb:bulge", 10.0}}) {
    const auto rig = build(with_driver(control, "10 * slider")).rig;
    const double rest = rig->controls()[rig->find(control)].rest;
    const Vec driven = points_at(*rig, {{"slider", 0.03}}), turned = points_at(*rig, {{control, rest + 0.03 * factor}});
    EXPECT_GT((driven - points_at(*rig, {})).norm(), 1e-4) << control;
    EXPECT_LT((driven - turned).norm(), 1e-12) << control;
    EXPECT_TRUE(testing::check_rig(*rig, {.spread = 0.3, .tolerance = 2e-5}).ok()) << control;
  }
}

TEST(DriverAddition, LeavesTheRigToTheBitAtZero) {
  const auto plain = build(full_plan()).rig, driven = build(with_driver("roll", "10 * slider")).rig;
  for (const double roll : {-0.31, 0.0, 0.123456789})
    EXPECT_EQ(points_at(*plain, {{"roll", roll}}), points_at(*driven, {{"roll", roll}}));
}

TEST(DriverAddition, SumsUpAndRefusesCircles) {
  RigPlan plan = with_driver("squash", "slider");
  plan.drivers.push_back({.name = "squash", .mode = plan::Driver::Mode::add, .expression = "2 * slider"});
  const auto rig = build(plan).rig;
  EXPECT_LT((points_at(*rig, {{"slider", 0.1}}) - points_at(*rig, {{"squash", 0.3}})).norm(), 1e-12);
  plan.drivers.push_back({.name = "slider", .mode = plan::Driver::Mode::add, .expression = "squash"});
  EXPECT_THROW(build(plan), Error);
  plan.drivers.back() = {.name = "squash", .mode = plan::Driver::Mode::set, .expression = "1"};
  EXPECT_THROW(build(plan), Error);
}

}  // namespace
}  // namespace rigspace
