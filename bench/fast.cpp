// `bench fast`: Thesis table 4.1 over whole clips and on motion that was not trained on, the method as it ships, error
// against cost, convergence, one body under several display meshes, many characters, and the setting of Fast
// Complementary Dynamics.

#include "bench.h"
#include "fast_methods.h"
#include "fast_scenes.h"
#include "fast_swing.h"

#include "rigspace/base/parallel.h"

#include <fmt/format.h>

#include <filesystem>

namespace rigspace::bench {
namespace {

std::string neighbour_name(int handles) { return fmt::format("dolphin, {} affine handles, one keyed", handles); }

constexpr double kManyMilliseconds = 0.8, kManyTraining = 10;  // of 192 unknowns: the neighbour's, and s

/// The dolphin is linear in its controls: nothing to train but weights and elements, in its rest pose alone.
Row neighbour_row(int handles, const RspSetup& setup) {
  const ThreadCountScope one(1);
  RspSetup whole = setup, few = setup;
  apply_full(whole);
  const RspRun full = run(whole);
  const FastTraining trained = train(setup, {.poses = {setup.body.rig->rest()}});
  apply_cubature(few, trained);
  const RspRun stepped = run(few);
  const NeighbourFigure figure = neighbour_figure(handles);
  const double median = spread_of(stepped.step_seconds).median;
  const MotionError error =
      motion_error(apart(setup, stepped.poses, full.poses), apart(setup, full.poses, unmoved(setup)), kNeighbourLength);
  Row row{.scene = neighbour_name(handles),
          .method = "as it ships: few elements",
          .metrics = {{"controls", setup.free.size()},
                      {"steps", stepped.poses.size()},
                      {"elements", trained.cubature.elements.size()},
                      {"elements_in_all", trained.cubature.candidates},
                      {"milliseconds_per_step", spread_json(spread_of(stepped.step_seconds), 1e3)},
                      {"full_newton_milliseconds_per_step", spread_json(spread_of(full.step_seconds), 1e3)},
                      {"training_seconds", trained.seconds()},
                      {"iterations_per_step", static_cast<double>(stepped.iterations) / stepped.steps},
                      {"largest_residual", stepped.residual},
                      {"unconverged_steps", stepped.unconverged}}};
  add(error, row.metrics);  // its height here is its length
  row.paper = Paper{fmt::format("Fast Complementary Dynamics, milliseconds per step at {} unknowns, another mesh (10 k "
                                "vertices, 42 k tetrahedra), 2 to 5 s of precomputation",
                                figure.unknowns),
                    figure.milliseconds_per_step};
  row.required = "every step converged, training within its tolerance";
  row.ok = stepped.unconverged == 0 && stepped.residual <= setup.options.gradient_tolerance && trained.cubature.reached;
  if (figure.unknowns < 192) return row;
  row.required += fmt::format(", {} ms a step, {} s of training", kManyMilliseconds, kManyTraining);
  row.ok = row.ok && 1e3 * median <= kManyMilliseconds && trained.seconds() <= kManyTraining;
  return row;
}

}  // namespace

std::vector<Row> bench_fast(const BenchOptions& options) {
  std::vector<Row> rows;
  const int steps = options.quick ? 3 : 24;
  const auto scenes = fast_scenes();
  const bool short_run = options.quick && options.only.empty();  // what takes long must be named
  for (std::size_t k = 0; k < scenes.size(); ++k) {
    if (!wanted(options, scenes[k].scene.name)) continue;
    if (short_run && scenes[k].scene.member == "sumo") continue;  // his training takes half a minute
    for (Row& row : table_rows(scenes[k], options.quick)) rows.push_back(std::move(row));
    report(options.progress, "stepping the scenes of table 4.1",
           static_cast<double>(k + 1) / static_cast<double>(scenes.size()));
  }
  if (!std::filesystem::exists(neighbour_file())) report(options.progress, "no dolphin: its file is absent", 1);
  for (const int handles : {4, 16})
    if (!short_run && wanted(options, neighbour_name(handles)))
      if (const auto setup = prepare_neighbour(handles, steps)) rows.push_back(neighbour_row(handles, *setup));
  const auto add = [&](std::vector<Row> more) { rows.insert(rows.end(), more.begin(), more.end()); };
  add(shipped_rows(options));
  if (!short_run && wanted(options, kQualityScene)) add(quality_rows(options.quick));
  if (wanted(options, kConvergenceScene)) add(convergence_rows(options.quick));
  if (wanted(options, kSizesScene)) add(sizes_rows(options.quick));
  if (!short_run && wanted(options, "a crowd: walking, with bellies")) add(crowd_rows(options.quick));
  return rows;
}

}  // namespace rigspace::bench
