#include "rigspace/apps/physics/realtime_load.h"

#include "job/simulation_plan.h"
#include "realtime_input.h"
#include "realtime_model.h"
#include "rigspace/anim/plain_character.h"
#include "rigspace/base/suggestion.h"
#include "rigspace/io/formats.h"
#include "rigspace/io/gltf.h"
#include "rigspace/jobs/earlier_result.h"

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

/// Whether an earlier run wrote the character: it has soft clips, and soft joints where it needs them.
bool is_result(const Character& character) {
  return std::any_of(character.clips.begin(), character.clips.end(),
                     [](const Animation& clip) { return is_soft_clip(clip.name); });
}

/// Options and parts of a subject, as `rigspace simulate` plans them.
void plan_input(RealtimeInput& input, const FolderSettings& folder, const RealtimePlan& plan,
                std::vector<std::string>& notes) {
  const SimulationRequest& request = plan.request;
  const Character& character = input.subject->character();
  input.recipe.options = plan_options(character, request, folder, notes);
  if (plan.may_rest && is_result(character)) {
    notes.push_back(
        "this file is a result: its soft clips are played as they are; open the artist's file to change them");
    return;
  }
  if (plan.may_rest && input.on_controls && request.parts.empty() && input.subject->found_parts().empty()) {
    notes.push_back(
        "no group of controls sounds like a part (belly, trunk, tail, ears): name controls that are to move");
    return;
  }
  std::vector<Part> parts = plan_parts(*input.subject, request, folder, notes);
  if (plan.change) plan.change(parts);
  input.recipe.parts = recipe_parts(character, parts);
}

}  // namespace

RealtimeInput open_realtime_input(const std::filesystem::path& path, const RealtimePlan& plan,
                                  std::vector<std::string>& notes) {
  RealtimeInput input;
  if (path.string().ends_with(".rig.json"))
    if (Character character = load_character(path); !is_plain(character))
      input.subject = subject_of(path.string(), std::move(character), ""), input.on_controls = true;
  if (!input.subject) input.subject = subject_of(path.string(), GltfFile(path), "");
  plan_input(input, folder_settings(path), plan, notes);
  return input;
}

std::shared_ptr<const RealtimeModel> make_realtime_model(RealtimeInput& input, RealtimeOptions options,
                                                         const std::string& tune_on, std::vector<std::string>& notes,
                                                         const ProgressCallback& progress) {
  Subject& subject = *input.subject;
  return about_file(subject.name(), subject.character(), [&]() -> std::shared_ptr<const RealtimeModel> {
    subject.prepare(input.recipe, notes, progress);
    if (subject.parts().empty()) return nullptr;
    options.metres_per_unit = input.recipe.options.physics.metres_per_unit;
    if (!tune_on.empty()) options.tune_on = clip_to_tune_on(subject.simulated(), tune_on, subject.name());
    const std::vector<Part> made(subject.parts().begin(), subject.parts().end());
    return std::make_shared<const RealtimeModel>(subject.simulated(), made, options, progress);
  });
}

namespace {

/// The model of an input that `open` makes of a plan and a list of notes.
template <class Open>
std::shared_ptr<const RealtimeModel> model_of(const RealtimeRequest& request, std::vector<std::string>* notes,
                                              const ProgressCallback& progress, const Open& open) {
  require_word("chains", request.chains, {"auto", "rods", "solids"});
  require_word("soft", request.soft, {"auto", "joints", "morphs"});
  request.options.validate();
  RealtimePlan plan;
  plan.request = {
      .parts = request.parts, .soft = request.soft, .chains = request.chains, .unit = request.options.metres_per_unit};
  std::vector<std::string> own;
  std::vector<std::string>& said = notes != nullptr ? *notes : own;
  const auto refuse_without = [&](const std::string& name) {
    throw Error({.file = name,
                 .problem = "has no part that shows itself" + (said.empty() ? "" : ": " + said.back()),
                 .remedy = "name one under \"parts\": \"joint*=tail\" or \"bone*=flesh\""});
  };
  plan.change = [&](std::vector<Part>& parts) {
    std::vector<PartSettings> settings;
    for (const Part& part : parts) settings.push_back(part.settings);
    for (const PartSetting& setting : request.settings) set_field(setting, parts, settings);
    for (std::size_t k = 0; k < parts.size(); ++k) parts[k].settings = settings[k];
  };
  RealtimeInput input = open(plan, said);
  if (input.recipe.parts.empty()) refuse_without(input.subject->name());
  auto model = make_realtime_model(input, request.options, request.tune_on, said, progress);
  if (!model) refuse_without(input.subject->name());
  return model;
}

}  // namespace

std::shared_ptr<const RealtimeModel> load_realtime_model(const std::filesystem::path& path,
                                                         const RealtimeRequest& request,
                                                         std::vector<std::string>* notes,
                                                         const ProgressCallback& progress) {
  return model_of(request, notes, progress, [&](const RealtimePlan& plan, std::vector<std::string>& said) {
    return open_realtime_input(path, plan, said);
  });
}

std::shared_ptr<const RealtimeModel> realtime_model_on_controls(std::string name, Character character,
                                                                const RealtimeRequest& request,
                                                                std::vector<std::string>* notes,
                                                                const ProgressCallback& progress) {
  return model_of(request, notes, progress, [&](const RealtimePlan& plan, std::vector<std::string>& said) {
    RealtimeInput input;
    input.subject = subject_of(std::move(name), std::move(character), ""), input.on_controls = true;
    plan_input(input, {}, plan, said);
    return input;
  });
}

}  // namespace rigspace
