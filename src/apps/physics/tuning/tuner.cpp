#include "tuner.h"

#include "keyed_settings.h"
#include "rigspace/base/cache.h"
#include "rigspace/base/error.h"
#include "run/black_box_run.h"
#include "tuning_cache.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace rigspace {
namespace {

constexpr int kMostTries = 5, kMostSearches = 6;
constexpr double kMostAmount = 2;
constexpr double kAim = 0.95;           // of the largest swing: rates are chosen for it
constexpr double kJump = 0.12;          // of the character's size: who rises more than that jumps
constexpr double kMostRate = 5;         // Hz: what is quicker is no longer seen as motion
constexpr double kMostHeldError = 0.3;  // the same where a clip was held as far as that goes (Tuner::hold)
constexpr double kAwayFromSteps = 0.2;  // of the step frequency

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

}  // namespace

PartTuning tuning_of(const TunedPart& part) {
  return {part.settings.rate, part.settings.settle, part.settings.lag, part.raised, part.ease, part.gain};
}

void Tuner::tune(const ProgressCallback& progress) {
  constexpr std::string_view kKind = "tuning";
  derive_all();
  const std::vector<std::byte> content = tuning_key(system_, motion_, options_, character_size_);
  if (const auto known = content.empty() ? std::nullopt : from_cache(kKind, content)) {
    ByteReader in(*known);
    return read(in);
  }
  measure_motion();
  find_rates(progress);
  Run run;
  if (as_asked_) run = run_once(coarse_options(), part_of_progress(progress, kSearchShare, 1), {}, nullptr);
  for (bool again = !as_asked_; again;) {
    run = run_once(options_, part_of_progress(progress, kSearchShare, 1), {}, nullptr);
    again = ++attempt_ < kMostTries && adjust(run);
  }
  measure_gains(run);
  if (content.empty()) return;
  ByteWriter out;
  write(out);
  to_cache(kKind, content, out.bytes());
}

/// What was found on another clip; a rate that somebody asked for goes before it.
bool Tuner::take_tuning() {
  if (options_.tuning.empty()) return false;
  for (TunedPart& part : system_.parts) {
    const PartTuning& found = options_.tuning.at(static_cast<std::size_t>(part.index));
    const PartSettings& asked = part.part->settings;
    part.gain = found.gain;
    if (asked.rate == 0) part.settings.rate = found.rate, part.raised = found.raised, part.ease = found.ease;
    if (asked.settle == 0) part.settings.settle = found.settle;
    if (asked.lag == part.preset->lag && asked.rate == 0) part.settings.lag = found.lag;
  }
  as_asked_ = true;
  derive_all();
  return true;
}

/// For runs that only tell how far parts swing.
SimulationOptions Tuner::coarse_options() const {
  SimulationOptions coarse = options_;
  coarse.step = coarse_step(motion_, options_);
  coarse.max_cycles = 2;
  return coarse;
}

Run Tuner::run(const ProgressCallback& progress, const Runner::Save& save, ByteReader* resume) {
  constexpr std::string_view kKind = "looks";
  derive_all();
  const bool given = take_tuning();
  const std::vector<std::byte> content = tuning_key(system_, motion_, options_, character_size_);
  const auto known = content.empty() || resume != nullptr ? std::nullopt : from_cache(kKind, content);
  if (!known && !given) measure_motion();
  if (resume != nullptr) {
    read(*resume);
  } else if (known) {
    ByteReader in(*known);
    read(in);
  } else if (given) {
    if (options_.corrections.hold) hold_loads(progress);
  } else {
    find_rates(progress);
  }
  const auto keep = [&] {
    if (content.empty()) return;
    ByteWriter out;
    write(out);
    to_cache(kKind, content, out.bytes());
  };
  const bool as_tuned = !changes_amounts() && !options_.collisions.any() && system_.obstacles.empty() &&
                        options_.gravity == earth_gravity();
  if (known && !motion_.black_box()) as_asked_ = !as_tuned, derive_all();
  Run run;
  bool again = !learned_;
  while (again) {
    run = run_once(options_, part_of_progress(progress, kSearchShare, 1), save, resume);
    resume = nullptr;
    if (known && motion_.black_box()) return run;
    if (known || as_asked_ || system_.all_elements) break;
    again = ++attempt_ < kMostTries && adjust(run);
    if (!again && !motion_.black_box()) keep();
    if (!again && !as_tuned) as_asked_ = again = true, derive_all();
  }
  if (learned_) return run_once(options_, part_of_progress(progress, kSearchShare, 1), save, resume);
  // A motion that few elements were not trained for is done again with all of them.
  const double most_error = given ? kMostHeldError : kMostSamplingError;
  // Of a motion that nobody sees, the forces are so small that their error says nothing.
  constexpr double kSeenOfFlesh = 2e-3, kSeenOfChain = 0.5 * std::numbers::pi / 180;
  bool seen = false;
  for (std::size_t c = 0; c < system_.parts.size(); ++c)
    seen = seen || swing_of(run, c) * system_.parts[c].scaling > (system_.flesh() ? kSeenOfFlesh : kSeenOfChain);
  if (!system_.all_elements && seen) system_.force_error = system_.sampling_error(run, motion_);
  if (!system_.all_elements && system_.force_error > most_error) {
    system_.use_all_elements();
    run = run_once(options_, part_of_progress(progress, kSearchShare, 1), save, nullptr);
  }
  if (given && options_.gravity == earth_gravity()) scale_to_limit(run);
  // A black box is asked for its Jacobians where that run was, and where one is that has these; the last run has all.
  learned_ = system_.learn(run, motion_, part_of_progress(progress, kSearchShare, kSearchShare));
  if (learned_)
    system_.learn(run_once(options_, part_of_progress(progress, kSearchShare, 1), {}, nullptr), motion_,
                  part_of_progress(progress, kSearchShare, kSearchShare));
  if (motion_.black_box()) keep();
  return learned_ ? run_once(options_, part_of_progress(progress, kSearchShare, 1), save, nullptr) : run;
}

/// What the animation does to the parts, before anything is stepped.
void Tuner::measure_motion() {
  Stepper stepper(system_.body(), motion_, options_);
  jumps_ = stepper.rise() > kJump * character_size_;
  if (motion_.cyclic()) driving_ = stepper.driving_frequency(motion_.duration());
  for (std::size_t c = 0; c < system_.parts.size(); ++c) {
    first_guess(system_.parts[c], stepper.shaking(static_cast<int>(c)));
    derive(system_.parts[c]);
    set_lag(system_.parts[c]);
  }
}

void Tuner::write(ByteWriter& out) const {
  out.number(attempt_), out.number(as_asked_ ? 1 : 0), out.number(system_.all_elements ? 1 : 0);
  for (const TunedPart& part : system_.parts)
    for (const double each : {part.settings.rate, part.settings.settle, part.settings.lag, part.raised, part.ease,
                              part.held, part.steadying, part.gain})
      out.number(each);
  out.number(learned_ ? 1 : 0);
  if (learned_) system_.write_learned(out);
}

void Tuner::read(ByteReader& in) {
  attempt_ = in.integer(), as_asked_ = in.number() != 0;
  if (in.number() != 0) system_.use_all_elements();
  for (TunedPart& part : system_.parts)
    for (double* each : {&part.settings.rate, &part.settings.settle, &part.settings.lag, &part.raised, &part.ease,
                         &part.held, &part.steadying, &part.gain})
      *each = in.number();
  learned_ = in.number() != 0;
  if (learned_) system_.read_learned(in);
  derive_all();
}

/// Hz: k sqrt(g / l) / 2 pi (docs/default-look.md, "rate from size").
double Tuner::natural_rate(const TunedPart& part) const {
  const double length = std::max(1e-6, part.length * options_.metres_per_unit);
  const double rate = part.preset->rate_factor * std::sqrt(9.81 / length) / (2 * std::numbers::pi);
  return std::min(kMostRate, std::max(part.least_rate, rate));
}

/// Settle from the damping ratio; amounts above 1.5 as inertial load. While rates are searched for, the amounts that
/// the user set do not count: they scale the result afterwards.
void Tuner::derive(TunedPart& part) const {
  if (part.settings.rate == 0) part.settings.rate = natural_rate(part);
  // A part that swings with the steps of a walk is all one sees of it: its rate keeps away, upward where there is room.
  if (options_.corrections.tune && part.part->settings.rate == 0 && driving_ > 0 &&
      std::abs(part.settings.rate / driving_ - 1) < kAwayFromSteps) {
    const double above = (1 + kAwayFromSteps) * driving_;
    part.settings.rate = above <= kMostRate ? above : std::min(kMostRate, (1 - kAwayFromSteps) * driving_);
  }
  if (part.part->settings.settle == 0)
    part.settings.settle = 3 / (part.preset->damping_ratio * 2 * std::numbers::pi * part.settings.rate);
  set_amount(part, part.raised * (as_asked_ ? part.part->settings.amount : 1));
  part.gravity = as_asked_ && !holding_ ? options_.gravity : earth_gravity();
}

void Tuner::derive_all() {
  for (TunedPart& part : system_.parts) derive(part);
}

bool Tuner::changes_amounts() const {
  return KeyedSettings(system_, motion_).any() ||
         std::any_of(system_.parts.begin(), system_.parts.end(),
                     [](const TunedPart& part) { return part.part->settings.amount != 1; });
}

Run Tuner::run_once(const SimulationOptions& options, const ProgressCallback& progress, const Runner::Save& save,
                    ByteReader* resume) {
  Stepper stepper(system_.body(), motion_, options);
  // Rates are tuned without obstacles: contact does not change them.
  if (as_asked_ && (options.collisions.any() || !system_.obstacles.empty())) stepper.collide(system_.obstacles);
  KeyedSettings keyed(system_, motion_);
  if (as_asked_ && keyed.any()) stepper.vary(&keyed);
  Runner runner(stepper, motion_, options, hold_after());
  const Runner::Save save_all = [&](const auto& write_run) {
    save([&](ByteWriter& out) {
      write(out);
      write_run(out);
    });
  };
  try {
    return runner.run(progress, save ? save_all : Runner::Save(), resume);
  } catch (const Cancelled&) {
    if (&options == &options_) stopped_ = runner.so_far();
    throw;
  }
}

/// An acceleration a moves a part by about a / omega^2: a rate, or a load, that keeps this in range saves most of the
/// search.
void Tuner::first_guess(TunedPart& part, double acceleration) const {
  const double most = range_of(system_.flesh(), motion_.cyclic(), jumps_).most * part.length;
  const double needed = std::sqrt(0.7 * acceleration / most) / (2 * std::numbers::pi);
  if (!options_.corrections.tune || part.part->settings.rate != 0 || needed <= part.settings.rate) return;
  part.settings.rate = std::min(needed, kMostRate);
  part.ease = std::pow(part.settings.rate / needed, 2);
}

/// Rates and amounts that bring the parts into range.
void Tuner::find_rates(const ProgressCallback& progress) {
  if (!options_.corrections.tune || std::none_of(system_.parts.begin(), system_.parts.end(),
                                                 [](const auto& p) { return p.part->settings.rate == 0; })) {
    as_asked_ = true;
    return derive_all();
  }
  const SimulationOptions coarse = coarse_options();
  for (int search = 0; search < kMostSearches; ++search)
    if (!adjust(run_once(coarse,
                         part_of_progress(progress, search * kSearchShare / kMostSearches,
                                          (search + 1) * kSearchShare / kMostSearches),
                         {}, nullptr)))
      return;
}

double Tuner::hold_after() const {
  double settle = 0;
  for (const TunedPart& part : system_.parts) {
    if (part.settings.hold < 0.5) return std::numeric_limits<double>::infinity();
    settle = std::max(settle, part.settings.settle);
    if (const Curve* keys = part.part->settings.keys_of("settle"))
      settle = std::max(settle, *std::max_element(keys->values.begin(), keys->values.end()));
  }
  return 2 * settle;
}

/// A part that moves too much by this factor: what was raised is lowered, or the rate rises; where that would make it
/// buzz, less of the motion is felt. All of it is a continuous function of the factor, and of the number of rounds it
/// depends only as far as an interpolation does.
void Tuner::restrain(TunedPart& part, double too_much) const {
  const double rate = part.settings.rate;
  if (part.raised > 1) {
    too_much /= part.raised;
    part.raised = std::max(1.0, 1 / too_much);
  }
  if (too_much > 1) {
    part.settings.rate = std::max(rate, std::min(kMostRate, rate * std::min(2.0, std::sqrt(too_much))));
    derive(part);
    const double left = too_much / std::pow(part.settings.rate / rate, 2);
    // Where the rate has no room, also where steps of a walk keep it from rising.
    if (part.settings.rate >= kMostRate || part.settings.rate <= rate) part.ease /= std::max(1.0, left);
  }
  set_lag(part);
  derive(part);
}

/// A steady velocity v trails a part by lag v at any rate. The preset's lag is meant for the natural rate: where the
/// rate is raised or the load lowered, the lag falls by the same factor as the swing that accelerations make, 1 /
/// rate^2.
void Tuner::set_lag(TunedPart& part) const {
  if (part.part->settings.lag != part.preset->lag || part.part->settings.rate != 0) return;
  part.settings.lag =
      part.preset->lag * std::pow(std::min(1.0, natural_rate(part) / part.settings.rate), 2) * part.ease;
}

/// Where nobody asked for a rate: parts stay in range and no flesh is crushed, and what hardly moves is raised, to at
/// most twice. A part that is out of range is brought to the bound itself, so that rates do not jump where a swing
/// crosses it. Returns whether the corrections are so large that a run has to confirm them.
bool Tuner::adjust(const Run& run) {
  constexpr double kSmall = 0.05;  // a correction of the swing that is taken without another run
  bool again = false;
  for (std::size_t c = 0; c < system_.parts.size(); ++c) {
    TunedPart& part = system_.parts[c];
    const Range range = range_of(system_.flesh(), motion_.cyclic(), jumps_);
    if (part.part->settings.rate != 0) continue;
    const double swing = swing_of(run, c) * part.scaling;
    const double crushed =
        std::max((1 - run.smallest_volume) / (1 - kLeastVolume), run.volume_change / kMostVolumeChange);
    const double too_much = std::max(swing / (kAim * range.most), crushed);
    if (too_much > 1) {
      restrain(part, too_much);
      again = again || too_much > 1 + kSmall;
    } else if (swing > 0 && swing < range.raise_below && part.raised < kMostAmount) {
      const double before = part.load, raised = part.raised;
      part.raised = std::min(kMostAmount, part.raised * range.raise_below / swing);
      derive(part);
      again = again || part.load != before || (nears_limit(run, c) && part.raised > (1 + kSmall) * raised);
    }
  }
  return again;
}

/// Whether its limit has a part in what a part does: the deviation is scaled afterwards, and the limit, which is one of
/// the scaled deviation, in the run.
bool Tuner::nears_limit(const Run& run, std::size_t c) const {
  constexpr double kNear = 0.4;  // of the limit; it is felt from 0.6
  const TunedPart& part = system_.parts[c];
  const double unit = system_.flesh() ? 1 : std::numbers::pi;  // see PartSettings::limit
  const double farthest = run.reach.row(static_cast<Eigen::Index>(c)).maxCoeff();
  return system_.swing(part, farthest) * part.scaling > kNear * part.settings.limit * unit;
}

double Tuner::swing_of(const Run& run, std::size_t part) const {
  std::vector<double> swings;
  for (Eigen::Index k = 0; k < run.reach.cols(); ++k)
    swings.push_back(system_.swing(system_.parts[part], run.reach(static_cast<Eigen::Index>(part), k)));
  return percentile(std::move(swings), 0.95);
}

}  // namespace rigspace
