#include "project.h"

#include "rigspace/anim/key_edits.h"
#include "rigspace/energy/material.h"
#include "rigspace/jobs/clip_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace rigspace::studio {
namespace {

constexpr const char* kFormat = "rigspace-studio";

/// With as many digits as give the same number back.
std::string digits(double value) { return fmt::format("{}", value); }

std::string set_text(const ProjectSet& set) {
  std::string text = set.part + "." + set.field + "=";
  if (set.keys.size() == 1)
    text += digits(set.keys.front().second);
  else
    for (std::size_t k = 0; k < set.keys.size(); ++k)
      text += fmt::format("{}{}:{}", k > 0 ? "," : "", set.keys[k].first, set.keys[k].second);
  return text + (set.clip.empty() ? "" : "@" + set.clip);
}

Json to_json(const ProjectSet& set) {
  Json json{{"part", set.part}, {"field", set.field}};
  if (!set.clip.empty()) json["clip"] = set.clip;
  if (set.keys.size() == 1)
    json["value"] = set.keys.front().second;
  else
    for (const auto& [time, value] : set.keys) json["keys"].push_back({time, value});
  return json;
}

[[noreturn]] void refuse_project(const std::string& element, const std::string& expected) {
  refuse("project's " + element, "", "cannot be read", "expected " + expected);
}

double number_of(const Json& json, const std::string& element) {
  if (!json.is_number() || !std::isfinite(json.get<double>())) refuse_project(element, "a number");
  return json.get<double>();
}

ProjectSet set_from(const Json& json) {
  const Arguments read(json);
  ProjectSet set{.part = read.text("part"), .field = read.text("field"), .clip = read.text_or("clip", "")};
  if (read.has("value"))
    set.keys.emplace_back(0, number_of(json["value"], "\"value\""));
  else
    for (const Json& key : read.list("keys", 10000)) {
      if (!key.is_array() || key.size() != 2) refuse_project("\"keys\"", "[seconds, value] pairs");
      set.keys.emplace_back(number_of(key[0], "\"keys\""), number_of(key[1], "\"keys\""));
    }
  if (set.keys.empty()) refuse_project("\"keys\"", "at least one");
  return set;
}

Json to_json(const KeysByControl& controls) {
  Json json = Json::object();
  for (const auto& [control, keys] : controls) {
    Json& list = json[control] = Json::array();
    for (const ProjectKey& key : keys) list.push_back({key.time, key.value, key.in, key.out});
  }
  return json;
}

Json to_json(const ClipEdits& edits) {
  Json json{{"mute", edits.mute},
            {"influence", edits.influence},
            {"controls", to_json(edits.controls)},
            {"modes", to_json(edits.modes)},
            {"factors", edits.factors}};
  for (const DrawnKey& key : edits.drawn) json["drawn"].push_back(to_json(key));
  for (const DraggedKey& key : edits.dragged) json["dragged"].push_back(to_json(key));
  return json;
}

KeysByControl keys_from(const Json& json) {
  KeysByControl controls;
  for (const auto& [control, keys] : json.items()) {
    if (!keys.is_array()) refuse_project("\"controls\"", "lists of keys");
    for (const Json& key : keys) {
      if (!key.is_array() || key.size() != 4) refuse_project("keys of " + control, "[time, value, in, out]");
      controls[control].push_back({number_of(key[0], control), number_of(key[1], control), number_of(key[2], control),
                                   number_of(key[3], control)});
    }
  }
  return controls;
}

ClipEdits edits_from(const Json& json) {
  if (!json.is_object()) refuse_project("\"edits\"", "an object a clip");
  const Arguments read(json);
  constexpr std::size_t kMost = 100000;
  ClipEdits edits{.mute = read.flag("mute"),
                  .influence = read.number("influence", 0, 1),
                  .controls = keys_from(read.object("controls", kMost)),
                  .modes = keys_from(read.object("modes", kMost)),
                  .drawn = {},
                  .dragged = {},
                  .factors = read.numbers("factors", 100)};
  if (read.has("drawn"))
    for (const Json& key : read.list("drawn", 1000)) edits.drawn.push_back(drawn_key_from(key));
  for (std::size_t k = 1; k < edits.drawn.size(); ++k)
    if (!(edits.drawn[k - 1].time < edits.drawn[k].time)) refuse_project("\"drawn\"", "times that grow");
  if (read.has("dragged"))
    for (const Json& key : read.list("dragged", 1000)) edits.dragged.push_back(dragged_key_from(key));
  for (std::size_t k = 1; k < edits.dragged.size(); ++k)
    if (!(edits.dragged[k - 1].time < edits.dragged[k].time)) refuse_project("\"dragged\"", "times that grow");
  return edits;
}

Curve curve_of(const std::vector<ProjectKey>& keys) {
  Curve curve;
  curve.interpolation = Interpolation::hermite;
  for (const ProjectKey& key : keys) {
    curve.times.push_back(key.time), curve.values.push_back(key.value);
    curve.in_tangents.push_back(key.in), curve.out_tangents.push_back(key.out);
  }
  return curve;
}

}  // namespace

const ProjectSet* Project::set_of(std::string_view part, std::string_view field, std::string_view clip) const {
  const auto at = std::find_if(sets.begin(), sets.end(), [&](const ProjectSet& set) {
    return set.part == part && set.field == field && set.clip == clip;
  });
  return at == sets.end() ? nullptr : &*at;
}

bool Project::edited() const {
  return std::any_of(edits.begin(), edits.end(),
                     [](const auto& clip) { return !clip.first.empty() && clip.second != ClipEdits{}; });
}

const std::vector<DrawnKey>& Project::drawing_of(const std::string& clip) const {
  static const std::vector<DrawnKey> kNone;
  const auto at = edits.find(clip);
  return at == edits.end() ? kNone : at->second.drawn;
}

void Project::set_drawing(const std::string& clip, std::vector<DrawnKey> keys) {
  std::erase_if(keys, [](const DrawnKey& key) { return key.strokes.empty(); });
  edits[clip].drawn = std::move(keys);
  if (edits[clip] == ClipEdits{}) edits.erase(clip);
}

const std::vector<DraggedKey>& Project::dragged_of(const std::string& clip) const {
  static const std::vector<DraggedKey> kNone;
  const auto at = edits.find(clip);
  return at == edits.end() ? kNone : at->second.dragged;
}

void Project::set_dragged(const std::string& clip, std::vector<DraggedKey> keys) {
  edits[clip].dragged = std::move(keys);
  if (edits[clip] == ClipEdits{}) edits.erase(clip);
}

void Project::keep_poses_alone(const std::string& clip) {
  const auto at = edits.find(clip);
  if (at == edits.end()) return;
  at->second = ClipEdits{.drawn = at->second.drawn, .dragged = at->second.dragged};
  if (at->second == ClipEdits{}) edits.erase(at);
}

Json to_json(const Project& project) {
  Json json{{"format", kFormat}, {"version", 1}, {"file", project.file}};
  if (!project.found) json["parts"] = project.parts;
  json["sets"] = Json::array();
  for (const ProjectSet& set : project.sets) json["sets"].push_back(to_json(set));
  json["protect"] = project.protect, json["collide"] = project.collide, json["stiffness"] = project.stiffness;
  json["gravity"] = project.gravity, json["friction"] = project.friction, json["material"] = project.material,
  json["unit"] = project.unit;
  json["edits"] = Json::object();
  for (const auto& [clip, edits] : project.edits)
    if (edits != ClipEdits{}) json["edits"][clip] = to_json(edits);
  return json;
}

Project project_from(const Json& json) {
  if (!json.is_object()) refuse_project("text", "a JSON object");
  const Arguments read(json);
  if (read.text("format") != kFormat || read.integer("version", 1, 1) != 1) refuse_project("\"format\"", kFormat);
  Project project{.file = read.text("file")};
  if (read.has("parts")) project.found = false, project.parts = read.texts("parts", 1000);
  for (const Json& set : read.list("sets", 10000)) project.sets.push_back(set_from(set));
  project.protect = read.texts("protect", 1000), project.collide = read.texts("collide", 1000);
  project.stiffness = read.texts("stiffness", 10000);
  project.friction = read.number("friction", 0, 10);
  if (read.has("gravity")) {
    const std::vector<double> gravity = read.numbers("gravity", 3);
    if (gravity.size() != 3) refuse_project("\"gravity\"", "three numbers");
    std::copy(gravity.begin(), gravity.end(), project.gravity.begin());
  }
  project.material = read.text("material"), project.unit = read.number("unit", 0, 1e6);
  for (const auto& [clip, edits] : read.object("edits", 10000).items()) project.edits[clip] = edits_from(edits);
  return project;
}

RealtimeWorld world_of(const Project& project) {
  RealtimeWorld world{.gravity = {project.gravity[0], project.gravity[1], project.gravity[2]}};
  world.collisions.friction = project.friction;
  for (const std::string& word : project.collide) {
    if (word == "self")
      world.collisions.limbs = world.collisions.self = true;
    else if (word != "parts")
      world.collisions.obstacles.push_back(obstacle_from_words(word));
  }
  return world;
}

ClipFix fix_without_hands(const ClipEdits& edits) {
  ClipFix fix{.influence = edits.influence, .mute = edits.mute};
  for (const KeysByControl& layer : {edits.modes, drawn_tracks(edits.drawn), dragged_tracks(edits.dragged)})
    for (const auto& [control, keys] : layer) {
      const Curve* own = fix.curve_of(control);
      fix.set(control, own ? sum_of_keys(*own, curve_of(keys)) : curve_of(keys));
    }
  return fix;
}

ClipFix fix_of(const ClipEdits& edits) {
  ClipFix fix = fix_without_hands(edits);
  for (const auto& [control, keys] : edits.controls) {
    const Curve* other = fix.curve_of(control);
    fix.set(control, other ? sum_of_keys(curve_of(keys), *other) : curve_of(keys));
  }
  return fix;
}

std::string fix_text(const Project& project) {
  FixFile file;
  for (const auto& [clip, edits] : project.edits)
    if (!clip.empty() && edits != ClipEdits{}) file.clips.push_back({clip, fix_of(edits)});
  return rigspace::fix_text(file);
}

SimulationRequest request_of(const Project& project, const std::string& fix) {
  SimulationRequest request;
  if (!project.found) request.parts = project.parts;
  for (const ProjectSet& set : project.sets) request.sets.push_back(set_text(set));
  request.stiffness = project.stiffness;
  request.unit = project.unit;
  request.recipe.protect = project.protect, request.recipe.collide = project.collide;
  if (!project.collide.empty()) request.recipe.physics.collisions.friction = project.friction;
  request.recipe.physics.gravity = {project.gravity[0], project.gravity[1], project.gravity[2]};
  if (!project.material.empty()) request.recipe.physics.material = material_kind(project.material);
  if (project.edited()) request.fix = fix;
  return request;
}

std::string command_of(const Project& project, const std::string& output, const std::string& fix) {
  std::string command = "rigspace simulate " + shell_quoted(project.file);
  const auto add = [&command](const char* option, const std::string& value) {
    command.append(" ").append(option).append(" ").append(shell_quoted(value));
  };
  if (!project.found)
    for (const std::string& part : project.parts) add("--part", part);
  for (const ProjectSet& set : project.sets) add("--set", set_text(set));
  for (const std::string& pattern : project.protect) add("--protect", pattern);
  for (const std::string& what : project.collide) add("--collide", what);
  if (!project.collide.empty() && project.friction != 0.3) add("--friction", digits(project.friction));
  for (const std::string& text : project.stiffness) add("--stiffness", text);
  if (const auto& [x, y, z] = project.gravity; x != 0 || z != 0)
    add("--gravity", digits(x) + "," + digits(y) + "," + digits(z));
  else if (y != -9.81)
    add("--gravity", digits(-y));
  if (!project.material.empty()) add("--material", project.material);
  if (project.unit > 0) add("--unit", digits(project.unit));
  if (project.edited()) add("--fix", fix);
  if (!output.empty()) add("-o", output);
  return command;
}

}  // namespace rigspace::studio
