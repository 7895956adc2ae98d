// A rig whose own controls move, from a rig file or another process: the result is curves on these controls.

#include "subject.h"

#include "page_clip.h"
#include "rigspace/anim/bound_skin.h"
#include "rigspace/anim/plain_character.h"
#include "rigspace/anim/rest_shell.h"
#include "rigspace/apps/physics/flesh.h"
#include "rigspace/apps/physics/part_stiffness.h"
#include "rigspace/base/content_hash.h"
#include "rigspace/base/files.h"
#include "rigspace/io/blend_file.h"
#include "rigspace/io/curve_file.h"
#include "rigspace/io/gltf.h"
#include "rigspace/jobs/content.h"
#include "rigspace/jobs/earlier_result.h"
#include "rigspace/pages/soft_page.h"
#include "rigspace/parts/part_finder.h"
#include "simulation_summary.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>

namespace rigspace {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

/// One line for each written file.
std::string lines_of(const RunFiles& out, std::string_view curves = "the curves") {
  const std::pair<const fs::path&, std::string_view> files[] = {
      {out.blend, "the result as layers above your animation"},
      {out.curves, curves},
      {out.model, "the rig played out"},
      {out.page, "open it in a browser"},
      {out.recipe, "the recipe"}};
  std::string lines;
  for (const auto& [path, words] : files)
    if (!path.empty()) lines += fmt::format("{}: {}\n", path.string(), words);
  return lines;
}

class ControlSubject : public Subject {
 public:
  /// `on`: see SimulationSource.
  ControlSubject(std::string name, Character character, const std::string& on)
      : name_(std::move(name)), character_(with_all_bones(std::move(character))), shown_(character_.clips) {
    if (on.empty()) return;
    if (!std::filesystem::exists(on))
      throw Error({.file = on, .problem = "does not exist", .remedy = "check the path"});
    if (is_model(on))
      throw Error({.file = on,
                   .problem = "is a rig played out as joints and shapes, and holds no motion of its controls",
                   .remedy = "name the curves that lie beside it, x.rigspace.json"});
    const std::vector<Animation> earlier = earlier_clips(on, character_);
    replace_clips(character_.clips, earlier);
    for (const Animation& clip : earlier)
      if (std::none_of(shown_.begin(), shown_.end(), [&](const auto& known) { return known.name == clip.name; }))
        shown_.push_back(clip);
  }

  const std::string& name() const override { return name_; }
  const Character& character() const override { return character_; }
  const Character& simulated() const override { return character_; }
  std::span<const Part> parts() const override { return parts_; }
  std::vector<std::string> from_earlier_runs() const override { return from_earlier_runs_; }
  /// Groups of controls that are named like parts; where there is none, chains of joints, as for a glTF.
  std::vector<Part> found_parts() const override {
    std::vector<Part> parts = search_control_parts(character_).parts;
    if (!parts.empty() || bound_skin(character_) != nullptr || character_.bones.empty()) return parts;
    for (const PartCandidate& each : find_part_candidates(character_).candidates) {
      if (!each.chosen || preset_named(each.part.preset).flesh || !each.part.points.empty()) continue;
      std::string turns;
      for (const int bone : each.part.bones) turns += (turns.empty() ? "" : ",") + character_.bones[bone].name + ".r?";
      Part part = control_part_from_pattern(character_, turns + "=" + each.part.preset);
      part.name = each.part.name, part.reason = each.part.reason, part.found = true;
      part.settings.amount = each.part.settings.amount;
      parts.push_back(std::move(part));
    }
    return parts;
  }
  std::string remark_on_parts() const override { return search_control_parts(character_).remark; }
  void refuse_without_parts() const override {
    const std::string remark = remark_on_parts();
    throw Error({.file = name_,
                 .problem = remark.empty()
                                ? "has no group of controls that sounds like a part (belly, trunk, tail, ears)"
                                : "has no part that its own controls can move: " + remark,
                 .remedy = "name controls: --part 'belly_*=belly'; `rigspace info --controls` lists them"});
  }
  std::vector<Part> named_parts(const std::string& text) const override {
    return {control_part_from_pattern(character_, text)};
  }

  void prepare(Recipe& recipe, std::vector<std::string>& notes, const ProgressCallback& progress) override {
    for (Part& part : parts_from_recipe(character_, recipe.parts)) {
      parts_.push_back(with_solid(character_, std::move(part), {.use_cache = true, .progress = progress}));
      if (parts_.back().stiffness.empty()) continue;
      SimulationOptions cached = recipe.options.physics;
      cached.use_cache = true;
      const ControlStiffness stiffness = stiffen(character_, parts_.back(), cached, progress);
      if (stiffness.from_cache)
        from_earlier_runs_.push_back(parts_.back().name + ": its stiffness was fitted in an earlier run");
      notes.push_back(parts_.back().name + ", stiffness of " +
                      stiffness_in_words(stiffness, character_.rig->controls()));
    }
  }

  /// The surface at rest: what the rig does to it is left to points.
  std::vector<std::byte> shown_glb() override { return to_glb(rest_shell(character_)); }

  void write(const Recipe& recipe, const RunFiles& out, std::vector<std::string>& notes,
             const ProgressCallback& progress) override {
    const std::vector<Animation> made = soft_clips(recipe, notes, progress);
    write_file(out.curves, to_curves_json(curve_file(character_, made)));
    if (out.model.empty()) return;
    Character soft = character_;
    soft.clips = shown_;
    for (const Animation& clip : made)
      if (clip.duration > 0 && !clip.name.ends_with("_add")) soft.clips.push_back(clip);
    const Plain plain = plain_character(soft);
    const std::vector<std::byte> glb = to_glb(plain.character);
    write_file(out.model, glb);
    write_file(out.page, soft_page(glb, page_of(recipe, out, plain.character, notes)));
  }

 private:
  /// The simulated clips; with RecipeOptions::additive also their deviations on the rest pose, and that pose as a clip.
  std::vector<Animation> soft_clips(const Recipe& recipe, std::vector<std::string>& notes,
                                    const ProgressCallback& progress) const {
    std::vector<Animation> made;
    for (const RecipeClip& clip : recipe.clips) {
      if (!clip.has_motion()) continue;
      const SoftMotion motion = layered_motion(clip, character_.rig->controls());
      Animation soft = soft_clip(character_, character_.clip(clip.base), motion, clip.frame_rate);
      soft.name = clip.name;
      if (recipe.options.cubic_keys) fit_cubic_keys(soft, *character_.rig, {.progress = progress}, notes);
      made.push_back(std::move(soft));
      if (!recipe.options.additive) continue;
      Animation additive = soft_clip(character_, nullptr, motion, clip.frame_rate);
      additive.name = clip.name + "_add";
      Animation reference = reference_of(additive, *character_.rig);
      made.push_back(std::move(additive));
      made.push_back(std::move(reference));
    }
    return made;
  }

  /// The page plays the rig as joints and principal shapes. These belong to no single part, so the page shows one part
  /// with all curves.
  SoftPageOptions page_of(const Recipe& recipe, const RunFiles& out, const Character& played,
                          const std::vector<std::string>& notes) const {
    SoftPageOptions page{.title = out.model.filename().string(),
                         .notes = notes,
                         .rerun = rerun_command(recipe, recipe.input.hash.empty() ? "" : out.recipe)};
    SoftPagePart all{.name = "all parts",
                     .preset = "rig",
                     .summary = "joints and principal shapes: what the controls of the rig do"};
    for (const Control& control : played.rig->controls())
      if (control.name.find(":") != std::string::npos && control.name.find("motion_") != std::string::npos)
        all.morphs.push_back(control.name);
    for (const Bone& bone : played.bones) all.nodes.push_back(bone.name);
    for (const RecipeClip& clip : recipe.clips) {
      if (!clip.has_motion()) continue;
      page.pairs.push_back(page_pair(clip, played, played.clip(clip.base), played.clip(clip.name)));
      page.pairs.back().parts = {all};
      for (const RecipePart& part : recipe.parts) page.pairs.back().parts[0].amounts.push_back(page_amount(part, clip));
      for (std::size_t c = 0; c < parts_.size(); ++c)
        page.notes.push_back(fmt::format("{}, {}: {}", clip.name, parts_[c].name, report_in_words(clip.parts[c])));
    }
    return page;
  }

  std::string name_;
  Character character_;
  std::vector<Animation> shown_;  // the artist's clips, beside which the result is played
  std::vector<Part> parts_;
  std::vector<std::string> from_earlier_runs_;
};

class RigFileSubject final : public ControlSubject {
 public:
  /// `own`: the curves of an earlier run to this output, if the rig file refers to them; they do not count as input.
  RigFileSubject(const SimulationSource& source, Character character, fs::path own)
      : ControlSubject(source.character.file, std::move(character), source.on), own_(std::move(own)) {}

  RecipeInput describe(const fs::path& recipe) const override {
    return {
        .file = path_from_recipe(name(), recipe), .bytes = fs::file_size(name()), .hash = rig_file_hash(name(), own_)};
  }
  std::string files_in_words(const RunFiles& out) const override {
    return lines_of(out, fmt::format("the curves; name it under \"clips\" in {}", name()));
  }

 private:
  fs::path own_;
};

class MemorySubject final : public ControlSubject {
 public:
  using ControlSubject::ControlSubject;
  RecipeInput describe(const fs::path&) const override { return {}; }
  std::string files_in_words(const RunFiles& out) const override {
    return fmt::format("{}: the curves\n{}: the rig played out\n{}: open it in a browser\n", out.curves.string(),
                       out.model.string(), out.page.string());
  }
};

class ProcessSubject final : public ControlSubject {
 public:
  ProcessSubject(const SimulationSource& source, Character character)
      : ControlSubject(source.character.command, std::move(character), source.on), clips_(source.clips) {}

  /// The hash covers the clips, the controls, triangles and number of points of the rig and, unless it is noisy, its
  /// rest pose.
  RecipeInput describe(const fs::path& recipe) const override {
    const Rig& rig = *character().rig;
    Json handshake{{"points", rig.point_count()}, {"clips", content_hash(read_file(clips_))}};
    for (const Control& control : rig.controls())
      handshake["controls"].push_back({control.name, static_cast<int>(control.unit), control.rest, control.typical});
    for (const Piece& piece : character().pieces) handshake["triangles"].push_back(piece.triangles);
    if (rig.traits().noise == 0) {
      Vec s;
      rig.evaluate(*rig.make_workspace(), rig.rest(), s);
      handshake["rest"] = content_hash(std::as_bytes(std::span(s.data(), static_cast<std::size_t>(s.size()))));
    }
    return {.file = path_from_recipe(clips_, recipe),
            .bytes = fs::file_size(clips_),
            .hash = content_hash(handshake.dump(-1, ' ', true, Json::error_handler_t::replace)),
            .process = name()};
  }
  std::string files_in_words(const RunFiles& out) const override { return lines_of(out); }
  std::vector<std::string> incidents() const override { return character().rig->incidents(); }

 private:
  std::string clips_;
};

/// A .blend: the result is also written into a copy of it, as layers.
class BlendSubject final : public ControlSubject {
 public:
  BlendSubject(const SimulationSource& source, Character character)
      : ControlSubject(source.character.file, std::move(character), source.on), source_(source.character) {}

  RecipeInput describe(const fs::path& recipe) const override {
    return {.file = path_from_recipe(name(), recipe),
            .bytes = fs::file_size(name()),
            .hash = content_hash(read_file(name())),
            .object = character().name};
  }
  void write(const Recipe& recipe, const RunFiles& out, std::vector<std::string>& notes,
             const ProgressCallback& progress) override {
    ControlSubject::write(recipe, out, notes, progress);
    if (out.blend.empty()) return;
    std::vector<BlendLayer> layers;
    for (const RecipeClip& clip : recipe.clips) {
      if (!clip.has_motion()) continue;
      const SoftMotion motion = layered_motion(clip, character().rig->controls());
      layers.push_back({.base = clip.base, .deviation = soft_clip(character(), nullptr, motion, clip.frame_rate)});
      layers.back().deviation.name = clip.name;
    }
    const BlendOptions options{
        .file = name(), .object = character().name, .answer_seconds = source_.timeout, .progress = progress};
    for (std::string& note : write_blend(options, out.blend, layers)) notes.push_back(std::move(note));
  }
  std::string files_in_words(const RunFiles& out) const override { return lines_of(out); }
  std::vector<std::string> incidents() const override { return character().rig->incidents(); }

 private:
  CharacterSource source_;
};

/// x.soft.rigspace.json for an input x.ENDING.
fs::path soft_beside(const std::string& input, std::string_view ending) {
  const std::string stem = input.ends_with(ending) ? input.substr(0, input.size() - ending.size()) : input;
  return stem + ".soft.rigspace.json";
}

/// The curves at out.curves, if the rig file refers to them and all their clips are results of an earlier run; else
/// empty.
fs::path own_result(std::span<const fs::path> inputs, const RunFiles& out) {
  const bool named =
      std::any_of(inputs.begin(), inputs.end(), [&](const fs::path& each) { return is_same_file(each, out.curves); });
  if (!named) return {};
  const std::vector<Animation> clips = read_curves(out.curves).clips;
  const bool soft =
      std::all_of(clips.begin(), clips.end(), [](const Animation& clip) { return is_soft_clip(clip.name); });
  return soft ? out.curves : fs::path();
}

}  // namespace

std::unique_ptr<Subject> subject_of(std::string name, Character character, const std::string& on) {
  return std::make_unique<MemorySubject>(std::move(name), std::move(character), on);
}

Opened open_rig(const SimulationSource& source, Character character, const fs::path& output) {
  const std::string& file = source.character.file;
  const RunFiles out = RunFiles::of_curves(output.empty() ? soft_beside(file, ".rig.json") : output);
  std::vector<fs::path> inputs = files_of_rig(file);
  const fs::path own = own_result(inputs, out);
  if (!source.on.empty()) inputs.emplace_back(source.on);
  if (!own.empty()) {
    std::erase_if(inputs, [&](const fs::path& each) { return is_same_file(each, own); });
    for (const Animation& clip : read_curves(own).clips)
      std::erase_if(character.clips, [&](const Animation& known) { return known.name == clip.name; });
  }
  out.check(inputs);
  return {std::make_unique<RigFileSubject>(source, std::move(character), own), out};
}

Opened open_blend(const SimulationSource& source, const fs::path& output, const JobEvents& events) {
  RunFiles out = RunFiles::of_curves(output.empty() ? soft_beside(source.character.file, ".blend") : output);
  out.blend = fs::path(out.model).replace_extension(".blend");
  const fs::path inputs[] = {source.character.file, source.on};
  out.check(inputs);
  return {std::make_unique<BlendSubject>(source, source.character.load(events)), out};
}

Opened open_process(const SimulationSource& source, const fs::path& output, const JobEvents& events) {
  if (!source.character.file.empty())
    throw Error({.code = ErrorCode::usage,
                 .element = "FILE",
                 .problem = "and --rig-process are both given",
                 .remedy = "give one of them"});
  if (source.clips.empty())
    throw Error({.code = ErrorCode::usage,
                 .element = "--clips",
                 .problem = "is missing",
                 .remedy = "motion needs something that moves: name a .rigspace.json with clips for the process' rig"});
  const RunFiles out = RunFiles::of_curves(output.empty() ? soft_beside(source.clips, ".rigspace.json") : output);
  const fs::path inputs[] = {source.clips, source.on};
  CurveFile clips = read_curves(source.clips);
  out.check(inputs);
  Character character = source.character.load(events);
  try {
    check_units(clips, character.rig->controls());
  } catch (const Error& error) {
    throw error.in_file(source.clips);
  }
  for (const Animation& clip : clips.clips) {
    const Sampler sampler(clip, character.rig->controls());
    if (!sampler.unbound().empty())
      throw Error({.file = source.clips,
                   .element = "clip \"" + clip.name + "\": control \"" + sampler.unbound()[0] + "\"",
                   .value = sampler.unbound()[0],
                   .problem = "is not a control of the process' rig",
                   .remedy = "`rigspace info --rig-process 'CMD' --controls` lists them"});
  }
  character.clips = std::move(clips.clips);
  return {std::make_unique<ProcessSubject>(source, std::move(character)), out};
}

}  // namespace rigspace
