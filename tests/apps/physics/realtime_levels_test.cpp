// Levels of detail of a real-time instance, what it does under a budget and with a root that snaps, and a short play
// with random input. (An hour of it: `rigspace bench realtime --only soak`.)

#include "rigspace/base/error.h"
#include "rigspace/io/formats.h"
#include "rigspace/io/gltf.h"
#include "rigspace/io/gltf_springs.h"
#include "rigspace/io/json_text.h"
#include "support/allocations.h"
#include "support/realtime_ball.h"
#include "support/rods.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

namespace rigspace::realtime_levels_test {
namespace {

using testing::ball;
using testing::ball_model;
using testing::ball_parts;
using testing::deviation_of;
using testing::kFrame;
using testing::kGrid;
using testing::span_of;
using testing::swing;

constexpr std::array kLevels = {RealtimeLevel::full, RealtimeLevel::light, RealtimeLevel::springs};

/// A ball whose springs follow from its rate, and one whose springs are fitted to a clip.
std::shared_ptr<const RealtimeModel> springy_ball() {
  static const auto model = std::make_shared<const RealtimeModel>(ball().character, ball_parts(),
                                                                  RealtimeOptions{.use_cache = false, .springs = true});
  return model;
}

/// A rod of four joints whose root swings, its rates fixed, its springs fitted.
std::shared_ptr<const RealtimeModel> springy_rod() {
  static const auto model = [] {
    Character rod = testing::make_rod(4);
    std::vector<double> times, values;
    for (int k = 0; k <= 200; ++k) times.push_back(k * kGrid), values.push_back(swing(times.back()));
    rod.clips.push_back(testing::root_clip("root.tx", times, values, Interpolation::linear));
    std::vector<Part> parts = parts_from_pattern(rod, "tail*=tail");
    parts[0].settings.rate = 1.5, parts[0].settings.settle = 1;
    return std::make_shared<const RealtimeModel>(rod, parts, RealtimeOptions{.use_cache = false, .springs = true});
  }();
  return model;
}

/// A character that is moved by hand along one axis.
struct Mover {
  explicit Mover(std::shared_ptr<const RealtimeModel> model, RealtimeLevel finest = RealtimeLevel::full,
                 const char* control = "root.ty")
      : rig(model, finest), p(model->character().rig->rest()), at(model->character().rig->find(control)) {}
  void to(double place, double dt = kFrame) {
    p[at] = place;
    rig.set_keyed(span_of(p));
    rig.step(dt);
  }
  double largest() const { return deviation_of(rig).cwiseAbs().maxCoeff(); }

  RealtimeRig rig;
  Vec p;
  int at;
};

// All elements in one matrix, all masses on a few nodes: nearly the same motion while the ball is bent little. 16 % was
// seen, of the control that differs most.
TEST(RealtimeLevel, TheLightBodyMovesNearlyAsTheFullOneInSmallMotion) {
  Mover full(ball_model()), light(ball_model(), RealtimeLevel::light);
  double apart = 0, most = 0;
  for (int k = 1; k <= 240; ++k) {
    full.to(0.05 * swing(k * kFrame)), light.to(0.05 * swing(k * kFrame));
    apart = std::max(apart, (deviation_of(full.rig) - deviation_of(light.rig)).cwiseAbs().maxCoeff());
    most = std::max(most, full.largest());
  }
  EXPECT_GT(most, 1e-4);
  EXPECT_LT(apart, 0.2 * most);
  EXPECT_LT(light.rig.bytes(), full.rig.bytes());
}

TEST(RealtimeLevel, SpringsAreFittedToThePart) {
  const RealtimePart& part = springy_rod()->tuning()[0];
  EXPECT_GT(part.spring_error, 0);
  EXPECT_LT(part.spring_error, 0.8);  // 1 is what standing still has
  Mover full(springy_rod(), RealtimeLevel::full, "root.tx"), springs(springy_rod(), RealtimeLevel::springs, "root.tx");
  std::vector<Vec> of_full;
  double apart = 0, size = 0;
  const int late = 6;  // grid steps: the latency of the full level
  for (int k = 1; k <= 960; ++k) {
    full.to(swing(k * kGrid), kGrid), springs.to(swing((k - late) * kGrid), kGrid);
    if (k < 480) continue;
    apart += (deviation_of(full.rig) - deviation_of(springs.rig)).squaredNorm();
    size += deviation_of(full.rig).squaredNorm();
  }
  EXPECT_LT(std::sqrt(apart / size), 0.9);
}

/// The largest change of the deviation from frame to frame at one level.
double ordinary_change(const std::shared_ptr<const RealtimeModel>& model, const char* control, RealtimeLevel level) {
  Mover mover(model, level, control);
  double most = 0;
  for (int k = 1; k <= 240; ++k) {
    const Vec before = deviation_of(mover.rig);
    mover.to(swing(k * kFrame));
    if (k > 120) most = std::max(most, (deviation_of(mover.rig) - before).cwiseAbs().maxCoeff());
  }
  return most;
}

// The switch itself changes nothing, and frames after it hardly more than those at the levels themselves.
TEST(RealtimeLevel, IsSwitchedWithoutAPop) {
  for (const auto& [model, control] : {std::pair(springy_ball(), "root.ty"), std::pair(springy_rod(), "root.tx")}) {
    double ordinary = 0, switched = 0, instant = 0;
    for (const RealtimeLevel level : kLevels) ordinary = std::max(ordinary, ordinary_change(model, control, level));
    Mover mover(model, RealtimeLevel::full, control);
    Vec before = deviation_of(mover.rig);
    int at = 0;
    for (int k = 1; k <= 600; ++k) {
      if (k > 60 && k % 37 == 0) {
        at = (at + 1 + k % 2) % 3;
        mover.rig.set_level(kLevels[static_cast<std::size_t>(at)]);
        EXPECT_EQ(mover.rig.level(), kLevels[static_cast<std::size_t>(at)]);
        instant = std::max(instant, (deviation_of(mover.rig) - before).cwiseAbs().maxCoeff());
      }
      mover.to(swing(k * kFrame));
      switched = std::max(switched, (deviation_of(mover.rig) - before).cwiseAbs().maxCoeff());
      before = deviation_of(mover.rig);
    }
    EXPECT_GT(ordinary, 1e-3);
    EXPECT_LT(instant, 1e-9);  // rounding
    EXPECT_LT(switched, 1.6 * ordinary);
  }
}

TEST(RealtimeLevel, AllocatesNothingAtAnyLevelNorBetweenThem) {
  if (!RIGSPACE_COUNTS_ALLOCATIONS) GTEST_SKIP() << "this build has an allocator of its own";
  Mover mover(springy_ball());
  for (int k = 1; k <= 9; ++k)
    mover.rig.set_level(kLevels[static_cast<std::size_t>(k % 3)]), mover.to(swing(k * kFrame));
  testing::allocations = 0;
  testing::counting = true;
  for (int k = 10; k <= 120; ++k) {
    if (k % 7 == 0) mover.rig.set_level(kLevels[static_cast<std::size_t>(k % 3)]);
    mover.to(swing(k * kFrame), k == 50 ? 1.0 : kFrame);
    if (k == 70) mover.rig.teleport();
  }
  testing::counting = false;
  EXPECT_EQ(testing::allocations, 0);
}

TEST(RealtimeLevel, RefusesWhatAnInstanceWasNotMadeWith) {
  EXPECT_THROW(RealtimeRig(ball_model(), RealtimeLevel::springs), Error);
  Mover light(springy_ball(), RealtimeLevel::light);
  EXPECT_THROW(light.rig.set_level(RealtimeLevel::full), Error);
  light.rig.set_level(RealtimeLevel::springs);
  light.rig.set_level(RealtimeLevel::light);
}

/// The largest deviation in the second after a root that moved slowly was put elsewhere in one frame.
double after_snap(const std::shared_ptr<const RealtimeModel>& model, RealtimeLevel level, double frame, long& snaps) {
  Mover mover(model, level);
  const int before = static_cast<int>(1 / frame);
  double most = 0;
  for (int k = 1; k <= 2 * before; ++k) {
    mover.to(0.2 * k * frame + (k <= before ? 0 : 0.5), frame);
    if (k > before) most = std::max(most, mover.largest());
  }
  snaps = mover.rig.snaps();
  return most;
}

TEST(RealtimeRig, FeelsNothingOfARootThatSnaps) {
  const auto feels = std::make_shared<const RealtimeModel>(ball().character, ball_parts(),
                                                           RealtimeOptions{.snap_speed = 0, .use_cache = false});
  long snaps = 0;
  const double felt = after_snap(feels, RealtimeLevel::full, kFrame, snaps);
  EXPECT_EQ(snaps, 0);
  EXPECT_GT(felt, 0.05);
  for (const double rate : {25.0, 60.0, 240.0}) {
    EXPECT_LT(after_snap(springy_ball(), RealtimeLevel::full, 1 / rate, snaps), 0.05 * felt) << rate;
    EXPECT_GT(snaps, 0);
  }
  for (const double rate : {60.0, 240.0})  // ticks of springs, 1/60 s, that end within a frame see a part of the snap
    EXPECT_LT(after_snap(springy_ball(), RealtimeLevel::springs, 1 / rate, snaps), 0.1 * felt) << rate;
}

// Motion that a character makes is no snap, and is felt as before: to the bit.
TEST(RealtimeRig, TakesNoOrdinaryMotionForASnap) {
  const auto feels = std::make_shared<const RealtimeModel>(ball().character, ball_parts(),
                                                           RealtimeOptions{.snap_speed = 0, .use_cache = false});
  Mover here(ball_model()), there(feels);
  for (int k = 1; k <= 120; ++k) here.to(4 * swing(k * kFrame)), there.to(4 * swing(k * kFrame));
  EXPECT_EQ(here.rig.snaps(), 0);
  EXPECT_EQ(deviation_of(here.rig), deviation_of(there.rig));
}

// A budget that is used up at once: nothing is stepped, nothing is lost, and without it the motion goes on.
TEST(RealtimeRig, LeavesOutWhatTheBudgetHasNoTimeFor) {
  Mover mover(ball_model());
  for (int k = 1; k <= 60; ++k) mover.to(swing(k * kFrame));
  const Vec held = deviation_of(mover.rig);
  mover.rig.set_budget(1e-9);
  for (int k = 61; k <= 70; ++k) mover.to(swing(k * kFrame));
  EXPECT_EQ(mover.rig.left_out(), 20);                                      // two grid steps a frame, one part
  EXPECT_LT((deviation_of(mover.rig) - held).cwiseAbs().maxCoeff(), 0.02);  // the state between two grid steps
  mover.rig.set_budget(0);
  double most = 0;
  for (int k = 71; k <= 130; ++k) mover.to(swing(k * kFrame)), most = std::max(most, mover.largest());
  EXPECT_EQ(mover.rig.left_out(), 20);
  EXPECT_GT(most, 0.005);
  EXPECT_LT(most, 0.3);
  EXPECT_THROW(mover.rig.set_budget(-1), Error);
}

// The chain of the stand-in as a file that an engine reads.
TEST(RealtimeModel, WritesItsSpringsAsSpringBones) {
  const std::vector<SpringChain> chains = springy_rod()->spring_chains();
  ASSERT_EQ(chains.size(), 1u);
  EXPECT_EQ(chains[0].bones.size(), 4u);
  GltfFile file(to_glb(springy_rod()->character()), "rod.glb");
  std::vector<SpringChain> of_file = chains;
  for (SpringChain& chain : of_file)
    for (int& bone : chain.bones) {
      const std::string& name = springy_rod()->character().bones[static_cast<std::size_t>(bone)].name;
      const auto& bones = file.character().bones;
      bone = static_cast<int>(std::find_if(bones.begin(), bones.end(), [&](const Bone& b) { return b.name == name; }) -
                              bones.begin());
    }
  add_springs(file, of_file);
  const std::string written = file.json("/extensions/VRMC_springBone");
  EXPECT_NE(written.find("\"dragForce\""), std::string::npos);
  for (const SpringSettings& own : chains[0].settings) {
    EXPECT_GT(own.stiffness, 0);
    EXPECT_GT(own.drag, 0);
    EXPECT_LT(own.drag, 1);
  }
}

// Frames of any length, hitches, jumps, noise, all levels and budgets, at random.
TEST(RealtimeRig, StaysFiniteAndBoundedWithRandomInput) {
  for (const auto& model : {springy_ball(), springy_rod()}) {
    Mover mover(model);
    std::mt19937 random(11);
    const auto uniform = [&](double low, double high) {
      return std::uniform_real_distribution<double>(low, high)(random);
    };
    double place = 0, most = 0;
    bool finite = true;
    for (int k = 0; k < 1500; ++k) {
      const double what = uniform(0, 1);
      place += what < 0.01 ? uniform(-30, 30) : what < 0.05 ? uniform(-0.6, 0.6) : uniform(-0.05, 0.05);
      if (what > 0.97) mover.rig.set_level(kLevels[static_cast<std::size_t>(uniform(0, 2.999))]);
      if (what > 0.96 && what < 0.965) mover.rig.set_budget(uniform(0, 1) < 0.5 ? 0 : uniform(1e-6, 1e-3));
      if (what > 0.95 && what < 0.955) mover.rig.teleport();
      if (what > 0.94 && what < 0.942) mover.rig.reset(span_of(mover.p));
      mover.to(place, what < 0.005 ? 1.5 : uniform(0, 0.04));
      const Vec deviation = deviation_of(mover.rig);
      finite = finite && deviation.allFinite();
      most = std::max(most, deviation.cwiseAbs().maxCoeff());
    }
    EXPECT_TRUE(finite);
    EXPECT_LT(most, 3.2);  // half a turn
  }
}

}  // namespace
}  // namespace rigspace::realtime_levels_test
