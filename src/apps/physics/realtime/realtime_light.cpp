// Light bodies of a model: they follow from its bodies alone.

#include "light_body.h"
#include "realtime_model.h"

namespace rigspace {

void add_light_bodies(RealtimeTraining& training) {
  training.light.clear();
  for (const SteppedBody& body : training.bodies)
    training.light.push_back(light_body(body, training.options.material, training.options.step));
}

std::vector<SteppedBody> light_settings(const RealtimeTraining& training, std::span<const SteppedBody> bodies) {
  std::vector<SteppedBody> all;
  for (std::size_t b = 0; b < bodies.size(); ++b)
    all.push_back(light_settings(training.light[b], bodies[b], training.options.step));
  return all;
}

}  // namespace rigspace
