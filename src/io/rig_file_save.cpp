// Rig files out: a rig with its mesh and clips, and a new one to start from.
#include "rig_file_parts.h"
#include "rigspace/base/affine.h"
#include "rigspace/base/files.h"
#include "rigspace/io/curve_file.h"
#include "rigspace/io/gltf.h"
#include "rigspace/io/json_text.h"
#include "rigspace/io/rig_blocks.h"
#include "rigspace/io/rig_file.h"
#include "rigspace/rig/skeleton.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

namespace rigspace {
namespace {

using Json = Field::Json;
namespace fs = std::filesystem;

/// `path` without .rig.json.
std::string stem_of(const fs::path& path) {
  const std::string name = path.filename().string();
  constexpr std::string_view kEnding = ".rig.json";
  if (!name.ends_with(kEnding) || name.size() == kEnding.size())
    throw Error({.code = ErrorCode::usage,
                 .file = path.string(),
                 .problem = "does not end in .rig.json",
                 .remedy = "name it like hero.rig.json"});
  return name.substr(0, name.size() - kEnding.size());
}

/// Names of morph weights are `<mesh node>:<shape>` in glTF.
std::string shape_control(const std::string& piece, const plan::Shape& shape) {
  return shape.name.starts_with(piece + ":") ? shape.name : piece + ":" + shape.name;
}

/// What glTF can hold of a plan: nodes, skins, shapes; and the expressions of shapes, which it cannot.
struct MeshPart {
  RigPlan plan;
  std::vector<std::pair<std::string, plan::Value>> weights;  // of shapes, by control
};

/// Joints that are no nodes (helpers, feet that roll) stand in the mesh as nodes of their name, where they were bound;
/// what the rig file calls the same replaces them.
void add_missing_joints(const plan::Skin& skin, RigPlan& plan) {
  for (std::size_t j = 0; j < skin.joints.size(); ++j) {
    if (std::any_of(plan.nodes.begin(), plan.nodes.end(), [&](const auto& n) { return n.name == skin.joints[j]; }))
      continue;
    plan::Node node{.name = skin.joints[j], .parent = {}};
    node.constant = inverse(skin.inverse_bind[j]);
    plan.nodes.push_back(node);
  }
}

MeshPart mesh_part(const RiggedCharacter& rigged) {
  MeshPart part;
  part.plan.points_rest = rigged.plan.points_rest;
  part.plan.pieces = rigged.plan.pieces;
  part.plan.nodes = rigged.plan.nodes;
  for (const plan::Deformer& deformer : rigged.plan.deformers) {
    if (!std::holds_alternative<plan::Skin>(deformer.kind) && !std::holds_alternative<plan::Shapes>(deformer.kind))
      continue;
    part.plan.deformers.push_back(deformer);
    if (const auto* skin = std::get_if<plan::Skin>(&deformer.kind)) add_missing_joints(*skin, part.plan);
    auto* shapes = std::get_if<plan::Shapes>(&part.plan.deformers.back().kind);
    if (shapes == nullptr) continue;
    for (plan::Shape& shape : shapes->targets) {
      const std::string piece = deformer.pieces.empty() ? part.plan.pieces.front().name : deformer.pieces.front();
      const std::string control = shape_control(piece, shape);
      const auto known = std::find_if(rigged.plan.controls.begin(), rigged.plan.controls.end(),
                                      [&](const Control& each) { return each.name == control; });
      const bool plain = known != rigged.plan.controls.end() &&
                         (shape.weight.expression == control || shape.weight.expression == "'" + control + "'");
      Control made{.name = control, .node = control.substr(0, control.find(':'))};
      if (known != rigged.plan.controls.end()) made = *known;
      if (std::none_of(part.plan.controls.begin(), part.plan.controls.end(),
                       [&](const Control& each) { return each.name == control; }))
        part.plan.controls.push_back(made);
      if (!plain) part.weights.emplace_back(control, shape.weight);
      shape.weight = plan::Value("'" + control + "'");
    }
  }
  return part;
}

/// The letters before the first separator, digit or side: tail_03 -> tail, LeftArm -> arm.
std::string group_of(std::string name) {
  std::string lower;
  for (const char c : name) lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  for (const std::string_view side : {"left", "right", "mixamorig:", "b_", "bip01 ", "def-"})
    if (const std::size_t at = lower.find(side); at != std::string::npos) lower.erase(at, side.size());
  std::string stem;
  for (const char c : lower) {
    if (std::isalpha(static_cast<unsigned char>(c)) == 0) {
      if (!stem.empty()) break;
      continue;
    }
    stem += c;
  }
  return stem.empty() ? "other" : stem;
}

}  // namespace

void write_rig_file(const fs::path& path, const RiggedCharacter& rigged) {
  const std::string stem = stem_of(path);
  const MeshPart mesh = mesh_part(rigged);
  Character body = rigged.character;
  body.clips.clear();
  for (Piece& piece : body.pieces) piece.drawn = true;
  body.rig = build(mesh.plan).rig;
  const std::vector<std::byte> glb = to_glb(body);

  Json json{{"rigspace_rig", 1}, {"name", rigged.character.name}, {"mesh", stem + ".mesh.glb"}};
  if (!rigged.character.clips.empty()) json["clips"] = stem + ".rigspace.json";
  for (std::size_t k = 0; k < rigged.character.pieces.size(); ++k)
    if (!rigged.character.pieces[k].drawn) json["pieces"][rigged.plan.pieces[k].name] = {{"drawn", false}};
  RigPlan rest = rigged.plan;
  // Controls of the mesh's shapes come with the mesh, which has no limits and groups for them.
  std::erase_if(rest.controls, [&](const Control& control) {
    return std::any_of(mesh.plan.controls.begin(), mesh.plan.controls.end(),
                       [&](const Control& known) { return known.name == control.name; });
  });
  for (const Control& control : mesh.plan.controls) {
    const plan::ControlRule rule{.origin = {},
                                 .pattern = control.name,
                                 .group = control.group,
                                 .min = control.min,
                                 .max = control.max,
                                 .typical = control.typical};
    rest.rules.insert(rest.rules.begin(), rule);
  }
  json.update(write_parts(rest));
  for (const auto& [control, weight] : mesh.weights)
    json["shapes"].push_back(
        {{"shape", control}, {"weight", weight.expression.empty() ? Json(weight.number) : Json(weight.expression)}});

  for (const auto& [name, extension] : rigged.character.extensions) {
    const auto blocks = rig_blocks();
    const auto known =
        std::find_if(blocks.begin(), blocks.end(), [&key = name](const RigBlock& b) { return b.name == key; });
    if (known == blocks.end())
      throw Error({.file = path.string(),
                   .element = "block \"" + name + "\"",
                   .problem = "cannot be written",
                   .remedy = "it is not registered (register_rig_block)"});
    json[name] = Json::parse(known->write(*extension, rigged));
  }

  write_file(path.parent_path() / (stem + ".mesh.glb"), glb);
  if (!rigged.character.clips.empty())
    write_file(path.parent_path() / (stem + ".rigspace.json"),
               to_curves_json(curve_file(rigged.character, rigged.character.clips)));
  write_file(path, json.dump(1) + "\n");
}

std::string new_rig_file(const Character& character, const fs::path& mesh) {
  const auto* rig = dynamic_cast<const BuiltInRig*>(character.rig.get());
  std::map<std::string, std::vector<std::string>> groups;
  std::set<int> skinned;
  if (rig != nullptr)
    for (const auto& deformer : rig->deformers())
      if (const SkinDescription* skin = skin_description(*deformer))
        skinned.insert(skin->joint_slots.begin(), skin->joint_slots.end());
  for (const Bone& bone : character.bones)
    if (skinned.contains(bone.slot)) groups[group_of(bone.name)].push_back(bone.name);
  std::set<std::string> shaped;
  for (const Control& control : character.rig->controls())
    if (control.name.find(':') != std::string::npos) shaped.insert(control.node);
  for (const std::string& node : shaped) groups["shapes"].push_back(node + ":*");

  std::string text =
      "{\n  \"rigspace_rig\": 1,\n  \"name\": " + Json(character.name).dump() +
      ",\n\n  // Joints, skin, shapes and clips come from here.\n  \"mesh\": " + Json(mesh.filename().string()).dump() +
      ",\n";
  text += R"(
  // Sliders of your own; expressions below may read them. Units: scalar, length, angle (degrees), scale.
  "controls": [
    // {"name": "belly_bend", "unit": "angle", "min": -40, "max": 40, "group": "belly"}
  ],

  // Handles and poles: every node has tx ty tz rx ry rz sx sy sz.
  "nodes": [
    // {"name": "foot_control_l", "translate": [0.1, 0.08, 0]}
  ],
  "drivers": [
    // {"add": "shin_l.rx", "to": "max(0, foot_roll - 10) / 2"}
  ],
  "constraints": [
    // {"type": "aim", "node": "eye_l", "target": "look_at", "axis": [0, 0, 1]}
  ],
  "ik": [
    // {"name": "leg_l", "chain": ["thigh_l", "shin_l", "foot_l"], "target": "foot_control_l", "blend": "leg_l_ik"}
  ],

  // From top to bottom; {"type": "mesh"} is the mesh's own shapes and skin.
  "deformers": [
    // {"type": "bend", "at": [0, 0.5, 0], "low": 0, "high": 0.4, "parameters": {"angle": "belly_bend"}},
    {"type": "mesh"}
  ],

  // Groups for lists and pickers; limits where you want them. What is in no group is internal.
  "rules": [)";
  bool first = true;
  for (const auto& [group, names] : groups)
    for (const std::string& name : names) {
      text += std::string(first ? "" : ",") + "\n    {\"match\": " + Json(name).dump() +
              ", \"group\": " + Json(group).dump() + "}";
      first = false;
    }
  return text + "\n  ]\n}\n";
}

}  // namespace rigspace
