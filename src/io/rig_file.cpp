#include "rigspace/io/rig_file.h"

#include "rig_file_cage.h"
#include "rig_file_parts.h"
#include "rigspace/base/files.h"
#include "rigspace/base/suggestion.h"
#include "rigspace/io/curve_file.h"
#include "rigspace/io/gltf.h"
#include "rigspace/io/json_text.h"
#include "rigspace/io/rig_blocks.h"
#include "rigspace/rig/skeleton.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <set>

namespace rigspace {
namespace {

using Json = Field::Json;
namespace fs = std::filesystem;

constexpr int kVersion = 1;

constexpr std::string_view kSections[] = {"$schema",      "rigspace_rig", "name",     "kind",       "mesh",
                                          "clips",        "pieces",       "controls", "nodes",      "points",
                                          "drivers",      "constraints",  "ik",       "foot_rolls", "spline_chains",
                                          "pose_weights", "helpers",      "shapes",   "deformers",  "rules"};

/// A file beside the rig file; no way leads out of its folder.
fs::path beside(const Field& field, const fs::path& folder) {
  const fs::path relative = field.text();
  if (relative.is_absolute() || std::find(relative.begin(), relative.end(), "..") != relative.end())
    field.fail("leaves the folder of the rig file", "put \"" + relative.filename().string() + "\" beside it");
  const fs::path path = folder / relative;
  std::error_code ignored;
  if (!fs::exists(path, ignored)) field.fail("names the file \"" + relative.string() + "\", which is not there");
  return path;
}

/// The character's pieces by names of their own.
std::vector<plan::PointRun> named_runs(const Character& character) {
  std::vector<plan::PointRun> runs;
  std::set<std::string> taken;
  for (const Piece& piece : character.pieces) {
    std::string name = piece.name;
    for (int k = 2; !taken.insert(name).second; ++k) name = piece.name + "#" + std::to_string(k);
    runs.push_back({name, piece.first_point, piece.point_count});
  }
  return runs;
}

/// The part of a skin or of shapes that moves one run of points; `from` is where the run begins in the whole.
plan::Skin part_of(const plan::Skin& skin, int from, int count) {
  plan::Skin part = skin;
  part.influences.assign(skin.influences.begin() + from, skin.influences.begin() + from + count);
  return part;
}
plan::Shapes part_of(const plan::Shapes& shapes, int from, int count) {
  plan::Shapes part;
  for (const plan::Shape& shape : shapes.targets) {
    plan::Shape piece{.name = shape.name, .weight = shape.weight, .points = {}, .offsets = {}};
    for (std::size_t i = 0; i < shape.points.size(); ++i)
      if (shape.points[i] >= from && shape.points[i] < from + count) {
        piece.points.push_back(shape.points[i] - from);
        piece.offsets.push_back(shape.offsets[i]);
      }
    part.targets.push_back(std::move(piece));
  }
  return part;
}

/// The rig that a mesh brings, with the character's pieces for runs of points.
RigPlan plan_of_mesh(const Character& character) {
  RigPlan whole = plan_of(dynamic_cast<const BuiltInRig&>(*character.rig));
  RigPlan result = whole;
  result.pieces = named_runs(character);
  for (const Piece& piece : character.pieces)
    result.triangles.insert(result.triangles.end(), piece.triangles.begin(), piece.triangles.end());
  result.deformers.clear();
  for (std::size_t d = 0; d < whole.deformers.size(); ++d) {
    const plan::PointRun& run = whole.pieces[d];
    for (const plan::PointRun& piece : result.pieces) {
      if (piece.first < run.first || piece.first + piece.count > run.first + run.count) continue;
      plan::Deformer part{.name = piece.name + " mesh", .pieces = {piece.name}, .kind = {}};
      if (const auto* skin = std::get_if<plan::Skin>(&whole.deformers[d].kind))
        part.kind = part_of(*skin, piece.first - run.first, piece.count);
      else
        part.kind = part_of(std::get<plan::Shapes>(whole.deformers[d].kind), piece.first - run.first, piece.count);
      result.deformers.push_back(std::move(part));
    }
  }
  return result;
}

/// "shapes": expressions for the weights of the mesh's shapes.
void read_shapes(const Field& root, RigPlan& plan) {
  const auto shapes = root.find("shapes");
  if (!shapes) return;
  for (const Field& each : shapes->items()) {
    each.allow({"shape", "weight"});
    const std::string name = each["shape"].text();
    std::vector<std::string> known;
    bool found = false;
    for (plan::Deformer& deformer : plan.deformers)
      if (auto* kind = std::get_if<plan::Shapes>(&deformer.kind))
        for (plan::Shape& shape : kind->targets) {
          known.push_back(shape.name);
          if (shape.name != name) continue;
          // The shape's own slider stays, on top, unless the expression reads it already.
          const std::string own = "'" + name + "'";
          const std::string text = each["weight"].is_number() ? each["weight"].json().dump() : each["weight"].text();
          shape.weight = plan::Value(text.find(own) == std::string::npos ? own + " + (" + text + ")" : text);
          found = true;
        }
    if (!found)
      each["shape"].fail("is \"" + name + "\", which the mesh does not have",
                         suggestion(name, known, "shapes go by <mesh node>:<shape>"));
  }
}

void read_pieces(const Field& root, Character& character, const std::vector<plan::PointRun>& runs) {
  const auto pieces = root.find("pieces");
  if (!pieces) return;
  for (const auto& [name, each] : pieces->members()) {
    each.allow({"drawn"});
    const auto run = std::find_if(runs.begin(), runs.end(), [&, &key = name](const auto& r) { return r.name == key; });
    std::vector<std::string> known;
    for (const plan::PointRun& every : runs) known.push_back(every.name);
    if (run == runs.end()) each.fail("is no piece of the mesh", suggestion(name, known, "it has others"));
    if (const auto drawn = each.find("drawn")) character.pieces[run - runs.begin()].drawn = drawn->boolean();
  }
}

void read_clips(const Field& root, const fs::path& folder, Character& character) {
  const auto clips = root.find("clips");
  if (!clips) return;
  std::vector<Field> files;
  if (clips->is_list())
    files = clips->items();
  else
    files.push_back(*clips);
  for (const Field& file : files) {
    CurveFile curves = read_curves(beside(file, folder));
    file.located([&] { check_units(curves, character.rig->controls()); });
    for (Animation& clip : curves.clips) {
      std::erase_if(character.clips, [&](const Animation& known) { return known.name == clip.name; });
      character.clips.push_back(std::move(clip));
    }
  }
}

void check_version(const Field& root) {
  const Field version = root["rigspace_rig"];
  if (version.integer(0, 1 << 30) != kVersion)
    version.fail("is " + version.json().dump(), "this program reads version " + std::to_string(kVersion));
}

/// Keys on controls that the rig lacks are a warning, as in glTF.
void warn_of_lost_keys(Character& character) {
  for (const Animation& clip : character.clips) {
    const Sampler sampler(clip, character.rig->controls());
    if (sampler.unbound().empty()) continue;
    character.warnings.push_back("clip \"" + clip.name + "\" has keys on \"" + sampler.unbound()[0] + "\"" +
                                 (sampler.unbound().size() > 1
                                      ? " and " + std::to_string(sampler.unbound().size() - 1) + " more controls"
                                      : std::string()) +
                                 " that the rig lacks; they are ignored.");
  }
}

/// Whether a chain is solved at rest: its blend as a number, or the rest value of the control that it names.
bool is_on_at_rest(const plan::Ik& ik, const Rig& rig) {
  if (ik.blend.expression.empty()) return ik.blend.number > 0;
  const int control = rig.find(ik.blend.expression);
  return control < 0 || rig.controls()[control].rest > 0;
}

/// A clip that was made before the IK turns the joints of its chain, which the target overrules: the foot would stand
/// still without a word.
void warn_of_overruled_keys(Character& character, const RigPlan& plan) {
  for (const plan::Ik& ik : plan.ik) {
    if (!is_on_at_rest(ik, *character.rig)) continue;
    std::string target = ik.target;
    for (const plan::FootRoll& roll : plan.foot_rolls)
      if (target == roll.name + ".ankle" || target == roll.name + ".toe") target = roll.foot;
    std::string clips;
    int count = 0;
    for (const Animation& clip : character.clips) {
      const auto turns = [&](const std::string& node) {
        return std::any_of(clip.rotations.begin(), clip.rotations.end(), [&](const auto& t) { return t.node == node; });
      };
      const auto moves = [&](const std::string& start) {
        return std::any_of(clip.tracks.begin(), clip.tracks.end(),
                           [&](const Track& track) { return track.control.starts_with(start); });
      };
      const bool on_chain = std::any_of(ik.chain.begin(), ik.chain.end() - 1, turns);
      const bool switched = !ik.blend.expression.empty() && moves(ik.blend.expression);
      if (!on_chain || switched || turns(target) || moves(target + ".")) continue;
      if (++count <= 3) clips += (count > 1 ? ", \"" : "\"") + clip.name + "\"";
    }
    if (count > 0)
      character.warnings.push_back("IK \"" + ik.name + "\" holds its chain at \"" + target + "\", which " + clips +
                                   (count > 3 ? " .." : "") + (count > 1 ? " do" : " does") + " not key, so that " +
                                   ik.chain.back() +
                                   " stays where it is; key the target, or set the blend to 0 there.");
  }
}

std::vector<RigKind>& kinds() {
  static std::vector<RigKind> all{{"built-in", [](const std::string& text, const fs::path& path) {
                                     return parse_rig_file(text, path.string(), path.parent_path()).character;
                                   }}};
  return all;
}

std::vector<RigBlock>& own_blocks() {
  static std::vector<RigBlock> all;
  return all;
}

std::vector<RigDeformerType>& own_deformers() {
  static std::vector<RigDeformerType> all{cage_type()};
  return all;
}

}  // namespace

RiggedCharacter parse_rig_file(std::string text, const std::string& name, const fs::path& folder) {
  const JsonText document(std::move(text), name);
  const Field root = document.root();
  std::vector<std::string_view> keys(std::begin(kSections), std::end(kSections));
  for (const RigBlock& block : rig_blocks()) keys.push_back(block.name);
  root.allow(keys);
  check_version(root);
  RiggedCharacter result;
  result.character = load_gltf(beside(root["mesh"], folder));
  if (const auto title = root.find("name")) result.character.name = title->text();
  Character& character = result.character;
  RigPlan mesh = plan_of_mesh(character);
  read_pieces(root, character, mesh.pieces);
  read_shapes(root, mesh);

  RigPlan& plan = result.plan;
  plan.points_rest = mesh.points_rest;
  plan.pieces = mesh.pieces;
  plan.triangles = std::move(mesh.triangles);
  plan.controls = std::move(mesh.controls);
  plan.nodes = std::move(mesh.nodes);
  const MeshPlace place = read_parts(root, plan);
  // A helper of the name of a joint takes its place.
  std::erase_if(plan.nodes, [&](const plan::Node& node) {
    return node.origin.empty() && (std::any_of(plan.helpers.begin(), plan.helpers.end(),
                                               [&](const auto& helper) { return helper.name == node.name; }) ||
                                   std::any_of(plan.foot_rolls.begin(), plan.foot_rolls.end(), [&](const auto& roll) {
                                     return node.name == roll.name + ".ankle" || node.name == roll.name + ".toe";
                                   }));
  });
  std::vector<plan::Deformer> stack;
  for (std::size_t k = 0; k <= plan.deformers.size(); ++k) {
    for (const plan::Deformer& each : mesh.deformers)
      if (k == place.shapes && std::holds_alternative<plan::Shapes>(each.kind)) stack.push_back(each);
    for (const plan::Deformer& each : mesh.deformers)
      if (k == place.skin && std::holds_alternative<plan::Skin>(each.kind)) stack.push_back(each);
    if (k < plan.deformers.size()) stack.push_back(plan.deformers[k]);
  }
  plan.deformers = std::move(stack);
  const auto built_before = std::dynamic_pointer_cast<const BuiltInRig>(character.rig);
  BuiltRig built;
  root.located([&] { built = build(plan); });
  for (Bone& bone : character.bones) {
    const ControlGraph& graph = built_before->graph();
    bone.slot = built.transforms.at(graph.controls()[first_control(graph, bone.slot)].node);
  }
  character.rig = built.rig;
  read_clips(root, folder, character);
  warn_of_lost_keys(character);
  warn_of_overruled_keys(character, plan);
  for (const RigBlock& block : rig_blocks())
    if (const auto field = root.find(block.name))
      field->located([&] { character.extensions[block.name] = block.read(*field, result); });
  return result;
}

RiggedCharacter read_rig_file(const fs::path& path) {
  return parse_rig_file(read_text(path), path.string(), path.parent_path());
}

void register_rig_block(RigBlock block) {
  if (std::find(std::begin(kSections), std::end(kSections), block.name) != std::end(kSections))
    throw Error({.element = "rig block \"" + block.name + "\"",
                 .problem = "has the name of a section that all rig files have",
                 .remedy = "name it after its room"});
  std::erase_if(own_blocks(), [&](const RigBlock& known) { return known.name == block.name; });
  own_blocks().push_back(std::move(block));
}

std::span<const RigBlock> rig_blocks() { return own_blocks(); }

void register_rig_deformer(RigDeformerType type) {
  std::erase_if(own_deformers(), [&](const RigDeformerType& known) { return known.name == type.name; });
  own_deformers().push_back(std::move(type));
}

std::span<const RigDeformerType> rig_deformers() { return own_deformers(); }

const RigDeformerType* find_rig_deformer(std::string_view name) {
  for (const RigDeformerType& known : own_deformers())
    if (known.name == name) return &known;
  return nullptr;
}

void add_rig_kind(RigKind kind) {
  std::erase_if(kinds(), [&](const RigKind& known) { return known.name == kind.name; });
  kinds().push_back(std::move(kind));
}

std::vector<std::string> rig_kinds() {
  std::vector<std::string> names;
  for (const RigKind& kind : kinds()) names.push_back(kind.name);
  return names;
}

Character load_rig_file(const fs::path& path) {
  const std::string text = read_text(path);
  const JsonText document(text, path.string());
  const auto kind = document.root().find("kind");
  const std::string name = kind ? kind->text() : "built-in";
  for (const RigKind& known : kinds())
    if (known.name == name) return known.load(text, path);
  kind->fail("is \"" + name + "\"", suggestion(name, rig_kinds(), "no rig of this kind is known"));
}

}  // namespace rigspace
