#include "black_box_run.h"

#include "rigspace/base/error.h"
#include "rigspace/base/require.h"

#include <algorithm>
#include <cmath>

namespace rigspace {
namespace {

constexpr double kCoarse = 1.0 / 48;  // s: smallest step of tuning
constexpr double kAround = 0.5;       // s: loads evaluate poses this far before and after (Stepper::travel_velocity)
constexpr double kSamplesPerSecond = 15;  // Jacobians sampled along a run
constexpr int kMostSamples = 120;         // at most, in one run

}  // namespace

RunGrid run_grid(const KeyedMotion& motion, const SimulationOptions& options) {
  const bool whole = motion.cyclic();
  RunGrid grid{.start = whole ? 0 : std::clamp(options.start, 0.0, motion.duration())};
  const double end = whole ? motion.duration() : std::clamp(options.end, grid.start, motion.duration());
  const double steps = (end - grid.start) / options.step;
  if (!(steps <= kMostSteps))
    throw Error({.element = "motion",
                 .value = shortest_text(end - grid.start),
                 .problem = "lasts " + shortest_text(end - grid.start) + " s, " + shortest_text(std::round(steps)) +
                            " steps of physics; at most " + shortest_text(kMostSteps) + " are made",
                 .remedy = "check the times of the clip's keys, or ask for a part of it with --start and --end"});
  grid.steps = std::max(1, static_cast<int>(std::lround(steps)));
  grid.h = end > grid.start ? (end - grid.start) / grid.steps : options.step;
  return grid;
}

int moments_around(const KeyedMotion& motion, const SimulationOptions& options, const RunGrid& grid) {
  return motion.cyclic() ? 0 : static_cast<int>(std::ceil((kAround + options.preroll) / grid.h));
}

double nearest_moment(const KeyedMotion& motion, double step, double time) {
  const RunGrid grid = run_grid(motion, {.step = step});
  return grid.h * std::round(time / grid.h);
}

void evaluate_keyed_poses(const Character& character, const KeyedMotion& motion, const SimulationOptions& options,
                          const ProgressCallback& progress) {
  constexpr Eigen::Index kBatch = 32;
  const Rig& rig = *character.rig;
  if (!rig.traits().remembers_poses || rig.traits().exact_jacobian) return;
  const RunGrid grid = run_grid(motion, options);
  const int around = moments_around(motion, options, grid);
  std::vector<Vec> poses;
  for (int k = -around; k <= grid.steps + around; ++k) {
    Vec p;
    motion.controls(grid.start + k * grid.h, p);
    if (poses.empty() || poses.back() != p) poses.push_back(std::move(p));
  }
  const auto workspace = rig.make_workspace();
  Mat P, S;
  for (Eigen::Index from = 0; from < std::ssize(poses); from += kBatch) {
    report(progress, "evaluating", static_cast<double>(from) / static_cast<double>(poses.size()));
    const Eigen::Index count = std::min<Eigen::Index>(kBatch, std::ssize(poses) - from);
    P.resize(poses.front().size(), count);
    for (Eigen::Index k = 0; k < count; ++k) P.col(k) = poses[static_cast<std::size_t>(from + k)];
    rig.evaluate_batch(*workspace, P, S);
  }
}

double coarse_step(const KeyedMotion& motion, const SimulationOptions& options) {
  if (!motion.black_box()) return std::max(options.step, kCoarse);
  const RunGrid grid = run_grid(motion, options);
  for (int several = std::max(1, static_cast<int>(std::ceil(kCoarse / grid.h))); several > 1; --several)
    if (grid.steps % several == 0) return several * grid.h;
  return grid.h;
}

std::vector<Moment> moments_to_learn(const Run& run, const KeyedMotion& motion, std::span<const int> free,
                                     std::span<const JacobianSample> known) {
  const Eigen::Index columns = run.deviation.cols();
  const double length = run.times[static_cast<std::size_t>(columns - 1)] - run.times.front();
  const int count = std::clamp(static_cast<int>(std::lround(kSamplesPerSecond * length)), 2, kMostSamples);
  std::vector<Moment> moments;
  Eigen::Index from = 0;
  for (int k = 1; k <= count; ++k) {  // from each of `count` stretches the last time that deviates and is not yet known
    const Eigen::Index to = (columns - 1) * k / count;
    for (Eigen::Index column = to; column > from; --column) {
      Moment moment;
      motion.controls(run.times[static_cast<std::size_t>(column)], moment.p_key);
      const auto same = [&](const JacobianSample& each) { return each.p_key == moment.p_key; };
      if (run.deviation.col(column).isZero(0) || std::any_of(known.begin(), known.end(), same)) continue;
      moment.p = moment.p_key;
      for (std::size_t c = 0; c < free.size(); ++c)
        moment.p[free[c]] += run.deviation(static_cast<Eigen::Index>(c), column);
      moments.push_back(std::move(moment));
      break;
    }
    from = to;
  }
  return moments;
}

}  // namespace rigspace
