// RSP table 1, the comparison of interfaces of RSP 7 and figures 1, 5 and 7, on the cast: every row with the built-in rig and the same rig
// as a black box, by Newton and by BFGS, beside the paper's figures.

#include "bench.h"
#include "rsp_scenes.h"

#include "rigspace/io/process_rig.h"

#include <fmt/format.h>

namespace rigspace::bench {
namespace {

constexpr double kFrame = 1.0 / 24;  // s; film's; the paper gives no frame rate
constexpr double kMostNewton = 5, kMostBfgs = 20;
constexpr double kResidual = 1e-6;
constexpr std::string_view kInterfaceScene = "12 blend shapes of the elephant's belly";

struct Solver {
  std::string_view name;
  RigCurvature curvature;
  bool bfgs;
  bool quick;  ///< in a short run too
};

constexpr Solver kSolvers[] = {
    {"Newton, second derivatives of the rig by differences of its Jacobian", RigCurvature::exact, false, true},
    {"Newton, without second derivatives of the rig", RigCurvature::none, false, false},
    {"BFGS for the second derivatives of the rig", RigCurvature::learned, true, true},
    {"BFGS for the block of the controls, its update corrected", RigCurvature::bfgs, true, false},
};

nlohmann::ordered_json metrics_of(const RspScene& scene, const RspSetup& setup, const RspRun& run) {
  const double steps = run.steps;
  return {{"controls", setup.free.size()},
          {"interior_unknowns", 3 * (setup.body.node_count() - setup.body.skin_count())},
          {"paper_interior_unknowns", scene.paper.interior},
          {"surface_coordinates", 3 * setup.body.rig->point_count()},
          {"paper_surface_coordinates", scene.paper.surface},
          {"seconds_per_frame", run.seconds / steps * kFrame / kRspStep},
          {"steps_per_frame", kFrame / kRspStep},
          {"iterations_per_step", run.iterations / steps},
          {"most_iterations", run.most_iterations},
          {"rig_evaluations_per_step", static_cast<double>(run.rig_evaluations) / steps},
          {"rig_jacobians_per_step", static_cast<double>(run.rig_jacobians) / steps},
          {"largest_residual", run.residual},
          {"halved_steps", run.halvings},
          {"unconverged_steps", run.unconverged},
          {"motion_metres", run.motion}};
}

bool sizes_agree(const RspScene& scene, const RspSetup& setup) {
  const auto within = [](double is, double paper) { return std::abs(is - paper) <= 0.15 * paper; };
  return static_cast<int>(setup.free.size()) == scene.paper.controls &&
         within(3 * (setup.body.node_count() - setup.body.skin_count()), scene.paper.interior) &&
         within(3 * setup.body.rig->point_count(), scene.paper.surface);
}

Row table_row(const RspScene& scene, const RspSetup& setup, const Solver& method, bool black_box) {
  RspSetup mine = setup;
  mine.options.curvature = method.curvature;
  if (black_box) mine.body.rig = as_black_box(mine.body.rig);
  const RspRun run = bench::run(mine);
  Row row{.scene = std::string(scene.name),
          .method = fmt::format("{}, {}", black_box ? "black box" : "built-in rig", method.name),
          .metrics = metrics_of(scene, mine, run),
          .paper = Paper{"RSP table 1, seconds per frame, BFGS, rig in Maya, 4 cores of 2.8 GHz",
                         scene.paper.seconds_per_frame}};
  const double mean = static_cast<double>(run.iterations) / run.steps, most = method.bfgs ? kMostBfgs : kMostNewton;
  const bool solved = run.unconverged == 0 && run.residual <= kResidual;
  row.required = fmt::format("controls as in the paper, sizes within 15 %, every step to a residual of {}", kResidual);
  row.ok = sizes_agree(scene, setup) && solved;
  if (scene.required) {
    row.required += fmt::format(", at most {} iterations_per_step", most);
    row.ok = row.ok && mean <= most;
  }
  return row;
}

/// Blend shapes by another process, by own differences, by derivatives: five iterations each, forced (RSP 7).
std::vector<Row> interface_rows(bool quick) {
  RspSetup setup = prepare_blend_shapes(quick ? 3 : 6);
  setup.options.hessian = HessianMode::projected;  // slow enough that five iterations never end early
  setup.options.curvature = RigCurvature::exact;
  setup.options.forced_iterations = 5;
  struct Interface {
    std::string name;
    std::shared_ptr<const Rig> rig;
  };
  const Interface interfaces[] = {
      {"rig in another process, differences",
       std::make_shared<ProcessRig>(ProcessRigOptions{.command = host_command({}), .processes = 1})},
      {"rig in this process, differences", as_black_box(setup.body.rig)},
      {"rig in this process, derivatives", setup.body.rig}};
  std::vector<Row> rows;
  std::vector<double> seconds;
  std::vector<RspRun> runs(std::size(interfaces));
  for (int round = 0; round < (quick ? 1 : 3); ++round)  // in turn, since machines are shared
    for (std::size_t k = 0; k < runs.size(); ++k) {
      RspSetup mine = setup;
      mine.body.rig = interfaces[k].rig;
      RspRun run = bench::run(mine);
      if (round > 0) run.fastest = std::min(run.fastest, runs[k].fastest);
      runs[k] = std::move(run);
    }
  for (std::size_t k = 0; k < runs.size(); ++k) {
    const RspRun& run = runs[k];
    const Rig& rig = *interfaces[k].rig;
    const auto workspace = rig.make_workspace();
    const Mat P = rig.rest().replicate(1, 100);
    Mat S;
    const Timing batch = measure(0.05, [&] { rig.evaluate_batch(*workspace, P, S); });
    seconds.push_back(run.fastest);
    rows.push_back({.scene = std::string(kInterfaceScene),
                    .method = interfaces[k].name,
                    .metrics = {{"seconds_per_step", seconds.back()},
                                {"iterations_per_step", static_cast<double>(run.iterations) / run.steps},
                                {"rig_evaluations_per_step", static_cast<double>(run.rig_evaluations) / run.steps},
                                {"microseconds_per_rig_evaluation_in_batches", 1e4 * batch.min}},
                    .required = "5 iterations_per_step",
                    .ok = run.iterations == 5 * run.steps});
  }
  rows[1].metrics["times_faster_than_in_another_process"] = seconds[0] / seconds[1];
  rows[1].paper = Paper{"RSP 7: own differences against Maya, times faster", 18};
  rows[2].metrics["times_faster_than_differences"] = seconds[1] / seconds[2];
  rows[2].paper = Paper{"RSP 7: derivatives against own differences, times faster", 3};
  return rows;
}

}  // namespace

std::vector<Row> bench_rsp(const BenchOptions& options) {
  std::vector<Row> rows;
  const auto scenes = rsp_scenes();
  const int steps = options.quick ? 3 : 16;
  for (std::size_t k = 0; k < scenes.size(); ++k) {
    if (!wanted(options, scenes[k].name)) continue;
    const RspSetup setup = prepare(scenes[k], steps);
    for (const bool black_box : {false, true})
      for (const Solver& method : kSolvers)
        if (method.quick || !options.quick) rows.push_back(table_row(scenes[k], setup, method, black_box));
    report(options.progress, "stepping the scenes of table 1",
           static_cast<double>(k + 1) / static_cast<double>(scenes.size()));
  }
  if (wanted(options, kInterfaceScene))
    for (Row& row : interface_rows(options.quick)) rows.push_back(std::move(row));
  add_rsp_figures(options, rows);
  return rows;
}

}  // namespace rigspace::bench
