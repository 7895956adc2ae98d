// Table 5.1 of the Thesis: milliseconds and rig evaluations of one sketch solve, ours beside the method as printed;
// what free order of strokes adds.

#include "bench.h"
#include "sketch_scenes.h"

#include "rigspace/apps/sketch/printed_poser.h"

#include <fmt/format.h>

#include <algorithm>

namespace rigspace::bench {
namespace {

constexpr double kMostSolveSeconds = 0.016, kMostBoxSeconds = 0.020;
constexpr double kMostEvaluations = 100;
constexpr int kPoses = 12;  // of a scene

struct Measured {
  Timing timing;
  double nearest = 0, by_shares = 0;  // residuals, medians over the poses
  double evaluations = 0, most_evaluations = 0;
};

/// `pose` gives the controls that the last solve found.
template <class Solve, class Pose>
Measured measure_solves(const BenchOptions& options, const MadeScene& scene, const SketchPoser& poser,
                        const std::vector<std::vector<Stroke>>& drawings, Solve&& solve, Pose&& pose) {
  Measured measured;
  std::vector<double> nearest, by_shares;
  for (const auto& strokes : drawings) {
    const long before = scene.evaluations ? *scene.evaluations : 0;
    const SketchReport report = solve(strokes);
    const double evaluations =
        static_cast<double>(scene.evaluations ? *scene.evaluations - before : report.evaluations);
    measured.evaluations += evaluations / static_cast<double>(drawings.size());
    measured.most_evaluations = std::max(measured.most_evaluations, evaluations);
    const Residuals residuals = residuals_of(poser, scene.camera, pose(), strokes);
    nearest.push_back(residuals.nearest), by_shares.push_back(residuals.by_shares);
  }
  const auto middle = [](std::vector<double>& list) {
    std::sort(list.begin(), list.end());
    return list[list.size() / 2];
  };
  measured.nearest = middle(nearest), measured.by_shares = middle(by_shares);
  std::size_t next = 0;
  measured.timing = measure(options.seconds, [&] { solve(drawings[next++ % drawings.size()]); });
  return measured;
}

Row row_of(const SketchScene& scene, std::string method, const SketchPoser& poser, const Measured& measured) {
  int places = 0;
  for (const SketchCurve& curve : poser.abstraction().curves) places += static_cast<int>(curve.places.size());
  Row row{.scene = scene.name, .method = std::move(method)};
  row.metrics = {{"seconds_per_solve", timing_json(measured.timing)},
                 {"rig_evaluations", measured.evaluations},
                 {"residual_share_of_size", measured.nearest},
                 {"residual_by_shares_of_length", measured.by_shares},
                 {"dim_p", poser.free().size()},
                 {"dim_z", 2 * places}};
  if (scene.paper > 0) row.paper = Paper{"Thesis table 5.1", scene.paper};
  return row;
}

void add_scene(const SketchScene& scene, const BenchOptions& options, std::vector<Row>& rows) {
  const MadeScene made_scene = made(scene);
  const Character& character = made_scene.character;
  const Vec rest = character.rig->rest();
  SketchOptions settings;
  settings.controls.free = made_scene.free;
  SketchPoser poser(character, made_scene.abstraction, made_scene.camera, rest, settings);
  const auto named = drawings_of(poser, character, kPoses, true), any = drawings_of(poser, character, kPoses, false);
  const auto solve = [&](const std::vector<Stroke>& strokes) { return poser.solve(strokes); };
  const auto pose = [&]() -> const Vec& { return poser.controls(); };
  const Measured ours = measure_solves(options, made_scene, poser, named, solve, pose);
  Row row = row_of(scene, "ours", poser, ours);
  if (poser.abstraction().follows_view) {  // the Thesis has none
    rows.push_back(std::move(row));
    return;
  }
  PrintedPoser as_printed(character, poser, made_scene.camera, rest);
  const Measured printed = measure_solves(
      options, made_scene, poser, named, [&](const std::vector<Stroke>& strokes) { return as_printed.solve(strokes); },
      [&]() -> const Vec& { return as_printed.controls(); });
  const double bar = scene.black_box ? kMostBoxSeconds : kMostSolveSeconds;
  row.required = fmt::format("at most {:.0f} ms{}, at no larger a residual than as printed", 1e3 * bar,
                             scene.black_box ? ", at most 100 rig evaluations in each solve" : "");
  row.ok = ours.timing.median <= bar && ours.nearest <= printed.nearest &&
           (!scene.black_box || ours.most_evaluations <= kMostEvaluations);
  rows.push_back(std::move(row));
  rows.push_back(row_of(scene, "as printed", poser, printed));
  if (poser.abstraction().pooled || scene.black_box) return;
  rows.push_back(
      row_of(scene, "ours, strokes in any order", poser, measure_solves(options, made_scene, poser, any, solve, pose)));
}

}  // namespace

std::vector<Row> bench_sketch(const BenchOptions& options) {
  std::vector<Row> rows;
  for (const SketchScene& scene : table_5_1())
    if (wanted(options, scene.name)) add_scene(scene, options, rows);
  add_face_in_blender(options, rows);
  return rows;
}

}  // namespace rigspace::bench
