#include "rigspace/rig/stand_in.h"

#include "rigspace/base/error.h"
#include "rigspace/cast/cast.h"
#include "rigspace/testing/check_rig.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace rigspace::stand_in_test {
namespace {

/// The arm of the cast: skin as the fast rig, and for a slow one skin that keeps its volume. Elbow and wrist are
/// turned.
struct Arm {
  std::shared_ptr<const Rig> fast, slow;
  int elbow = -1, wrist = -1;

  Arm() {
    const RiggedCharacter rigged = make_rigged_character("arm");
    RigPlan plan = rigged.plan;
    fast = build(plan).rig;
    for (plan::Deformer& deformer : plan.deformers)
      if (auto* skin = std::get_if<plan::Skin>(&deformer.kind)) skin->dual_quaternion = true;
    slow = build(plan).rig;
    elbow = slow->find(rigged.character.bones[1].name + ".rz");
    wrist = slow->find(rigged.character.bones[2].name + ".rz");
  }

  Vec at(double elbow_turn, double wrist_turn) const {
    Vec p = slow->rest();
    p[elbow] = elbow_turn, p[wrist] = wrist_turn;
    return p;
  }

  std::vector<Vec> poses() const {
    std::vector<Vec> poses;
    for (int i = 0; i <= 6; ++i)
      for (int j = 0; j <= 4; ++j) poses.push_back(at(0.25 * i, 0.2 * j - 0.4));
    return poses;
  }
};

double rms(const Vec& a, const Vec& b) { return (a - b).norm() / std::sqrt(static_cast<double>(a.size() / 3)); }

TEST(StandIn, ErrsWithinItsBoundOnUnseenPosesAndGivesWayBeyondTheTolerance) {
  const Arm arm;
  for (const bool with_fast : {true, false}) {
    const double tolerance = with_fast ? 1e-4 : 1e-3;
    const StandInRig rig(arm.slow, with_fast ? arm.fast : nullptr, arm.poses(), {.tolerance = tolerance});
    const auto workspace = rig.make_workspace(), slow = arm.slow->make_workspace(), fast = arm.fast->make_workspace();
    std::mt19937 random(1);
    std::uniform_real_distribution<double> inside(0.05, 1.45), wide(-1.5, 3.0), wrist(-0.4, 0.4);
    Vec own, truth, skin, learned;
    double most = 0, effect = 0;
    int trusted = 0;
    for (int k = 0; k < 120; ++k) {
      const Vec p = arm.at(k < 60 ? inside(random) : wide(random), wrist(random));
      const double bound = rig.bound(p);
      rig.evaluate(*workspace, p, own);
      rig.predict(*workspace, p, learned);
      arm.slow->evaluate(*slow, p, truth);
      arm.fast->evaluate(*fast, p, skin);
      if (bound > tolerance) {
        EXPECT_EQ(own, truth) << k;
        continue;
      }
      ++trusted;
      EXPECT_EQ(own, learned) << k;
      EXPECT_LE(rms(learned, truth), bound) << k;
      most = std::max(most, rms(own, truth)), effect = std::max(effect, rms(skin, truth));
    }
    EXPECT_EQ(rig.fast_poses(), trusted);
    EXPECT_EQ(rig.slow_poses(), 120 - trusted);
    EXPECT_GT(trusted, 55);
    EXPECT_LT(trusted, 115);
    EXPECT_LE(most, tolerance);
    if (with_fast) {
      EXPECT_LT(most, 0.2 * effect);
    }
    Vec other = arm.at(0.5, 0);
    other[arm.slow->find("skin:biceps")] = 0.5;  // never varied
    EXPECT_TRUE(std::isinf(rig.bound(other)));
  }
}

TEST(StandIn, IsARigLikeAnyOther) {
  const Arm arm;
  const StandInRig rig(arm.slow, arm.fast, arm.poses(), {.tolerance = 1e-4});
  ASSERT_TRUE(rig.trusted(arm.at(0.63, 0.1)));
  const auto laws = testing::check_rig(rig);
  EXPECT_TRUE(laws.ok()) << laws;
  const auto workspace = rig.make_workspace(), slow = arm.slow->make_workspace();
  const std::vector<int> free = {std::min(arm.elbow, arm.wrist), std::max(arm.elbow, arm.wrist)};
  BlockJacobian J, truth;
  rig.jacobian(*workspace, arm.at(0.63, 0.1), free, J);
  arm.slow->jacobian(*slow, arm.at(0.63, 0.1), free, truth);
  Vec dp = Vec::Ones(2), a, b;
  J.push(dp, a);
  truth.push(dp, b);
  EXPECT_LT((a - b).norm(), 0.02 * b.norm());
  Mat P(arm.at(0, 0).size(), 2), S;
  P.col(0) = arm.at(0.63, 0.1), P.col(1) = arm.at(-2, 0);
  rig.evaluate_batch(*workspace, P, S);
  for (Eigen::Index k = 0; k < 2; ++k) {
    rig.evaluate(*workspace, P.col(k), a);
    EXPECT_EQ(a, Vec(S.col(k))) << k;
  }
}

TEST(StandIn, WrongInputIsOneSentence) {
  const Arm arm;
  EXPECT_THROW(StandInRig(arm.slow, arm.fast, arm.poses(), {}), Error);  // no tolerance
  EXPECT_THROW(StandInRig(arm.slow, arm.fast, std::vector{arm.at(0, 0)}, {.tolerance = 1}), Error);
  EXPECT_THROW(StandInRig(arm.slow, nullptr, std::vector(4, arm.at(0, 0)), {.tolerance = 1}), Error);
}

}  // namespace
}  // namespace rigspace::stand_in_test
