// `simulate_parts` as it ships: the fast method against the full one over whole clips, at the same rate, trained and
// tuned on one clip and tested on others.

#include "fast_scenes.h"
#include "fast_swing.h"

#include "rigspace/apps/physics/flesh.h"
#include "rigspace/apps/physics/simulation.h"
#include "rigspace/base/parallel.h"
#include "rigspace/cast/cast.h"
#include "rigspace/reduce/cubature_quality.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace rigspace::bench {
namespace {

constexpr int kBetweenReports = 8;     // steps, see Runner::run
constexpr double kQuickSeconds = 0.5;  // of a clip, in a short run

struct ShippedScene {
  std::string name, member, pattern;
  std::string_view trained;
  std::vector<std::string_view> tests;
  double milliseconds;  ///< a step at most
};

std::vector<ShippedScene> shipped_scenes() {
  constexpr double kAny = std::numeric_limits<double>::infinity();
  return {{"shipped: elephant belly", "peanut", "belly_*=belly", "Walk", {"Dance", "Hop"}, 0.5},
          {"shipped: elephant trunk", "peanut", "trunk_*=tail", "Walk", {"Shake"}, kAny},
          {"shipped: wrestler", "sumo", "belly_*,chest_*,cheek_*,hair_*=belly", "Stomp", {"HeadShake"}, 2}};
}

/// A run, and what its steps took: thread time between two reports, shared among the steps between them.
struct Stepped {
  SoftMotion motion;
  std::vector<double> step_seconds;
};

Stepped stepped(const Character& character, const Animation& clip, const Part& part, const SimulationOptions& options) {
  Stepped result;
  double last = 0, fraction = 1;
  result.motion = simulate_parts(character, &clip, std::span(&part, 1), options, [&](const Progress& progress) {
    const double now = thread_seconds();
    const bool goes_on = progress.stage == "simulating" && progress.fraction > fraction;
    if (goes_on) result.step_seconds.push_back((now - last) / kBetweenReports);
    if (progress.stage == "simulating") fraction = progress.fraction;
    last = now;
    return true;
  });
  if (!result.step_seconds.empty()) result.step_seconds.pop_back();  // the end of the run is no step
  return result;
}

/// The points of the proxy, over the free controls that move them.
struct Surface {
  std::shared_ptr<const Rig> rig;
  double height = 0;

  explicit Surface(const Character& character) {
    const Piece& proxy = *proxy_of(character);
    std::vector<int> points(static_cast<std::size_t>(proxy.point_count));
    for (int i = 0; i < proxy.point_count; ++i) points[i] = proxy.first_point + i;
    rig = character.rig->restricted(points);
    Vec s;
    rig->evaluate(*rig->make_workspace(), rig->rest(), s);
    const auto flat = Eigen::Map<const Eigen::Matrix3Xd>(s.data(), 3, rig->point_count());
    height = flat.row(1).maxCoeff() - flat.row(1).minCoeff();
  }
};

std::vector<Vec> simulated_poses(const Character& character, const Animation& clip, const SoftMotion& motion,
                                 double share) {
  std::vector<Vec> poses;
  for (std::size_t k = 0; k < motion.times.size(); ++k) {
    poses.push_back(pose_at(character, &clip, motion.times[k]));
    for (std::size_t c = 0; c < motion.controls.size(); ++c)
      poses.back()[motion.controls[c]] +=
          share * motion.deviation(static_cast<Eigen::Index>(c), static_cast<Eigen::Index>(k));
  }
  return poses;
}

std::vector<Row> scene_rows(const ShippedScene& scene, bool quick) {
  const ThreadCountScope one(1);
  const Character whole = fast_character(scene.member);
  Character learned = whole;  // with the clip alone that is trained and tuned on
  std::erase_if(learned.clips, [&](const Animation& clip) { return clip.name != scene.trained; });
  const Part part = with_solid(learned, control_part_from_pattern(learned, scene.pattern), {.use_cache = true});
  SimulationOptions options{.looping = Looping::never, .end_at_rest = false};
  const double begun = thread_seconds();
  options.tuning = tune_parts(learned, learned.clips.front(), std::span(&part, 1), options);
  const double tuning = thread_seconds() - begun;
  options.corrections = Corrections::none();
  options.corrections.springs = true;  // they are forces, of both methods
  const Surface surface(learned);
  RspSetup compared{.body = {.rig = surface.rig}, .free = part.controls, .balance = surface.rig->rest()};
  std::vector<Row> rows;
  for (const std::string_view name : scene.tests) {
    const Animation& clip = *whole.clip(name);
    if (quick) options.end = kQuickSeconds;
    options.method = Method::full;
    const Stepped full = stepped(learned, clip, part, options);
    const std::vector<Vec> truth = simulated_poses(learned, clip, full.motion, 1);
    const Apart swing = apart(compared, truth, simulated_poses(learned, clip, full.motion, 0));
    const Spread before = spread_of(full.step_seconds);
    const std::string title = fmt::format("{}: trained on {}, tested on {}", scene.name, scene.trained, name);
    Row row{.scene = title, .method = "unmoved: carried by the animation", .metrics = {{"steps", full.motion.steps}}};
    add(motion_error(swing, swing, surface.height), row.metrics);
    rows.push_back(row);
    const auto metrics_of = [&](const Stepped& run, const Spread& spread) {
      return nlohmann::ordered_json{
          {"controls", part.controls.size()},
          {"rate_hz", options.tuning.front().rate},
          {"steps", run.motion.steps},
          {"milliseconds_per_step", spread_json(spread, 1e3)},
          {"iterations_per_step", static_cast<double>(run.motion.iterations) / std::max(1, run.motion.steps)},
          {"halved_steps", run.motion.halved_steps},
          {"inverted_steps", run.motion.inverted_steps},
          {"recovered_steps", run.motion.recovered_steps},
          {"unconverged_steps", run.motion.failed_steps}};
    };
    rows.push_back({.scene = title,
                    .method = "full",
                    .metrics = metrics_of(full, before),
                    .required = "every step converged",
                    .ok = full.motion.failed_steps == 0});
    options.method = Method::fast;
    for (const double quality : {kDefaultQuality, 1.0}) {
      options.quality = quality;
      const Stepped fast = stepped(learned, clip, part, options);
      const MotionError error =
          motion_error(apart(compared, simulated_poses(learned, clip, fast.motion, 1), truth), swing, surface.height);
      const Spread cost = spread_of(fast.step_seconds);
      row = {.scene = title, .method = fmt::format("fast, quality {}", quality), .metrics = metrics_of(fast, cost)};
      add(error, row.metrics);
      const PartReport& own = fast.motion.parts.front();  // what the method says of itself
      row.metrics["expected_error_percent_of_swing"] = 100 * own.expected_error;
      row.metrics["steps_outside_of_training_percent"] = 100 * own.untrained;
      row.metrics["force_error_percent"] = 100 * own.force_error;
      row.metrics["fell_back_to_all_elements"] = own.all_elements;
      row.metrics["times_faster_than_full"] = before.median / cost.median;
      row.metrics["tuning_and_training_seconds"] = tuning;
      row.required =
          fmt::format("every step converged, errors of at most {} % of the swing in the r.m.s. and {} % of the largest",
                      kRmsGoal, kLargestGoal);
      row.ok =
          fast.motion.failed_steps == 0 && error.rms_of_swing <= kRmsGoal && error.largest_of_swing <= kLargestGoal;
      if (scene.milliseconds < std::numeric_limits<double>::infinity()) {
        row.required += fmt::format(", {} ms a step", scene.milliseconds);
        row.ok = row.ok && 1e3 * cost.median <= scene.milliseconds;
      }
      rows.push_back(std::move(row));
    }
    options.quality = kDefaultQuality;
    if (quick) break;
  }
  return rows;
}

}  // namespace

std::vector<Row> shipped_rows(const BenchOptions& options) {
  std::vector<Row> rows;
  for (const ShippedScene& scene : shipped_scenes()) {
    if (!wanted(options, scene.name) || (options.quick && scene.member == "sumo")) continue;
    for (Row& row : scene_rows(scene, options.quick)) rows.push_back(std::move(row));
    report(options.progress, "simulating parts as shipped", 1);
  }
  return rows;
}

}  // namespace rigspace::bench
