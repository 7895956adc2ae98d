// A game loop with secondary motion: a character walks, its tail, ears and belly follow. What an engine does is in
// `main`: make a model once, an instance a character, then set_keyed, step, apply in every frame.
#include "rigspace/anim/keyed_motion.h"
#include "rigspace/apps/physics/flesh.h"
#include "rigspace/apps/physics/realtime_rig.h"
#include "rigspace/cast/cast.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

using namespace rigspace;

namespace {

/// Once, when the game is built or loads: parts, their flesh, their training. The cache keeps what takes long.
std::shared_ptr<const RealtimeModel> load_model() {
  const Character hard = make_character("bobbin");  // or load_character("hero.glb")
  const Softened soft = soften(hard, find_parts(hard), {.use_cache = true});
  RealtimeOptions options;
  options.tune_on = soft.character.clip("Walk");  // rates and amounts that suit this motion
  return std::make_shared<const RealtimeModel>(soft.character, soft.parts, options);
}

}  // namespace

int main() {
  const auto model = load_model();
  std::printf("%zu of %zu controls are simulated, on %d elements of flesh; %.0f ms late; %.1f MB an instance\n",
              model->free().size(), model->controls().size(), model->element_count(), 1e3 * model->latency(),
              1e-6 * static_cast<double>(model->instance_bytes()));

  RealtimeRig rig(model);                                                 // one for each character
  KeyedMotion walk(model->character(), model->character().clip("Walk"));  // the engine's animation system
  walk.set_cyclic(true);
  const auto skin_memory = model->character().rig->make_workspace();
  Vec pose, skin;
  double time = 0, farthest = 0;
  for (int frame = 0; frame < 120; ++frame) {
    const double dt = frame % 10 == 0 ? 1.0 / 30 : 1.0 / 60;  // a frame is late now and then
    time += dt;
    walk.controls(time, pose);
    const std::span<double> controls(pose.data(), static_cast<std::size_t>(pose.size()));
    if (frame == 0) rig.reset(controls);  // where the character appears
    rig.set_keyed(controls);
    rig.step(dt);
    rig.apply(controls);  // the pose, with what is simulated in it

    model->character().rig->evaluate(*skin_memory, pose, skin);  // an engine skins on its own, from the same controls
    for (const double d : rig.deviation()) farthest = std::max(farthest, std::abs(d));
  }
  std::printf("after %ld steps of the physics grid: at most %.2f rad or m from the animation\n", rig.steps(), farthest);
  return farthest > 0.01 && farthest < 3 && skin.allFinite() ? 0 : 1;
}
