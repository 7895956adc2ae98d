// Settings that change while a character is played: models that are adjusted, instances that continue with them.

#include "rigspace/anim/keyed_motion.h"
#include "rigspace/apps/physics/flesh.h"
#include "rigspace/apps/physics/realtime_rig.h"
#include "rigspace/base/error.h"
#include "rigspace/cast/cast.h"
#include "support/allocations.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <thread>

namespace rigspace::realtime_settings_test {
namespace {

constexpr double kFrame = 1.0 / 60;

using Model = std::shared_ptr<const RealtimeModel>;
using Looks = std::vector<PartSetting>;

std::span<const double> span_of(const Vec& v) { return {v.data(), static_cast<std::size_t>(v.size())}; }

Vec deviation_of(const RealtimeRig& rig) {
  return Eigen::Map<const Vec>(rig.deviation().data(), std::ssize(rig.deviation()));
}

/// Tail and ears as rods, the belly as flesh.
const Softened& bobbin() {
  static const Softened soft = [] {
    const Character hard = make_character("bobbin");
    return soften(hard, find_parts(hard), {.use_cache = true});
  }();
  return soft;
}

/// Adjustable; without tuning all rates follow from sizes.
Model bobbin_model(bool tune, const Looks& looks = {}, bool widen = false) {
  std::vector<Part> parts = bobbin().parts;
  for (const PartSetting& look : looks)
    for (Part& part : parts)
      if (part.name == look.part) part.settings.set(look.field, look.value);
  return std::make_shared<const RealtimeModel>(bobbin().character, parts,
                                               RealtimeOptions{.tune = tune, .widen = widen, .adjustable = true});
}

const Model& tuned() {
  static const Model model = bobbin_model(true);
  return model;
}

struct Walker {
  explicit Walker(const Model& model) : rig(model), motion(model->character(), model->character().clip("Walk")) {
    motion.set_cyclic(true);
    motion.controls(0, p);
    rig.reset(span_of(p));
  }
  /// One frame of the walk.
  Vec frame() {
    motion.controls(++frames * kFrame, p);
    rig.set_keyed(span_of(p));
    rig.step(kFrame);
    return deviation_of(rig);
  }

  RealtimeRig rig;
  KeyedMotion motion;
  Vec p;
  int frames = 0;
};

/// A value for each field of every part, each other than the one that it has.
Looks other_looks(const Model& model) {
  Looks looks;
  for (const RealtimePart& part : model->tuning())
    for (const auto& [field, value] : std::initializer_list<std::pair<const char*, double>>{{"amount", 1.3},
                                                                                            {"rate", 2.2},
                                                                                            {"settle", 0.7},
                                                                                            {"lag", 0.03},
                                                                                            {"overlap", 0.8},
                                                                                            {"sag", 0.1},
                                                                                            {"limit", 0.3},
                                                                                            {"travel", 0.4},
                                                                                            {"push", 0.6},
                                                                                            {"mix", 0.9}})
      looks.push_back({part.name, field, value});
  return looks;
}

double largest_difference(const Model& a, const Model& b, int frames, double* swing) {
  Walker one(a), other(b);
  double most = 0;
  *swing = 0;
  for (int k = 0; k < frames; ++k) {
    const Vec d = one.frame();
    most = std::max(most, (d - other.frame()).cwiseAbs().maxCoeff());
    *swing = std::max(*swing, d.cwiseAbs().maxCoeff());
  }
  return most;
}

TEST(RealtimeSettings, AdjustedModelMovesAsTheModelMadeWithTheseSettings) {
  const Model base = bobbin_model(false);
  const Looks looks = other_looks(base);
  const Model made = bobbin_model(false, looks), adjusted = base->adjusted(looks);
  double swing = 0;
  EXPECT_LT(largest_difference(made, adjusted, 180, &swing), 1e-12);  // radians, local units: rounding
  EXPECT_GT(largest_difference(base, adjusted, 180, &swing), 0.01);
  EXPECT_GT(swing, 0.01);
}

// Each by itself, so that no field hides another. `hold` is for clips that end: it changes nothing here.
TEST(RealtimeSettings, EverySettingActsAsIfItHadBeenThereFromTheStart) {
  const Model base = bobbin_model(false);
  const std::string tail = "tail";
  for (const PartSetting& look : other_looks(base)) {
    if (look.part != tail) continue;
    // A limit is felt once the tail comes near it, travel once there is drag.
    Looks looks{look};
    if (look.field == "limit") looks = {{tail, "limit", 0.02}};
    if (look.field == "travel" || look.field == "push") looks.push_back({tail, "lag", 0.2});
    const Model adjusted = base->adjusted(looks);
    double swing = 0;
    EXPECT_LT(largest_difference(bobbin_model(false, looks), adjusted, 60, &swing), 1e-12) << look.field;
    EXPECT_GT(swing, 1e-3) << look.field;
    if (look.field == "travel" || look.field == "push") continue;  // a walk in place has none
    EXPECT_GT(largest_difference(base, adjusted, 60, &swing), 1e-4) << look.field;
  }
}

// Rates that are asked for need no tuning; what a wilder clip would be held by is found on both ways.
TEST(RealtimeSettings, AdjustedModelMovesAsTheModelMadeWithTheseSettingsOnATunedCharacter) {
  Looks looks;
  for (const RealtimePart& part : tuned()->tuning()) {
    looks.push_back({part.name, "rate", 1.2 * part.rate});
    looks.push_back({part.name, "sag", 0.05});
    looks.push_back({part.name, "amount", 0.8});
  }
  double swing = 0;
  EXPECT_LT(largest_difference(bobbin_model(true, looks), tuned()->adjusted(looks), 180, &swing), 1e-12);
  EXPECT_GT(swing, 0.01);
}

// The tail of an elephant as a solid: its elements were sampled for another overlap, so that forces differ by the error
// of the sampling.
TEST(RealtimeSettings, OverlapOfASolidIsThatOfTheModelMadeWithItToThreePercent) {
  const Character hard = make_character("peanut", Version::skeleton);
  std::vector<Part> tail;
  for (Part& part : find_parts(hard))
    if (part.name == "tail") tail.push_back(std::move(part));
  Softened soft = soften(hard, tail, {.chains = ChainForm::automatic, .use_cache = true});
  ASSERT_GT(soft.parts.front().flesh->chain_length, 0);
  const RealtimeOptions options{.tune = false, .adjustable = true};
  soft.parts.front().settings.overlap = 0;
  const auto base = std::make_shared<const RealtimeModel>(soft.character, soft.parts, options);
  soft.parts.front().settings.overlap = 1;
  const auto made = std::make_shared<const RealtimeModel>(soft.character, soft.parts, options);
  const Model adjusted = base->adjusted(Looks{{"tail", "overlap", 1}});
  double swing = 0;
  const double without = largest_difference(made, base, 120, &swing);
  EXPECT_GT(without, 0.1 * swing);
  EXPECT_LT(largest_difference(made, adjusted, 120, &swing), 0.03 * swing);
}

TEST(RealtimeSettings, ChangingToTheSameSettingsChangesNothing) {
  for (const bool widen : {false, true}) {
    const Model model = widen ? bobbin_model(true, {}, true) : tuned();
    Walker stays(model), changes(model);
    for (int k = 1; k <= 180; ++k) {
      if (k == 60) changes.rig.change_model(model->adjusted(Looks{}));
      if (k == 90) changes.rig.change_model(model->adjusted(Looks{{"tail", "sag", 0}}));
      if (k == 120) changes.rig.change_model(model);
      ASSERT_EQ(stays.frame(), changes.frame()) << "frame " << k;
    }
    EXPECT_GT(deviation_of(stays.rig).cwiseAbs().maxCoeff(), 0.01);
  }
}

// All that can be changed at once: the deviation is the same right after, and goes on without a jump.
TEST(RealtimeSettings, TheMotionGoesOnThroughAChange) {
  Walker walker(tuned());
  Vec last = walker.frame();
  double quickest = 0;
  for (int k = 0; k < 90; ++k) {
    const Vec now = walker.frame();
    if (k > 30) quickest = std::max(quickest, (now - last).cwiseAbs().maxCoeff());
    last = now;
  }
  Looks looks = other_looks(tuned());
  for (PartSetting& look : looks)
    if (look.field == "rate") look.value = 4;
  walker.rig.change_model(tuned()->adjusted(looks));
  EXPECT_EQ(deviation_of(walker.rig), last);
  walker.rig.step(0);
  EXPECT_EQ(deviation_of(walker.rig), last);
  const Vec next = walker.frame();
  EXPECT_GT((next - last).cwiseAbs().maxCoeff(), 0);
  EXPECT_LT((next - last).cwiseAbs().maxCoeff(), 2 * quickest);
}

// A limit that is narrower than the present deviation pushes the part inward, and is kept in the end.
TEST(RealtimeSettings, ANarrowerLimitMovesThePartInwardWithoutAJump) {
  const Model floppy = bobbin_model(false, {{"tail", "rate", 1}, {"tail", "settle", 2}, {"tail", "limit", 0.5}});
  Walker walker(floppy);
  const auto farthest = [&] {  // of a joint of the tail, radians
    double most = 0;
    const auto free = floppy->free();
    const Vec d = deviation_of(walker.rig);
    for (std::size_t k = 0; k + 2 < free.size(); ++k)
      if (floppy->controls()[static_cast<std::size_t>(free[k])].name.find("tail") != std::string::npos &&
          floppy->controls()[static_cast<std::size_t>(free[k])].name.ends_with("rx"))
        most = std::max(most, d.segment<3>(static_cast<Eigen::Index>(k)).norm());
    return most;
  };
  for (int k = 0; k < 240 || farthest() < 0.1; ++k) {
    walker.frame();
    ASSERT_LT(k, 600) << "the tail never swings";
  }
  const double before = farthest(), limit = 0.3 * before / std::numbers::pi;
  walker.rig.change_model(floppy->adjusted(Looks{{"tail", "limit", limit}}));
  double last = before;
  for (int k = 0; k < 60; ++k) {
    walker.frame();
    EXPECT_GT(farthest(), 0.5 * std::min(last, limit * std::numbers::pi)) << "frame " << k;
    last = farthest();
    if (k > 24) {
      EXPECT_LT(last, limit * std::numbers::pi * 1.01) << "frame " << k;
    }
    if (k < 3) {
      EXPECT_GT(last, 0.5 * before) << "frame " << k;
    }
  }
  EXPECT_EQ(walker.rig.unconverged(), 0);
}

TEST(RealtimeSettings, StepsAfterAChangeAllocateNothing) {
  if (!RIGSPACE_COUNTS_ALLOCATIONS) GTEST_SKIP() << "this build has an allocator of its own";
  Walker walker(tuned());
  for (int k = 0; k < 60; ++k) walker.frame();
  walker.rig.change_model(tuned()->adjusted(Looks{{"tail", "limit", 0.01}, {"tail", "amount", 0.5}}));
  testing::allocations = 0;
  for (int k = 0; k < 12; ++k) {
    walker.motion.controls(++walker.frames * kFrame, walker.p);
    testing::counting = true;
    walker.rig.set_keyed(span_of(walker.p));
    walker.rig.step(kFrame);
    testing::counting = false;
  }
  EXPECT_EQ(testing::allocations, 0);
}

TEST(RealtimeSettings, AnAmountIsReachedWithinATenthOfASecond) {
  Walker whole(tuned()), half(tuned());
  for (int k = 0; k < 60; ++k) whole.frame(), half.frame();
  Looks looks;
  for (const RealtimePart& part : tuned()->tuning()) looks.push_back({part.name, "mix", 0.5});
  half.rig.change_model(tuned()->adjusted(looks));
  double before = 1;
  for (int k = 1; k <= 12; ++k) {
    const Vec all = whole.frame(), some = half.frame();
    const double share = some.norm() / all.norm();
    EXPECT_LE(share, before);
    if (k <= 5) {
      EXPECT_GT(share, 0.5001) << k;
    }
    if (k > 6) {
      EXPECT_LT((some - 0.5 * all).cwiseAbs().maxCoeff(), 1e-15) << k;
    }
    before = share;
  }
}

TEST(RealtimeSettings, TuningTellsWhatIsUsed) {
  ASSERT_EQ(tuned()->tuning().size(), bobbin().parts.size());
  const RealtimePart tail = tuned()->tuning()[0];
  EXPECT_EQ(tail.name, bobbin().parts[0].name);
  EXPECT_EQ(tail.settings.rate, 0);
  EXPECT_GT(tail.rate, 0);
  EXPECT_GT(tail.settle, 0);
  const Model set = tuned()->adjusted(Looks{{tail.name, "rate", 3}, {tail.name, "amount", 0.5}});
  const RealtimePart& now = set->tuning()[0];
  EXPECT_EQ(now.settings.rate, 3);
  EXPECT_EQ(now.rate, 3);
  EXPECT_EQ(now.amount, 0.5);
  EXPECT_NEAR(now.settle * now.rate, tail.settle * tail.rate, 1e-12);  // the preset's damping ratio
  const Model back = set->adjusted(Looks{{tail.name, "rate", 0}, {tail.name, "amount", 1}});
  EXPECT_EQ(back->tuning()[0].rate, tail.rate);
  EXPECT_EQ(back->tuning()[0].amount, tail.amount);
  EXPECT_EQ(back->tuning()[0].lag, tail.lag);
}

TEST(RealtimeSettings, OneThreadAdjustsWhileAnotherSteps) {
  Walker alone(tuned()), steps(tuned());
  std::vector<Vec> expected;
  for (int k = 0; k < 120; ++k) expected.push_back(alone.frame());
  std::jthread adjusts([&](const std::stop_token& stop) {
    for (int k = 0; !stop.stop_requested(); ++k)
      tuned()->adjusted(Looks{{"tail", "rate", 1 + 0.01 * (k % 100)}, {"tail", "overlap", 0.01 * (k % 100)}});
  });
  for (int k = 0; k < 120; ++k) ASSERT_EQ(steps.frame(), expected[static_cast<std::size_t>(k)]) << "frame " << k;
}

TEST(RealtimeSettings, RefusesWhatIsNotThere) {
  EXPECT_THROW(tuned()->adjusted(Looks{{"trunk", "rate", 1}}), Error);
  EXPECT_THROW(tuned()->adjusted(Looks{{"tail", "colour", 1}}), Error);
  EXPECT_THROW(tuned()->adjusted(Looks{{"tail", "rate", -1}}), Error);
  RealtimeRig rig(tuned());
  EXPECT_THROW(rig.change_model(bobbin_model(false)), Error);
  EXPECT_THROW(rig.change_model(nullptr), Error);
  const RealtimeModel fixed(bobbin().character, bobbin().parts, {.tune = false});
  EXPECT_THROW(fixed.adjusted(Looks{}), Error);
}

}  // namespace
}  // namespace rigspace::realtime_settings_test
