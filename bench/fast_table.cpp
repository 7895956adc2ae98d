// Thesis table 4.1 on the cast: every method over whole clips, the fast one trained on another clip, at one tolerance
// and step; errors as shares of how far the flesh swings.

#include "fast_methods.h"
#include "fast_scenes.h"
#include "fast_swing.h"

#include "rigspace/base/parallel.h"
#include "rigspace/cast/cast.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace rigspace::bench {
namespace {

constexpr double kTimesFullNewton = 100;                               // of the fastest full Newton
constexpr double kBellyMilliseconds = 0.5, kWrestlerMilliseconds = 2;  // a step
constexpr int kShakenPoses = 7;                                        // of a clip, in training
constexpr double kHungEvery = 0.07;                                    // s: so often its balance is found
constexpr int kMostQuickSteps = 100;                                   // of a clip at most, in a short run
constexpr int kTableRepeats = 5;                                       // of methods that take little time

bool wrestler(const FastScene& scene) { return scene.scene.member == "sumo"; }

/// Moments spread over the clip.
std::vector<Vec> poses_of(const Character& character, const Animation& clip, int count) {
  std::vector<Vec> poses;
  for (int k = 0; k < count; ++k) poses.push_back(pose_at(character, &clip, clip.duration * k / count));
  return poses;
}

nlohmann::ordered_json metrics_of(const RspSetup& setup, const RspRun& run) {
  const double steps = run.steps;
  const Spread spread = spread_of(run.step_seconds);
  return {{"controls", setup.free.size()},
          {"surface_points", setup.body.rig->point_count()},
          {"interior_nodes", setup.body.node_count() - setup.body.skin_count()},
          {"steps", run.poses.size()},
          {"milliseconds_per_step", spread_json(spread, 1e3)},
          {"seconds_per_frame", spread.median * kFastFrame / kRspStep},
          {"steps_per_frame", kFastFrame / kRspStep},
          {"iterations_per_step", run.iterations / steps},
          {"rig_evaluations_per_step", static_cast<double>(run.rig_evaluations) / steps},
          {"rig_jacobians_per_step", static_cast<double>(run.rig_jacobians) / steps},
          {"jacobian_updates", run.linear.jacobians},
          {"updates_by_predictor", run.linear.predicted},
          {"roll_backs", run.linear.rollbacks},
          {"largest_residual", run.residual},
          {"halved_steps", run.halvings},
          {"inverted_steps", run.inverted},
          {"recovered_steps", run.recovered},
          {"unconverged_steps", run.unconverged}};
}

Row training_row(const FastScene& scene, const RspSetup& setup, const FastTraining& trained) {
  const InteriorSkinReport& skin = trained.interior.report;
  const InertiaReport inertia = report_inertia(setup, trained);
  Row row{.scene = std::string(scene.scene.name),
          .method = fmt::format("training on {}", scene.scene.clip),
          .metrics = {{"seconds", trained.seconds()},
                      {"balance_seconds", trained.balance_seconds},
                      {"shaking_seconds", trained.shaking_seconds},
                      {"skinning_seconds", trained.skinning_seconds},
                      {"cubature_seconds", trained.cubature_seconds},
                      {"examples", trained.examples.size()},
                      {"carriers_per_node", skin.mean_carriers},
                      {"skinning_error_percent_of_diagonal", 0.1 * skin.rms_error / skin.tolerance},
                      {"elements_of_cubature", trained.cubature.elements.size()},
                      {"elements_in_all", trained.cubature.candidates},
                      {"nodes_of_cubature", trained.cubature.nodes.size()},
                      {"error_of_reduced_forces", trained.cubature.error},
                      {"lowest_eigenvalue", trained.cubature.lowest},
                      {"highest_eigenvalue", trained.cubature.highest}},
          .paper = Paper{"Thesis 4.3.2: carriers per node, belly", 5.55},
          .required = "the tolerance of the cubature",
          .ok = trained.cubature.reached};
  const auto add = [&](const std::string& of, const InertiaRange& range) {
    row.metrics["lowest_inertia_of_" + of] = range.lowest, row.metrics["highest_inertia_of_" + of] = range.highest;
  };
  add("few", inertia.few), add("weights_alone", inertia.weights);
  if (inertia.moments) add("mass_moments", *inertia.moments);
  return row;
}

/// One method on the test, repeated where it takes little time; times of all repeats.
RspRun repeated(const RspSetup& setup, int repeats) {
  RspRun first = run(setup);
  for (int again = 1; again < repeats; ++again) {
    const RspRun more = run(setup);
    first.step_seconds.insert(first.step_seconds.end(), more.step_seconds.begin(), more.step_seconds.end());
  }
  return first;
}

/// The bars of the method as it ships.
void require_goals(const FastScene& scene, const FastTraining& trained, const MotionError& error, double seconds,
                   double times, Row& row) {
  row.required += fmt::format(
      ", training within its tolerance, errors of at most {} % of the swing in the r.m.s. and {} % of the largest, {} "
      "times the fastest full Newton",
      kRmsGoal, kLargestGoal, kTimesFullNewton);
  row.ok = row.ok && trained.cubature.reached && error.rms_of_swing <= kRmsGoal &&
           error.largest_of_swing <= kLargestGoal && times >= kTimesFullNewton;
  const bool belly = scene.scene.name == "elephant belly";
  if (!belly && !wrestler(scene)) return;
  const double most = belly ? kBellyMilliseconds : kWrestlerMilliseconds;
  row.required += fmt::format(", {} ms a step", most);
  row.ok = row.ok && 1e3 * seconds <= most;
}

/// How many steps of a test a method takes.
int steps_for(const FastScene& scene, const FastMethod& method, bool quick) {
  if (!method.slow) return quick ? kMostQuickSteps : 0;
  if (quick) return wrestler(scene) ? 2 : 4;
  return wrestler(scene) ? 4 : 24;
}

RspSetup with_steps(RspSetup setup, int steps) {
  if (steps > 0) setup.keys.resize(std::min(setup.keys.size(), static_cast<std::size_t>(steps) + 1));
  return setup;
}

std::vector<Row> test_rows(const FastScene& scene, std::string_view clip, const FastTraining& trained, bool quick) {
  const RspSetup setup = prepare_test(scene, clip, quick ? kMostQuickSteps : 0);
  struct Result {
    const FastMethod* method;
    RspSetup setup;
    RspRun run;
    double median;
  };
  std::vector<Result> results;
  for (const FastMethod& method : fast_methods()) {
    if (quick && !method.quick) continue;
    RspSetup mine = with_steps(setup, steps_for(scene, method, quick));
    method.apply(mine, trained);
    const bool costly = method.reference || method.slow || mine.body.mesh.tet_count() == setup.body.mesh.tet_count();
    RspRun stepped = repeated(mine, costly ? 1 : kTableRepeats);
    const double median = spread_of(stepped.step_seconds).median;
    results.push_back({&method, std::move(mine), std::move(stepped), median});
  }
  double newton = std::numeric_limits<double>::infinity(), before = std::numeric_limits<double>::quiet_NaN();
  for (const Result& each : results) {
    if (each.method->reference) newton = std::min(newton, each.median);
    if (each.method->slow && each.method->thesis == 0) before = each.median;
  }
  const std::vector<Vec>& truth = results.front().run.poses;
  const std::vector<Vec> still = unmoved(setup);
  const double height = height_of(setup);
  const std::string name = fmt::format("{}: trained on {}, tested on {}", scene.scene.name, scene.scene.clip, clip);
  const Apart swing = apart(setup, truth, still);
  std::vector<Row> rows{{.scene = name, .method = "unmoved: carried by the animation"}};
  rows.front().metrics = {{"steps", truth.size()}};
  add(motion_error(swing, swing, height), rows.front().metrics);
  for (const Result& each : results) {
    Row row{.scene = name, .method = std::string(each.method->name)};
    row.metrics = metrics_of(each.setup, each.run);
    const std::span<const Vec> so_far = std::span(truth).first(each.run.poses.size());
    const MotionError error = motion_error(apart(setup, each.run.poses, truth), apart(setup, so_far, still), height);
    add(error, row.metrics);
    const double times = newton / each.median;
    row.metrics["times_faster_than_full_newton"] = times;
    if (!std::isnan(before)) row.metrics["times_faster_than_2012"] = before / each.median;
    if (each.method->thesis >= 0 && !std::isnan(scene.thesis[each.method->thesis]))
      row.paper = Paper{"Thesis table 4.1, seconds per frame, 4 cores of 2.8 GHz", scene.thesis[each.method->thesis]};
    const double residual = each.setup.options.gradient_tolerance;
    row.required = fmt::format("every step converged to a residual of {:g}", residual);
    row.ok = each.run.unconverged == 0 && each.run.residual <= residual;
    if (each.method->fast) {
      row.metrics["elements"] = trained.cubature.elements.size();
      require_goals(scene, trained, error, each.median, times, row);
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace

FastTraining train_for(const FastScene& scene, const RspSetup& setup) {
  const Character character = make_character(scene.scene.member);
  const Animation& clip = *character.clip(scene.scene.clip);
  return train(setup, {.poses = poses_of(character, clip, kShakenPoses),
                       .hung = poses_of(character, clip, static_cast<int>(std::ceil(clip.duration / kHungEvery)))});
}

std::vector<Row> table_rows(const FastScene& scene, bool quick) {
  const ThreadCountScope one(1);  // times of the processor, of one thread
  const RspSetup setup = prepare(scene.scene, 24);
  const FastTraining trained = train_for(scene, setup);
  std::vector<Row> rows{training_row(scene, setup, trained)};
  for (const std::string_view clip : scene.tests) {
    for (Row& row : test_rows(scene, clip, trained, quick)) rows.push_back(std::move(row));
    if (quick) break;
  }
  for (Row& row : process_rows(scene, setup, trained, quick)) rows.push_back(std::move(row));
  return rows;
}

}  // namespace rigspace::bench
