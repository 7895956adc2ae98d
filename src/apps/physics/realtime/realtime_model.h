#pragma once
// Private to physics: the data that all instances of a character share, and how settings of parts become those of
// bodies.

#include "light_body.h"
#include "realtime_body.h"
#include "rigspace/apps/physics/realtime_rig.h"
#include "run/part_system.h"
#include "spring_stand_in.h"

#include <array>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

namespace rigspace {

/// What no setting changes; shared by a model and those that are adjusted from it.
struct RealtimeTraining {
  Character character;      // keeps the rig alive, to which restricted rigs of the bodies may refer
  std::vector<Part> parts;  // as given; systems refer to them
  double size = 0;          // scene units: the largest side of the character at rest
  RealtimeOptions options;
  std::vector<SteppedBody> bodies;
  std::vector<SteppedBody> wide;  // the bodies with all elements, empty ones for rods; only with RealtimeOptions::widen
  std::vector<LightBody> light;   // one a body, for RealtimeLevel::light
  std::vector<std::optional<LimbMesh>> limbs;  // per body: what a sheet meets; nothing for others
  std::vector<double> trained;  // per body: largest deviation of a node in training, scene units; infinite for rods
  std::vector<int> free;        // free controls of all bodies, ascending
  std::vector<std::vector<int>> places;      // per body: index in `free` of each of its free controls
  std::vector<std::vector<int>> groups;      // per body: the group of each of its free controls
  std::vector<int> quaternions;              // the first control of each orientation
  std::size_t instance_bytes = 0;            // heap memory of one instance, measured
  std::array<std::size_t, 2> lower_bytes{};  // the same of one made at RealtimeLevel::light, at springs
  std::optional<SpringStandIn> stand_in;     // with RealtimeOptions::springs
  // Per part, whatever its settings become; where a rate or a lag was asked for: that from the size, that of the
  // preset.
  std::vector<PartTuning> found;
  // One a body; kept only with RealtimeOptions::adjustable. Their settings are set and read under the mutex.
  std::vector<std::unique_ptr<PartSystem>> systems;
  std::vector<char> whole;  // per body: it has all elements, whatever RealtimeOptions::widen is
  mutable std::mutex mutex;
};

/// Bodies that meet obstacles: with all elements.
struct RealtimeContact {
  Collisions collisions;
  std::vector<SteppedBody> bodies;
  std::vector<std::optional<LimbMesh>> limbs;  // per body; nothing where limbs do not count
};

/// All that the settings of parts determine.
struct RealtimeSettings {
  std::vector<RealtimePart> parts;               // in the order of RealtimeTraining::parts
  std::vector<SteppedBody> bodies, wide;         // PartSystem::settings of those in RealtimeTraining
  std::vector<SteppedBody> light;                // light_settings of `bodies`
  std::vector<SteppedBody> touching;             // and in RealtimeContact
  std::vector<std::vector<RealtimeHold>> holds;  // per body and group
  Vec scaling;                                   // factor on the deviation, per free control
};

struct RealtimeModel::Data {
  std::shared_ptr<const RealtimeTraining> training;
  Vec3 gravity = earth_gravity();                  // m/s^2
  std::shared_ptr<const RealtimeContact> contact;  // null: nothing is met but what sheets meet in any case
  RealtimeSettings settings;
};

/// The start values of Tuner: rate k sqrt(g / l) / 2 pi, at most 5 Hz (docs/default-look.md, "rate from size"), and
/// settle from the preset's damping ratio.
void derive_from_size(TunedPart& part, double metres_per_unit);

/// What was found for a part, once it is tuned.
PartTuning found_tuning(const TunedPart& part, double metres_per_unit);

/// The settings for what is asked of each part: a value that is not asked for stays as it was tuned. `touching`: parts
/// meet obstacles (RealtimeContact).
RealtimeSettings settings_for(const RealtimeTraining& training, std::span<const PartSettings> asked,
                              const Vec3& gravity = earth_gravity(), bool touching = false);

/// Sets training.light from the bodies. Not needed in a file: it takes milliseconds.
void add_light_bodies(RealtimeTraining& training);
/// RealtimeSettings::light for RealtimeSettings::bodies.
std::vector<SteppedBody> light_settings(const RealtimeTraining& training, std::span<const SteppedBody> bodies);

/// Spring bones for the parts, fitted to what an instance does on a clip; null: from rates and settle times alone. The
/// systems of `training` must still be there.
SpringStandIn fitted_stand_in(const std::shared_ptr<const RealtimeModel>& model, const RealtimeTraining& training,
                              const RealtimeSettings& settings, const Animation* clip);

/// Sets a field of the part that is named. Throws Error for a part or a field that does not exist, or a value that is
/// out of range.
void set_field(const PartSetting& setting, std::span<const Part> parts, std::span<PartSettings> settings);

}  // namespace rigspace
