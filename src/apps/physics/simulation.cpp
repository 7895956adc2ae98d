#include "rigspace/apps/physics/simulation.h"

#include "part_system.h"
#include "rigspace/base/error.h"
#include "rigspace/base/require.h"
#include "rigspace/rig/built_in_rig.h"
#include "ripples.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace rigspace {
namespace {

constexpr int kMostTries = 5, kMostSearches = 6;
constexpr double kSearchShare = 0.4;  // of the progress
constexpr double kMostAmount = 2, kMostScaling = 1.5;
constexpr double kJump = 0.12;               // of the character's size: who rises more than that jumps
constexpr double kLeastVolume = 0.25;        // of an element of flesh: ART.md asks for 0.2
constexpr double kMostVolumeChange = 0.028;  // of all flesh of a part: ART.md asks for 3 %
constexpr double kMostRate = 5;              // Hz: what is quicker is no longer seen as motion

/// How far a part should swing at its 95th percentile, in the unit of its kind.
struct Range {
  double raise_below;  ///< the amount is raised to reach it
  double most;         ///< the rate is raised until it holds
};
Range range_of(bool flesh, bool looped, bool jumps) {
  constexpr double degree = std::numbers::pi / 180;
  if (!flesh) return {5 * degree, 20 * degree};
  return {looped && !jumps ? 0.04 : 0.02, jumps ? 0.11 : 0.08};
}

double percentile(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

/// Ends of a loop meet exactly: the gap, which is below the loop's tolerance, is spread over the cycle.
void close_loop(Mat& deviation) {
  const Eigen::Index last = deviation.cols() - 1;
  const Vec gap = deviation.col(last) - deviation.col(0);
  for (Eigen::Index k = 0; k <= last; ++k)
    deviation.col(k) -= (static_cast<double>(k) / static_cast<double>(last)) * gap;
  deviation.col(last) = deviation.col(0);
}

/// One system of parts: its looks are found, run by run.
class Tuner {
 public:
  /// `character_size` in scene units.
  Tuner(PartSystem& system, const KeyedMotion& motion, const SimulationOptions& options, double character_size)
      : system_(system), motion_(motion), options_(options), character_size_(character_size) {}

  /// Looks and the last run; `resume` continues one that `save` wrote. Rates are looked for with coarse steps and short
  /// loops first.
  Run run(const ProgressCallback& progress, const Runner::Save& save, ByteReader* resume) {
    derive_all();
    Stepper stepper(system_.body(), motion_, options_);
    jumps_ = stepper.rise() > kJump * character_size_;
    if (motion_.cyclic()) driving_ = stepper.driving_frequency(motion_.duration());
    for (std::size_t c = 0; c < system_.parts.size(); ++c) {
      first_guess(system_.parts[c], stepper.shaking(static_cast<int>(c)));
      derive(system_.parts[c]);
    }
    if (resume != nullptr)
      read(*resume);
    else
      find_rates(progress);
    Run run;
    bool again = true;
    while (again) {
      run = run_once(options_, within(progress, kSearchShare, 1), save, resume);
      resume = nullptr;
      if (as_asked_) break;
      again = ++attempt_ < kMostTries && adjust(run);
      if (!again && asks_for_amounts()) as_asked_ = again = true, derive_all();
    }
    return run;
  }

  void write(ByteWriter& out) const {
    out.number(attempt_), out.number(as_asked_ ? 1 : 0);
    for (const TunedPart& part : system_.parts)
      for (const double each : {part.look.rate, part.look.settle, part.look.lag, part.raised, part.ease})
        out.number(each);
  }
  void read(ByteReader& in) {
    attempt_ = in.integer(), as_asked_ = in.number() != 0;
    for (TunedPart& part : system_.parts)
      for (double* each : {&part.look.rate, &part.look.settle, &part.look.lag, &part.raised, &part.ease})
        *each = in.number();
    derive_all();
  }

 private:
  /// Rate from size (ART.md), k sqrt(g / l) / 2 pi; the settling time of the preset's damping ratio; amounts above 1.5
  /// as inertial load. While rates are looked for nobody's amount counts: what is asked for scales what would be.
  void derive(TunedPart& part) const {
    if (part.look.rate == 0)
      part.look.rate =
          std::min(kMostRate, part.preset->rate_factor *
                                  std::sqrt(9.81 / std::max(1e-6, part.length * options_.metres_per_unit)) /
                                  (2 * std::numbers::pi));
    // A part that swings with the steps of a walk is all one sees of it: its rate keeps 20 % away.
    if (part.part->look.rate == 0 && driving_ > 0 && std::abs(part.look.rate / driving_ - 1) < 0.2)
      part.look.rate = 1.2 * driving_;
    if (part.part->look.settle == 0)
      part.look.settle = 3 / (part.preset->damping_ratio * 2 * std::numbers::pi * part.look.rate);
    const double amount = part.raised * (as_asked_ ? part.part->look.amount : 1);
    part.scaling = std::min(kMostScaling, amount);
    part.load = part.ease * std::max(1.0, amount / kMostScaling);
  }
  void derive_all() {
    for (TunedPart& part : system_.parts) derive(part);
  }
  bool asks_for_amounts() const {
    return std::any_of(system_.parts.begin(), system_.parts.end(),
                       [](const TunedPart& part) { return part.part->look.amount != 1; });
  }

  static ProgressCallback within(const ProgressCallback& progress, double from, double to) {
    return [&progress, from, to](const Progress& p) {
      return !progress || progress({p.stage, from + (to - from) * p.fraction});
    };
  }

  Run run_once(const SimulationOptions& options, const ProgressCallback& progress, const Runner::Save& save,
               ByteReader* resume) {
    Stepper stepper(system_.body(), motion_, options);
    Runner runner(stepper, motion_, options, hold_after());
    if (!save) return runner.run(progress, {}, resume);
    return runner.run(
        progress,
        [&](const auto& write_run) {
          save([&](ByteWriter& out) {
            write(out);
            write_run(out);
          });
        },
        resume);
  }

  /// An acceleration a moves a part by about a / omega^2: a rate, or a load, that keeps this in range saves most of the
  /// search.
  void first_guess(TunedPart& part, double acceleration) const {
    const double most = range_of(system_.flesh(), motion_.cyclic(), jumps_).most * part.length;
    const double needed = std::sqrt(0.7 * acceleration / most) / (2 * std::numbers::pi);
    if (part.part->look.rate != 0 || needed <= part.look.rate) return;
    part.look.rate = std::min(needed, kMostRate);
    part.ease = std::pow(part.look.rate / needed, 2);
  }

  /// Rates and amounts that bring the parts into range.
  void find_rates(const ProgressCallback& progress) {
    if (std::none_of(system_.parts.begin(), system_.parts.end(),
                     [](const auto& p) { return p.part->look.rate == 0; })) {
      as_asked_ = true;
      return derive_all();
    }
    SimulationOptions coarse = options_;
    coarse.step = std::max(options_.step, 1.0 / 48);
    coarse.max_cycles = 2;
    for (int search = 0; search < kMostSearches; ++search)
      if (!adjust(run_once(
              coarse,
              within(progress, search * kSearchShare / kMostSearches, (search + 1) * kSearchShare / kMostSearches), {},
              nullptr)))
        return;
  }

  double hold_after() const {
    double settle = 0;
    for (const TunedPart& part : system_.parts) {
      if (part.look.hold < 0.5) return std::numeric_limits<double>::infinity();
      settle = std::max(settle, part.look.settle);
    }
    return 2 * settle;
  }

  /// Amplitude wins: where nobody asked for a rate it rises until the part stays in range and no flesh is crushed, and
  /// where that would make it buzz, less of the motion is felt; the lag, which does not depend on the rate, falls; and
  /// what hardly moves is raised, to at most twice.
  bool adjust(const Run& run) {
    bool again = false;
    for (std::size_t c = 0; c < system_.parts.size(); ++c) {
      TunedPart& part = system_.parts[c];
      const Look& asked = part.part->look;
      const Range range = range_of(system_.flesh(), motion_.cyclic(), jumps_);
      if (asked.rate != 0) continue;
      const double swing = swing_of(run, c) * part.scaling;
      const bool crushed = run.smallest_volume < kLeastVolume || run.volume_change > kMostVolumeChange;
      if (swing > range.most || crushed) {
        const double too_much = std::max(swing / (0.8 * range.most), crushed ? 1.3 : 1.05);
        if (part.raised > 1)
          part.raised = std::max(1.0, part.raised / too_much);
        else if (part.look.rate < kMostRate)
          part.look.rate = std::min(kMostRate, part.look.rate * std::min(2.0, std::sqrt(too_much)));
        else
          part.ease /= too_much;
        if (asked.lag == part.preset->lag) part.look.lag *= 0.6;
        derive(part);
        again = true;
      } else if (swing > 0 && swing < range.raise_below && part.raised < kMostAmount) {
        const double before = part.load;
        part.raised = std::min(kMostAmount, 1.02 * part.raised * range.raise_below / swing);
        derive(part);
        again = again || part.load != before;
      }
    }
    return again;
  }

 public:
  double swing_of(const Run& run, std::size_t part) const {
    std::vector<double> swings;
    for (Eigen::Index k = 0; k < run.reach.cols(); ++k)
      swings.push_back(system_.swing(system_.parts[part], run.reach(static_cast<Eigen::Index>(part), k)));
    return percentile(std::move(swings), 0.95);
  }

 private:
  PartSystem& system_;
  const KeyedMotion& motion_;
  const SimulationOptions& options_;
  double character_size_;
  int attempt_ = 0;
  bool as_asked_ = false;  // the last run: with the amounts that somebody asked for
  bool jumps_ = false;
  double driving_ = 0;  // Hz, of a loop
};

PartReport report_of(const PartSystem& system, std::size_t c, const Run& run, const SimulationOptions& options) {
  const TunedPart& part = system.parts[c];
  PartReport report{.flesh = system.flesh(),
                    .length = part.length * options.metres_per_unit,
                    .rate = part.look.rate,
                    .settle = part.look.settle,
                    .lag = part.look.lag,
                    .amount = part.raised * part.part->look.amount * part.ease,
                    .smallest_volume = run.smallest_volume,
                    .volume_change = run.volume_change};
  std::vector<double> swings;
  for (Eigen::Index k = 0; k < run.reach.cols(); ++k) {
    swings.push_back(part.scaling * system.swing(part, run.reach(static_cast<Eigen::Index>(c), k)));
    if (swings.back() > report.largest)
      report.largest = swings.back(), report.largest_at = run.times[static_cast<std::size_t>(k)];
  }
  report.swing = percentile(std::move(swings), 0.95);
  return report;
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

std::vector<std::unique_ptr<PartSystem>> systems_of(const Character& character, std::span<const Part> parts,
                                                    const SimulationOptions& options) {
  std::vector<std::unique_ptr<PartSystem>> systems;
  if (auto chains = make_chain_system(character, parts, options)) systems.push_back(std::move(chains));
  for (std::size_t k = 0; k < parts.size(); ++k)
    if (parts[k].flesh) systems.push_back(make_flesh_system(character, parts, static_cast<int>(k), options));
  if (systems.empty())
    throw Error(
        {.file = character.name, .problem = "has no part to simulate", .remedy = "name one: --part 'tail*=tail'"});
  return systems;
}

}  // namespace

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
  require_option(max_halvings >= 0 && max_halvings <= 20, "number of halvings", max_halvings, "expected 0 to 20");
}

SoftMotion simulate_parts(const Character& character, const Animation* clip, std::span<const Part> parts,
                          const SimulationOptions& options, const ProgressCallback& progress) {
  options.validate();
  if (dynamic_cast<const BuiltInRig*>(character.rig.get()) == nullptr)
    throw Error({.file = character.name,
                 .problem = "is no built-in rig",
                 .remedy = "its joints cannot be simulated as chains"});
  KeyedMotion key(character, clip);
  const bool whole = options.start <= 0 && options.end >= key.duration() && options.preroll == 0;
  key.set_cyclic(options.looping == Looping::always || (options.looping == Looping::find && key.loops() && whole));
  const double size = bounding_box(rest_surface(character).points).size().maxCoeff();
  const auto systems = systems_of(character, parts, options);

  SoftMotion motion;
  motion.parts.resize(parts.size());
  motion.looped = key.cyclic();
  ByteReader resume(options.checkpoints.resume);
  const int finished = resume.empty() ? 0 : resume.integer();
  ByteWriter done;
  for (std::size_t k = 0; k < systems.size(); ++k) {
    PartSystem& system = *systems[k];
    Tuner tuner(system, key, options, size);
    Run run;
    if (static_cast<int>(k) < finished) {
      tuner.read(resume);
      run.read(resume);
    } else {
      const Runner::Save save = [&](const auto& write_rest) {
        ByteWriter out;
        out.number(static_cast<double>(k));
        out.raw(done.bytes());
        write_rest(out);
        options.checkpoints.save(out.bytes());
      };
      const auto part_of_all = [&](const Progress& p) {
        return !progress ||
               progress({p.stage, (static_cast<double>(k) + p.fraction) / static_cast<double>(systems.size())});
      };
      ByteReader* rest = static_cast<int>(k) == finished && !resume.empty() ? &resume : nullptr;
      run = tuner.run(part_of_all, options.checkpoints.save ? save : Runner::Save(), rest);
    }
    tuner.write(done);
    run.write(done);

    const SteppedBody body = system.body();
    motion.times = run.times;
    for (std::size_t c = 0; c < system.parts.size(); ++c) {
      PartReport& report = motion.parts[static_cast<std::size_t>(system.parts[c].index)];
      report = report_of(system, c, run, options);
      report.young = body.stiffness * options.density * std::pow(options.metres_per_unit, 2);
      for (const int row : system.rows(c)) run.deviation.row(row) *= system.parts[c].scaling;
    }
    if (run.looped) close_loop(run.deviation);
    for (std::size_t c = 0; c < system.parts.size(); ++c)
      calm_ripples(run.deviation, system.rows(c), run.times[1] - run.times[0], run.looped);
    merge(motion, body.free, run.deviation);
    motion.looped = motion.looped && run.looped;
    motion.seam = std::max(motion.seam, run.seam);
    motion.steps += run.steps, motion.iterations += run.iterations;
    motion.halved_steps += run.halved_steps, motion.failed_steps += run.failed_steps;
  }
  report(progress, "simulating", 1);
  return motion;
}

}  // namespace rigspace
