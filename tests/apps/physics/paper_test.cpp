// Every choice as printed: what a run says of itself, and differences by (3.51).

#include "rigspace/apps/physics/paper.h"

#include "rigspace/cast/cast.h"
#include "rigspace/rig/black_box.h"

#include <gtest/gtest.h>

#include <cmath>

namespace rigspace::paper_test {
namespace {

Part part_of(const Character& character, std::initializer_list<const char*> names) {
  Part part{.name = "part", .preset = "flesh"};
  for (const char* name : names) part.controls.push_back(character.rig->find(name));
  return part;
}

SimulationOptions printed(double end) {
  return {.step = 0.01,
          .integrator = IntegratorKind::euler,
          .end = end,
          .young = 1e5,
          .curvature = RigCurvature::bfgs,
          .paper = true};
}

TEST(Paper, StepsByAHundredthToTheirTolerance) {
  const Character bar = make_character("bar");
  const Part part = part_of(bar, {"p1", "p2", "p3", "p4"});
  const PaperRun run = run_paper(bar, &bar.clips.front(), {&part, 1}, printed(0.1));
  ASSERT_EQ(run.steps.size(), 10u);
  ASSERT_EQ(run.motion.times.size(), 11u);
  EXPECT_NEAR(run.motion.times[1], 0.01, 1e-12);
  for (const PaperStep& step : run.steps) {
    EXPECT_TRUE(step.converged);
    EXPECT_LE(step.gradient, 0.001);
    EXPECT_LE(step.iterations, 20);
    EXPECT_EQ(step.halvings, 0);
    EXPECT_GT(step.rig_evaluations, 0);
  }
}

TEST(Paper, ResumesToTheSameBits) {
  const Character bar = make_character("bar");
  const Part part = part_of(bar, {"p1", "p2", "p3", "p4"});
  std::vector<std::vector<std::byte>> saved;
  SimulationOptions options = printed(0.12);
  options.preroll = 0.03;
  options.checkpoints.every = 4;
  options.checkpoints.save = [&](std::span<const std::byte> bytes) { saved.emplace_back(bytes.begin(), bytes.end()); };
  const PaperRun whole = run_paper(bar, &bar.clips.front(), {&part, 1}, options);
  ASSERT_EQ(saved.size(), 3u);
  options.checkpoints.save = nullptr;
  for (const std::vector<std::byte>& each : saved) {
    options.checkpoints.resume = each;
    const PaperRun resumed = run_paper(bar, &bar.clips.front(), {&part, 1}, options);
    EXPECT_EQ(resumed.nodes, whole.nodes);
    EXPECT_EQ(resumed.motion.deviation, whole.motion.deviation);
    EXPECT_EQ(resumed.motion.parts[0].swing, whole.motion.parts[0].swing);
    ASSERT_EQ(resumed.steps.size(), whole.steps.size());
    EXPECT_EQ(resumed.steps.back().gradient, whole.steps.back().gradient);
    EXPECT_EQ(resumed.steps.back().rig_evaluations, whole.steps.back().rig_evaluations);
  }
}

TEST(Paper, DeviatesFromTheKeysByWhatItSays) {
  const Character bar = make_character("bar");
  const Part part = part_of(bar, {"p1", "p2", "p3", "p4"});
  const PaperRun run = run_paper(bar, &bar.clips.front(), {&part, 1}, printed(0.1));
  ASSERT_GT(run.motion.deviation.cwiseAbs().maxCoeff(), 0.001);
  for (std::size_t k = 0; k < run.motion.times.size(); ++k) {
    const Vec key = pose_at(bar, &bar.clips.front(), run.motion.times[k]);
    for (std::size_t c = 0; c < run.free.size(); ++c) {
      const auto row = static_cast<Eigen::Index>(c), column = static_cast<Eigen::Index>(k);
      EXPECT_NEAR(run.controls(row, column), key[run.free[c]] + run.motion.deviation(row, column), 1e-12);
    }
  }
  const SoftMotion through_parts = simulate_parts(bar, &bar.clips.front(), {&part, 1}, printed(0.1));
  EXPECT_EQ(through_parts.deviation, run.motion.deviation);
}

TEST(Paper, FallsByEulersLaw) {
  // All free: implicit Euler drops a body by g h^2 k (k + 1) / 2 in k steps.
  const Character bar = make_character("bar");
  const Part part = part_of(bar, {"bar.tx", "bar.ty", "bar.tz"});
  const Animation still{.name = "Still",
                        .duration = 0.05,
                        .tracks = {{.control = "bar.ry", .curve = {.times = {0, 0.05}, .values = {0, 0}}}},
                        .rotations = {}};
  const PaperRun run = run_paper(bar, &still, {&part, 1}, printed(0.05));
  ASSERT_EQ(run.free.size(), 3u);
  const Eigen::Index last = run.motion.deviation.cols() - 1;
  const double h = run.motion.times[1] - run.motion.times[0];
  EXPECT_NEAR(run.motion.deviation(1, last), -9.81 * h * h * last * (last + 1) / 2, 1e-6);
}

TEST(PrintedDifferences, AreCentralWithOneStep) {
  BlackBoxDescription box;
  box.controls = {{.name = "a", .typical = 100}, {.name = "b", .typical = 1e-6}};
  box.point_count = 1;
  box.noise = 0;
  box.evaluate = [](In p, Vec& s) { s << std::pow(p[0], 3), p[0] * p[1], 2; };
  const auto rig = with_printed_differences(std::make_shared<BlackBoxRig>(box), 0.001);
  BlockJacobian J;
  const std::vector<int> free{0, 1};
  rig->jacobian(*rig->make_workspace(), Vec::Constant(2, 2), free, J);
  const Mat dense = J.dense();
  ASSERT_EQ(dense.cols(), 2);
  // ((x + d)^3 - (x - d)^3) / 2d = 3 x^2 + d^2: the error of this very step.
  EXPECT_NEAR(dense(0, 0), 12 + 1e-6, 1e-9);
  EXPECT_NEAR(dense(1, 0), 2, 1e-9);
  EXPECT_NEAR(dense(1, 1), 2, 1e-9);
  EXPECT_EQ(dense(0, 1), 0);
}

}  // namespace
}  // namespace rigspace::paper_test
