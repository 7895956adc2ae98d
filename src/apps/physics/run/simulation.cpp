#include "rigspace/apps/physics/simulation.h"

#include "black_box_run.h"
#include "ground_guard.h"
#include "limb_guard.h"
#include "part_contact.h"
#include "part_jobs.h"
#include "rigspace/anim/character_frame.h"
#include "rigspace/apps/physics/paper.h"
#include "rigspace/base/error.h"
#include "rigspace/base/parallel.h"
#include "rigspace/base/require.h"
#include "rigspace/geometry/signed_distance.h"
#include "rigspace/rig/built_in_rig.h"
#include "ripples.h"
#include "soft_keys.h"
#include "tuning/keyed_settings.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

namespace rigspace {
namespace {

/// Closes a loop: the gap between its ends, which is below the loop tolerance, is spread over the cycle.
void close_loop(Mat& deviation) {
  const Eigen::Index last = deviation.cols() - 1;
  const Vec gap = deviation.col(last) - deviation.col(0);
  for (Eigen::Index k = 0; k <= last; ++k)
    deviation.col(k) -= (static_cast<double>(k) / static_cast<double>(last)) * gap;
  deviation.col(last) = deviation.col(0);
}

PartReport report_of(const PartSystem& system, std::size_t c, const Run& run, const Vec& shares) {
  const TunedPart& part = system.parts[c];
  PartReport report{.flesh = system.flesh(),
                    .rate = part.settings.rate,
                    .settle = part.settings.settle,
                    .lag = part.settings.lag,
                    .amount = part.raised * part.part->settings.amount * part.ease,
                    .smallest_volume = run.smallest_volume,
                    .volume_change = run.volume_change,
                    .eased = shares.minCoeff(),
                    .held = part.held,
                    .scaled = part.scaling,
                    .finished = static_cast<double>(run.reach.cols() - 1) / static_cast<double>(run.times.size() - 1)};
  std::vector<double> swings;
  for (Eigen::Index k = 0; k < run.reach.cols(); ++k) {
    const double time = run.times[static_cast<std::size_t>(k)];
    const double factor = scaling_at(part, time) * part.part->settings.at("mix", time);
    swings.push_back(shares[k] * factor * system.swing(part, run.reach(static_cast<Eigen::Index>(c), k)));
    if (swings.back() > report.largest)
      report.largest = swings.back(), report.largest_at = run.times[static_cast<std::size_t>(k)];
  }
  report.swing = percentile(std::move(swings), 0.95);
  return report;
}

/// After the last finished column the deviation continues at its velocity and fades to 0, so that neither jumps.
void fade_out(Mat& deviation, std::span<const double> times) {
  constexpr double kFade = 0.2;  // s
  const Eigen::Index last = deviation.cols() - 1, whole = static_cast<Eigen::Index>(times.size());
  if (last + 1 == whole) return;
  const Vec d = deviation.col(last), v = (d - deviation.col(last - 1)) / (times[last] - times[last - 1]);
  deviation.conservativeResize(Eigen::NoChange, whole);
  for (Eigen::Index k = last + 1; k < whole; ++k) {
    const double after = times[k] - times[last];
    deviation.col(k) = smooth_step(kFade, 0, after) * (d + std::min(after, kFade) * v);
  }
}

/// The largest change of a row, as a share of the largest value of all these rows before it; 0 where nothing moved.
double largest_change(const Mat& before, const Mat& after, std::span<const int> rows) {
  double change = 0, largest = 0;
  for (const int row : rows) {
    change = std::max(change, (after.row(row) - before.row(row)).cwiseAbs().maxCoeff());
    largest = std::max(largest, before.row(row).cwiseAbs().maxCoeff());
  }
  return largest > 0 ? change / largest : 0;
}

/// The deviation of a clip that plays once goes to zero at its end, and its speed too: what follows begins there.
void come_to_rest(Mat& deviation, std::span<const double> times) {
  constexpr double kMost = 0.35, kShare = 0.35;  // s, and of the clip: over which it fades
  const double end = times.back(), fade = std::min(kMost, kShare * (end - times.front()));
  for (Eigen::Index k = 0; k < deviation.cols(); ++k)
    deviation.col(k) *= smooth_step(end, end - fade, times[static_cast<std::size_t>(k)]);
  deviation.col(deviation.cols() - 1).setZero();
}

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

/// Rows of all systems into one motion, controls ascending.
void merge(SoftMotion& motion, const std::vector<int>& controls, const Mat& deviation) {
  std::vector<std::pair<int, Vec>> rows;
  for (std::size_t c = 0; c < motion.controls.size(); ++c)
    rows.emplace_back(motion.controls[c], motion.deviation.row(static_cast<Eigen::Index>(c)));
  for (std::size_t c = 0; c < controls.size(); ++c)
    rows.emplace_back(controls[c], deviation.row(static_cast<Eigen::Index>(c)));
  std::sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  motion.controls.clear();
  motion.deviation.resize(static_cast<Eigen::Index>(rows.size()), deviation.cols());
  for (std::size_t c = 0; c < rows.size(); ++c) {
    motion.controls.push_back(rows[c].first);
    motion.deviation.row(static_cast<Eigen::Index>(c)) = rows[c].second;
  }
}

/// Multiplies the deviation of a part by its scaling, which may be keyed.
void scale_amount(Run& run, const std::vector<int>& rows, const TunedPart& part) {
  const bool keyed = part.part->settings.keys_of("amount") != nullptr;
  for (const int row : rows) {
    if (!keyed) run.deviation.row(row) *= part.scaling;
    for (Eigen::Index k = 0; keyed && k < run.deviation.cols(); ++k)
      run.deviation(row, k) *= scaling_at(part, run.times[static_cast<std::size_t>(k)]);
  }
}

/// The deviation divided by the amount, where that is above 1.
Mat at_ordinary_amount(const Run& run, const PartSettings& settings) {
  if (settings.keys_of("amount") == nullptr) return run.deviation / std::max(1.0, settings.amount);
  Mat deviation = run.deviation;
  for (Eigen::Index k = 0; k < deviation.cols(); ++k)
    deviation.col(k) /= std::max(1.0, settings.at("amount", run.times[static_cast<std::size_t>(k)]));
  return deviation;
}

/// Multiplies the deviation by PartSettings::mix.
void mix_in(Run& run, const std::vector<int>& rows, const PartSettings& settings) {
  if (settings.mix == 1 && settings.keys_of("mix") == nullptr) return;
  for (const int row : rows) {
    for (Eigen::Index k = 0; k < run.deviation.cols(); ++k)
      run.deviation(row, k) *= settings.at("mix", run.times[static_cast<std::size_t>(k)]);
    if (run.looped) run.deviation(row, run.deviation.cols() - 1) = run.deviation(row, 0);
  }
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

/// Turns finished runs into one motion: amounts, limits of limbs and ground, loops, ends.
class Collector {
 public:
  Collector(const Character& character, const KeyedMotion& key, std::size_t parts, const SimulationOptions& options)
      : character_(character),
        key_(key),
        options_(options),
        ends_at_rest_(options.corrections.ends && options.end_at_rest && !key.cyclic() &&
                      options.end >= key.clip_duration() && !options.collisions.any()) {
    motion_.parts.resize(parts);
    for (PartReport& report : motion_.parts) report.finished = 0;
    motion_.looped = key.cyclic();
    motion_.period = key.duration(), motion_.why = key.play().why;
  }

  void add(PartSystem& system, Run run) {
    const SteppedBody body = system.body();
    for (std::size_t c = 0; c < system.parts.size(); ++c) scale_amount(run, system.rows(c), system.parts[c]);
    // A loop that does not repeat itself after max_cycles is closed as well, so that nothing jumps at its seam.
    const Corrections& corrections = options_.corrections;
    if (corrections.ends && key_.cyclic() && run.deviation.cols() == std::ssize(run.times))
      close_loop(run.deviation), run.looped = true;
    std::vector<double> smoothed(system.parts.size(), 0);
    for (std::size_t c = 0; corrections.smooth && c < system.parts.size(); ++c)
      smoothed[c] = calm_ripples(run.deviation, system.rows(c), run.times[1] - run.times[0], run.looped);
    for (std::size_t c = 0; c < system.parts.size(); ++c) {
      const TunedPart& part = system.parts[c];
      Vec shares = Vec::Ones(run.deviation.cols());
      if (corrections.ease && part.part->flesh && part.part->flesh->controls.empty()) {
        // An amount above 1 that the user sets is kept: the deviation at an ordinary amount must stay out of limbs.
        shares = shares_beside_limbs(character_, key_, *part.part,
                                     {run.times, body.free, at_ordinary_amount(run, part.part->settings), run.looped});
        run.deviation = run.deviation * shares.asDiagonal();
      }
      double footing = 1;
      // Not for parts that the user named, nor with collisions, which have the ground as an obstacle if it is wanted.
      if (corrections.ease && part.part->found && !options_.collisions.any()) {
        const std::vector<int> rows = system.rows(c);
        std::vector<int> controls;
        for (const int row : rows) controls.push_back(body.free[static_cast<std::size_t>(row)]);
        footing = share_on_ground(character_, key_, *part.part,
                                  {run.times, controls, run.deviation(rows, Eigen::all), run.looped});
        for (const int row : rows) run.deviation.row(row) *= footing;
        shares *= footing;
      }
      correct_hits(run.deviation, {run.times, system.rows(c), part.part->settings.hits, run.looped});
      PartReport& report = motion_.parts[static_cast<std::size_t>(part.index)];
      report = report_of(system, c, run, shares);
      report.grounded = footing;
      report.smoothed = smoothed[c], report.springs = system.spring_share();
      report.length = part.length * options_.metres_per_unit;
      report.young = body.stiffness * options_.density * std::pow(options_.metres_per_unit, 2);
    }
    fade_out(run.deviation, run.times);
    if (ends_at_rest_) {
      const Mat before = run.deviation;
      come_to_rest(run.deviation, run.times);
      for (std::size_t c = 0; c < system.parts.size(); ++c)
        motion_.parts[static_cast<std::size_t>(system.parts[c].index)].faded =
            largest_change(before, run.deviation, system.rows(c));
    }
    for (std::size_t c = 0; c < system.parts.size(); ++c) mix_in(run, system.rows(c), system.parts[c].part->settings);
    measure_depths(key_, system, run, motion_.parts);
    motion_.times = run.times;
    merge(motion_, body.free, run.deviation);
    motion_.looped = motion_.looped && run.looped;
    motion_.seam = std::max(motion_.seam, run.seam);
    motion_.steps += run.steps, motion_.iterations += run.iterations;
    motion_.halved_steps += run.halved_steps, motion_.failed_steps += run.failed_steps;
  }

  /// For a run that is cancelled; `so_far` is the finished part of a system's run.
  void stop(PartSystem& system, const std::optional<Run>& so_far) {
    if (so_far && so_far->deviation.cols() > 1) add(system, *so_far);
    motion_.stopped = true, motion_.looped = false;
  }

  SoftMotion& motion() { return motion_; }

 private:
  const Character& character_;
  const KeyedMotion& key_;
  const SimulationOptions& options_;
  bool ends_at_rest_;
  SoftMotion motion_;
};

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
  Collector collector(character, key, parts.size(), options);
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
