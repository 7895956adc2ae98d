// A thousand characters in one process: how many steps a second one core makes, and two, and what a character takes of
// memory.

#include "fast_scenes.h"

#include "rigspace/anim/keyed_motion.h"
#include "rigspace/apps/physics/flesh.h"
#include "rigspace/apps/physics/realtime_rig.h"
#include "rigspace/cast/cast.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <thread>

#include <unistd.h>

namespace rigspace::bench {
namespace {

constexpr double kGameFrame = 1.0 / 60;

/// Bytes of the process in memory; 0 where it is unknown.
double resident_bytes() {
  std::ifstream file("/proc/self/statm");
  double pages = 0, resident = 0;
  file >> pages >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE));
}

/// The belly of a character that walks.
std::shared_ptr<const RealtimeModel> belly_model(std::string_view name) {
  const Character hard = make_character(name, Version::skeleton);
  std::vector<Part> parts = find_parts(hard);
  std::erase_if(parts, [](const Part& part) { return !preset_named(part.preset).flesh; });
  const Softened soft = soften(hard, parts, {.use_cache = true});
  RealtimeOptions options;
  options.tune_on = soft.character.clip("Walk");
  return std::make_shared<const RealtimeModel>(soft.character, soft.parts, options);
}

/// Two seconds of a walk, a pose a frame.
std::vector<Vec> walk_of(const RealtimeModel& model) {
  KeyedMotion motion(model.character(), model.character().clip("Walk"));
  motion.set_cyclic(true);
  std::vector<Vec> poses(120);
  for (std::size_t k = 0; k < poses.size(); ++k) motion.controls(static_cast<double>(k) * kGameFrame, poses[k]);
  return poses;
}

std::span<const double> span_of(const Vec& v) { return {v.data(), static_cast<std::size_t>(v.size())}; }

/// One character, `offset` frames into the walk.
struct Walker {
  RealtimeRig rig;
  std::size_t offset;
};

void step_all(std::span<Walker> walkers, std::span<const Vec> poses, std::size_t frame) {
  for (Walker& walker : walkers) {
    const std::size_t at = (walker.offset + frame) % poses.size();
    if (at == 0) walker.rig.teleport();  // back to the start of the way
    walker.rig.set_keyed(span_of(poses[at]));
    walker.rig.step(kGameFrame);
  }
}

double seconds_of(const std::function<void()>& body) {
  const auto start = std::chrono::steady_clock::now();
  body();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Frames of the walk, `first` not included.
struct Frames {
  std::size_t first, count;
};

/// Each thread steps its own characters through all frames.
double run_crowd(std::span<Walker> crowd, std::span<const Vec> poses, Frames frames, std::size_t threads) {
  return seconds_of([&] {
    std::vector<std::thread> others;
    const std::size_t share = (crowd.size() + threads - 1) / threads;
    for (std::size_t t = 0; t < threads; ++t) {
      const std::span<Walker> own = crowd.subspan(std::min(t * share, crowd.size()));
      others.emplace_back([own = own.first(std::min(share, own.size())), poses, frames] {
        for (std::size_t k = 1; k <= frames.count; ++k) step_all(own, poses, frames.first + k);
      });
    }
    for (std::thread& thread : others) thread.join();
  });
}

}  // namespace

std::vector<Row> crowd_rows(bool quick) {
  const int count = quick ? 50 : 1000;
  const std::size_t frames = quick ? 4 : 12;
  std::shared_ptr<const RealtimeModel> model;
  const double training = seconds_of([&] { model = belly_model("bobbin"); });
  const std::vector<Vec> poses = walk_of(*model);
  std::vector<Walker> crowd;
  crowd.reserve(static_cast<std::size_t>(count));
  const double before = resident_bytes();
  const double making = seconds_of([&] {
    for (int k = 0; k < count; ++k) {
      const std::size_t offset = static_cast<std::size_t>(37 * k) % poses.size();
      crowd.push_back({RealtimeRig(model), offset});
      crowd.back().rig.reset(span_of(poses[offset]));
    }
  });
  const double resident = resident_bytes() - before;
  run_crowd(crowd, poses, {0, frames}, 1);  // under way
  std::vector<Row> rows;
  for (const std::size_t threads : {std::size_t{1}, std::size_t{2}}) {
    long steps = 0;
    for (const Walker& walker : crowd) steps -= walker.rig.steps();
    const double seconds = run_crowd(crowd, poses, {threads * frames, frames}, threads);
    for (const Walker& walker : crowd) steps += walker.rig.steps();
    long unconverged = 0, iterations = 0, all = 0;
    for (const Walker& walker : crowd)
      unconverged += walker.rig.unconverged(), iterations += walker.rig.iterations(), all += walker.rig.steps();
    const double rate = static_cast<double>(steps) / seconds;
    rows.push_back({.scene = fmt::format("a crowd: {} walking, with bellies", count),
                    .method = fmt::format("RealtimeRig, {} thread{}", threads, threads == 1 ? "" : "s"),
                    .metrics = {{"characters", count},
                                {"controls", model->free().size()},
                                {"elements", model->element_count()},
                                {"steps_per_second", rate},
                                {"seconds_per_step", static_cast<double>(threads) / rate},
                                {"characters_in_real_time", rate * model->options().step},
                                {"iterations_per_step", static_cast<double>(iterations) / static_cast<double>(all)},
                                {"latency_seconds", model->latency()},
                                {"heap_bytes_per_character", model->instance_bytes()},
                                {"resident_bytes_per_character", resident / count},
                                {"making_seconds_per_character", making / count},
                                {"training_seconds", training},
                                {"unconverged_steps", unconverged}}});
  }
  return rows;
}

}  // namespace rigspace::bench
