#include "rigspace/rig/black_box.h"

#include "rigspace/base/error.h"
#include "rigspace/rig/differences.h"
#include "rigspace/testing/check_rig.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace rigspace {
namespace {

BlackBoxDescription bending_bar() {
  BlackBoxDescription box;
  box.controls = {{.name = "bend", .unit = Unit::angle, .typical = 0.5},
                  {.name = "stretch", .unit = Unit::scale, .rest = 1}};
  box.point_count = 5;
  box.evaluate = [](In p, Vec& s) {
    for (int i = 0; i < 5; ++i) {
      const double along = 0.25 * i * p[1], angle = p[0] * 0.25 * i;
      s.segment<3>(3 * i) = Vec3(along * std::cos(angle), along * std::sin(angle), 0);
    }
  };
  return box;
}

TEST(BlackBoxRig, ObeysTheLawsOfRigs) {
  const BlackBoxRig rig(bending_bar());
  const auto report = testing::check_rig(rig, {.tolerance = 1e-8});
  EXPECT_TRUE(report.ok()) << report;
  EXPECT_EQ(rig.traits().noise, 0);
}

TEST(BlackBoxRig, MeasuresTheNoiseOfASinglePrecisionRigAndWidensItsSteps) {
  BlackBoxDescription box = bending_bar();
  const auto exact = box.evaluate;
  box.evaluate = [exact](In p, Vec& s) {
    exact(p.cast<float>().cast<double>(), s);
    s = s.cast<float>().cast<double>().eval();
  };
  const BlackBoxRig rig(box);
  // Rounding to float leaves about 2^-24 / sqrt(3) of a value below 1: some 1e-8.
  EXPECT_GT(rig.traits().noise, 1e-9);
  EXPECT_LT(rig.traits().noise, 2e-7);

  const BlackBoxRig smooth(bending_bar());
  Vec p(2);
  p << 0.4, 1.1;
  const std::vector<int> all{0, 1};
  BlockJacobian noisy, truth;
  rig.jacobian(*rig.make_workspace(), p, all, noisy);
  smooth.jacobian(*smooth.make_workspace(), p, all, truth);
  EXPECT_LT((noisy.dense() - truth.dense()).cwiseAbs().maxCoeff(), 1e-4);
}

TEST(BlackBoxRig, DifferencesStayWithinLimits) {
  BlackBoxDescription box = bending_bar();
  box.controls[0].min = 0;
  const auto inner = box.evaluate;
  box.evaluate = [inner](In p, Vec& s) {
    ASSERT_GE(p[0], 0);
    inner(p, s);
  };
  const BlackBoxRig rig(box);
  const std::vector<int> all{0, 1};
  BlockJacobian J;
  rig.jacobian(*rig.make_workspace(), rig.rest(), all, J);
  EXPECT_NEAR(J.dense()(3 * 4 + 1, 0), 1.0, 1e-4);  // d(tip.y)/d(bend) at rest, one-sided
}

TEST(BlackBoxRig, NamesItselfWhenItAnswersNonsense) {
  BlackBoxDescription box = bending_bar();
  box.name = "maya";
  box.noise = 0;
  box.evaluate = [](In, Vec& s) { s.setZero(), s[7] = std::numeric_limits<double>::quiet_NaN(); };
  const BlackBoxRig rig(box);
  Vec s;
  try {
    rig.evaluate(*rig.make_workspace(), rig.rest(), s);
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "maya: point 2 is not finite; check the rig at these control values");
    EXPECT_EQ(error.code(), ErrorCode::external_process);
  }
}

}  // namespace
}  // namespace rigspace
