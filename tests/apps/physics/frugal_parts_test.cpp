// Parts on black boxes ask for few poses, and move as if they had asked for many.

#include "black_bar.h"
#include "rigspace/apps/physics/flesh.h"
#include "rigspace/apps/physics/simulation.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <memory>

namespace rigspace {
namespace {

namespace fs = std::filesystem;

/// With a cache of its own.
class FrugalParts : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string folder = (fs::temp_directory_path() / "rigspace-XXXXXX").string();
    ASSERT_NE(mkdtemp(folder.data()), nullptr);
    folder_ = folder;
    if (const char* was = std::getenv("RIGSPACE_CACHE")) was_ = was;
    setenv("RIGSPACE_CACHE", folder.c_str(), 1);
  }
  void TearDown() override {
    was_.empty() ? unsetenv("RIGSPACE_CACHE") : setenv("RIGSPACE_CACHE", was_.c_str(), 1);
    fs::remove_all(folder_);
  }

 private:
  fs::path folder_;
  std::string was_;
};

/// The far half of the bar follows its lattice points; its rate is looked for.
std::vector<Part> parts_of(const Character& character) {
  return {with_solid(character, control_part_from_pattern(character, "p?=flesh"), {.recall = true})};
}

const SimulationOptions kOnce{.end = 1, .looping = Looping::never, .recall = true};

SoftMotion run(const Character& character, const SimulationOptions& options = kOnce) {
  return simulate_parts(character, &character.clips.front(), parts_of(character), options);
}

/// A black box that may say that its differences are exact: then nobody is thrifty with it.
class Claiming final : public Rig {
 public:
  explicit Claiming(std::shared_ptr<const Rig> rig) : rig_(std::move(rig)) {}

  std::span<const Control> controls() const override { return rig_->controls(); }
  int point_count() const override { return rig_->point_count(); }
  Traits traits() const override { return {.exact_jacobian = exact, .concurrent = false}; }
  void evaluate(Workspace&, In p, Vec& s) const override { rig_->evaluate(*rig_->make_workspace(), p, s); }

  bool exact = false;

 private:
  std::shared_ptr<const Rig> rig_;
};

TEST_F(FrugalParts, MoveAsWithAJacobianEveryStep) {
  Character black = small_bar();
  const auto rig = std::make_shared<Claiming>(black.rig);
  black.rig = rig;
  std::vector<Part> parts = parts_of(black);
  parts.front().look.rate = 2;
  SimulationOptions options = kOnce;
  options.recall = false;
  bool trained = false;
  const auto run = [&](bool claims) {
    return simulate_parts(black, &black.clips.front(), parts, options, [&](const Progress& progress) {
      trained = trained || progress.fraction >= 0.199;  // a fifth of it is training, which is the same for both
      rig->exact = claims && trained;
      return true;
    });
  };
  const SoftMotion seen = run(false);
  trained = false;
  const SoftMotion expected = run(true);
  ASSERT_TRUE(rig->exact);
  ASSERT_EQ(seen.failed_steps, 0);
  const double largest = expected.deviation.cwiseAbs().maxCoeff();
  ASSERT_GT(largest, 0.01);
  EXPECT_LT((seen.deviation - expected.deviation).cwiseAbs().maxCoeff(), 0.01 * largest);
}

TEST_F(FrugalParts, AskForTwoPosesAStepOnceWarm) {
  const auto asked = std::make_shared<AskedPoses>();
  const Character black = as_black_box(small_bar(), asked);
  run(black);
  const std::size_t cold = asked->size();
  asked->clear();
  const SoftMotion motion = run(black);
  ASSERT_EQ(motion.failed_steps, 0);
  const double seconds = motion.times.back() - motion.times.front(), controls = motion.deviation.rows();
  EXPECT_LT(static_cast<double>(asked->size()), (240 + 1.5 * controls) * seconds);
  EXPECT_LT(asked->size(), cold);
}

TEST_F(FrugalParts, AreTheSameToTheBitColdAndWarm) {
  const Character black = as_black_box(small_bar());
  const SoftMotion cold = run(black), warm = run(black);
  EXPECT_EQ(cold.deviation, warm.deviation);
  EXPECT_EQ(cold.parts.front().rate, warm.parts.front().rate);
  EXPECT_EQ(cold.parts.front().amount, warm.parts.front().amount);
  EXPECT_LT(warm.steps, cold.steps + 1);
}

TEST_F(FrugalParts, ALoopAsksForItsKeyedPosesOnce) {
  const auto asked = std::make_shared<AskedPoses>();
  const Character black = as_black_box(small_bar(), asked);
  SimulationOptions loop{.looping = Looping::always, .recall = true};
  run(black, loop);
  asked->clear();
  const SoftMotion motion = run(black, loop);
  const double grid = static_cast<double>(motion.times.size() - 1);
  ASSERT_GT(motion.steps, 1.9 * grid);  // more than one turn
  // The keyed poses of one turn, and at most one look a step.
  EXPECT_LT(static_cast<double>(asked->size()), grid + motion.steps);
}

}  // namespace
}  // namespace rigspace
