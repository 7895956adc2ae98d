// A character of joints and skin: chains move on their joints, flesh on added soft joints or morph targets.

#include "subject.h"

#include "page_clip.h"
#include "rigspace/base/content_hash.h"
#include "rigspace/base/files.h"
#include "rigspace/io/fbx_file.h"
#include "rigspace/io/gltf.h"
#include "rigspace/jobs/arguments.h"
#include "rigspace/jobs/content.h"
#include "rigspace/jobs/earlier_result.h"
#include "rigspace/pages/soft_page.h"
#include "rigspace/pages/view_page.h"
#include "rigspace/parts/part_finder.h"
#include "rigspace/parts/scenery.h"
#include "simulation_summary.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <optional>

namespace rigspace {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

class GltfSubject final : public Subject {
 public:
  /// `on`: see SimulationSource. If it is a model, it has soft joints or morph targets already, and this run adds to it
  /// instead of to `file`.
  GltfSubject(std::string path, GltfFile file, std::string on)
      : path_(std::move(path)), on_(std::move(on)), artists_(std::move(file)) {
    for (const int piece : scenery_of(artists_.character()))
      scenery_.push_back(artists_.character().pieces[static_cast<std::size_t>(piece)].name);
    if (!scenery_.empty()) keyed_ = without_scenery(artists_.character());
    if (on_.empty()) return;
    if (is_model(on_)) earlier_ = earlier_model(on_, artists_.character());
    keyed_ = without_scenery(document().character());
    replace_clips(keyed_->clips, earlier_clips(on_, *keyed_));
    std::erase_if(keyed_->clips, [](const Animation& clip) { return is_soft_clip(clip.name); });
  }

  const std::string& name() const override { return path_; }
  const Character& character() const override { return keyed_ ? *keyed_ : artists_.character(); }

  /// Size and hash of the file. For a .gltf, whose buffers and images are files beside it, the hash is that of the
  /// whole packed as .glb.
  RecipeInput describe(const fs::path& recipe) const override {
    const std::vector<std::byte> bytes = read_file(path_);
    RecipeInput input{.file = path_from_recipe(path_, recipe), .bytes = bytes.size()};
    input.hash = path_.ends_with(".rig.json")                    ? rig_file_hash(path_, {})
                 : RunFiles::of_model(path_).format() == ".gltf" ? content_hash(artists_.to_glb())
                                                                 : content_hash(bytes);
    return input;
  }
  /// On an earlier result: the parts of the artist's joints that no earlier run has simulated.
  std::vector<Part> found_parts() const override {
    if (!earlier_) {
      std::vector<Part> parts;
      for (const PartCandidate& each : search().candidates)
        if (each.chosen) parts.push_back(each.part);
      return parts;
    }
    std::vector<RecipePart> found = recipe_parts(artists_.character(), find_parts(artists_.character()));
    for (const RecipePart& known : earlier_parts(on_))
      std::erase_if(found, [&](const RecipePart& part) { return part.joints == known.joints; });
    return parts_from_recipe(character(), found);
  }
  std::string remark_on_parts() const override { return earlier_ ? "" : search().remark; }
  bool may_rest() const override { return !earlier_ && search().movable; }
  void refuse_without_parts() const override {
    if (earlier_)
      throw Error({.file = path_,
                   .problem = "has no further part that shows itself: " + on_ + " holds them all",
                   .remedy = "name one: --part 'joint*=tail', or change those with `rigspace rerun`"});
    throw Error({.file = path_,
                 .problem = "has nothing that could move: no joints with skin, and no morphs",
                 .remedy = "bind the mesh to joints, and simulate it again"});
  }
  std::vector<Part> named_parts(const std::string& text) const override {
    return parts_from_pattern(character(), text);
  }

  /// Softens the character and adds the soft joints or morph targets to the document.
  void prepare(Recipe& recipe, std::vector<std::string>& notes, const ProgressCallback& progress) override {
    const RecipeOptions& options = recipe.options;
    if (!scenery_.empty()) notes.push_back(scenery_in_words());
    if (recipe.parts.empty()) {
      soft_.character = character();
      return;
    }
    soft_ = soften_as(options.soft, character(), parts_from_recipe(character(), recipe.parts),
                      {.max_influences = options.max_influences,
                       .protect = options.protect,
                       .chains = options.chains,
                       .use_cache = true,
                       .progress = progress});
    notes.insert(notes.end(), soft_.notes.begin(), soft_.notes.end());
    if (soft_.parts.empty() && !may_rest()) refuse_without_parts();
    recipe.parts = recipe_parts(soft_.character, soft_.parts);
    if (soft_.joints.joints.empty()) return;
    if (!soft_.morphs) return document().add_soft_joints(soft_.joints, options.max_influences);
    morphs_ = with_soft_morphs(character(), soft_.joints);
    document().add_soft_morphs(soft_.joints);
  }
  const Character& simulated() const override { return soft_.character; }
  std::span<const Part> parts() const override { return soft_.parts; }
  std::vector<std::byte> shown_glb() override { return document().to_glb(); }
  /// Morph targets translate the skin and cannot turn it.
  void require_correctable(const Control& control, const std::string& file) const override {
    const auto& joints = soft_.joints.joints;
    const bool soft =
        std::any_of(joints.begin(), joints.end(), [&](const SoftJoint& each) { return each.name == control.node; });
    if (morphs_ && soft && control.unit != Unit::length)
      throw Error({.file = file,
                   .element = "control \"" + control.name + "\"",
                   .value = control.name,
                   .problem = "is of a soft joint that is written as shapes, which only move",
                   .remedy = "correct its .tx, .ty and .tz, or simulate with --soft joints"});
  }

  void write(const Recipe& recipe, const RunFiles& out, std::vector<std::string>& notes,
             const ProgressCallback& progress) override {
    if (recipe.parts.empty()) {
      write_input(out);
      return write_as_fbx(out, progress);
    }
    add_soft_clips(recipe, out, notes, progress);
    document().save(out.model);
    write_as_fbx(out, progress);
    write_file(out.page, soft_page(document().to_glb(), page_of(recipe, out, notes)));
  }

  std::string files_in_words(const RunFiles& out) const override {
    const std::string fbx = out.fbx.empty() ? "" : out.fbx.string() + ": the same as FBX\n";
    return fmt::format("{}\n{}{}: open it in a browser\n{}: the recipe\n", out.model.string(), fbx, out.page.string(),
                       out.recipe.string());
  }

 private:
  /// The result of the part finder, computed once.
  const PartSearch& search() const {
    if (!search_) search_ = find_part_candidates(character());
    return *search_;
  }

  /// "Floor and Sky stand still and are no part of the character: they stay, and do not count for its size".
  std::string scenery_in_words() const {
    std::string names;
    const std::size_t most = std::min<std::size_t>(scenery_.size(), 4);
    for (std::size_t k = 0; k < most; ++k)
      names += (k == 0 ? "\"" : k + 1 == scenery_.size() ? " and \"" : ", \"") + scenery_[k] + "\"";
    if (most < scenery_.size()) names += fmt::format(" and {} more", scenery_.size() - most);
    const bool one = scenery_.size() == 1;
    return fmt::format("{} {} still and {} no part of the character: written as {}, and not counted for its size",
                       names, one ? "stands" : "stand", one ? "is" : "are", one ? "it is" : "they are");
  }

  /// For a run without parts: writes the input (its bytes, where the format is the same) and a page with its clips.
  void write_input(const RunFiles& out) {
    if (fs::exists(path_) && fs::path(path_).extension() == ".glb" && out.model.extension() == ".glb")
      write_file(out.model, read_file(path_));
    else
      document().save(out.model);
    write_file(out.page, view_page(document().to_glb(), {.title = out.model.filename().string()}));
  }

  void write_as_fbx(const RunFiles& out, const ProgressCallback& progress) {
    if (!out.fbx.empty()) write_fbx(document().to_glb(), out.fbx, progress);
  }

  const Character& written() const { return morphs_ ? *morphs_ : soft_.character; }
  Animation clip(const Animation* base, const SoftMotion& motion, double rate) const {
    return morphs_ ? morph_clip(soft_, *morphs_, base, motion, rate) : soft_clip(soft_.character, base, motion, rate);
  }

  /// Adds a clip to the document; its extras describe it.
  void add_clip(const Animation& animation, const Json& extras) {
    const int index = document().add_animation(animation);
    document().set_json(fmt::format("/animations/{}/extras", index), Json{{"rigspace", extras}}.dump());
  }

  void add_soft_clips(const Recipe& recipe, const RunFiles& out, std::vector<std::string>& notes,
                      const ProgressCallback& progress) {
    for (const RecipeClip& made : recipe.clips) {
      if (!made.has_motion()) continue;
      const SoftMotion motion = layered_motion(made, soft_.character.rig->controls());
      Json extras{{"base", made.base}, {"layer", "soft"}, {"recipe", out.recipe.filename().string()}};
      if (made.failed_steps > 0) extras["failed_steps"] = made.failed_steps;
      if (made.inverted_steps > 0) extras["inverted_steps"] = made.inverted_steps;
      if (made.recovered_steps > 0) extras["recovered_steps"] = made.recovered_steps;
      if (made.stopped) extras["partial"] = true;
      Animation soft = clip(soft_.character.clip(made.base), motion, made.frame_rate);
      soft.name = made.name;
      if (recipe.options.cubic_keys)
        fit_cubic_keys(soft, *written().rig, {.share_times = true, .progress = progress}, notes);
      add_clip(soft, extras);
      if (!recipe.options.additive) continue;
      Animation additive = clip(nullptr, motion, made.frame_rate);  // the rest pose, then the deviation
      additive.name = made.name + "_add";
      const Animation reference = reference_of(additive, *written().rig);
      extras["additive"] = true;
      extras["reference"] = reference.name;
      add_clip(additive, extras);
      extras.erase("reference");
      add_clip(reference, extras);
    }
  }

  /// The names of the joints that a part moves, for the page.
  std::vector<std::string> moving_nodes(const Part& part) const {
    std::vector<std::string> nodes;
    for (const int bone : part.flesh ? part.flesh->joints : turning_joints(part))
      nodes.push_back(soft_.character.bones[bone].name);
    return nodes;
  }

  SoftPagePart page_part(const Part& part, const PartReport& report) const {
    SoftPagePart shown{.name = part.name, .preset = part.preset, .summary = report_in_words(report)};
    const std::vector<std::string> nodes = moving_nodes(part);
    if (!part.flesh || !part.flesh->controls.empty() || !morphs_) {
      shown.nodes = nodes;
      return shown;
    }
    for (const SoftJoint& joint : soft_.joints.joints) {
      if (std::find(nodes.begin(), nodes.end(), joint.name) == nodes.end()) continue;
      const std::vector<std::string> controls = morph_controls(*morphs_, joint);
      const auto others = controls.begin() + std::min<std::ptrdiff_t>(3, std::ssize(controls));
      shown.morphs.insert(shown.morphs.end(), controls.begin(), others);
      shown.more_morphs.insert(shown.more_morphs.end(), others, controls.end());  // other mesh nodes: the same curves
    }
    return shown;
  }

  SoftPageOptions page_of(const Recipe& recipe, const RunFiles& out, const std::vector<std::string>& notes) const {
    SoftPageOptions page{.title = out.model.filename().string(),
                         .notes = notes,
                         .rerun = rerun_command(recipe, recipe.input.hash.empty() ? "" : out.recipe)};
    for (const RecipeClip& made : recipe.clips) {
      if (!made.has_motion()) continue;
      const Animation* base = soft_.character.clip(made.base);
      const SoftMotion motion = layered_motion(made, soft_.character.rig->controls());
      const Animation soft = soft_clip(soft_.character, base, motion, made.frame_rate);
      SoftPair pair = page_pair(made, soft_.character, base, &soft);
      for (std::size_t c = 0; c < soft_.parts.size(); ++c) {
        pair.parts.push_back(page_part(soft_.parts[c], made.parts[c]));
        pair.parts.back().amounts = {page_amount(recipe.parts[c], made)};
      }
      page.pairs.push_back(std::move(pair));
    }
    return page;
  }

  /// The document to which the result is added.
  GltfFile& document() { return earlier_ ? *earlier_ : artists_; }

  std::string path_, on_;
  GltfFile artists_;
  std::optional<GltfFile> earlier_;
  std::optional<Character> keyed_;    // without scenery; with `on`: with the clips of the earlier result
  std::vector<std::string> scenery_;  // pieces
  Softened soft_;
  mutable std::optional<PartSearch> search_;
  std::optional<Character> morphs_;  // written in place of the soft joints
};

}  // namespace

std::unique_ptr<Subject> subject_of(std::string name, GltfFile file, std::string on) {
  return std::make_unique<GltfSubject>(std::move(name), std::move(file), std::move(on));
}

Opened open_gltf(const SimulationSource& source, const fs::path& output, const JobEvents& events) {
  const std::string& file = source.character.file;
  RunFiles out = RunFiles::of_model(output.empty() ? fs::path(file).replace_extension(".soft.glb") : output);
  check_extension(out.model, "glb gltf");
  if (is_fbx_file(file))
    out.fbx = fs::path(out.model).replace_extension(".fbx");
  else if (!out.fbx.empty())
    throw Error({.code = ErrorCode::usage,
                 .file = out.fbx.string(),
                 .problem = "is written where the input is FBX too",
                 .remedy = "write " + out.model.string() + ", and then `rigspace convert` that to .fbx"});
  check_input(file, out.model);
  const fs::path inputs[] = {file, source.on};
  out.check(inputs);
  GltfFile loaded(file, events.progress);
  events.print_warnings(file, loaded.character().warnings);
  return {std::make_unique<GltfSubject>(file, std::move(loaded), source.on), out};
}

}  // namespace rigspace
