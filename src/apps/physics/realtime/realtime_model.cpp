#include "realtime_model.h"

#include "rigspace/anim/character_frame.h"
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

/// The systems of all parts, their settings tuned on options.tune_on or derived from sizes.
std::vector<std::unique_ptr<PartSystem>> tuned_systems(const Character& character, std::span<const Part> parts,
                                                       const RealtimeOptions& options,
                                                       const ProgressCallback& progress) {
  const SimulationOptions physics = simulation_options(options);
  std::vector<std::unique_ptr<PartSystem>> systems;
  if (auto chains = make_chain_system(character, parts, physics)) systems.push_back(std::move(chains));
  for (std::size_t k = 0; k < parts.size(); ++k) {
    if (!parts[k].joints.empty()) systems.push_back(make_sheet_system(character, parts, static_cast<int>(k), physics));
    if (parts[k].flesh) systems.push_back(make_flesh_system(character, parts, static_cast<int>(k), physics, progress));
  }
  const double size = character_frame(character).extent();
  for (const auto& system : systems) {
    if (options.tune_on != nullptr) {
      KeyedMotion motion(character, options.tune_on);
      motion.set_cyclic(motion.loops());
      Tuner(*system, motion, physics, size).run(progress, {}, nullptr);
    } else {
      for (TunedPart& part : system->parts) derive_look(part, options.metres_per_unit);
    }
  }
  return systems;
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
  require_option(metres_per_unit > 0, "metres per unit", metres_per_unit, "expected a number above 0");
}

RealtimeModel::RealtimeModel(Character character, std::vector<Part> parts, const RealtimeOptions& options,
                             const ProgressCallback& progress)
    : data_(std::make_unique<Data>()) {
  options.validate();
  Data& data = *data_;
  data.character = std::move(character), data.options = options;
  data.options.tune_on = nullptr;
  const auto systems = tuned_systems(data.character, parts, options, progress);
  if (systems.empty())
    throw Error({.file = data.character.name,
                 .problem = "has no part to simulate",
                 .remedy = "give parts that soften or with_solid made, or chains"});
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
double RealtimeModel::latency() const { return data_->options.window + data_->options.step; }
std::size_t RealtimeModel::instance_bytes() const { return data_->instance_bytes; }
int RealtimeModel::element_count() const { return elements_of(data_->bodies); }
int RealtimeModel::most_elements() const { return std::max(element_count(), elements_of(data_->wide)); }

}  // namespace rigspace
