// What a model says of itself, trained or read from a file.

#include "realtime_model.h"
#include "rigspace/base/require.h"

#include <algorithm>
#include <cmath>

namespace rigspace {
namespace {

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
  require_option(snap_speed >= 0, "snap speed", snap_speed, "expected metres per second, 0 for never");
  require_option(metres_per_unit >= 0 && std::isfinite(metres_per_unit), "metres per unit", metres_per_unit,
                 "expected a number above 0, or 0 for a guess");
}

RealtimeModel::RealtimeModel(std::unique_ptr<Data> data) : data_(std::move(data)) {}

RealtimeModel::~RealtimeModel() = default;
std::span<const RealtimePart> RealtimeModel::tuning() const { return data_->settings.parts; }
const Character& RealtimeModel::character() const { return data_->training->character; }
const RealtimeOptions& RealtimeModel::options() const { return data_->training->options; }
std::span<const Control> RealtimeModel::controls() const { return character().rig->controls(); }
std::span<const int> RealtimeModel::free() const { return data_->training->free; }
double RealtimeModel::latency() const { return (window_steps(options()) + 1) * options().step; }
std::size_t RealtimeModel::instance_bytes() const { return instance_bytes(RealtimeLevel::full); }
std::size_t RealtimeModel::instance_bytes(RealtimeLevel finest) const {
  const RealtimeTraining& training = *data_->training;
  return finest == RealtimeLevel::full ? training.instance_bytes
                                       : training.lower_bytes[static_cast<std::size_t>(finest) - 1];
}
int RealtimeModel::element_count() const { return elements_of(data_->training->bodies); }
int RealtimeModel::most_elements() const { return std::max(element_count(), elements_of(data_->training->wide)); }

}  // namespace rigspace
