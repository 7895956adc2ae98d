// Parts on a rig's own controls, of any deformer: lattices, wires, clusters, flaps (RSP 3).

#include "flesh_region.h"
#include "rigspace/anim/character_frame.h"
#include "rigspace/apps/physics/flesh.h"
#include "rigspace/base/error.h"
#include "rigspace/rig/built_in_rig.h"
#include "rigspace/rig/skeleton.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <set>

namespace rigspace {
namespace {

struct Word {
  std::string_view word, preset;
};
constexpr Word kWords[] = {{"belly", "belly"}, {"chest", "chest"},   {"cheek", "cheek"},     {"trunk", "tail"},
                           {"tail", "tail"},   {"ear", "ear"},       {"hair", "hair"},       {"antenna", "antenna"},
                           {"flesh", "flesh"}, {"jowl", "cheek"},    {"blossom", "flesh"},   {"leaf", "ear"},
                           {"leaves", "ear"},  {"tentacle", "tail"}, {"shoulders", "flesh"}, {"stem", "tail"}};

std::string lower(std::string_view text) {
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

Part make_part(std::string name, std::string_view preset, std::vector<int> controls) {
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

/// Whether all controls belong to bones. Then nodes near these bones must not be held: in moved_region the core of a
/// tail would stay in the keyed pose while the tail's own joints move its skin. Such parts get a carried_region.
bool are_joints(const Character& character, std::span<const int> controls) {
  std::set<std::string_view> bones;
  for (const Bone& bone : character.bones) bones.insert(bone.name);
  return std::all_of(controls.begin(), controls.end(),
                     [&](int c) { return bones.contains(character.rig->controls()[c].node); });
}

}  // namespace

Vec motion_of(const Character& character, std::span<const int> controls) {
  const Rig& rig = *character.rig;
  BlockJacobian J;
  rig.jacobian(*rig.make_workspace(), rig.rest(), controls, J);
  Vec motion = Vec::Zero(rig.point_count());
  for (int i = 0; i < J.points(); ++i)
    for (int e = J.start[i]; e < J.start[i + 1]; ++e)
      motion[i] = std::max(motion[i], J.value.col(e).norm() * rig.controls()[controls[J.column[e]]].typical);
  const double most = motion.size() > 0 ? motion.maxCoeff() : 0;
  return most > 0 ? Vec(motion / most) : motion;
}

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
    const auto word = std::find_if(std::begin(kWords), std::end(kWords),
                                   [&, &name = group](const Word& each) { return has_word(name, each.word); });
    const bool free = std::none_of(controls.begin(), controls.end(),
                                   [&](int i) { return keyed.contains(character.rig->controls()[i].name); });
    if (word != std::end(kWords) && free) parts.push_back(make_part(group, word->preset, controls));
  }
  for (Part& part : parts) part.found = true;
  return parts;
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
  for (const char c : lower(without_channel(patterns.substr(0, patterns.find(',')))))
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || (c == '_' && !name.empty())) name += c;
  while (name.ends_with('_')) name.pop_back();
  return make_part(name.empty() ? std::string(preset.name) : name, preset.name, {controls.begin(), controls.end()});
}

Character with_all_bones(Character character) {
  const auto* rig = dynamic_cast<const BuiltInRig*>(character.rig.get());
  if (rig == nullptr) return character;
  for (const auto& deformer : rig->deformers())
    if (const SkinDescription* skin = skin_description(*deformer))
      for (const int slot : skin->joint_slots) {
        if (std::any_of(character.bones.begin(), character.bones.end(), [&](const Bone& b) { return b.slot == slot; }))
          continue;
        const NodeDescription* node = node_description(rig->graph(), slot);
        character.bones.push_back({node != nullptr ? node->name : "joint" + std::to_string(slot), -1, slot});
      }
  return character;
}

Part with_solid(const Character& character, Part part, const SoftenOptions& options) {
  const auto refuse = [&](const char* problem, const char* remedy) {
    throw Error(
        {.file = character.name, .element = "part \"" + part.name + "\"", .problem = problem, .remedy = remedy});
  };
  const bool built_in = dynamic_cast<const BuiltInRig*>(character.rig.get()) != nullptr;
  // Regions without known bones are cut in the principal axes of the surface, whatever the rig: the same skin has the
  // same solid as a black box and as a rig of joints.
  const bool carried = !built_in || are_joints(character, part.controls);
  RiggedSurface surface = built_in ? rigged_surface(character) : RiggedSurface{.mesh = rest_surface(character)};
  for (const Piece& piece : character.pieces)
    if (!piece.drawn) surface.mesh.triangles = piece.triangles;  // uses the proxy, if the character has one
  Vec motion = motion_of(character, part.controls);
  if (!(motion.size() > 0 && motion.maxCoeff() > 0)) refuse("moves nothing", "name controls that move points");
  const OwnFrame frame =
      carried ? own_frame(surface.mesh.points, principal_turn(surface.mesh)) : character_frame(character, surface.mesh);
  surface = framed(std::move(surface), frame);
  Region region =
      carried ? carried_region(surface.mesh, motion, options) : moved_region(character, surface, motion, options);
  if (std::none_of(region.nodes.begin(), region.nodes.end(), [](FleshNode n) { return n == FleshNode::skin; }))
    refuse("has no inside", "name controls that move a closed surface");
  const std::shared_ptr<Flesh> flesh = flesh_of(std::move(region), surface.frame);
  flesh->controls = part.controls;
  part.flesh = flesh;
  return part;
}

}  // namespace rigspace
