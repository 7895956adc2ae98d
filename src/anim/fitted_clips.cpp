#include "fitted_clips.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace rigspace {
namespace {

/// The axis of `<node>.tx|ty|tz`, or -1.
int translation_axis(std::string_view control) {
  constexpr std::array<std::string_view, 3> kEndings = {".tx", ".ty", ".tz"};
  for (int axis = 0; axis < 3; ++axis)
    if (control.ends_with(kEndings[axis])) return axis;
  return -1;
}

std::string node_of(const std::string& control) { return control.substr(0, control.rfind('.')); }

bool is_known(std::span<const Control> controls, const std::string& name) {
  return std::any_of(controls.begin(), controls.end(), [&](const Control& each) { return each.name == name; });
}

}  // namespace

Animation fitted_clip(const Animation& clip, const std::map<std::string, KeyChange>& changes,
                      std::span<const Control> controls, std::vector<std::string>& dropped) {
  Animation result{.name = clip.name, .duration = clip.duration};
  for (const Track& track : clip.tracks) {
    if (!is_known(controls, track.control)) {
      dropped.push_back(track.control);
      continue;
    }
    result.tracks.push_back(track);
    const int axis = translation_axis(track.control);
    const auto change = changes.find(node_of(track.control));
    if (axis < 0 || change == changes.end()) continue;
    const KeyChange& each = change->second;
    Curve& curve = result.tracks.back().curve;
    for (double& value : curve.values) value = each.new_rest[axis] + each.scale * (value - each.rest[axis]);
    for (double& slope : curve.in_tangents) slope *= each.scale;
    for (double& slope : curve.out_tangents) slope *= each.scale;
  }
  for (const RotationTrack& track : clip.rotations)
    if (is_known(controls, track.node + ".qx"))
      result.rotations.push_back(track);
    else
      dropped.push_back(track.node);
  if (result.tracks.empty() && result.rotations.empty()) return result;
  for (const auto& [node, change] : changes) {
    const bool keyed = std::any_of(clip.rotations.begin(), clip.rotations.end(),
                                   [&name = node](const RotationTrack& track) { return track.node == name; }) ||
                       std::any_of(clip.tracks.begin(), clip.tracks.end(),
                                   [&name = node](const Track& track) { return track.control == name + ".qx"; });
    if (!change.turned || keyed) continue;
    RotationTrack& held = result.rotations.emplace_back();
    held.node = node, held.interpolation = Interpolation::linear;
    held.times = {0}, held.values = {change.rotation.coeffs()};
  }
  return result;
}

}  // namespace rigspace
