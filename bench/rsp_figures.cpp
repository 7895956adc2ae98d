// Figures of RSP as numbers: 1 and 5, a walk whose parts are simulated one after another, each on what the earlier ones
// left; 7, six modes in place of 36 controls on a clip that they were not found on, by how far the flesh swings.

#include "bench.h"
#include "fast_swing.h"

#include "rigspace/anim/mode_rig.h"
#include "rigspace/apps/physics/flesh.h"
#include "rigspace/apps/physics/simulation.h"
#include "rigspace/cast/cast.h"
#include "rigspace/io/rig_file_extend.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace rigspace::bench {
namespace {

constexpr double kKeysPerSecond = 60;  // keys a second
constexpr double kPaperLargest = 2;    // % of the height: figure 7 shows no difference

/// All points of the rig over the keys of two clips.
Apart surfaces_apart(const Character& character, const Animation& a, const Animation& b, double duration) {
  const Rig& rig = *character.rig;
  const auto workspace = rig.make_workspace();
  Apart result;
  double sum = 0;
  long count = 0;
  Vec s, other;
  for (int k = 0; k <= static_cast<int>(std::floor(duration * kKeysPerSecond + 1e-9)); ++k) {
    rig.evaluate(*workspace, pose_at(character, &a, k / kKeysPerSecond), s);
    rig.evaluate(*workspace, pose_at(character, &b, k / kKeysPerSecond), other);
    for (int i = 0; i < rig.point_count(); ++i) {
      const double squared = (point(s, i) - point(other, i)).squaredNorm();
      if (squared == 0) continue;
      result.largest = std::max(result.largest, std::sqrt(squared)), sum += squared, ++count;
    }
  }
  if (count > 0) result.rms = std::sqrt(sum / static_cast<double>(count));
  return result;
}

double rest_height_of(const Character& character) {
  Vec s;
  character.rig->evaluate(*character.rig->make_workspace(), character.rig->rest(), s);
  const auto flat = Eigen::Map<const Eigen::Matrix3Xd>(s.data(), 3, character.rig->point_count());
  return flat.row(1).maxCoeff() - flat.row(1).minCoeff();
}

std::vector<Row> figure_5_rows(bool quick) {
  const Character peanut = make_character("peanut");
  const Animation artist = *peanut.clip("Walk");
  Animation keyed = artist;
  std::vector<Row> rows;
  int curves = 0, unconverged = 0;
  double seconds = 0;
  SimulationOptions options{.looping = Looping::never, .method = Method::full};
  if (quick) options.end = 0.2;
  const double duration = std::min(options.end, artist.duration), height = rest_height_of(peanut);
  for (const char* pattern :
       {"belly_*=belly", "shoulders=belly", "trunk_*,trunk.twist=tail", "tail_*=tail", "ear_l.flap,ear_r.flap=ear"}) {
    Part part = with_solid(peanut, control_part_from_pattern(peanut, pattern), {.use_cache = true});
    const double begun = thread_seconds();
    const SoftMotion motion = simulate_parts(peanut, &keyed, std::span(&part, 1), options);
    seconds += thread_seconds() - begun;
    Animation soft = soft_clip(peanut, &keyed, motion, kKeysPerSecond);
    const Apart swing = surfaces_apart(peanut, keyed, soft, duration);
    curves += static_cast<int>(motion.controls.size()), unconverged += motion.failed_steps;
    rows.push_back({.scene = "figures 1 and 5: the elephant's walk, part by part",
                    .method = pattern,
                    .metrics = {{"simulated_curves", motion.controls.size()},
                                {"steps", motion.steps},
                                {"rate_hz", motion.parts.front().rate},
                                {"rms_swing_percent_of_height", 100 * swing.rms / height},
                                {"largest_swing_percent_of_height", 100 * swing.largest / height},
                                {"unconverged_steps", motion.failed_steps}},
                    .required = "every step converged, and the part moves",
                    .ok = motion.failed_steps == 0 && swing.largest > 0});
    keyed = std::move(soft);
  }
  const Apart all = surfaces_apart(peanut, artist, keyed, duration);
  rows.push_back({.scene = "figures 1 and 5: the elephant's walk, part by part",
                  .method = "all parts",
                  .metrics = {{"keyed_curves", artist.tracks.size() + 4 * artist.rotations.size()},
                              {"simulated_curves", curves},
                              {"seconds_of_the_processor", seconds},
                              {"largest_swing_percent_of_height", 100 * all.largest / height},
                              {"unconverged_steps", unconverged}},
                  .required = "every step converged",
                  .ok = unconverged == 0});
  return rows;
}

/// Tuned by the first run on all controls; the second is given the same rate.
Animation simulated_clip(const Character& character, const std::string& pattern, const char* clip, PartReport& report,
                         bool quick, int& unconverged) {
  Part part = with_solid(character, control_part_from_pattern(character, pattern), {.use_cache = true});
  if (report.rate > 0) part.settings.rate = report.rate, part.settings.settle = report.settle;
  SimulationOptions options{.looping = Looping::never, .method = Method::full};
  if (quick) options.end = 0.4;
  const SoftMotion motion = simulate_parts(character, character.clip(clip), std::span(&part, 1), options);
  report = motion.parts.front(), unconverged += motion.failed_steps;
  return soft_clip(character, character.clip(clip), motion, kKeysPerSecond);
}

Row figure_7_row(const char* learned, const char* used, bool quick) {
  const RiggedCharacter peanut = make_rigged_character("peanut");
  const Character& full = peanut.character;
  int unconverged = 0;
  PartReport of_lesson, of_all;
  const Animation lesson = simulated_clip(full, "belly_*=belly", learned, of_lesson, quick, unconverged);
  const ModeSample sample{&lesson, full.clip(learned)};
  const Part all = control_part_from_pattern(full, "belly_*=belly");
  const ControlModes modes = find_modes(full, all.controls, {&sample, 1}, {.count = 6});
  const Character reduced = extended(peanut, slider_parts(modes, full.rig->controls(), {.name = "mode"})).character;
  const Animation truth = simulated_clip(full, "belly_*=belly", used, of_all, quick, unconverged);
  const Animation few = simulated_clip(reduced, "mode_*=belly", used, of_all, quick, unconverged);
  const double duration = quick ? 0.4 : full.clip(used)->duration, height = rest_height_of(reduced);
  const Apart swing = surfaces_apart(reduced, *full.clip(used), truth, duration),
              error = surfaces_apart(reduced, truth, few, duration);
  Row row{.scene = "figure 7: six modes in place of 36 controls",
          .method = fmt::format("modes of {}, tested on {}", learned, used),
          .metrics = {{"share_of_the_modes", modes.share()},
                      {"rms_swing_percent_of_height", 100 * swing.rms / height},
                      {"largest_swing_percent_of_height", 100 * swing.largest / height}}};
  add(motion_error(error, swing, height), row.metrics);
  row.metrics["unconverged_steps"] = unconverged;
  row.required = fmt::format("every step converged, at most {} % of the height", kPaperLargest);
  row.ok = unconverged == 0 && 100 * error.largest / height <= kPaperLargest;
  return row;
}

}  // namespace

void add_rsp_figures(const BenchOptions& options, std::vector<Row>& rows) {
  if (wanted(options, "figures 1 and 5: the elephant's walk, part by part"))
    for (Row& row : figure_5_rows(options.quick)) rows.push_back(std::move(row));
  if (!wanted(options, "figure 7: six modes in place of 36 controls")) return;
  rows.push_back(figure_7_row("Walk", "Dance", options.quick));
  if (!options.quick) rows.push_back(figure_7_row("Dance", "Walk", options.quick));
}

}  // namespace rigspace::bench
