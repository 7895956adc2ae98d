#include "subject.h"

#include "rig_content.h"
#include "rigspace/anim/key_fitting.h"
#include "rigspace/anim/plain_character.h"
#include "rigspace/io/formats.h"

#include <fmt/format.h>

#include <algorithm>

namespace rigspace::tools {
namespace fs = std::filesystem;

RunFiles RunFiles::of_model(const fs::path& output) {
  RunFiles files{.model = output, .page = output, .recipe = output, .partial = output.string() + ".partial"};
  files.page.replace_extension(".html");
  files.recipe.replace_extension(".json");
  return files;
}

RunFiles RunFiles::of_curves(const fs::path& output) {
  std::string stem = output.string();
  for (const char* ending : {".rigspace.json", ".glb", ".html", ".blend"})
    if (stem.ends_with(ending)) stem.resize(stem.size() - std::string_view(ending).size());
  return {.curves = stem + ".rigspace.json",
          .model = stem + ".glb",
          .page = stem + ".html",
          .recipe = stem + ".json",
          .partial = stem + ".rigspace.json.partial"};
}

RunFiles RunFiles::curves_alone() const {
  if (curves.empty())
    throw Error({.code = ErrorCode::usage,
                 .element = "--curves-only",
                 .problem = "is for rigs whose own controls move",
                 .remedy = "leave it out: joints and shapes move in the model, " + model.string()});
  return {.curves = curves, .model = {}, .page = {}, .recipe = recipe, .partial = partial};
}

std::string RunFiles::format() const {
  if (!curves.empty()) return ".rigspace.json";
  std::string extension = model.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  return extension == ".gltf" ? ".gltf" : ".glb";
}

std::vector<fs::path> RunFiles::written() const {
  std::vector<fs::path> files;
  for (const fs::path& path : {curves, blend, model, page, recipe})
    if (!path.empty()) files.push_back(path);
  return files;
}

void RunFiles::check(std::span<const fs::path> inputs) const {
  for (const fs::path& path : written()) {
    for (const fs::path& input : inputs)
      if (is_same_file(path, input))
        throw Error({.code = ErrorCode::usage,
                     .file = path.string(),
                     .problem = "is the input itself",
                     .remedy = "choose another -o: the artist's files are never changed"});
    check_writable(path);
  }
  if (!fs::exists(recipe)) return;
  try {
    read_recipe(recipe);
  } catch (const Error&) {
    throw Error({.file = recipe.string(),
                 .problem = "is there already and is no recipe of this program",
                 .remedy = "the recipe is written there: move that file, or choose another -o"});
  }
}

void fit_cubic_keys(Animation& clip, const Rig& rig, bool share_times, std::vector<std::string>& notes) {
  KeyFitting fitted = fit_keys(rig, clip, {.share_times = share_times, .progress = terminal_progress()});
  notes.push_back(fmt::format("{}: {} keys became {} cubic ones, within {:.2g} % of the height", clip.name,
                              fitted.keys_before, fitted.keys_after, 100 * fitted.share()));
  fitted.animation.name = clip.name;
  clip = std::move(fitted.animation);
}

Animation reference_of(const Animation& additive, const Rig& rig) {
  Animation reference{.name = additive.name + "_ref"};
  const Vec rest = rig.rest();
  for (const Track& track : additive.tracks)
    reference.tracks.push_back({track.control, {.times = {0}, .values = {rest[rig.find(track.control)]}}});
  for (const RotationTrack& track : additive.rotations) {
    const Vec4 q = rest.segment<4>(rig.find(track.node + ".qx"));
    reference.rotations.push_back({.node = track.node, .times = {0}, .values = {q}});
  }
  return reference;
}

bool is_soft_clip(std::string_view name) {
  return name.ends_with("_soft") || name.ends_with("_soft_add") || name.ends_with("_soft_add_ref");
}

Opened open_subject(const SubjectSource& source, const fs::path& output, const Context& context) {
  const auto refuse = [](const char* element, const char* problem, const char* remedy) {
    throw Error({.code = ErrorCode::usage, .element = element, .problem = problem, .remedy = remedy});
  };
  const std::string& file = source.character.file;
  if (!source.character.command.empty()) return open_process(source, output, context);
  if (file.empty()) refuse("FILE", "is missing", "name a character's file, or give --rig-process");
  if (!source.clips.empty())
    refuse("--clips", "is for rigs in other processes", "a rig file names its own, under \"clips\"");
  if (source.character.is_blend()) return open_blend(source, output, context);
  if (file.ends_with(".rig.json")) {
    Character character = load_character(file);
    if (!is_plain(character)) {
      print_warnings(context, file, character.warnings);
      return open_rig(source, std::move(character), output);
    }
  }
  return open_gltf(source, output, context);
}

}  // namespace rigspace::tools
