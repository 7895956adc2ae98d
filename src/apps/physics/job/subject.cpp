#include "subject.h"

#include "rigspace/anim/key_fitting.h"
#include "rigspace/anim/plain_character.h"
#include "rigspace/io/formats.h"
#include "rigspace/io/gltf.h"
#include "rigspace/jobs/content.h"

#include <fmt/format.h>

#include <algorithm>

namespace rigspace {
namespace fs = std::filesystem;

void fit_cubic_keys(Animation& clip, const Rig& rig, const KeyFittingOptions& options,
                    std::vector<std::string>& notes) {
  KeyFitting fitted = fit_keys(rig, clip, options);
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

Opened open_subject(const SimulationSource& source, const fs::path& output, const JobEvents& events) {
  const auto refuse = [](const char* element, const char* problem, const char* remedy) {
    throw Error({.code = ErrorCode::usage, .element = element, .problem = problem, .remedy = remedy});
  };
  const std::string& file = source.character.file;
  if (!source.character.command.empty()) return open_process(source, output, events);
  if (file.empty()) refuse("FILE", "is missing", "name a character's file, or give --rig-process");
  if (!source.clips.empty())
    refuse("--clips", "is for rigs in other processes", "a rig file names its own, under \"clips\"");
  if (source.character.is_blend()) return open_blend(source, output, events);
  if (file.ends_with(".rig.json")) {
    Character character = load_character(file);
    if (!is_plain(character)) {
      events.print_warnings(file, character.warnings);
      return open_rig(source, std::move(character), output);
    }
  }
  return open_gltf(source, output, events);
}

std::vector<RecipePart> earlier_parts(const fs::path& result) {
  constexpr int kMostRuns = 64;  // bounds the loop if recipes refer to each other in a circle
  std::vector<RecipePart> parts;
  fs::path model = result;
  for (int run = 0; run < kMostRuns && !model.empty(); ++run) {
    const fs::path file = RunFiles::of_model(model).recipe;
    if (!fs::exists(file))
      throw Error({.file = model.string(),
                   .problem = "has no recipe beside it that tells which parts it holds",
                   .remedy = "put " + file.filename().string() + " back, or name what to simulate now with --part"});
    const Recipe recipe = read_recipe(file);
    parts.insert(parts.end(), recipe.parts.begin(), recipe.parts.end());
    model = recipe.on.file.empty() ? fs::path() : (file.parent_path() / recipe.on.file).lexically_normal();
  }
  return parts;
}

}  // namespace rigspace
