// Clips that are wilder than the one on which parts were tuned: less of their load is felt.

#include "keyed_settings.h"
#include "rigspace/base/error.h"
#include "tuner.h"

#include <algorithm>
#include <cmath>

namespace rigspace {
namespace {

constexpr int kMostHolds = 4, kMostHoldCycles = 6;
constexpr double kStill = 1e-6;  // of the part's length: such a drive measures nothing

}  // namespace

/// A limit or a larger amount that somebody asked for stays.
bool Tuner::may_hold(const TunedPart& part) const {
  const PartSettings& asked = part.part->settings;
  const Curve* amounts = asked.keys_of("amount");
  const bool larger = amounts != nullptr
                          ? std::ranges::any_of(amounts->values, [](double amount) { return amount > 1; })
                          : asked.amount > 1;
  return options_.corrections.hold && asked.limit == part.preset->limit && !larger && asked.keys_of("limit") == nullptr;
}

double Tuner::most_swing() const { return system_.flesh() ? kMostFleshSwing : kMostChainSwing; }

/// What a part did in a run, as a share of the most that a clip may do to it: its swing, and of flesh the change of its
/// volume.
double Tuner::share_of_most(const Run& run, std::size_t part) const {
  const double swing = swing_of(run, part) / most_swing();
  return system_.flesh() ? std::max(swing, run.volume_change / kMostVolumeChange) : swing;
}

/// What a held clip still swings too far is scaled, as RealtimeBody::shown does.
void Tuner::scale_to_limit(const Run& run) {
  for (std::size_t c = 0; c < system_.parts.size(); ++c) {
    TunedPart& part = system_.parts[c];
    const double swing = swing_of(run, c) * counted_scaling(part, part.part->settings.amount);
    // Keyed amounts are scaled over time, and are left to the load.
    if (may_hold(part) && part.part->settings.keys_of("amount") == nullptr && swing > most_swing())
      part.scaling *= most_swing() / swing;
  }
}

/// Drive and shaking of each part on this motion: of a loop their means over a turn, after the oscillator has settled;
/// of a clip that plays once the largest.
std::vector<std::pair<double, double>> Tuner::measure_drives() {
  constexpr double kSettled = 8;  // s
  std::vector<std::pair<double, double>> result(system_.parts.size());
  const double duration = motion_.duration();
  if (!(duration > 0)) return result;
  const int turn = std::max(1, static_cast<int>(std::lround(duration / options_.step)));
  const double h = duration / turn;
  Stepper stepper(system_.body(), motion_, options_);
  const auto accelerations = stepper.centre_accelerations(h, turn);
  // At the ends of a clip that plays once the differences would see the clip stop.
  const bool loop = motion_.cyclic();
  const int margin = loop ? 0 : std::min(turn / 3, static_cast<int>(std::ceil(kDriveWidth / h)));
  const int last = loop ? turn + static_cast<int>(kSettled / h) : turn - margin;
  for (std::size_t c = 0; c < result.size(); ++c) {
    DriveMeter meter(system_.parts[c].settings.rate, system_.parts[c].settings.settle, h);
    auto& [drive, shaking] = result[c];
    for (int k = margin; k < last; ++k) {
      meter.add(accelerations[c][static_cast<std::size_t>(k % turn)]);
      if (!loop)
        drive = std::max(drive, meter.drive()), shaking = std::max(shaking, meter.shaking());
      else if (k >= last - turn)
        drive += meter.drive() / turn, shaking += meter.shaking() / turn;
    }
  }
  return result;
}

/// Sets TunedPart::gain from a run and the drives of the same motion.
void Tuner::measure_gains(const Run& run) {
  const auto drives = measure_drives();
  for (std::size_t c = 0; c < system_.parts.size(); ++c) {
    TunedPart& part = system_.parts[c];
    const double strength = drives[c].first * part.load;
    part.gain = strength > kStill * part.length ? share_of_most(run, c) / strength : 0;
  }
}

double Tuner::expected_swing(const std::vector<bool>& done) {
  const auto drives = measure_drives();
  double most = 0;
  for (std::size_t c = 0; c < system_.parts.size(); ++c)
    if (!done[c]) most = std::max(most, system_.parts[c].gain * drives[c].first * system_.parts[c].load);
  return most;
}

/// The drive knows no directions: a gain from one clip may expect many times the swing of another. A loop that swings
/// too far tells nothing, since limits have a part in how far, and such a loop is to be held.
void Tuner::correct_gains(std::vector<bool>& done, const ProgressCallback& progress) {
  const auto drives = measure_drives();
  const Run run = run_once(coarse_loop_options(), progress, {}, nullptr);
  for (std::size_t c = 0; c < system_.parts.size(); ++c) {
    TunedPart& part = system_.parts[c];
    const double strength = drives[c].first * part.load, share = share_of_most(run, c);
    done[c] = done[c] || share > 1;
    if (!done[c] && strength > kStill * part.length) part.gain = std::min(part.gain, share / strength);
  }
}

/// As coarse_options, but short loops shake a slow part many times before it swings as far as it will.
SimulationOptions Tuner::coarse_loop_options() const {
  SimulationOptions coarse = coarse_options();
  double settle = 0;
  for (const TunedPart& part : system_.parts) settle = std::max(settle, part.settings.settle);
  if (motion_.cyclic())
    coarse.max_cycles = std::clamp(1 + static_cast<int>(settle / motion_.duration()), 2, kMostHoldCycles);
  return coarse;
}

/// Lowers the load of each part where this loop would swing it too far (felt_share), and sets the pull to the animation
/// that goes with it: a = W^2 l of a part of length l that turns about its root at rate W.
void Tuner::hold_by_drive() {
  const auto drives = measure_drives();
  for (std::size_t c = 0; c < system_.parts.size(); ++c) {
    TunedPart& part = system_.parts[c];
    if (!may_hold(part)) continue;
    part.held = felt_share(part.gain * drives[c].first * counted_scaling(part, part.part->settings.amount) * part.load);
    part.steadying = drives[c].second / std::max(1e-9, part.length);
    derive(part);
  }
}

/// Whether the clip is to be run again with less of its load, which is set here: a run crushed flesh or left what few
/// elements were trained for (all of them cost a hundred times as much), or, in a clip that plays once, swung too far.
/// (Lower limits in the solve hold it too, but what bounces off a wall never comes to repeat itself.) Where less load
/// does not bring the motion back to what the few elements know, the load is given back.
bool Tuner::hold_by_run(const Run& run, RunBefore& before) {
  constexpr double kLeast = 0.02, kUntrained = 1.3, kBetter = 0.9;
  const double error = system_.all_elements ? 0 : system_.sampling_error(run, motion_);
  const bool in_vain = before.untrained && error > kBetter * before.error;
  if (in_vain) {  // what else was wrong in that run still counts
    bool again = false;
    for (std::size_t c = 0; c < system_.parts.size(); ++c) {
      again = again || before.other[c] > 1;
      system_.parts[c].held = std::max(kLeast, before.held[c] * (before.other[c] > 1 ? 0.95 / before.other[c] : 1));
      derive(system_.parts[c]);
    }
    before.untrained = false, before.gave_up = true;
    return again;
  }
  before.untrained = error > kMostSamplingError && !before.gave_up;
  before.error = error, before.held.clear(), before.other.clear();
  const double crushed =
      std::max((1 - run.smallest_volume) / (1 - kLeastVolume), run.volume_change / kMostVolumeChange);
  bool again = false;
  for (std::size_t c = 0; c < system_.parts.size(); ++c) {
    TunedPart& part = system_.parts[c];
    const double too_much =
        motion_.cyclic() ? 0 : swing_of(run, c) * counted_scaling(part, part.part->settings.amount) / most_swing();
    // Large swings grow slower than their load: where the body flips within a frame, most of it must go at once. The
    // volume changes more than in proportion.
    const double other = may_hold(part) ? std::max(too_much > 1.3 ? std::pow(too_much, 1.4) : too_much,
                                                   std::pow(std::max(0.0, crushed), 0.7))
                                        : 0;
    before.held.push_back(part.held), before.other.push_back(other);
    if (!may_hold(part) || (other <= 1 && !before.untrained)) continue;
    part.held = std::max(kLeast, 0.95 * part.held / std::max(other, before.untrained ? kUntrained : 1.0));
    derive(part);
    again = true;
  }
  return again;
}

/// Lowers loads for this clip. Those of a loop by its drive, as real time does. What plays once, and flesh that is
/// crushed, run by run, under Earth's gravity, with coarse steps and short loops.
void Tuner::hold_loads(const ProgressCallback& progress) {
  if (motion_.cyclic()) {
    hold_by_drive();
    if (system_.body().tets.empty()) return;
  } else {
    Stepper stepper(system_.body(), motion_, options_);
    for (std::size_t c = 0; c < system_.parts.size(); ++c)
      system_.parts[c].steadying = stepper.shaking(static_cast<int>(c)) / std::max(1e-9, system_.parts[c].length);
  }
  holding_ = true;
  for (TunedPart& part : system_.parts) part.gravity = earth_gravity();
  const SimulationOptions coarse = coarse_loop_options();
  RunBefore before;
  for (int search = 0; search < kMostHolds; ++search)
    if (!hold_by_run(run_once(coarse,
                              part_of_progress(progress, search * kSearchShare / kMostHolds,
                                               (search + 1) * kSearchShare / kMostHolds),
                              {}, nullptr),
                     before))
      break;
  holding_ = false;
  for (TunedPart& part : system_.parts) part.gravity = options_.gravity;
}

}  // namespace rigspace
