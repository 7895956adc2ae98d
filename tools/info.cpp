// rigspace info: what is in a file.

#include "source_options.h"

#include "rigspace/rig/built_in_rig.h"
#include "rigspace/rig/rig_health.h"

#include <fmt/format.h>

#include <cmath>
#include <map>

namespace rigspace::tools {
namespace {

using Json = nlohmann::ordered_json;

struct InfoArguments {
  CharacterSource source;
  bool controls = false, joints = false;
};

Json number_or_null(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

int triangles_of(const Character& character) {
  std::size_t triangles = 0;
  for (const Piece& piece : character.pieces) triangles += piece.triangles.size();
  return static_cast<int>(triangles);
}

struct SkinFacts {
  int points = 0, joints = 0, most_influences = 0;
};

std::vector<SkinFacts> skins_of(const Character& character) {
  std::map<std::vector<int>, SkinFacts> skins;  // by their joints: primitives of one mesh share a skin
  const auto* rig = dynamic_cast<const BuiltInRig*>(character.rig.get());
  if (rig == nullptr) return {};
  for (const auto& deformer : rig->deformers()) {
    const SkinDescription* skin = skin_description(*deformer);
    if (skin == nullptr || skin->joint_slots.size() < 2) continue;  // one joint: a rigid part
    SkinFacts& facts = skins[skin->joint_slots];
    facts.joints = static_cast<int>(skin->joint_slots.size());
    facts.points += static_cast<int>(skin->influences.size());
    for (const auto& influences : skin->influences)
      facts.most_influences = std::max(facts.most_influences, static_cast<int>(influences.size()));
  }
  std::vector<SkinFacts> list;
  for (const auto& [joints, facts] : skins) list.push_back(facts);
  return list;
}

std::vector<Vec3> joint_places(const Character& character);

Json to_json(const Character& character, bool joints) {
  Json answer;
  answer["meshes"] = Json::array();
  for (const Piece& piece : character.pieces)
    answer["meshes"].push_back(
        {{"name", piece.name}, {"vertices", piece.point_count}, {"triangles", piece.triangles.size()}});
  answer["skins"] = Json::array();
  for (const SkinFacts& skin : skins_of(character))
    answer["skins"].push_back(
        {{"joints", skin.joints}, {"vertices", skin.points}, {"influences", skin.most_influences}});
  answer["clips"] = Json::array();
  for (const Animation& clip : character.clips)
    answer["clips"].push_back({{"name", clip.name}, {"duration", clip.duration}});
  if (joints) answer["joints"] = Json::array();
  const std::vector<Vec3> places = joints ? joint_places(character) : std::vector<Vec3>();
  for (std::size_t b = 0; joints && b < character.bones.size(); ++b) {
    const Bone& bone = character.bones[b];
    answer["joints"].push_back(
        {{"name", bone.name}, {"parent", bone.parent < 0 ? Json(nullptr) : Json(character.bones[bone.parent].name)}});
    if (b < places.size()) answer["joints"].back()["rest"] = {places[b].x(), places[b].y(), places[b].z()};
  }
  answer["controls"] = Json::array();
  for (const Control& control : character.rig->controls()) {
    if (control.unit == Unit::quaternion) continue;
    answer["controls"].push_back({{"name", control.name},
                                  {"unit", control.unit == Unit::angle ? "degree" : name(control.unit)},
                                  {"rest", to_surface(control, control.rest)},
                                  {"min", number_or_null(to_surface(control, control.min))},
                                  {"max", number_or_null(to_surface(control, control.max))}});
    if (!control.group.empty()) answer["controls"].back()["group"] = control.group;
  }
  answer["warnings"] = character.warnings;
  for (const std::string& incident : character.rig->incidents()) answer["warnings"].push_back(incident);
  return answer;
}

/// Where each joint is at rest, scene units; none of rigs without a known skeleton.
std::vector<Vec3> joint_places(const Character& character) {
  const auto* rig = dynamic_cast<const BuiltInRig*>(character.rig.get());
  if (rig == nullptr) return {};
  Vec u;
  rig->evaluate_slots(*rig->make_workspace(), rig->rest(), u);
  std::vector<Vec3> places;
  for (const Bone& bone : character.bones)
    places.emplace_back(translation(transform_at(u, rig->graph().slots()[bone.slot])));
  return places;
}

/// A line a joint, indented by its depth, with its place at rest.
void print_joints(const Character& character) {
  const std::vector<Vec3> places = joint_places(character);
  std::vector<int> depth(character.bones.size(), 0);
  fmt::print("  {}{}\n", count_in_words(character.bones.size(), "joint", "joints"),
             places.empty() ? "" : ", at rest at (x, y up, z):");
  for (std::size_t b = 0; b < character.bones.size(); ++b) {
    const Bone& bone = character.bones[b];
    if (bone.parent >= 0) depth[b] = depth[bone.parent] + 1;
    const std::string name = std::string(static_cast<std::size_t>(4 + 2 * depth[b]), ' ') + bone.name;
    if (b < places.size())
      fmt::print("{:<44} {:>9.4f} {:>9.4f} {:>9.4f}\n", name, places[b].x(), places[b].y(), places[b].z());
    else
      fmt::print("{}\n", name);
  }
}

void print(const Character& character, const InfoArguments& options) {
  const auto workspace = character.rig->make_workspace();
  Vec s;
  character.rig->evaluate(*workspace, character.rig->rest(), s);
  fmt::print("{}\n", options.source.name());
  fmt::print("  {} in {}, {}\n", count_in_words(static_cast<std::size_t>(s.size() / 3), "vertex", "vertices"),
             count_in_words(character.pieces.size(), "mesh part", "mesh parts"),
             count_in_words(static_cast<std::size_t>(triangles_of(character)), "triangle", "triangles"));
  if (s.size() > 0) {
    const auto points = Eigen::Map<const Eigen::Matrix3Xd>(s.data(), 3, s.size() / 3);
    const Vec3 size = points.rowwise().maxCoeff() - points.rowwise().minCoeff();
    fmt::print("  {:.4g} wide, {:.4g} high, {:.4g} deep\n", size.x(), size.y(), size.z());
  }
  for (const SkinFacts& skin : skins_of(character))
    fmt::print("  skin: {}, {}, up to {} each\n", count_in_words(skin.joints, "joint", "joints"),
               count_in_words(skin.points, "vertex", "vertices"),
               count_in_words(skin.most_influences, "influence", "influences"));
  std::size_t morphs = 0;
  const std::vector<int> shown = shown_controls(character.rig->controls());
  for (const Control& control : character.rig->controls()) {
    if (control.unit == Unit::scalar && control.name.find(':') != std::string::npos) ++morphs;
  }
  if (morphs > 0) fmt::print("  {}\n", count_in_words(morphs, "morph", "morphs"));
  fmt::print("  {} (--controls lists them)\n", count_in_words(shown.size(), "control", "controls"));
  fmt::print("  {}\n", character.clips.empty() ? "no clips" : count_in_words(character.clips.size(), "clip", "clips"));
  for (const Animation& clip : character.clips) fmt::print("    {:<28} {:.2f} s\n", clip.name, clip.duration);
  if (options.joints) print_joints(character);
  if (!options.controls) return;
  for (const int i : shown) {
    const Control& control = character.rig->controls()[i];
    fmt::print("    {:<40} {:<8} rests at {:.6g}", control.name,
               control.unit == Unit::angle ? "degree" : name(control.unit), to_surface(control, control.rest));
    if (std::isfinite(control.min) || std::isfinite(control.max))
      fmt::print(", {:.6g} to {:.6g}", to_surface(control, control.min), to_surface(control, control.max));
    fmt::print("{}\n", control.group.empty() ? "" : "  [" + control.group + "]");
  }
}

}  // namespace

void add_info(CLI::App& app, Context& context) {
  auto* command =
      app.add_subcommand("info", "What is in a file: meshes, skins, clips, controls, and what was repaired");
  auto options = std::make_shared<InfoArguments>();
  add_source(*command, options->source);
  command->add_flag("--controls", options->controls, "list every control with its unit and rest value");
  command->add_flag("--joints", options->joints, "list every joint below its parent, with its place at rest");
  command->footer(
      "Examples\n  rigspace info hero.glb\n  rigspace info hero.glb --controls\n  rigspace info hero.glb --joints\n  "
      "rigspace info hero.glb --json");
  command->callback([options, &context] {
    const Character character = load(options->source, context);
    if (context.json)
      fmt::print("{}\n", to_json(character, options->joints).dump(2, ' ', false, Json::error_handler_t::replace));
    else
      print(character, *options);
    print_incidents(context, character);
  });
}

}  // namespace rigspace::tools
