#include "realtime_model.h"

#include "light_body.h"
#include "realtime_body.h"
#include "rigspace/anim/character_frame.h"
#include "rigspace/anim/character_unit.h"
#include "rigspace/base/error.h"
#include "run/black_box_run.h"
#include "tuning/keyed_settings.h"
#include "tuning/tune_system.h"

#include <algorithm>
#include <cmath>
#include <limits>

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

/// Finds the settings of a system on a motion as tune_parts does.
void tune_on(PartSystem& system, const KeyedMotion& motion, const SimulationOptions& physics,
             const Character& character, const ProgressCallback& progress) {
  tune_system(system, character, motion, physics, progress);
  for (TunedPart& part : system.parts)
    if (!part.part->points.empty()) part.most_scaling = 1;  // sheets meet the body behind them, as in simulate_parts
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
      motion.set_cyclic(options.looping == Looping::always || (options.looping == Looping::find && motion.loops()));
      if (&system == &systems.front()) evaluate_keyed_poses(character, motion, physics, progress);
      tune_on(*system, motion, physics, character, progress);
    } else {
      for (TunedPart& part : system->parts) derive_from_size(part, options.metres_per_unit);
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

/// Adds the body of a system, and what was found for its parts.
void add_body(PartSystem& system, RealtimeTraining& training) {
  SteppedBody& body = training.bodies.emplace_back(system.body());
  body.linear = true;
  damp_coupling(body, training.options.step);
  // Chains of rods lose nothing but mass points: they are stepped on few at once. Sheets need all of them to meet the
  // body behind them.
  if (body.tets.empty() && system.parts.front().part->points.empty())
    body = light_body(body, training.options.material, training.options.step).body;
  training.trained.push_back(body.tets.empty() ? std::numeric_limits<double>::infinity()
                                               : kTrainedAmplitude * moved_size(body));
  std::vector<int>& groups = training.groups.emplace_back(body.free.size(), 0);
  for (std::size_t p = 0; p < system.parts.size(); ++p) {
    training.found[static_cast<std::size_t>(system.parts[p].index)] =
        found_tuning(system.parts[p], training.options.metres_per_unit);
    for (const int row : system.rows(p)) groups[static_cast<std::size_t>(row)] = static_cast<int>(p);
  }
  training.free.insert(training.free.end(), body.free.begin(), body.free.end());
  const bool sheet = !system.parts.front().part->points.empty();
  training.limbs.push_back(sheet ? limbs_of(training.character, system) : std::nullopt);
  training.whole.push_back(system.all_elements ? 1 : 0);
  if (!training.options.widen) return;
  SteppedBody& wide = training.wide.emplace_back();
  if (body.tets.empty()) return;
  system.use_all_elements();
  wide = system.body();
  wide.linear = true;
}

/// Sets `free` and `places` once all bodies are there.
void place_controls(RealtimeTraining& training) {
  std::vector<int>& free = training.free;
  std::sort(free.begin(), free.end());
  free.erase(std::unique(free.begin(), free.end()), free.end());
  for (const SteppedBody& body : training.bodies) {
    std::vector<int>& places = training.places.emplace_back();
    for (const int control : body.free)
      places.push_back(static_cast<int>(std::lower_bound(free.begin(), free.end(), control) - free.begin()));
  }
}

}  // namespace

RealtimeModel::RealtimeModel(Character character, std::vector<Part> parts, const RealtimeOptions& options,
                             const ProgressCallback& progress)
    : data_(std::make_unique<Data>()) {
  options.validate();
  const auto made = std::make_shared<RealtimeTraining>();
  data_->training = made;
  RealtimeTraining& training = *made;
  training.character = std::move(character), training.parts = std::move(parts), training.options = options;
  training.size = character_frame(training.character).extent();
  if (options.metres_per_unit == 0) training.options.metres_per_unit = guess_unit(training.character).metres;
  if (training.parts.empty())
    throw Error({.file = training.character.name,
                 .problem = "has no part to simulate",
                 .remedy = "give parts that soften or with_solid made, or chains"});
  training.systems = tuned_systems(training.character, training.parts, training.options, progress);
  training.options.tune_on = nullptr;
  training.found.resize(training.parts.size());
  training.bodies.reserve(training.systems.size()), training.wide.reserve(training.systems.size());
  for (const auto& system : training.systems) add_body(*system, training);
  place_controls(training);
  add_light_bodies(training);
  training.quaternions = quaternions_of(training.character.rig->controls());
  std::vector<PartSettings> asked;
  for (const Part& part : training.parts) asked.push_back(part.settings);
  data_->settings = settings_for(training, asked);
  const std::shared_ptr<const RealtimeModel> here(this, [](const RealtimeModel*) {});
  if (options.springs) {
    training.stand_in = fitted_stand_in(here, training, data_->settings, tuning_clip(training.character, options));
    data_->settings = settings_for(training, asked);
  }
  if (!options.adjustable) training.systems.clear();
  // Measured on a second instance: making the first one also allocates the thread's scratch memory.
  for (const RealtimeLevel level : {RealtimeLevel::full, RealtimeLevel::light, RealtimeLevel::springs}) {
    if (level == RealtimeLevel::springs && !training.stand_in) continue;
    const RealtimeRig first(here, level);
    const std::size_t before = heap_in_use();
    const RealtimeRig second(here, level);
    if (const std::size_t after = heap_in_use(); after > before)
      (level == RealtimeLevel::full ? training.instance_bytes
                                    : training.lower_bytes[static_cast<std::size_t>(level) - 1]) = after - before;
  }
}

namespace {

void require_adjustable(const RealtimeTraining& training) {
  if (training.options.adjustable) return;
  throw Error({.code = ErrorCode::usage,
               .file = training.character.name,
               .problem = "has a model that cannot be adjusted",
               .remedy = "make it with RealtimeOptions::adjustable"});
}

/// `known`: that of another world, whose bodies are copied; or null.
std::shared_ptr<const RealtimeContact> contact_of(const RealtimeTraining& training, const Collisions& collisions,
                                                  const RealtimeContact* known) {
  const auto contact = std::make_shared<RealtimeContact>(RealtimeContact{.collisions = collisions});
  const std::lock_guard lock(training.mutex);
  for (std::size_t b = 0; b < training.systems.size(); ++b) {
    PartSystem& system = *training.systems[b];
    if (known != nullptr) {
      contact->bodies.push_back(known->bodies[b]);
    } else {
      system.all_elements = true;
      contact->bodies.push_back(system.body());
      contact->bodies.back().linear = true;
    }
    const bool has_limbs = known != nullptr && known->limbs[b].has_value();
    contact->limbs.push_back(training.limbs[b]   ? training.limbs[b]
                             : !collisions.limbs ? std::nullopt
                             : has_limbs         ? known->limbs[b]
                                                 : limbs_of(training.character, system));
  }
  return contact;
}

}  // namespace

std::shared_ptr<const RealtimeModel> RealtimeModel::adjusted(std::span<const PartSetting> settings) const {
  const RealtimeTraining& training = *data_->training;
  require_adjustable(training);
  std::vector<PartSettings> asked;
  for (const RealtimePart& part : data_->settings.parts) asked.push_back(part.settings);
  for (const PartSetting& setting : settings) set_field(setting, training.parts, asked);
  auto data = std::make_unique<Data>(Data{data_->training, data_->gravity, data_->contact,
                                          settings_for(training, asked, data_->gravity, data_->contact != nullptr)});
  return std::shared_ptr<const RealtimeModel>(new RealtimeModel(std::move(data)));
}

std::shared_ptr<const RealtimeModel> RealtimeModel::in_world(const RealtimeWorld& world) const {
  const RealtimeTraining& training = *data_->training;
  require_adjustable(training);
  world.collisions.validate();
  std::vector<PartSettings> asked;
  for (const RealtimePart& part : data_->settings.parts) asked.push_back(part.settings);
  auto data = std::make_unique<Data>(Data{.training = data_->training, .gravity = world.gravity, .contact = {}});
  if (world.collisions.any()) data->contact = contact_of(training, world.collisions, data_->contact.get());
  data->settings = settings_for(training, asked, world.gravity, data->contact != nullptr);
  return std::shared_ptr<const RealtimeModel>(new RealtimeModel(std::move(data)));
}

}  // namespace rigspace
