#include "simulation_run.h"

#include "partial_run.h"
#include "simulation_summary.h"

#include "rigspace/anim/key_fitting.h"
#include "rigspace/base/cache.h"
#include "rigspace/base/content_hash.h"
#include "rigspace/base/files.h"
#include "rigspace/render/soft_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace rigspace::tools {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

/// JSON with its buffers beside it, as against all in one.
bool is_in_pieces(const fs::path& path) {
  std::string extension = path.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  return extension == ".gltf";
}

/// What is simulated: the file's character, or one that has more joints; and what is written in their place, if
/// anything.
struct Prepared {
  Softened soft;
  std::optional<Character> morphs;

  const Character& character() const { return soft.character; }
  const Character& written() const { return morphs ? *morphs : soft.character; }
  Animation clip(const Animation* base, const SoftMotion& motion, double rate) const {
    return morphs ? morph_clip(soft, *morphs, base, motion, rate) : soft_clip(soft.character, base, motion, rate);
  }
};

/// Between loading and simulating: the one place where the character may become another than the file's, the file gets
/// what that one has more, and the recipe's parts and the notes say so.
Prepared prepare(SimulationRun& run) {
  const Character& character = run.file.character();
  const ProgressCallback progress = terminal_progress();
  const RecipeOptions& options = run.recipe.options;
  Softened soft = about_file(run.input, character, [&] {
    return soften_as(
        options.soft, character, parts_from_recipe(character, run.recipe.parts),
        {.max_influences = options.max_influences, .protect = options.protect, .recall = true, .progress = progress});
  });
  run.notes.insert(run.notes.end(), soft.notes.begin(), soft.notes.end());
  if (soft.parts.empty())
    throw Error(
        {.file = run.input,
         .problem = "has no part that moves by itself (no tail, ears or hair by name, no loose chain, no belly)",
         .remedy = "name one: --part 'joint*=tail', or --part 'bone*=flesh' for flesh around a bone"});
  run.recipe.parts = recipe_parts(soft.character, soft.parts);
  if (soft.joints.joints.empty()) return {.soft = std::move(soft)};
  if (!soft.morphs) {
    run.file.add_soft_joints(soft.joints, options.max_influences);
    return {.soft = std::move(soft)};
  }
  Character morphs = with_soft_morphs(character, soft.joints);
  run.file.add_soft_morphs(soft.joints);
  return {.soft = std::move(soft), .morphs = std::move(morphs)};
}

/// Everything that the result depends on.
std::string key_of(const SimulationRun& run) {
  Recipe plan = run.recipe;
  std::string done;
  for (const ClipTask& task : run.tasks) {
    plan.clips.push_back(task.clip);
    done += fmt::format(" {}", task.edits_done);
  }
  return content_hash(recipe_text(plan) + done + program_stamp());
}

/// Simulates the clips of a run one by one, and knows how far it is.
class Maker {
 public:
  Maker(SimulationRun& run, const Prepared& prepared, PartialRun& partial)
      : run_(run), prepared_(prepared), partial_(partial), progress_(terminal_progress()) {}

  /// Share of the run, 0..1, that need not be made again; 0 for a fresh one.
  double resumed_at() const {
    double done = 0, all = 0;
    const auto mark = partial_.mark();
    for (std::size_t k = 0; k < run_.tasks.size(); ++k) {
      const ClipTask& task = run_.tasks[k];
      const double length = clip_of(task.clip).duration, solves = static_cast<double>(task.solves());
      all += length * solves;
      if (partial_.finished(k))
        done += length * solves;
      else if (mark && mark->at.clip == k)
        done += length * (static_cast<double>(mark->at.solve) + mark->fraction);
    }
    return all > 0 ? done / all : 0;
  }

  /// The clip as it will be written. Throws Cancelled; then `stopped` has what was finished of it, if anything.
  RecipeClip make(std::size_t k) {
    if (auto finished = partial_.finished(k)) return std::move(*finished);
    const ClipTask& task = run_.tasks[k];
    RecipeClip clip = task.clip;
    std::size_t solve = 0;
    if (!clip.finished()) solve_into(clip, {k, solve++}, {});
    for (std::size_t e = task.edits_done; e < clip.edits.size(); ++e) {
      RecipeClip fresh = clip;
      solve_into(fresh, {k, solve++}, clip.edits[e].set);
      clip = splice(clip, fresh, clip.edits[e].from, clip.edits[e].to);
    }
    return clip;
  }
  const std::optional<RecipeClip>& stopped() const { return stopped_; }

 private:
  const Animation& clip_of(const RecipeClip& clip) const {
    return *clip_named(prepared_.character(), run_.input, clip.base);
  }

  void solve_into(RecipeClip& clip, RunPosition at, const std::vector<RecipeValue>& values) {
    std::vector<Part> parts = prepared_.soft.parts;
    set_values(parts, clip.set);
    set_values(parts, values);
    SimulationOptions physics = run_.recipe.options.physics;
    physics.start = clip.start;
    physics.end = clip.end;
    physics.preroll = clip.preroll;
    double fraction = 0;
    physics.checkpoints.resume = partial_.checkpoint(at);
    physics.checkpoints.save = [&](std::span<const std::byte> bytes) { partial_.keep_checkpoint(at, fraction, bytes); };
    // Half of an edit is no better than the clip without it: only of a clip's first solve something is kept.
    if (at.solve == 0 && !clip.finished())
      physics.checkpoints.stopped = [&](const SoftMotion& motion) {
        stopped_ = clip;
        set_motion(*stopped_, prepared_.character().rig->controls(), motion);
      };
    const std::string stage =
        run_.tasks.size() > 1 ? fmt::format("{} ({} of {})", clip.base, at.clip + 1, run_.tasks.size()) : clip.base;
    const SoftMotion motion =
        simulate_parts(prepared_.character(), &clip_of(clip), parts, physics, [&](const Progress& progress) {
          fraction = progress.fraction;
          return progress_({stage, progress.fraction});
        });
    set_motion(clip, prepared_.character().rig->controls(), motion);
  }

  SimulationRun& run_;
  const Prepared& prepared_;
  PartialRun& partial_;
  ProgressCallback progress_;
  std::optional<RecipeClip> stopped_;
};

/// Adds a clip to the document and says in its extras what it is.
void add_clip(GltfFile& file, const Animation& animation, const Json& extras) {
  const int index = file.add_animation(animation);
  file.set_json(fmt::format("/animations/{}/extras", index), Json{{"rigspace", extras}}.dump());
}

/// The rest pose of all that a clip moves, as one key: what an additive clip is the difference from.
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

/// Few cubic keys that artists can edit, in place of one a frame.
void fit(Animation& clip, const Rig& rig, std::vector<std::string>& notes) {
  KeyFitting fitted = fit_keys(rig, clip, {.share_times = true, .progress = terminal_progress()});
  notes.push_back(fmt::format("{}: {} keys became {} cubic ones, within {:.2g} % of the height", clip.name,
                              fitted.keys_before, fitted.keys_after, 100 * fitted.share()));
  fitted.animation.name = clip.name;
  clip = std::move(fitted.animation);
}

void add_soft_clips(SimulationRun& run, const Prepared& prepared) {
  for (const RecipeClip& clip : run.recipe.clips) {
    if (!clip.has_motion()) continue;
    const SoftMotion motion = motion_from_recipe(clip, prepared.character().rig->controls());
    Json extras{{"base", clip.base}, {"layer", "soft"}, {"recipe", run.out.recipe.filename().string()}};
    if (clip.failed_steps > 0) extras["failed_steps"] = clip.failed_steps;
    if (clip.stopped) extras["partial"] = true;
    Animation soft = prepared.clip(prepared.character().clip(clip.base), motion, clip.frame_rate);
    soft.name = clip.name;
    if (run.recipe.options.cubic_keys) fit(soft, *prepared.written().rig, run.notes);
    add_clip(run.file, soft, extras);
    if (!run.recipe.options.additive) continue;
    Animation additive = prepared.clip(nullptr, motion, clip.frame_rate);  // the rest pose, then the deviation
    additive.name = clip.name + "_add";
    const Animation reference = reference_of(additive, *prepared.written().rig);
    extras["additive"] = true;
    extras["reference"] = reference.name;
    add_clip(run.file, additive, extras);
    extras.erase("reference");
    add_clip(run.file, reference, extras);
  }
}

/// The joints of a part that move, as the page lists them.
std::vector<std::string> moving_nodes(const Character& character, const Part& part) {
  std::vector<std::string> nodes;
  for (const int bone : part.flesh ? part.flesh->joints : part.bones) nodes.push_back(character.bones[bone].name);
  return nodes;
}

SoftPagePart page_part(const Prepared& prepared, const Part& part, const PartReport& report) {
  SoftPagePart shown{.name = part.name, .preset = part.preset, .summary = report_in_words(report)};
  const std::vector<std::string> nodes = moving_nodes(prepared.character(), part);
  if (!part.flesh || !prepared.morphs) {
    shown.nodes = nodes;
    return shown;
  }
  for (const SoftJoint& joint : prepared.soft.joints.joints) {
    if (std::find(nodes.begin(), nodes.end(), joint.name) == nodes.end()) continue;
    std::vector<std::string> controls = morph_controls(*prepared.morphs, joint);
    controls.resize(std::min<std::size_t>(3, controls.size()));  // those of further mesh nodes have the same curves
    shown.morphs.insert(shown.morphs.end(), controls.begin(), controls.end());
  }
  return shown;
}

SoftPageOptions page_of(const SimulationRun& run, const Prepared& prepared) {
  SoftPageOptions page{.title = run.out.model.filename().string(), .notes = run.notes};
  for (const RecipeClip& clip : run.recipe.clips) {
    if (!clip.has_motion()) continue;
    SoftPair pair{.base = clip.base, .soft = clip.name, .loop = clip.loop};
    for (std::size_t c = 0; c < prepared.soft.parts.size(); ++c)
      pair.parts.push_back(page_part(prepared, prepared.soft.parts[c], clip.parts[c]));
    page.pairs.push_back(std::move(pair));
  }
  return page;
}

void write_result(SimulationRun& run, const Prepared& prepared) {
  add_soft_clips(run, prepared);
  run.file.save(run.out.model);
  write_recipe(run.out.recipe, run.recipe);
  write_file(run.out.page, soft_page(run.file.to_glb(), page_of(run, prepared)));
}

/// A cancelled run that may keep what it finished: whole clips, and of the one under way its finished frames.
void keep_what_is_finished(SimulationRun& run, const Prepared& prepared, const std::optional<RecipeClip>& under_way,
                           const Context& context) {
  const std::size_t finished = run.recipe.clips.size();
  if (finished == 0 && !under_way) return;
  for (std::size_t k = finished; k < run.tasks.size(); ++k) run.recipe.clips.push_back(run.tasks[k].clip);
  if (under_way) run.recipe.clips[finished] = *under_way;
  write_result(run, prepared);
  if (context.json) return;
  if (under_way) fmt::print("{}", clip_in_words(run.recipe, *under_way));
  fmt::print("{}: {} of {} clips{}, since it was stopped; rigspace rerun {} makes the others\n", run.out.model.string(),
             finished, run.tasks.size(), under_way ? " and a part of " + under_way->base : "", run.out.recipe.string());
}

void print_answer(const SimulationRun& run, double resumed_at, const Context& context) {
  if (!context.json) {
    fmt::print("{}\n{}: open it in a browser\n{}: the recipe\n{}", run.out.model.string(), run.out.page.string(),
               run.out.recipe.string(), advice(run.recipe, run.out.recipe));
    return;
  }
  Json answer{{"output", {run.out.model.string(), run.out.page.string(), run.out.recipe.string()}},
              {"notes", run.notes},
              {"resumed_at", resumed_at},
              {"clips", Json::array()}};
  for (const RecipeClip& clip : run.recipe.clips) answer["clips"].push_back(clip_json(run.recipe, clip));
  fmt::print("{}\n", answer.dump(2));
}

}  // namespace

RunFiles::RunFiles(const fs::path& output)
    : model(output), page(output), recipe(output), partial(output.string() + ".partial") {
  page.replace_extension(".html");
  recipe.replace_extension(".json");
}

std::string RunFiles::format() const { return is_in_pieces(model) ? ".gltf" : ".glb"; }

void RunFiles::check(const std::string& input) const {
  check_input(input, model);
  for (const fs::path& path : {model, page, recipe}) check_writable(path);
  if (!fs::exists(recipe)) return;
  try {
    read_recipe(recipe);
  } catch (const Error&) {
    throw Error({.file = recipe.string(),
                 .problem = "is there already and is no recipe of this program",
                 .remedy = "the recipe is written there: move that file, or choose another -o"});
  }
}

RecipeInput describe_input(const std::string& path, const GltfFile& file, const fs::path& recipe) {
  const std::vector<std::byte> bytes = read_file(path);
  const fs::path folder = recipe.has_parent_path() ? recipe.parent_path() : fs::path(".");
  fs::path relative = fs::relative(path, folder);
  if (relative.empty()) relative = fs::absolute(path);
  return {.file = relative.generic_string(),
          .bytes = bytes.size(),
          .hash = is_in_pieces(path) ? content_hash(file.to_glb()) : content_hash(bytes)};
}

std::vector<RecipeValue> parse_sets(const std::vector<std::string>& sets, std::span<const Part> parts,
                                    const std::string& file) {
  std::vector<RecipeValue> values;
  for (const std::string& set : sets) {
    const auto dot = set.find('.'), equals = set.rfind('=');
    if (dot == std::string::npos || equals == std::string::npos || equals < dot)
      throw Error({.code = ErrorCode::usage,
                   .element = "--set \"" + set + "\"",
                   .problem = "is not PART.CONTROL=VALUE",
                   .remedy = "for example --set tail.amount=0.6"});
    const std::string pattern = set.substr(0, dot), control = set.substr(dot + 1, equals - dot - 1);
    const double value = parse_number(std::string_view(set).substr(equals + 1), "--set \"" + set + "\"");
    Look().set(control, value);  // throws
    const std::size_t before = values.size();
    for (const Part& part : parts)
      if (matches_pattern(part.name, pattern)) values.push_back({part.name, control, value});
    if (values.size() > before) continue;
    std::vector<std::string> names;
    for (const Part& part : parts) names.push_back(part.name);
    throw Error({.file = file,
                 .element = "part \"" + pattern + "\"",
                 .value = pattern,
                 .problem = "does not exist",
                 .remedy = suggestion(pattern, names, "parts are listed when the command runs without --set")});
  }
  return values;
}

void execute(SimulationRun run, const Context& context) {
  for (const ClipTask& task : run.tasks)
    if (run.file.character().clip(task.clip.name) != nullptr)
      throw Error({.file = run.input,
                   .element = "clip \"" + task.clip.name + "\"",
                   .problem = "is there already",
                   .remedy = "simulate the artist's file, not a result; `rigspace rerun` changes a result"});
  const Prepared prepared = prepare(run);
  PartialRun partial(run.out.partial, key_of(run));
  if (!context.json) {
    for (const std::string& note : run.notes) fmt::print("{}: {}\n", run.input, note);
    fmt::print("{}", parts_in_words(run.recipe));
  }
  Maker maker(run, prepared, partial);
  const double resumed_at = maker.resumed_at();
  if (!context.json && resumed_at > 0) fmt::print("resuming at {:.0f} %\n", 100 * resumed_at);
  std::fflush(stdout);
  try {
    for (std::size_t k = 0; k < run.tasks.size(); ++k) {
      run.recipe.clips.push_back(maker.make(k));
      partial.keep_finished(run.recipe, k);
      if (!context.json) fmt::print("{}", clip_in_words(run.recipe, run.recipe.clips.back()));
      std::fflush(stdout);
    }
  } catch (const Cancelled&) {
    if (run.keep_partial) keep_what_is_finished(run, prepared, maker.stopped(), context);
    throw;
  }
  const std::size_t told = run.notes.size();
  write_result(run, prepared);
  if (!context.json)
    for (std::size_t k = told; k < run.notes.size(); ++k) fmt::print("{}\n", run.notes[k]);
  print_answer(run, resumed_at, context);
  if (std::any_of(run.recipe.clips.begin(), run.recipe.clips.end(), [](const auto& c) { return c.failed_steps > 0; }))
    throw Error({.code = ErrorCode::not_converged,
                 .file = run.input,
                 .problem = "some steps did not converge; the result is written",
                 .remedy = "lower the amount, or raise the rate"});
}

}  // namespace rigspace::tools
