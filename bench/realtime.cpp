// Secondary motion in a game: what a frame costs, what an instance takes of memory, how far the motion is from that of
// `rigspace simulate`, for characters of the assets.

#include "bench.h"
#include "realtime_play.h"

#include "rigspace/base/error.h"

#include <fmt/format.h>

namespace rigspace::bench {
namespace {

constexpr double kGame = 60;  // frames a second
constexpr double kSlow = 24, kFast = 1000;

/// The characters of the table: rods, sheets, solids and flesh.
struct Actor {
  std::string_view name, file;
  bool quick;  ///< in a short run too
};
constexpr Actor kActors[] = {{"Fox", "khr_Fox/Fox.glb", true},
                             {"ShibaInu", "quaternius_ShibaInu/ShibaInu.glb", false},
                             {"Stag", "census/Stag.glb", false},
                             {"Apatosaurus", "quaternius_Apatosaurus/Apatosaurus.glb", false},
                             {"Triceratops", "census/Triceratops.glb", false},
                             {"Shark", "census/Shark.glb", true},
                             {"Koi", "census/Koi.glb", false},
                             {"Knight", "kaykit_Knight/Knight.glb", false}};

void add_times(const FrameTimes& times, Row& row) {
  row.metrics["mean_milliseconds_per_frame"] = 1e3 * times.mean();
  row.metrics["p99_milliseconds_per_frame"] = 1e3 * times.percentile(0.99);
  row.metrics["worst_milliseconds_per_frame"] = 1e3 * times.worst();
}

Row actor_row(const Actor& actor, bool quick) {
  const RealtimePlay play{std::filesystem::path(actor.file)};
  RealtimeRig rig(play.model());
  Row row{.scene = std::string(actor.name), .method = "RealtimeRig"};
  row.metrics = {{"parts", play.model()->tuning().size()},
                 {"controls", play.model()->free().size()},
                 {"elements", play.model()->element_count()},
                 {"loading_seconds", play.loading()},
                 {"latency_seconds", play.model()->latency()}};
  add_times(play.frame_times(rig, kGame, quick ? 120 : 1200), row);
  row.metrics["iterations_per_step"] = static_cast<double>(rig.iterations()) / static_cast<double>(rig.steps());
  row.metrics["unconverged_steps"] = rig.unconverged();
  row.metrics["heap_bytes"] = rig.bytes();
  if (quick) return row;
  const PlayedTurn turn = play.last_turn(rig, kGame);
  row.metrics["percent_of_swing_from_simulate"] = 100 * play.apart(turn, play.simulate());
  row.metrics["percent_of_swing_24_to_1000_frames"] =
      100 * play.apart(play.last_turn(rig, kSlow), play.last_turn(rig, kFast));
  return row;
}

}  // namespace

std::vector<Row> bench_realtime(const BenchOptions& options) {
  std::vector<Row> rows;
  for (const Actor& actor : kActors) {
    if (!wanted(options, actor.name) || (options.quick && !actor.quick)) continue;
    if (!std::filesystem::exists(assets_folder() / actor.file)) continue;
    report(options.progress, "playing characters", static_cast<double>(rows.size()) / std::size(kActors));
    rows.push_back(actor_row(actor, options.quick));
  }
  if (rows.empty())
    throw Error({.element = "bench realtime",
                 .problem = "finds no characters",
                 .remedy = "name their folder in RIGSPACE_ASSETS, or run it beside ../shared/assets"});
  return rows;
}

}  // namespace rigspace::bench
