#include "realtime_model.h"

#include "realtime_body.h"
#include "rigspace/anim/character_frame.h"
#include "rigspace/anim/character_unit.h"
#include "rigspace/base/error.h"
#include "rigspace/base/require.h"
#include "tuning/keyed_settings.h"
#include "tuning/tuner.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace rigspace {
namespace {

constexpr double kTrainedAmplitude = 0.15;  // ReductionOptions::amplitude

/// Bytes of the heap in use by all threads; 0 where the C library gives no figure.
std::size_t heap_in_use() {
#if defined(__GLIBC__)
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
#else
  return 0;
#endif
}

SimulationOptions simulation_options(const RealtimeOptions& options) {
  SimulationOptions result;
  result.step = options.step, result.metres_per_unit = options.metres_per_unit;
  result.material = options.material, result.poisson = options.poisson;
  result.method = Method::fast, result.use_cache = options.use_cache;
  return result;
}

/// The start values of Tuner: rate k sqrt(g / l) / 2 pi, at most 5 Hz (docs/default-look.md, "rate from size"), and
/// settle from the preset's damping ratio.
void derive_look(TunedPart& part, double metres_per_unit) {
  constexpr double kMostRate = 5;
  const double length = std::max(1e-6, part.length * metres_per_unit), turn = 2 * std::numbers::pi;
  if (part.settings.rate == 0)
    part.settings.rate = std::min(kMostRate, part.preset->rate_factor * std::sqrt(9.81 / length) / turn);
  if (part.settings.settle == 0) part.settings.settle = 3 / (part.preset->damping_ratio * turn * part.settings.rate);
  set_amount(part, part.settings.amount);
}

/// Finds the settings of a system on a motion as tune_parts and then simulate_parts do.
void tune_on(PartSystem& system, const KeyedMotion& motion, SimulationOptions physics, const Character& character,
             std::size_t parts, const ProgressCallback& progress) {
  const double size = character_frame(character).extent();
  Tuner(system, motion, physics, size).tune(progress);
  physics.tuning.resize(parts);
  for (TunedPart& part : system.parts) {
    physics.tuning[static_cast<std::size_t>(part.index)] = tuning_of(part);
    if (part.part->points.empty()) continue;
    system.obstacles = obstacles_for(character, system, motion, {.limbs = true});  // sheets meet the body behind them
    part.most_scaling = 1;
  }
  Tuner(system, motion, physics, size).hold_clip(progress);
}

/// The clip on which parts are tuned; null: none is.
const Animation* tuning_clip(const Character& character, const RealtimeOptions& options) {
  if (!options.tune) return nullptr;
  return options.tune_on != nullptr ? options.tune_on : reference_clip(character);
}

/// The systems of all parts, their settings tuned on a clip or derived from sizes.
std::vector<std::unique_ptr<PartSystem>> tuned_systems(const Character& character, std::span<const Part> parts,
                                                       const RealtimeOptions& options,
                                                       const ProgressCallback& progress) {
  const SimulationOptions physics = simulation_options(options);
  auto systems = make_systems(character, parts, physics, progress);
  const Animation* clip = tuning_clip(character, options);
  for (const auto& system : systems) {
    if (clip != nullptr) {
      KeyedMotion motion(character, clip);
      motion.set_cyclic(motion.loops());
      tune_on(*system, motion, physics, character, parts.size(), progress);
      system->obstacles.clear();  // they refer to the motion
    } else {
      for (TunedPart& part : system->parts) derive_look(part, options.metres_per_unit);
    }
  }
  return systems;
}

/// The holds of a system: a limit or a larger amount that somebody asked for stays, as in Tuner::hold. `drive` is
/// measured on the clip on which the parts were tuned, or 0 without one.
std::vector<RealtimeHold> holds_of(const PartSystem& system, const SteppedBody& body, const KeyedMotion* motion,
                                   const RealtimeOptions& options) {
  std::vector<RealtimeHold> holds;
  for (const TunedPart& part : system.parts)
    holds.push_back({.swing = part.swing,
                     .held = part.held,
                     .rate = part.settings.rate,
                     .settle = std::max(1e-3, part.settings.settle),
                     .length = std::max(1e-9, part.length)});
  if (motion == nullptr) return holds;
  RealtimeBody listener(body, options, body.size, holds);
  constexpr double kSettled = 8;  // s: after which a loop is answered as ever after
  const double h = options.step, last = motion->cyclic() ? kSettled : std::min(kSettled, motion->duration());
  std::vector<double> most(holds.size(), 0.0);
  Vec p;
  motion->controls(0, p);
  listener.observe(p, 0), listener.settle(true);
  for (double time = h; time <= last; time += h) {
    motion->controls(time, p);
    listener.observe(p, 0), listener.listen();
    for (std::size_t g = 0; g < most.size() && (!motion->cyclic() || time > kSettled - 2); ++g)
      most[g] = std::max(most[g], listener.drive(g));
  }
  for (std::size_t g = 0; g < holds.size(); ++g) {
    const PartSettings& asked = system.parts[g].part->settings;
    if (asked.limit == system.parts[g].preset->limit && asked.amount <= 1) holds[g].drive = most[g];
  }
  return holds;
}

/// Diagonal of the box around the nodes that are not held, at rest, scene units.
double moved_size(const SteppedBody& body) {
  Vec s;
  body.rig->evaluate(*body.rig->make_workspace(), body.rig->rest(), s);
  Vec3 low = Vec3::Constant(std::numeric_limits<double>::infinity()), high = -low;
  for (int i = 0; i < body.node_count(); ++i) {
    if (body.roles[i] == NodeRole::held) continue;
    const Vec3 node = body.ties.row(i, s);
    low = low.cwiseMin(node), high = high.cwiseMax(node);
  }
  return (high - low).norm();
}

/// The first control of each quaternion.
std::vector<int> quaternions_of(std::span<const Control> controls) {
  std::vector<int> first;
  for (int c = 0; c + 3 < static_cast<int>(controls.size()); ++c)
    if (controls[c].unit == Unit::quaternion && controls[c + 3].unit == Unit::quaternion) first.push_back(c), c += 3;
  return first;
}

int elements_of(const std::vector<SteppedBody>& bodies) {
  std::size_t count = 0;
  for (const SteppedBody& body : bodies) count += body.tets.size();
  return static_cast<int>(count);
}

}  // namespace

void RealtimeOptions::validate() const {
  require_option(step > 0 && step <= 0.1, "realtime step", step, "expected seconds above 0, up to 0.1");
  require_option(window >= step && window <= 0.5, "realtime window", window, "expected a step or more, up to 0.5 s");
  require_option(max_substeps >= 1, "substeps of a call", max_substeps, "expected at least 1");
  require_option(max_iterations >= 1, "iterations of a step", max_iterations, "expected at least 1");
  require_option(tolerance > 0 && tolerance < 1, "realtime tolerance", tolerance, "expected a share above 0, below 1");
  require_option(teleport_speed >= 0, "teleport speed", teleport_speed, "expected metres per second, 0 for never");
  require_option(metres_per_unit >= 0 && std::isfinite(metres_per_unit), "metres per unit", metres_per_unit,
                 "expected a number above 0, or 0 for a guess");
}

RealtimeModel::RealtimeModel(Character character, std::vector<Part> parts, const RealtimeOptions& options,
                             const ProgressCallback& progress)
    : data_(std::make_unique<Data>()) {
  options.validate();
  Data& data = *data_;
  data.character = std::move(character), data.options = options;
  data.size = character_frame(data.character).extent();
  if (options.metres_per_unit == 0) data.options.metres_per_unit = guess_unit(data.character).metres;
  if (parts.empty())
    throw Error({.file = data.character.name,
                 .problem = "has no part to simulate",
                 .remedy = "give parts that soften or with_solid made, or chains"});
  const auto systems = tuned_systems(data.character, parts, data.options, progress);
  std::optional<KeyedMotion> tuned_on;
  if (const Animation* clip = tuning_clip(data.character, options)) {
    tuned_on.emplace(data.character, clip);
    tuned_on->set_cyclic(tuned_on->loops());
  }
  data.options.tune_on = nullptr;
  data.bodies.reserve(systems.size()), data.wide.reserve(systems.size());
  std::vector<std::pair<int, double>> scaled;
  for (const auto& system : systems) {
    SteppedBody body = system->body();
    body.linear = true;
    data.trained.push_back(body.tets.empty() ? std::numeric_limits<double>::infinity()
                                             : kTrainedAmplitude * moved_size(body));
    for (std::size_t p = 0; p < system->parts.size(); ++p)
      for (const int row : system->rows(p))
        scaled.emplace_back(body.free[row], system->parts[p].scaling * system->parts[p].part->settings.mix);
    data.free.insert(data.free.end(), body.free.begin(), body.free.end());
    data.bodies.push_back(std::move(body));
    data.holds.push_back(holds_of(*system, data.bodies.back(), tuned_on ? &*tuned_on : nullptr, data.options));
    const bool sheet = !system->parts.front().part->points.empty();
    data.limbs.push_back(sheet ? limbs_of(data.character, *system) : std::nullopt);
    if (!options.widen) continue;
    SteppedBody& wide = data.wide.emplace_back();
    if (data.bodies.back().tets.empty()) continue;
    system->use_all_elements();
    wide = system->body();
    wide.linear = true;
  }
  std::sort(data.free.begin(), data.free.end());
  data.free.erase(std::unique(data.free.begin(), data.free.end()), data.free.end());
  const auto place = [&](int control) {
    return static_cast<int>(std::lower_bound(data.free.begin(), data.free.end(), control) - data.free.begin());
  };
  data.scaling = Vec::Ones(std::ssize(data.free));
  for (const auto& [control, factor] : scaled) data.scaling[place(control)] = factor;
  for (const SteppedBody& body : data.bodies) {
    std::vector<int>& places = data.places.emplace_back();
    for (const int control : body.free) places.push_back(place(control));
  }
  data.quaternions = quaternions_of(controls());
  // Measured on a second instance: making the first one also allocates the thread's scratch memory.
  const std::shared_ptr<const RealtimeModel> here(this, [](const RealtimeModel*) {});
  const RealtimeRig first(here);
  const std::size_t before = heap_in_use();
  const RealtimeRig second(here);
  if (const std::size_t after = heap_in_use(); after > before) data.instance_bytes = after - before;
}

RealtimeModel::~RealtimeModel() = default;
const Character& RealtimeModel::character() const { return data_->character; }
const RealtimeOptions& RealtimeModel::options() const { return data_->options; }
std::span<const Control> RealtimeModel::controls() const { return data_->character.rig->controls(); }
std::span<const int> RealtimeModel::free() const { return data_->free; }
double RealtimeModel::latency() const { return (window_steps(data_->options) + 1) * data_->options.step; }
std::size_t RealtimeModel::instance_bytes() const { return data_->instance_bytes; }
int RealtimeModel::element_count() const { return elements_of(data_->bodies); }
int RealtimeModel::most_elements() const { return std::max(element_count(), elements_of(data_->wide)); }

}  // namespace rigspace
