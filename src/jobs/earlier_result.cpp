#include "rigspace/jobs/earlier_result.h"

#include "rigspace/jobs/content.h"

#include "rigspace/base/error.h"
#include "rigspace/io/curve_file.h"
#include "rigspace/io/formats.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace rigspace {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::string_view kSoft = "_soft";

[[noreturn]] void refuse(const fs::path& result, std::string element, std::string problem, std::string remedy) {
  throw Error({.file = result.string(),
               .element = std::move(element),
               .problem = std::move(problem),
               .remedy = std::move(remedy)});
}

std::vector<Animation> clips_in(const fs::path& result, std::span<const Control> controls) {
  if (!fs::exists(result))
    refuse(result, "", "does not exist", "--on takes what an earlier run wrote: .glb, .gltf or .rigspace.json");
  if (!result.string().ends_with(".rigspace.json")) return load_character(result).clips;
  CurveFile file = read_curves(result);
  try {
    check_units(file, controls);
  } catch (const Error& error) {
    throw error.in_file(result.string());
  }
  return std::move(file.clips);
}

std::vector<Animation> named_as_the_artists(std::vector<Animation> clips) {
  std::vector<Animation> earlier;
  for (const bool soft : {false, true})
    for (const Animation& clip : clips) {
      if (clip.duration <= 0 || is_soft_clip(clip.name) != soft) continue;
      Animation named = clip;
      if (soft && !named.name.ends_with(kSoft)) continue;  // additive
      if (soft) named.name.resize(named.name.size() - kSoft.size());
      replace_clips(earlier, {named});
    }
  return earlier;
}

}  // namespace

bool is_soft_clip(std::string_view name) {
  return name.ends_with("_soft") || name.ends_with("_soft_add") || name.ends_with("_soft_add_ref");
}

bool is_model(const fs::path& result) { return result.extension() == ".glb" || result.extension() == ".gltf"; }

std::vector<Animation> earlier_clips(const fs::path& result, const Character& character) {
  std::vector<Animation> clips = named_as_the_artists(clips_in(result, character.rig->controls()));
  if (clips.empty()) refuse(result, "", "has no clips", "--on takes the motion of an earlier run");
  for (const Animation& clip : clips) {
    const Sampler sampler(clip, character.rig->controls());
    if (!sampler.unbound().empty())
      refuse(result, "clip \"" + clip.name + "\"",
             "moves \"" + sampler.unbound()[0] + "\", which is no control of this rig",
             "name a result of the same character; of a rig file's run its .rigspace.json");
  }
  return clips;
}

void replace_clips(std::vector<Animation>& clips, const std::vector<Animation>& earlier) {
  for (const Animation& each : earlier) {
    const auto known = std::find_if(clips.begin(), clips.end(), [&](const auto& c) { return c.name == each.name; });
    if (known != clips.end())
      *known = each;
    else
      clips.push_back(each);
  }
}

GltfFile earlier_model(const fs::path& result, const Character& character) {
  GltfFile model(result);
  const Rig &rig = *character.rig, &moved = *model.character().rig;
  const std::string remedy = "--on takes a result of the character that is simulated, " + character.name;
  for (const Control& control : rig.controls())
    if (moved.find(control.name) < 0) refuse(result, "", "has no control \"" + control.name + "\"", remedy);
  if (moved.point_count() != rig.point_count())
    refuse(result, "",
           "has " + std::to_string(moved.point_count()) + " points where the character has " +
               std::to_string(rig.point_count()),
           remedy);
  const Json all = Json::parse(model.json("")).value("animations", Json::array());
  Json kept = Json::array();
  for (const Json& each : all)
    if (!is_soft_clip(each.value("name", ""))) kept.push_back(each);
  if (kept.size() != all.size()) model.set_json("/animations", kept.dump());
  return model;
}

RecipeInput describe_earlier(const std::string& result, const fs::path& recipe) {
  if (result.empty()) return {};
  return {.file = path_from_recipe(result, recipe), .bytes = fs::file_size(result), .hash = file_hash(result)};
}

}  // namespace rigspace
