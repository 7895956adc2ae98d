#include "rigspace/apps/physics/realtime_load.h"

#include "job/simulation_plan.h"
#include "realtime_input.h"
#include "realtime_model.h"
#include "rigspace/anim/plain_character.h"
#include "rigspace/base/suggestion.h"
#include "rigspace/io/formats.h"
#include "rigspace/io/gltf.h"

#include <algorithm>

namespace rigspace {
namespace {

void require_word(const char* element, const std::string& word, std::initializer_list<const char*> known) {
  std::string all;
  for (const char* each : known) {
    if (word == each) return;
    all += (all.empty() ? "" : ", ") + std::string(each);
  }
  throw Error({.code = ErrorCode::usage,
               .element = std::string("setting \"") + element + "\"",
               .value = word,
               .problem = "is \"" + word + "\"",
               .remedy = "expected one of " + all});
}

const Animation* clip_to_tune_on(const Character& character, const std::string& name, const std::string& file) {
  if (const Animation* clip = character.clip(name)) return clip;
  std::vector<std::string> known;
  for (const Animation& clip : character.clips) known.push_back(clip.name);
  throw Error({.code = ErrorCode::usage,
               .file = file,
               .element = "clip \"" + name + "\"",
               .value = name,
               .problem = "is not there",
               .remedy = suggestion(name, known, "name one of its clips")});
}

}  // namespace

std::pair<std::unique_ptr<Subject>, bool> open_realtime_input(const std::filesystem::path& path) {
  if (path.string().ends_with(".rig.json"))
    if (Character character = load_character(path); !is_plain(character))
      return {subject_of(path.string(), std::move(character), ""), true};
  return {subject_of(path.string(), GltfFile(path), ""), false};
}

std::shared_ptr<const RealtimeModel> load_realtime_model(const std::filesystem::path& path,
                                                         const RealtimeRequest& request,
                                                         std::vector<std::string>* notes,
                                                         const ProgressCallback& progress) {
  require_word("chains", request.chains, {"auto", "rods", "solids"});
  require_word("soft", request.soft, {"auto", "joints", "morphs"});
  request.options.validate();
  const std::unique_ptr<Subject> subject = open_realtime_input(path).first;
  const SimulationRequest as_simulated{
      .parts = request.parts, .soft = request.soft, .chains = request.chains, .unit = request.options.metres_per_unit};
  std::vector<std::string> own;
  std::vector<std::string>& said = notes != nullptr ? *notes : own;
  const FolderSettings folder = folder_settings(path);
  Recipe recipe;
  recipe.options = plan_options(subject->character(), as_simulated, folder, said);
  std::vector<Part> parts = plan_parts(*subject, as_simulated, folder, said);
  if (parts.empty())
    throw Error({.file = subject->name(),
                 .problem = "has no part that shows itself" + (said.empty() ? "" : ": " + said.back()),
                 .remedy = "name one under \"parts\": \"joint*=tail\" or \"bone*=flesh\""});
  std::vector<PartSettings> settings;
  for (const Part& part : parts) settings.push_back(part.settings);
  for (const RealtimeLook& look : request.looks) set_look(look, parts, settings);
  for (std::size_t k = 0; k < parts.size(); ++k) parts[k].settings = settings[k];
  recipe.parts = recipe_parts(subject->character(), parts);
  return about_file(subject->name(), subject->character(), [&] {
    subject->prepare(recipe, said, progress);
    RealtimeOptions options = request.options;
    options.metres_per_unit = recipe.options.physics.metres_per_unit;
    if (!request.tune_on.empty())
      options.tune_on = clip_to_tune_on(subject->simulated(), request.tune_on, subject->name());
    const std::vector<Part> made(subject->parts().begin(), subject->parts().end());
    return std::make_shared<const RealtimeModel>(subject->simulated(), made, options, progress);
  });
}

}  // namespace rigspace
