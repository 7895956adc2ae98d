// Thesis table 4.1 on the cast: every method on every scene at one tolerance and step, beside the Thesis' figures; then
// the same at several numbers of display vertices, and the setting of Fast Complementary Dynamics.

#include "bench.h"
#include "fast_scenes.h"
#include "fast_training.h"

#include "rigspace/cast/cast.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace rigspace::bench {
namespace {

constexpr double kKeepFactor = 0.3;                                  // see NewtonOptions
constexpr double kLargest = 1.4, kMean = 0.08;                       // % of the height, Thesis 4.3
constexpr double kTimesFullNewton = 25, kTimes2012 = 100;            // of the fastest row of the belly
constexpr int kShakenPoses = 7;                                      // of a clip, in training
constexpr double kHungEvery = 0.07;                                  // s: so often its balance is found
constexpr double kBellyMilliseconds = 1, kWrestlerMilliseconds = 5;  // a step

/// A row of the table: how a setup is changed for it.
struct FastMethod {
  std::string_view name;
  int thesis;  ///< which of FastScene::thesis; -1: the Thesis has no such row
  void (*apply)(RspSetup&, const FastTraining&);
  bool quick;  ///< in a short run too
};

void as_in_2012(RspSetup& setup, const FastTraining&) {
  setup.body.rig = as_black_box(setup.body.rig);
  setup.options.curvature = RigCurvature::bfgs;
}
void full_newton(RspSetup& setup, const FastTraining&) { setup.options.curvature = RigCurvature::exact; }
void gauss_newton(RspSetup&, const FastTraining&) {}

void linear(RspSetup& setup) { setup.options.linear = true, setup.options.jacobian.use = JacobianUse::every_step; }
void defer(RspSetup& setup, bool predict) {
  setup.options.jacobian.use = JacobianUse::deferred, setup.options.jacobian.predict = predict;
}
void static_interior(RspSetup& setup, const FastTraining&) {
  linear(setup);
  setup.options.interior = Interior::still;
}
void static_deferred(RspSetup& setup, const FastTraining& trained) {
  static_interior(setup, trained), defer(setup, true);
}
void static_unpredicted(RspSetup& setup, const FastTraining& trained) {
  static_interior(setup, trained), defer(setup, false);
}
void skinned(RspSetup& setup, const FastTraining& trained) {
  linear(setup);
  setup.body = trained.weights_only;
  setup.options.keep_factor = kKeepFactor;
}
void skinned_deferred(RspSetup& setup, const FastTraining& trained) { skinned(setup, trained), defer(setup, true); }
void skinned_unpredicted(RspSetup& setup, const FastTraining& trained) { skinned(setup, trained), defer(setup, false); }
void response_deferred(RspSetup& setup, const FastTraining& trained) {
  skinned_deferred(setup, trained);
  setup.body = trained.skinned;
}
void cubature(RspSetup& setup, const FastTraining& trained) {
  skinned_deferred(setup, trained);
  setup.body = trained.sampled;
}
void cubature_unpredicted(RspSetup& setup, const FastTraining& trained) {
  cubature(setup, trained), defer(setup, false);
}
void cubature_black_box(RspSetup& setup, const FastTraining& trained) {
  cubature(setup, trained);
  setup.body.rig = as_black_box(setup.body.rig);
  setup.options.jacobian.broyden = true;
}

constexpr FastMethod kMethods[] = {
    {"2012: black box, BFGS", 0, as_in_2012, false},
    {"full Newton, second derivatives of the rig", -1, full_newton, true},
    {"full Newton, first derivatives of the rig", -1, gauss_newton, true},
    {"static interior, Jacobian every step", 1, static_interior, true},
    {"static interior, deferred Jacobian", 2, static_deferred, false},
    {"static interior, deferred Jacobian, no predictor", -1, static_unpredicted, false},
    {"skinned interior, Jacobian every step", 3, skinned, false},
    {"skinned interior, deferred Jacobian", 4, skinned_deferred, true},
    {"skinned interior, deferred Jacobian, no predictor", -1, skinned_unpredicted, false},
    {"skinned interior and its response, deferred Jacobian", -1, response_deferred, false},
    {"skinned interior and its response, deferred Jacobian, cubature", -1, cubature, true},
    {"skinned interior and its response, deferred Jacobian, cubature, no predictor", -1, cubature_unpredicted, false},
    {"skinned interior and its response, deferred Jacobian, cubature; rig a black box", -1, cubature_black_box, false},
};

/// Of points that the free controls move; shares of the character's height.
struct Difference {
  double largest = 0, mean = 0;
};

double height_of(const RspSetup& setup) {
  const auto flat = Eigen::Map<const Eigen::Matrix3Xd>(setup.body.mesh.points.data(), 3, setup.body.node_count());
  return flat.row(1).maxCoeff() - flat.row(1).minCoeff();
}

Difference difference(const RspSetup& setup, const RspRun& run, const RspRun& reference) {
  const Rig& rig = *setup.body.rig;
  const auto workspace = rig.make_workspace();
  BlockJacobian J;
  rig.jacobian(*workspace, setup.balance, setup.free, J);
  Difference result;
  double sum = 0;
  long count = 0;
  Vec s, other;
  for (std::size_t k = 0; k < std::min(run.poses.size(), reference.poses.size()); ++k) {
    rig.evaluate(*workspace, run.poses[k], s);
    rig.evaluate(*workspace, reference.poses[k], other);
    for (int i = 0; i < rig.point_count(); ++i) {
      const bool moves = J.start[i + 1] > J.start[i] &&
                         J.value.middleCols(J.start[i], J.start[i + 1] - J.start[i]).cwiseAbs().maxCoeff() > 1e-9;
      if (!moves) continue;
      const double apart = (point(s, i) - point(other, i)).norm();
      result.largest = std::max(result.largest, apart), sum += apart, ++count;
    }
  }
  const double height = height_of(setup);
  return {result.largest / height, count > 0 ? sum / static_cast<double>(count) / height : 0};
}

nlohmann::ordered_json metrics_of(const RspSetup& setup, const RspRun& run) {
  const double steps = run.steps;
  return {{"controls", setup.free.size()},
          {"surface_points", setup.body.rig->point_count()},
          {"interior_nodes", setup.body.node_count() - setup.body.skin_count()},
          {"seconds_per_step", run.seconds / steps},
          {"fastest_step_seconds", run.fastest},
          {"seconds_per_frame", run.seconds / steps * kFastFrame / kRspStep},
          {"steps_per_frame", kFastFrame / kRspStep},
          {"iterations_per_step", run.iterations / steps},
          {"rig_evaluations_per_step", static_cast<double>(run.rig_evaluations) / steps},
          {"rig_jacobians_per_step", static_cast<double>(run.rig_jacobians) / steps},
          {"jacobian_updates", run.linear.jacobians},
          {"updates_by_predictor", run.linear.predicted},
          {"roll_backs", run.linear.rollbacks},
          {"largest_residual", run.residual},
          {"unconverged_steps", run.unconverged}};
}

/// Moments spread over the clip.
std::vector<Vec> poses_of(const Character& character, const Animation& clip, int count) {
  std::vector<Vec> poses;
  for (int k = 0; k < count; ++k) poses.push_back(pose_at(character, &clip, clip.duration * k / count));
  return poses;
}

FastTraining train_for(const FastScene& scene, const RspSetup& setup) {
  const Character character = make_character(scene.scene.member);
  const Animation& clip = *character.clip(scene.scene.clip);
  return train(setup, {.poses = poses_of(character, clip, kShakenPoses),
                       .hung = poses_of(character, clip, static_cast<int>(std::ceil(clip.duration / kHungEvery)))});
}

void require_speed(const FastScene& scene, Row& row) {
  const double milliseconds = 1e3 * row.metrics["fastest_step_seconds"].get<double>();
  const double largest = row.metrics["largest_difference_percent_of_height"].get<double>();
  const double mean = row.metrics["mean_difference_percent_of_height"].get<double>();
  row.required = fmt::format("differences at most {} and {} %", kLargest, kMean);
  row.ok = largest <= kLargest && mean <= kMean;
  if (scene.scene.member == "sumo") {
    row.required += fmt::format(", at most {} ms a step", kWrestlerMilliseconds);
    row.ok = row.ok && milliseconds <= kWrestlerMilliseconds;
  }
  if (scene.scene.name != "elephant belly") return;
  row.required += fmt::format(", at most {} ms a step, {} times full Newton, {} times 2012", kBellyMilliseconds,
                              kTimesFullNewton, kTimes2012);
  row.ok = row.ok && milliseconds <= kBellyMilliseconds &&
           row.metrics["times_faster_than_full_newton"].get<double>() >= kTimesFullNewton &&
           row.metrics["times_faster_than_2012"].get<double>() >= kTimes2012;
}

Row training_row(const FastScene& scene, const RspSetup& setup, const FastTraining& trained) {
  const InteriorSkinReport& skin = trained.interior.report;
  const InertiaReport inertia = report_inertia(setup, trained);
  Row row{.scene = std::string(scene.scene.name),
          .method = "training",
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
          .paper = Paper{"Thesis 4.3.2: carriers per node, belly", 5.55}};
  const auto add = [&](const std::string& of, const InertiaRange& range) {
    row.metrics["lowest_inertia_of_" + of] = range.lowest, row.metrics["highest_inertia_of_" + of] = range.highest;
  };
  add("few", inertia.few), add("weights_alone", inertia.weights);
  if (inertia.moments) add("mass_moments", *inertia.moments);
  return row;
}

std::vector<Row> table_rows(const FastScene& scene, int steps, bool quick) {
  const RspSetup setup = prepare(scene.scene, steps);
  const bool wrestler = scene.scene.member == "sumo";
  const FastTraining trained = train_for(scene, setup);
  std::vector<Row> rows{training_row(scene, setup, trained)};
  std::vector<RspRun> runs(1);
  std::optional<RspRun> reference;
  double newton = std::numeric_limits<double>::infinity(), before = std::numeric_limits<double>::quiet_NaN();
  for (const FastMethod& method : kMethods) {
    if (quick && !method.quick) continue;
    if (wrestler && (method.apply == as_in_2012 || method.apply == full_newton)) continue;  // out of reach, Thesis 4.3
    RspSetup mine = setup;
    method.apply(mine, trained);
    runs.push_back(run(mine));
    if (method.apply == as_in_2012) before = runs.back().fastest;
    if (method.apply == full_newton || method.apply == gauss_newton) {
      if (!reference) reference = runs.back();
      newton = std::min(newton, runs.back().fastest);
    }
    Row row{.scene = std::string(scene.scene.name), .method = std::string(method.name)};
    row.metrics = metrics_of(mine, runs.back());
    if (method.thesis >= 0 && !std::isnan(scene.thesis[method.thesis]))
      row.paper = Paper{"Thesis table 4.1, seconds per frame, 4 cores of 2.8 GHz", scene.thesis[method.thesis]};
    rows.push_back(std::move(row));
  }
  for (std::size_t k = 1; k < rows.size(); ++k) {
    const Difference apart = difference(setup, runs[k], *reference);
    rows[k].metrics["times_faster_than_full_newton"] = newton / runs[k].fastest;
    rows[k].metrics["times_faster_than_2012"] = before / runs[k].fastest;
    rows[k].metrics["largest_difference_percent_of_height"] = 100 * apart.largest;
    rows[k].metrics["mean_difference_percent_of_height"] = 100 * apart.mean;
    if (!quick && rows[k].method == "skinned interior and its response, deferred Jacobian, cubature")
      require_speed(scene, rows[k]);
  }
  for (Row& row : process_rows(scene, setup, trained, quick)) rows.push_back(std::move(row));
  return rows;
}

std::string neighbour_name(int handles) { return fmt::format("dolphin, {} affine handles, one keyed", handles); }

/// The dolphin is linear in its controls: nothing to train but weights and elements.
Row neighbour_row(int handles, RspSetup setup) {
  const RspSetup whole = setup;
  const RspRun full = run(whole);
  const FastTraining trained = train(setup, {.poses = {setup.body.rig->rest()}});
  cubature(setup, trained);
  const RspRun stepped = run(setup);
  const NeighbourFigure figure = neighbour_figure(handles);
  Row row{.scene = neighbour_name(handles), .method = "cubature"};
  row.metrics = metrics_of(setup, stepped);
  row.metrics["elements_of_cubature"] = trained.cubature.elements.size();
  row.metrics["milliseconds_per_step"] = 1e3 * stepped.fastest;
  row.metrics["training_seconds"] = trained.seconds();
  row.metrics["full_newton_milliseconds_per_step"] = 1e3 * full.fastest;
  const Difference apart = difference(whole, stepped, full);
  row.metrics["largest_difference_percent_of_length"] = 100 * apart.largest * height_of(whole) / kNeighbourLength;
  row.metrics["mean_difference_percent_of_length"] = 100 * apart.mean * height_of(whole) / kNeighbourLength;
  row.paper = Paper{fmt::format("Fast Complementary Dynamics, milliseconds per step at {} unknowns, another mesh (10 k "
                                "vertices, 42 k tetrahedra), 2 to 5 s of precomputation",
                                figure.unknowns),
                    figure.milliseconds_per_step};
  return row;
}

}  // namespace

std::vector<Row> bench_fast(const BenchOptions& options) {
  std::vector<Row> rows;
  const int steps = options.quick ? 3 : 24;
  const auto scenes = fast_scenes();
  for (std::size_t k = 0; k < scenes.size(); ++k) {
    if (!wanted(options, scenes[k].scene.name)) continue;
    for (Row& row : table_rows(scenes[k], steps, options.quick)) rows.push_back(std::move(row));
    report(options.progress, "stepping the scenes of table 4.1",
           static_cast<double>(k + 1) / static_cast<double>(scenes.size()));
  }
  if (!std::filesystem::exists(neighbour_file())) report(options.progress, "no dolphin: its file is absent", 1);
  for (const int handles : {4, 16})
    if (wanted(options, neighbour_name(handles)))
      if (const auto setup = prepare_neighbour(handles, steps)) rows.push_back(neighbour_row(handles, *setup));
  const auto add = [&](std::vector<Row> more) { rows.insert(rows.end(), more.begin(), more.end()); };
  if (wanted(options, "display vertices, belly")) add(sizes_rows(options.quick));
  if (wanted(options, "a crowd: walking, with bellies")) add(crowd_rows(options.quick));
  return rows;
}

}  // namespace rigspace::bench
