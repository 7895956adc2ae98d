// Settings of parts as settings of bodies, without tuning: what was found when the model was made stays.

#include "light_body.h"
#include "realtime_model.h"
#include "rigspace/base/suggestion.h"
#include "tuning/keyed_settings.h"
#include "tuning/tuner.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace rigspace {
namespace {

constexpr double kTurn = 2 * std::numbers::pi;

/// A limit or a larger amount that somebody asked for stays, as in Tuner::may_hold.
bool may_hold(const PartSettings& asked, const Preset& preset) {
  return asked.limit == preset.limit && asked.amount <= 1;
}

/// As Tuner::take_tuning and Tuner::derive: a rate that is asked for replaces all that was found with the tuned one.
void apply_settings(TunedPart& part, const PartTuning& found, const PartSettings& asked) {
  const Preset& preset = *part.preset;
  const bool tuned = asked.rate == 0;
  part.settings = asked;
  if (tuned) part.settings.rate = found.rate;
  if (tuned && asked.lag == preset.lag) part.settings.lag = found.lag;
  if (asked.settle == 0) part.settings.settle = 3 / (preset.damping_ratio * kTurn * part.settings.rate);
  part.raised = tuned ? found.raised : 1, part.ease = tuned ? found.ease : 1;
  part.held = 1, part.steadying = 0, part.gain = found.gain;
  set_amount(part, part.raised * asked.amount);
}

/// How much a part swings for its drive is kept from the clip that it was tuned on, so that a rate which swings it
/// farther there is held as a wilder clip would be.
RealtimeHold hold_of(const PartSystem& system, const TunedPart& part, const PartSettings& asked) {
  const double length = std::max(1e-9, part.length), scaling = counted_scaling(part, asked.amount);
  return {.gain = may_hold(asked, *part.preset) ? part.gain * scaling * part.load : 0,
          .rate = part.settings.rate,
          .settle = std::max(1e-3, part.settings.settle),
          .length = length,
          .flesh = system.flesh(),
          .scaling = scaling};
}

/// The world that settings are made for.
struct Surroundings {
  Vec3 gravity;
  bool touching;
};

void add_settings(PartSystem& system, const RealtimeTraining& training, const Surroundings& world,
                  RealtimeSettings& result) {
  const std::size_t body = result.bodies.size();
  std::vector<RealtimeHold>& holds = result.holds.emplace_back();
  for (std::size_t p = 0; p < system.parts.size(); ++p) {
    TunedPart& part = system.parts[p];
    const auto index = static_cast<std::size_t>(part.index);
    RealtimePart& shown = result.parts[index];
    const double most_scaling = part.most_scaling;
    if (world.touching) part.most_scaling = std::min(1.0, most_scaling);
    part.gravity = world.gravity;
    apply_settings(part, training.found[index], shown.settings);
    part.most_scaling = most_scaling;
    holds.push_back(hold_of(system, part, shown.settings));
    shown.rate = part.settings.rate, shown.settle = part.settings.settle, shown.lag = part.settings.lag;
    shown.amount = part.raised * shown.settings.amount * part.ease;
    for (const int row : system.rows(p))
      result.scaling[training.places[body][static_cast<std::size_t>(row)]] = part.scaling * shown.settings.mix;
  }
  system.all_elements = training.whole[body] != 0;
  result.bodies.push_back(system.settings());
  damp_coupling(result.bodies.back(), training.options.step);
  if (world.touching) {
    system.all_elements = true;
    result.touching.push_back(system.settings());
  }
  if (training.wide.empty()) return;
  SteppedBody& wide = result.wide.emplace_back();
  if (training.wide[body].tets.empty()) return;
  system.all_elements = true;
  wide = system.settings();
}

}  // namespace

PartTuning found_tuning(const TunedPart& part, double metres_per_unit) {
  PartTuning found = tuning_of(part);
  const PartSettings& asked = part.part->settings;
  if (asked.rate != 0) {
    TunedPart untuned = part;
    untuned.settings.rate = 0;
    derive_from_size(untuned, metres_per_unit);
    found = {.rate = untuned.settings.rate, .lag = part.preset->lag, .gain = part.gain};
  }
  if (asked.lag != part.preset->lag) found.lag = part.preset->lag;
  return found;
}

void derive_from_size(TunedPart& part, double metres_per_unit) {
  constexpr double kMostRate = 5;
  const double length = std::max(1e-6, part.length * metres_per_unit);
  if (part.settings.rate == 0)
    part.settings.rate =
        std::min(kMostRate, std::max(part.least_rate, part.preset->rate_factor * std::sqrt(9.81 / length) / kTurn));
  if (part.settings.settle == 0) part.settings.settle = 3 / (part.preset->damping_ratio * kTurn * part.settings.rate);
  set_amount(part, part.settings.amount);
}

RealtimeSettings settings_for(const RealtimeTraining& training, std::span<const PartSettings> asked,
                              const Vec3& gravity, bool touching) {
  RealtimeSettings result;
  result.scaling = Vec::Ones(std::ssize(training.free));
  for (std::size_t k = 0; k < training.parts.size(); ++k)
    result.parts.push_back({.name = training.parts[k].name,
                            .settings = asked[k],
                            .spring_error = training.stand_in ? training.stand_in->groups[k].error : 1.0});
  const std::lock_guard lock(training.mutex);
  for (const auto& system : training.systems) add_settings(*system, training, {gravity, touching}, result);
  result.light = light_settings(training, result.bodies);
  return result;
}

void set_field(const PartSetting& setting, std::span<const Part> parts, std::span<PartSettings> settings) {
  const auto part =
      std::find_if(parts.begin(), parts.end(), [&](const Part& each) { return each.name == setting.part; });
  if (part != parts.end())
    return settings[static_cast<std::size_t>(part - parts.begin())].set(setting.field, setting.value);
  std::vector<std::string> known;
  std::string all;
  for (const Part& each : parts) {
    known.push_back(each.name);
    all += (all.empty() ? "parts are " : ", ") + each.name;
  }
  throw Error({.code = ErrorCode::usage,
               .element = "setting of \"" + setting.part + "\"",
               .value = setting.part,
               .problem = "belongs to no part",
               .remedy = suggestion(setting.part, known, all)});
}

}  // namespace rigspace
