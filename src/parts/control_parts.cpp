// Parts on a rig's own controls, of any deformer: lattices, wires, clusters, flaps (RSP 3).

#include "rigspace/anim/bound_skin.h"
#include "rigspace/base/error.h"
#include "rigspace/parts/part_finder.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

namespace rigspace {
namespace {

struct ControlWord {
  std::string_view word, preset;
};
constexpr ControlWord kControlWords[] = {
    {"belly", "belly"}, {"chest", "chest"},   {"cheek", "cheek"},     {"trunk", "tail"},
    {"tail", "tail"},   {"ear", "ear"},       {"hair", "hair"},       {"antenna", "antenna"},
    {"flesh", "flesh"}, {"jowl", "cheek"},    {"blossom", "flesh"},   {"leaf", "ear"},
    {"leaves", "ear"},  {"tentacle", "tail"}, {"shoulders", "flesh"}, {"stem", "tail"}};

std::string lower_case(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(), [](unsigned char c) { return std::tolower(c); });
  return result;
}

/// Controls that some clip of the artist moves. Clips written by `rig modes` (Walk_soft_modes) are left out: they are
/// an earlier result on sliders, with a remainder on the original controls, which the artist need not key.
std::set<std::string> keyed_controls(const Character& character) {
  std::set<std::string> keyed;
  for (const Animation& clip : character.clips) {
    if (clip.name.ends_with("_modes")) continue;
    for (const Track& track : clip.tracks)
      if (!track.curve.values.empty() &&
          *std::max_element(track.curve.values.begin(), track.curve.values.end()) -
                  *std::min_element(track.curve.values.begin(), track.curve.values.end()) >
              1e-6)
        keyed.insert(track.control);
    for (const RotationTrack& track : clip.rotations)
      for (const char* channel : {".rx", ".ry", ".rz"}) keyed.insert(track.node + channel);
  }
  return keyed;
}

Part part_on_controls(std::string name, std::string_view preset, std::vector<int> controls) {
  Part part{.name = std::move(name), .preset = std::string(preset), .bones = {}};
  part.settings.lag = preset_named(preset).lag;
  part.settings.settle = 0;  // derived from the preset's damping ratio when the rate is known
  part.controls = std::move(controls);
  return part;
}

/// The node part of a pattern such as tail?.r? or belly.t*.
std::string_view without_channel(std::string_view pattern) {
  constexpr std::string_view kinds = "trs?*", axes = "xyz?*";
  const std::size_t dot = pattern.rfind('.');
  if (dot == std::string_view::npos || dot == 0) return pattern;
  const std::string_view channel = pattern.substr(dot + 1);
  const bool is_channel = channel == "*" || (channel.size() == 2 && kinds.find(channel[0]) != std::string_view::npos &&
                                             axes.find(channel[1]) != std::string_view::npos);
  return is_channel ? pattern.substr(0, dot) : pattern;
}

/// The controls whose name, node or group matches the pattern, ascending. Quaternions are left out; scales are too,
/// unless nothing else matches.
std::vector<int> controls_matching(const Character& character, std::string_view pattern) {
  std::vector<int> met, scales;
  for (int i = 0; i < static_cast<int>(character.rig->controls().size()); ++i) {
    const Control& control = character.rig->controls()[i];
    if (control.unit == Unit::quaternion) continue;
    if (matches(control, pattern) || matches_pattern(control.group, pattern))
      (control.unit == Unit::scale ? scales : met).push_back(i);
  }
  return met.empty() ? scales : met;
}

}  // namespace

std::vector<Part> find_control_parts(const Character& character) {
  const std::set<std::string> keyed = keyed_controls(character);
  std::map<std::string, std::vector<int>> groups;
  for (int i = 0; i < static_cast<int>(character.rig->controls().size()); ++i) {
    const Control& control = character.rig->controls()[i];
    if (!control.group.empty() && control.unit != Unit::quaternion && control.unit != Unit::scale)
      groups[control.group].push_back(i);
  }
  std::vector<Part> parts;
  for (const auto& [group, controls] : groups) {
    const auto word = std::find_if(std::begin(kControlWords), std::end(kControlWords),
                                   [&, &name = group](const ControlWord& each) { return has_word(name, each.word); });
    const bool free = std::none_of(controls.begin(), controls.end(),
                                   [&](int i) { return keyed.contains(character.rig->controls()[i].name); });
    if (word != std::end(kControlWords) && free) parts.push_back(part_on_controls(group, word->preset, controls));
  }
  for (Part& part : parts) part.found = true;
  return parts;
}

namespace {

/// Whether other joints hang on those of a part: on a torso its limbs, which would move with it.
bool carries_more(const Character& skin, const Part& part) {
  const auto mine = [&](int bone) { return std::find(part.bones.begin(), part.bones.end(), bone) != part.bones.end(); };
  for (int b = 0; b < static_cast<int>(skin.bones.size()); ++b)
    for (int above = skin.bones[b].parent; above >= 0 && !mine(b); above = skin.bones[above].parent)
      if (mine(above)) return true;
  return false;
}

/// Why a part that was found on the skin cannot move by the rig's controls; empty: it can.
std::string obstacle_of(const BoundSkin& bound, const Part& part) {
  const auto name = [&](int bone) { return bound.character->bones[bone].name; };
  if (!part.points.empty())
    return part.name + " is a sheet on the one bone " + name(part.bones.front()) + ": make it a cloth";
  for (const int bone : part.bones)
    if (const auto held = bound.held.find(name(bone)); held != bound.held.end())
      return part.name + ": bone \"" + held->first + "\" " + held->second;
  if (carries_more(*bound.character, part))
    return part.name + " (" + name(part.bones.front()) + " to " + name(part.bones.back()) +
           ") has no bone of its own: give the rig one there that nothing else hangs on, with weights, and name it " +
           part.preset;
  return "";
}

}  // namespace

ControlPartSearch search_control_parts(const Character& character) {
  ControlPartSearch result{.parts = find_control_parts(character), .remark = {}};
  const BoundSkin* bound = bound_skin(character);
  if (bound == nullptr) return result;
  std::set<int> taken;
  for (const Part& part : result.parts) taken.insert(part.controls.begin(), part.controls.end());
  const PartSearch search = find_part_candidates(*bound->character);
  for (const PartCandidate& each : search.candidates) {
    if (!each.chosen) continue;
    std::set<std::string_view> joints;
    for (const int bone : each.part.bones) joints.insert(bound->character->bones[bone].name);
    const bool flesh = preset_named(each.part.preset).flesh;
    std::vector<int> controls;
    for (int i = 0; i < static_cast<int>(character.rig->controls().size()); ++i) {
      const Control& control = character.rig->controls()[i];
      if (joints.contains(control.node) && (control.unit == Unit::angle || (flesh && control.unit == Unit::length)))
        controls.push_back(i);
    }
    if (std::any_of(controls.begin(), controls.end(), [&](int i) { return taken.contains(i); })) continue;
    std::string obstacle = obstacle_of(*bound, each.part);
    if (obstacle.empty() && controls.empty()) obstacle = each.part.name + ": its bones are locked, or drivers set them";
    if (!obstacle.empty()) {
      result.remark += (result.remark.empty() ? "" : "; ") + obstacle;
      continue;
    }
    taken.insert(controls.begin(), controls.end());
    result.parts.push_back(part_on_controls(each.part.name, each.part.preset, std::move(controls)));
    result.parts.back().found = true, result.parts.back().reason = each.part.reason;
    result.parts.back().settings.amount = each.part.settings.amount;
  }
  if (result.parts.empty() && result.remark.empty()) result.remark = search.remark;
  return result;
}

Part control_part_from_pattern(const Character& character, std::string_view text) {
  const auto equals = text.rfind('=');
  const std::string_view patterns = text.substr(0, equals);
  const Preset& preset = preset_named(equals == std::string_view::npos ? "flesh" : text.substr(equals + 1));
  std::set<int> controls;
  for (std::size_t from = 0; from <= patterns.size();) {
    const std::size_t comma = std::min(patterns.find(',', from), patterns.size());
    const std::vector<int> met = controls_matching(character, patterns.substr(from, comma - from));
    if (met.empty())
      throw Error({.file = character.name,
                   .element = "part \"" + std::string(text) + "\"",
                   .value = std::string(patterns.substr(from, comma - from)),
                   .problem = "matches no control",
                   .remedy = "`rigspace info --controls` lists them, with their groups"});
    controls.insert(met.begin(), met.end());
    from = comma + 1;
  }
  std::string name;
  for (const char c : lower_case(without_channel(patterns.substr(0, patterns.find(',')))))
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || (c == '_' && !name.empty())) name += c;
  while (name.ends_with('_')) name.pop_back();
  return part_on_controls(name.empty() ? std::string(preset.name) : name, preset.name,
                          {controls.begin(), controls.end()});
}

}  // namespace rigspace
