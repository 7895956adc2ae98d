#include "rigspace/apps/physics/simulation.h"

#include "black_box_run.h"
#include "motion_collector.h"
#include "part_contact.h"
#include "part_jobs.h"
#include "rigspace/anim/character_frame.h"
#include "rigspace/apps/physics/paper.h"
#include "rigspace/base/error.h"
#include "rigspace/base/parallel.h"
#include "rigspace/base/require.h"
#include "rigspace/rig/built_in_rig.h"
#include "soft_keys.h"
#include "tuning/keyed_settings.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

namespace rigspace {
namespace {

/// Of a loop whose period is longer than its clip: what lies within the clip.
void cut_to_clip(SoftMotion& motion, double clip_duration) {
  if (!motion.looped || !(motion.times.back() > clip_duration * (1 + 1e-12))) return;
  std::vector<double> times;
  for (const double time : motion.times)
    if (time < clip_duration * (1 - 1e-9)) times.push_back(time);
  times.push_back(clip_duration);
  Mat deviation = motion.deviation.leftCols(std::ssize(times));
  for (Eigen::Index row = 0; row < deviation.rows(); ++row)
    deviation(row, deviation.cols() - 1) = deviation_curve(motion, static_cast<std::size_t>(row))(clip_duration);
  motion.times = std::move(times), motion.deviation = std::move(deviation);
}

/// Whether all keyed settings end at their first values; otherwise a clip cannot loop.
bool settings_repeat(std::span<const Part> parts, double duration, Looping looping) {
  const std::string control = unrepeated_control(parts, duration);
  if (looping == Looping::always && !control.empty())
    throw Error({.code = ErrorCode::usage,
                 .element = "control \"" + control + "\"",
                 .value = control,
                 .problem = "is keyed and does not end as it began, so that the clip cannot loop",
                 .remedy = "give it the same value at both ends, or do not ask for a loop"});
  return control.empty();
}

/// Whether the systems run on threads of their own: the rig must allow evaluations at the same time, and bodies must be
/// small, since large ones use many threads within a step.
bool may_run_apart(const Character& character, std::span<const std::unique_ptr<PartSystem>> systems,
                   const SimulationOptions& options) {
  constexpr std::size_t kSmall = 4000;  // elements
  const auto moves = [](const Obstacle& each) { return each.points || each.pose; };
  bool small = true;
  for (const auto& system : systems) {
    if (std::any_of(system->obstacles.begin(), system->obstacles.end(), moves)) return false;
    small = small && system->body().tets.size() < kSmall;
  }
  const int count = static_cast<int>(systems.size()), threads = thread_count();
  return !options.collisions.parts && character.rig->traits().concurrent && count > 1 && threads > 1 &&
         (small || count >= threads);
}

}  // namespace

std::vector<std::unique_ptr<PartSystem>> make_systems(const Character& character, std::span<const Part> parts,
                                                      const SimulationOptions& options,
                                                      const ProgressCallback& training) {
  std::vector<std::unique_ptr<PartSystem>> systems;
  if (auto chains = make_chain_system(character, parts, options)) systems.push_back(std::move(chains));
  for (std::size_t k = 0; k < parts.size(); ++k) {
    const auto part_of_all = [&](const Progress& p) {
      return !training ||
             training({p.stage, (static_cast<double>(k) + p.fraction) / static_cast<double>(parts.size())});
    };
    if (!parts[k].joints.empty()) systems.push_back(make_sheet_system(character, parts, static_cast<int>(k), options));
    if (parts[k].flesh)
      systems.push_back(make_flesh_system(character, parts, static_cast<int>(k), options, part_of_all));
  }
  if (systems.empty())
    throw Error(
        {.file = character.name, .problem = "has no part to simulate", .remedy = "name one: --part 'tail*=tail'"});
  if (!options.corrections.scale)
    for (const auto& system : systems)
      for (TunedPart& part : system->parts) part.most_scaling = 0;
  return systems;
}

void SimulationOptions::validate() const {
  require_option(step > 1e-5 && step <= 0.1, "physics step", step, "expected 0.00001 to 0.1 s");
  require_option(metres_per_unit > 0 && std::isfinite(metres_per_unit), "metres per unit", metres_per_unit,
                 "expected a positive number");
  require_option(max_cycles >= 1, "number of cycles", max_cycles, "expected at least 1");
  require_option(start >= 0 && std::isfinite(start), "start", start, "expected seconds from the clip's beginning");
  require_option(end > start, "end", end, "expected seconds after the start");
  require_option(preroll >= 0 && preroll <= 60, "preroll", preroll, "expected 0 to 60 s");
  require_option(young >= 0 && std::isfinite(young), "Young's modulus", young, "expected Pa; flesh is 10000 to 100000");
  require_option(poisson >= 0 && poisson < 0.5, "Poisson's ratio", poisson, "expected 0 to below 0.5");
  require_option(density > 0 && std::isfinite(density), "density", density, "expected kg/m^3; flesh is 1000");
  require_option(gravity.allFinite() && gravity.norm() <= 1000, "gravity", gravity.norm(), "expected up to 1000 m/s^2");
  require_option(quality >= 0 && quality <= 1, "quality", quality, "expected 0, coarse and quick, to 1, fine and slow");
  collisions.validate();
  require_option(max_halvings >= 0 && max_halvings <= 20, "number of halvings", max_halvings, "expected 0 to 20");
}

Vec3 gravity_from_words(const std::string& words) {
  std::vector<double> numbers;
  const char *from = words.data(), *end = from + words.size();
  bool read = true;
  while (read && numbers.size() < 4) {
    const auto [to, error] = std::from_chars(from, end, numbers.emplace_back());
    read = error == std::errc() && (to == end || *to == ',') && std::isfinite(numbers.back());
    if (to == end) break;
    from = to + 1;
  }
  if (read && numbers.size() == 1) return {0, -numbers[0], 0};
  if (read && numbers.size() == 3) return {numbers[0], numbers[1], numbers[2]};
  throw Error({.code = ErrorCode::usage,
               .element = "gravity \"" + words + "\"",
               .value = words,
               .problem = "is neither a strength nor three numbers",
               .remedy = "expected m/s^2: 9.81 downward, or x,y,z"});
}

SoftMotion simulate_parts(const Character& character, const Animation* clip, std::span<const Part> parts,
                          const SimulationOptions& options, const ProgressCallback& progress) {
  options.validate();
  for (const Part& part : parts)
    for (const double hit : part.settings.hits)
      require_option(std::isfinite(hit), "hit", hit, "expected seconds of the clip");
  if (options.paper) return run_paper(character, clip, parts, options, progress).motion;
  if (dynamic_cast<const BuiltInRig*>(character.rig.get()) == nullptr &&
      std::any_of(parts.begin(), parts.end(), [](const Part& part) { return part.controls.empty(); }))
    throw Error({.file = character.name,
                 .problem = "is no built-in rig",
                 .remedy = "its joints cannot be simulated as chains; name controls"});
  KeyedMotion key(character, clip, options.play);
  const bool whole = options.start <= 0 && options.end >= key.clip_duration() && options.preroll == 0;
  const bool repeat = settings_repeat(parts, key.duration(), options.looping);
  key.set_cyclic(options.looping == Looping::always ||
                 (options.looping == Looping::find && key.loops() && whole && repeat));
  const double size = character_frame(character).extent();
  const double trained = options.method == Method::fast ? 0.2 : 0;  // of the progress
  evaluate_keyed_poses(character, key, options, [&](const Progress& p) { return !progress || progress({p.stage, 0}); });
  const auto systems = make_systems(character, parts, options, [&](const Progress& p) {
    return !progress || progress({p.stage, trained * p.fraction});
  });
  if (options.collisions.any())
    for (const auto& system : systems) {
      system->obstacles = obstacles_for(character, *system, key, options.collisions);
      for (TunedPart& part : system->parts) part.most_scaling = std::min(part.most_scaling, 1.0);
    }

  // Sheets always collide with the body behind them.
  if (!options.collisions.limbs)
    for (const auto& system : systems)
      if (!system->parts.front().part->points.empty()) {
        Collisions body = options.collisions;
        body.limbs = true;
        system->obstacles = obstacles_for(character, *system, key, body);
        for (TunedPart& part : system->parts) part.most_scaling = std::min(part.most_scaling, 1.0);
      }

  std::vector<std::unique_ptr<PartJob>> jobs;
  for (const auto& system : systems) jobs.push_back(std::make_unique<PartJob>(*system, key, options, size));
  if (ByteReader resume(options.checkpoints.resume); !resume.empty())
    for (const auto& job : jobs) job->read(resume);
  const auto save_all = [&] {
    ByteWriter out;
    for (const auto& job : jobs) job->write(out);
    options.checkpoints.save(out.bytes());
  };
  const std::function<void()> saved = options.checkpoints.save ? save_all : std::function<void()>();
  const auto after_training = [&](const Progress& p) {
    return !progress || progress({p.stage, trained + (1 - trained) * p.fraction});
  };
  MotionCollector collector(character, key, parts.size(), options);
  std::size_t collected = 0;
  try {
    if (may_run_apart(character, systems, options)) run_side_by_side(jobs, after_training, saved);
    for (; collected < jobs.size(); ++collected) {
      PartJob& job = *jobs[collected];
      if (options.collisions.parts)
        for (Obstacle& each : obstacles_from(collector.motion(), character, key, job.system()))
          job.system().obstacles.push_back(std::move(each));
      const auto part_of_all = [&](const Progress& p) {
        return after_training(
            {p.stage, (static_cast<double>(collected) + p.fraction) / static_cast<double>(jobs.size())});
      };
      if (!job.result()) job.run(part_of_all, saved);
      collector.add(job.system(), *job.result());
    }
  } catch (const Cancelled&) {
    for (; collected < jobs.size(); ++collected)
      collector.stop(jobs[collected]->system(),
                     jobs[collected]->result() ? jobs[collected]->result() : jobs[collected]->stopped());
    cut_to_clip(collector.motion(), key.clip_duration());
    if (options.checkpoints.stopped && !collector.motion().times.empty())
      options.checkpoints.stopped(collector.motion());
    throw;
  }
  report(progress, "simulating", 1);
  cut_to_clip(collector.motion(), key.clip_duration());
  return std::move(collector.motion());
}

}  // namespace rigspace
