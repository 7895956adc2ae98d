// A run whose result is kept in memory until it is saved.

#include "collision_words.h"
#include "rigspace/anim/plain_character.h"
#include "rigspace/io/blend_file.h"
#include "rigspace/jobs/arguments.h"
#include "rigspace/jobs/content.h"
#include "rigspace/jobs/earlier_result.h"
#include "simulation_plan.h"

#include <algorithm>

namespace rigspace {
namespace {

namespace fs = std::filesystem;

/// A character of joints and skin becomes a glTF document to which results are added; any other is simulated on its own
/// controls.
std::unique_ptr<Subject> open_in_memory(const MemoryCharacter& input, bool on_controls, const std::string& on) {
  if (on_controls) return subject_of(input.name, *input.character, on);
  GltfFile document = input.path.empty() ? GltfFile(to_glb(*input.character), input.name) : GltfFile(input.path);
  if (!input.path.empty() && !input.added.empty()) {
    for (const Animation& clip : input.added) document.add_animation(clip);
    document = GltfFile(document.to_glb(), input.name);
  }
  return subject_of(input.name, std::move(document), on);
}

std::shared_ptr<const Character> with_soft_clips(const Character& simulated, const Recipe& recipe) {
  Character soft = simulated;
  for (const RecipeClip& clip : recipe.clips) {
    if (!clip.has_motion()) continue;
    const SoftMotion motion = layered_motion(clip, soft.rig->controls());
    Animation made = soft_clip(simulated, simulated.clip(clip.base), motion, clip.frame_rate);
    made.name = clip.name;
    soft.clips.push_back(std::move(made));
  }
  return std::make_shared<const Character>(std::move(soft));
}

}  // namespace

SimulatedCharacter::SimulatedCharacter(MemoryCharacter input, const SimulationRequest& request, std::string on,
                                       const JobEvents& events)
    : input_(std::move(input)), on_(std::move(on)), on_controls_(!is_plain(*input_.character)) {
  if (input_.is_file) hash_ = file_hash(input_.path);
  const std::unique_ptr<Subject> subject = open_in_memory(input_, on_controls_, on_);
  const FolderSettings folder = input_.path.empty() ? FolderSettings{} : folder_settings(input_.path);
  SimulationPlan plan = plan_simulation(*subject, request, folder, on_controls_);
  colliders_seen_from(plan.recipe.options.collide, "", "");  // throws if a file does not exist
  planned_ = plan.recipe.parts;
  notes_ = plan.recipe.notes;
  about_file(subject->name(), subject->character(), [&] { subject->prepare(plan.recipe, notes_, events.progress); });
  recipe_ = std::move(plan.recipe);
  if (recipe_.parts.empty()) plan.tasks.clear();  // nothing moves
  make_clips({.subject = *subject,
              .recipe = recipe_,
              .tasks = plan.tasks,
              .research = plan.research,
              .folder = {},
              .fix_file = request.fix},
             {}, request.keep_partial, events);
  simulated_ = with_soft_clips(subject->simulated(), recipe_);
}

std::vector<fs::path> SimulatedCharacter::save(const fs::path& path, const JobEvents& events) const {
  if (input_.is_file && file_hash(input_.path) != hash_)
    throw Error({.file = input_.path.string(),
                 .problem = "has changed since it was simulated",
                 .remedy = "load it and simulate it again"});
  Opened opened;
  if (input_.is_file) {
    SimulationSource source;
    source.character.file = input_.path.string();
    if (is_blend_file(input_.path)) source.character.object = input_.character->name;
    source.on = on_;
    opened = open_subject(source, path, events);
  } else {
    opened.out = on_controls_ ? RunFiles::of_curves(path) : RunFiles::of_model(path);
    if (!on_controls_) check_extension(opened.out.model, "glb gltf");
    const fs::path inputs[] = {input_.path, on_};
    opened.out.check(inputs);
    opened.subject = open_in_memory(input_, on_controls_, on_);
  }
  const RunFiles& out = opened.out;
  Recipe recipe = recipe_;
  recipe.format = out.format();
  recipe.parts = planned_;
  recipe.options.collide = colliders_seen_from(recipe.options.collide, "", out.recipe.parent_path());
  if (input_.is_file) {  // before the page is written, which names the recipe
    recipe.input = opened.subject->describe(out.recipe);
    recipe.on = describe_earlier(on_, out.recipe);
  }
  std::vector<std::string> notes = recipe.notes;
  opened.subject->prepare(recipe, notes, events.progress);
  opened.subject->write(recipe, out, notes, events.progress);
  std::vector<fs::path> written = out.written();
  if (!input_.is_file) {
    std::erase(written, out.recipe);
    return written;
  }
  write_recipe(out.recipe, recipe);
  return written;
}

}  // namespace rigspace
