// rigspace rig bake --correctives: what a simulation does by pose, as shapes that joints drive.
#include "rig_weights.h"
#include "rigspace/base/files.h"
#include "rigspace/io/formats.h"
#include "rigspace/io/rig_correctives.h"

#include <fmt/format.h>

#include <algorithm>

namespace rigspace::tools {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

RiggedCharacter load_rigged(const fs::path& path) {
  if (path.string().ends_with(".rig.json")) return read_rig_file(path);
  const Json text = {{"rigspace_rig", 1}, {"mesh", path.filename().string()}};
  return parse_rig_file(text.dump(), path.string(), path.parent_path());
}

/// Poses of one clip with the simulation's points.
struct BakedClip {
  std::string name;
  bool test = false;
  std::vector<PoseSample> samples;
};

/// What a clip is in the simulation: its own clip of that name and ending, or the same controls.
class Truth {
 public:
  Truth(const Character& character, const Character& truth, const BakeOptions& options)
      : character_(character), truth_(truth), options_(options), workspace_(truth.rig->make_workspace()) {
    if (truth.rig->point_count() != character.rig->point_count())
      throw Error({.file = options.from,
                   .value = std::to_string(truth.rig->point_count()),
                   .problem = fmt::format("has {} points where {} has {}", truth.rig->point_count(), options.file,
                                          character.rig->point_count()),
                   .remedy = "give a simulation of the same mesh"});
    for (const Control& control : character.rig->controls()) own_.push_back(truth.rig->find(control.name));
  }

  bool has(const Animation& clip) const { return !options_.from.empty() || truth_.clip(clip.name + options_.ending); }

  std::vector<PoseSample> samples(const Animation& clip) const {
    const Sampler keyed(clip, character_.rig->controls());
    const Animation* simulated = truth_.clip(clip.name + options_.ending);
    const int count = std::max(1, static_cast<int>(clip.duration * options_.rate));
    std::vector<PoseSample> samples;
    for (int f = 0; f < count; ++f) {
      const double time = clip.duration * f / count;
      PoseSample sample{.p = character_.rig->rest(), .points = {}};
      keyed.sample(time, sample.p);
      Vec p = truth_.rig->rest();
      for (std::size_t k = 0; k < own_.size(); ++k)
        if (own_[k] >= 0) p[own_[k]] = sample.p[static_cast<Eigen::Index>(k)];
      if (simulated != nullptr) Sampler(*simulated, truth_.rig->controls()).sample(time, p);
      truth_.rig->evaluate(*workspace_, p, sample.points);
      samples.push_back(std::move(sample));
    }
    return samples;
  }

 private:
  const Character& character_;
  const Character& truth_;
  const BakeOptions& options_;
  std::unique_ptr<Workspace> workspace_;
  std::vector<int> own_;  // of each control: the simulation's; -1: it has none
};

std::vector<BakedClip> clips_of(const Character& character, const Truth& truth, const BakeOptions& options) {
  std::vector<BakedClip> clips;
  const ProgressCallback progress = terminal_progress();
  std::vector<const Animation*> chosen;
  for (const Animation& clip : character.clips)
    if (clip.duration > 0 && !clip.name.ends_with(options.ending) && truth.has(clip)) chosen.push_back(&clip);
  const auto chosen_name = [&](const std::string& name) {
    return std::any_of(chosen.begin(), chosen.end(), [&](const Animation* clip) { return clip->name == name; });
  };
  for (const std::string& name : options.tests)
    if (!chosen_name(name))
      throw Error({.code = ErrorCode::usage,
                   .file = options.file,
                   .element = "--test " + name,
                   .value = name,
                   .problem = "names no clip with a simulation",
                   .remedy = chosen.empty() ? "there is none" : "take \"" + chosen[0]->name + "\" or another one"});
  for (const Animation* clip : chosen) {
    if (progress && !progress({.stage = clip->name,
                               .fraction = static_cast<double>(clips.size()) / static_cast<double>(chosen.size())}))
      throw Cancelled();
    clips.push_back({clip->name, std::ranges::count(options.tests, clip->name) > 0, truth.samples(*clip)});
  }
  if (std::all_of(clips.begin(), clips.end(), [](const BakedClip& clip) { return clip.test; }))
    throw Error({.code = clips.empty() ? ErrorCode::bad_input : ErrorCode::usage,
                 .file = options.file,
                 .problem = clips.empty() ? "has no clip with a simulation" : "has no clip left to fit to",
                 .remedy = clips.empty() ? "give --from, or the result of `rigspace simulate`" : "test fewer clips"});
  return clips;
}

/// The rig file, and the mesh and clips that are written beside it.
void check_outputs(const BakeOptions& options) {
  constexpr std::string_view kEnding = ".rig.json";
  if (!options.output.ends_with(kEnding))
    throw Error({.code = ErrorCode::usage,
                 .element = "-o " + options.output,
                 .value = options.output,
                 .problem = "does not end in .rig.json, which correctives are written as",
                 .remedy = "name it like hero.fixed.rig.json"});
  const std::string stem = options.output.substr(0, options.output.size() - kEnding.size());
  for (const std::string& output : {options.output, stem + ".mesh.glb", stem + ".rigspace.json"}) {
    check_input(options.file, output);
    if (!options.from.empty()) check_input(options.from, output);
  }
  check_writable(options.output);
}

}  // namespace

void bake_correctives(const BakeOptions& options, const Context& context) {
  check_outputs(options);
  const RiggedCharacter rigged = load_rigged(options.file);
  print_warnings(context, options.file, rigged.character.warnings);
  const Character truth = options.from.empty() ? rigged.character : load_character(options.from);
  const std::vector<BakedClip> clips = clips_of(rigged.character, Truth(rigged.character, truth, options), options);
  std::vector<PoseSample> samples;
  for (const BakedClip& clip : clips)
    if (!clip.test) samples.insert(samples.end(), clip.samples.begin(), clip.samples.end());
  const Correctives correctives = fit_correctives(rigged.plan, *rigged.character.rig, samples, options.fit);
  RiggedCharacter baked = with_correctives(rigged, correctives);
  Json rows = Json::array();
  for (const BakedClip& clip : clips) {
    const BakeError error = corrective_error(*rigged.character.rig, *baked.character.rig, clip.samples);
    rows.push_back({{"clip", clip.name},
                    {"fitted", !clip.test},
                    {"unbaked", error.unbaked},
                    {"baked", error.baked},
                    {"share", error.share()}});
  }
  std::erase_if(baked.character.clips, [&](const Animation& clip) {
    return clip.name.ends_with(options.ending) &&
           baked.character.clip(clip.name.substr(0, clip.name.size() - options.ending.size())) != nullptr;
  });
  write_rig_file(options.output, baked);
  clear_bar();
  if (context.json) {
    fmt::print("{}\n", Json{{"output", options.output},
                            {"joints", correctives.poses.size()},
                            {"shapes", correctives.shapes.size()},
                            {"poses", samples.size()},
                            {"clips", rows}}
                           .dump(2));
    return;
  }
  fmt::print("{}\n  {} driven by {}, fitted to {}\n", options.output,
             count_in_words(correctives.shapes.size(), "shape", "shapes"),
             count_in_words(correctives.poses.size(), "joint", "joints"),
             count_in_words(samples.size(), "pose", "poses"));
  fmt::print("  distance of the skin from the simulation, where that moves it:\n");
  for (const Json& row : rows)
    fmt::print("  {:<28} {:.3g} without correctives, {:.3g} with them: {:.0f} %{}\n", row["clip"].get<std::string>(),
               row["unbaked"].get<double>(), row["baked"].get<double>(), 100 * row["share"].get<double>(),
               row["fitted"].get<bool>() ? "" : "  (not used for fitting)");
}

}  // namespace rigspace::tools
