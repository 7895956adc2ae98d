// Secondary motion in a game: what a frame costs, what an instance takes of memory, how far the motion is from that of
// `rigspace simulate`, at each level of detail; a crowd; a snap of the root; an hour of random input.

#include "bench.h"
#include "realtime_play.h"
#include "realtime_soak.h"

#include "rigspace/base/error.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <thread>

namespace rigspace::bench {
namespace {

constexpr double kGame = 60;  // frames a second
constexpr double kSlow = 24, kFast = 1000;
constexpr double kMostFromSimulate = 10, kMostOfFrameRate = 5;  // % of the swing
constexpr double kBudget = 1e-3;                                // s a frame, of a snap
constexpr double kMostSnapped = 0.1;                            // radians
constexpr double kSnap = 0.5;                                   // m

/// The characters of the table: rods, sheets, solids and flesh. Bars in ms a frame; 0: none.
struct Actor {
  std::string_view name, file;
  bool quick;  ///< in a short run too
  double most_mean, most_p99;
};
constexpr Actor kActors[] = {{"Fox", "khr_Fox/Fox.glb", true, 0.5, 1},
                             {"ShibaInu", "quaternius_ShibaInu/ShibaInu.glb", false, 0.5, 1},
                             {"Stag", "census/Stag.glb", false, 0.5, 1},
                             {"Apatosaurus", "quaternius_Apatosaurus/Apatosaurus.glb", false, 0.5, 1},
                             {"Triceratops", "census/Triceratops.glb", false, 0.5, 1},
                             {"Shark", "census/Shark.glb", true, 0.02, 0},
                             {"Koi", "census/Koi.glb", false, 0.02, 0},
                             {"Knight", "kaykit_Knight/Knight.glb", false, 0, 0}};

struct Level {
  RealtimeLevel level;
  std::string_view name;
};
constexpr Level kLevels[] = {
    {RealtimeLevel::full, "full"}, {RealtimeLevel::light, "light"}, {RealtimeLevel::springs, "springs"}};

void add_times(const FrameTimes& times, Row& row) {
  row.metrics["mean_milliseconds_per_frame"] = 1e3 * times.mean();
  row.metrics["p99_milliseconds_per_frame"] = 1e3 * times.percentile(0.99);
  row.metrics["worst_milliseconds_per_frame"] = 1e3 * times.worst();
}

void require(Row& row, bool met, const std::string& bar) {
  row.required += (row.required.empty() ? "" : "; ") + bar;
  row.ok = row.ok && met;
}

Row level_row(const Actor& actor, const RealtimePlay& play, const Level& at, const PlayedTurn* simulated, bool quick) {
  RealtimeRig rig(play.model(), at.level);
  const bool full = at.level == RealtimeLevel::full;
  Row row{.scene = std::string(actor.name), .method = std::string(at.name)};
  row.metrics = {{"parts", play.model()->tuning().size()}, {"controls", play.model()->free().size()}};
  if (full) row.metrics["elements"] = play.model()->element_count();
  if (full) row.metrics["loading_seconds"] = play.loading();
  const FrameTimes times = play.frame_times(rig, kGame, quick ? 120 : 1200);
  add_times(times, row);
  if (full && actor.most_mean > 0)
    require(row, 1e3 * times.mean() <= actor.most_mean, fmt::format("mean at most {} ms", actor.most_mean));
  if (full && actor.most_p99 > 0)
    require(row, 1e3 * times.percentile(0.99) <= actor.most_p99, fmt::format("p99 at most {} ms", actor.most_p99));
  row.metrics["heap_bytes"] = rig.bytes();
  if (at.level == RealtimeLevel::springs) {
    for (const RealtimePart& part : play.model()->tuning())
      row.metrics["spring_error_of_" + part.name] = part.spring_error;
  } else {
    row.metrics["iterations_per_step"] = static_cast<double>(rig.iterations()) / static_cast<double>(rig.steps());
    row.metrics["unconverged_steps"] = rig.unconverged();
  }
  if (quick) return row;
  const PlayedTurn turn = play.last_turn(rig, kGame);
  const double apart = 100 * play.apart(turn, *simulated);
  const double rates = 100 * play.apart(play.last_turn(rig, kSlow), play.last_turn(rig, kFast));
  row.metrics["percent_of_swing_from_simulate"] = apart;
  row.metrics["percent_of_swing_24_to_1000_frames"] = rates;
  if (full || at.level == RealtimeLevel::light)
    row.metrics["latency_seconds_measured"] = measured_latency(play, turn, *simulated);
  row.metrics["latency_seconds_stated"] = play.model()->latency();
  if (!full) return row;
  require(row, apart <= kMostFromSimulate, fmt::format("at most {} % from simulate", kMostFromSimulate));
  require(row, rates <= kMostOfFrameRate, fmt::format("24 to 1000 frames within {} %", kMostOfFrameRate));
  return row;
}

/// The largest change of the deviation, radians and lengths alike, by a root that is moved half a metre in one frame,
/// and the frames of the second after it.
Row snap_row(const Actor& actor, const RealtimePlay& play, bool absorbed, bool budget) {
  RealtimeRig rig(play.model()), same(play.model());
  if (budget) rig.set_budget(kBudget);
  FrameTimes times;
  double most = 0;
  Vec p;
  play.pose(0, 0, p);
  const auto span = [](Vec& v) { return std::span<double>(v.data(), static_cast<std::size_t>(v.size())); };
  rig.reset(span(p)), same.reset(span(p));
  constexpr int kBefore = 120;
  for (int k = 1; k < kBefore + 60; ++k) {
    play.pose(k / kGame, 0, p);
    same.set_keyed(span(p)), same.step(1 / kGame);
    play.pose(k / kGame, k < kBefore ? 0 : kSnap, p);
    const double before = thread_seconds();
    rig.set_keyed(span(p)), rig.step(1 / kGame);
    if (k < kBefore) continue;
    times.seconds.push_back(thread_seconds() - before);
    const std::span<const double> here = rig.deviation(), there = same.deviation();
    for (std::size_t c = 0; c < here.size(); ++c) {
      const Control& control = play.model()->controls()[static_cast<std::size_t>(play.model()->free()[c])];
      if (control.unit == Unit::angle) most = std::max(most, std::abs(here[c] - there[c]));
    }
  }
  Row row{.scene = fmt::format("{}, root snaps by {} m", actor.name, kSnap),
          .method = !absorbed ? "every motion is a load"
                    : budget  ? fmt::format("snap_speed, budget of {} ms", 1e3 * kBudget)
                              : "snap_speed"};
  add_times(times, row);
  row.metrics["largest_change_radians"] = most;
  row.metrics["snapped_steps"] = rig.snaps();
  row.metrics["parts_left_out"] = rig.left_out();
  if (absorbed && !budget) require(row, most <= kMostSnapped, fmt::format("at most {} radians", kMostSnapped));
  if (budget) require(row, times.worst() <= 1.5 * kBudget, "no frame above 1.5 of the budget");
  return row;
}

/// One of a crowd.
struct Member {
  const RealtimePlay* play;
  RealtimeRig rig;
  std::size_t offset;
};

/// Ten heroes, ninety at the middle level, nine hundred far away; on two threads. Poses are made beforehand.
Row crowd_row(const std::vector<const RealtimePlay*>& plays, const std::array<int, 3>& counts, bool required) {
  constexpr std::size_t kPoses = 120, kWarm = 6, kFrames = 12, kThreads = 2;
  std::vector<std::vector<Vec>> poses(plays.size(), std::vector<Vec>(kPoses));
  for (std::size_t c = 0; c < plays.size(); ++c)
    for (std::size_t k = 0; k < kPoses; ++k) plays[c]->motion().controls(static_cast<double>(k) / kGame, poses[c][k]);
  std::vector<Member> crowd;
  std::vector<std::size_t> of;
  double bytes = 0;
  for (std::size_t level = 0; level < counts.size(); ++level)
    for (int k = 0; k < counts[level]; ++k) {
      of.push_back(static_cast<std::size_t>(k) % plays.size());
      const RealtimePlay* play = plays[of.back()];
      crowd.push_back(
          {play, RealtimeRig(play->model(), kLevels[level].level), static_cast<std::size_t>(37 * k) % kPoses});
      const Vec& first = poses[of.back()][crowd.back().offset];
      crowd.back().rig.reset({first.data(), static_cast<std::size_t>(first.size())});
      bytes += static_cast<double>(crowd.back().rig.bytes());
    }
  std::array<std::vector<double>, kThreads> seconds;
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < kThreads; ++t)
    threads.emplace_back([&, t] {
      for (std::size_t frame = 1; frame <= kWarm + kFrames; ++frame) {
        const double before = thread_seconds();
        for (std::size_t m = t; m < crowd.size(); m += kThreads) {
          const std::size_t at = (crowd[m].offset + frame) % kPoses;
          const Vec& pose = poses[of[m]][at];
          if (at == 0) crowd[m].rig.teleport();  // back to the start of the way
          crowd[m].rig.set_keyed({pose.data(), static_cast<std::size_t>(pose.size())});
          crowd[m].rig.step(1 / kGame);
        }
        if (frame > kWarm) seconds[t].push_back(thread_seconds() - before);
      }
    });
  for (std::thread& thread : threads) thread.join();
  FrameTimes times;
  for (std::size_t k = 0; k < kFrames; ++k) times.seconds.push_back(std::max(seconds[0][k], seconds[1][k]));
  Row row{.scene = fmt::format("a crowd: {} full, {} light, {} springs", counts[0], counts[1], counts[2]),
          .method = "two threads, processor time of the slower one"};
  add_times(times, row);
  row.metrics["characters"] = crowd.size();
  row.metrics["heap_bytes"] = bytes;
  if (required) require(row, times.mean() <= 1 / kGame, "a thousand characters within a frame at 60 a second");
  return row;
}

}  // namespace

std::vector<Row> bench_realtime(const BenchOptions& options) {
  std::vector<Row> rows;
  std::vector<std::unique_ptr<RealtimePlay>> kept;
  const bool crowd = wanted(options, "a crowd"), soak = wanted(options, kSoakScene);
  const auto report_at = [&](const char* what) {
    report(options.progress, what, static_cast<double>(kept.size()) / (std::size(kActors) + 1));
  };
  for (const Actor& actor : kActors) {
    const std::string snap = fmt::format("{}, root snaps", actor.name);
    if (!wanted(options, actor.name) && !crowd && !soak && !wanted(options, snap)) continue;
    if ((options.quick && !actor.quick) || !std::filesystem::exists(assets_folder() / actor.file)) continue;
    report_at("playing characters");
    kept.push_back(std::make_unique<RealtimePlay>(actor.file, RealtimeOptions{.springs = true}));
    const RealtimePlay& play = *kept.back();
    if (wanted(options, actor.name)) {
      std::optional<PlayedTurn> simulated;
      if (!options.quick) simulated = play.simulate();
      for (const Level& level : kLevels)
        rows.push_back(level_row(actor, play, level, simulated ? &*simulated : nullptr, options.quick));
    }
    if (wanted(options, snap) && actor.name == "Fox") {
      rows.push_back(snap_row(actor, RealtimePlay(actor.file, RealtimeOptions{.snap_speed = 0}), false, false));
      rows.push_back(snap_row(actor, play, true, false));
      rows.push_back(snap_row(actor, play, true, true));
    }
  }
  if (kept.empty())
    throw Error({.element = "bench realtime",
                 .problem = "finds no characters",
                 .remedy = "name their folder in RIGSPACE_ASSETS, or run it beside ../shared/assets"});
  std::vector<const RealtimePlay*> plays;
  for (const auto& play : kept) plays.push_back(play.get());
  if (crowd) {
    rows.push_back(crowd_row(plays, {10, 0, 0}, false));
    rows.push_back(crowd_row(plays, {0, 0, options.quick ? 100 : 1000}, false));
    rows.push_back(options.quick ? crowd_row(plays, {1, 9, 90}, false) : crowd_row(plays, {10, 90, 900}, true));
  }
  if (soak) {
    report_at("soaking");
    rows.push_back(soak_row(plays, options.quick ? 20 : 3600));
  }
  return rows;
}

}  // namespace rigspace::bench
