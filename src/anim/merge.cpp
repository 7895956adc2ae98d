#include "rigspace/anim/merge.h"

#include "binding.h"
#include "rigspace/anim/bake.h"

#include <algorithm>
#include <set>

namespace rigspace {

Animation relative_to_rest(const Animation& animation, std::span<const Control> controls) {
  const detail::ControlIndex index(controls);
  Animation result{.name = animation.name, .duration = animation.duration};
  for (const Track& track : animation.tracks) {
    const int control = index.find(track.control);
    if (control < 0) continue;
    result.tracks.push_back(track);
    for (double& value : result.tracks.back().curve.values) value -= controls[control].rest;
  }
  for (const RotationTrack& track : animation.rotations) {
    const auto q = index.find_quaternion(track.node);
    if (!q) continue;
    Vec4 rest;
    for (int k = 0; k < 4; ++k) rest[k] = controls[(*q)[k]].rest;
    const Quat back = rest.isZero(0) ? Quat::Identity() : Quat(rest).normalized().conjugate();
    result.rotations.push_back(track);
    // Products from the left are linear, so tangents turn like values.
    RotationTrack& turned = result.rotations.back();
    for (auto* list : {&turned.values, &turned.in_tangents, &turned.out_tangents})
      for (Vec4& value : *list) value = (back * Quat(value)).coeffs();
  }
  return result;
}

Animation merge_layers(const Animation& base, std::span<const Layer> layers, std::span<const Control> controls,
                       double rate) {
  const LayerStack stack(base, layers, controls);
  double duration = base.duration;
  std::set<std::string> moved;
  for (const Layer& layer : layers) {
    duration = std::max(duration, layer.animation.duration);
    for (const Track& track : layer.animation.tracks) moved.insert(track.control);
    for (const RotationTrack& track : layer.animation.rotations) moved.insert(track.node + ".q");
  }
  const std::vector<double> times = frame_times(duration, rate);
  Animation result = bake(stack, times);
  result.name = base.name;
  for (Track& track : result.tracks) {
    if (moved.contains(track.control)) continue;
    for (const Track& own : base.tracks)
      if (own.control == track.control) track.curve = own.curve;
  }
  for (RotationTrack& track : result.rotations) {
    if (moved.contains(track.node + ".q")) continue;
    for (const RotationTrack& own : base.rotations)
      if (own.node == track.node) track = own;
  }
  return result;
}

}  // namespace rigspace
