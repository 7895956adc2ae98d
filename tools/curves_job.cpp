#include "curves_job.h"

#include "modes.h"
#include "rigspace/anim/plain_character.h"
#include "rigspace/io/curve_file.h"
#include "rigspace/io/formats.h"
#include "rigspace/io/gltf.h"

#include <fmt/format.h>

namespace rigspace::tools {
namespace {

bool is_gltf(const std::string& file) {
  const std::string extension = std::filesystem::path(file).extension().string();
  return extension == ".glb" || extension == ".gltf" || extension == ".vrm";
}

}  // namespace

const Animation& clip_to_edit(std::span<const Animation> clips, const std::string& file, const std::string& clip) {
  std::vector<std::string> names;
  std::string list;
  for (const Animation& each : clips) {
    names.push_back(each.name);
    list += (list.empty() ? "" : ", ") + each.name;
  }
  if (clip.empty() && clips.size() == 1) return clips.front();
  if (clips.empty()) refuse_file(file, "has no clips", "curves are made of clips");
  if (clip.empty()) refuse_file(file, "has several clips", "name one with --clip: " + list);
  const std::vector<int> meant = clips_meant(names, clip, file);
  if (meant.size() > 1) refuse_file(file, "has several clips that \"" + clip + "\" meets", "name one of " + list);
  return clips[meant.front()];
}

CurvesJob::CurvesJob(const Context& context, const CurvesArguments& options) : context_(context), options_(options) {
  check_input(options.file, options.output);
  check_apart(options.curves, options.output, "file of curves");
  if (!is_gltf_output() && !is_curve_file(options.output))
    refuse_file(options.output, "is no file that curves are written to",
                "name it .glb, .gltf or one of " + std::string(curve_endings()));
  check_writable(options.output);
  character_ = load_character(options.file);
  print_warnings(context, options.file, character_.warnings);
  if (options.curves.empty()) {
    clip_ = clip_to_edit(character_.clips, options.file, options.clip);
  } else {
    const CurveFile curves = read_curves(options.curves);
    clip_ = clip_to_edit(curves.clips, options.curves, options.clip);
    others_ = curves.clips;
    const Sampler sampler(clip_, character_.rig->controls());
    if (const auto unbound = sampler.unbound(); !unbound.empty())
      throw Error({.file = options.curves,
                   .element = "control \"" + unbound.front() + "\"",
                   .value = unbound.front(),
                   .problem = "does not exist in " + options.file,
                   .remedy = "the curves are of another character"});
  }
}

Animation CurvesJob::other(const std::string& name) const {
  std::vector<Animation> all = character_.clips;
  all.insert(all.end(), others_.begin(), others_.end());
  return clip_among(all, options_.file, name);
}

bool CurvesJob::is_gltf_output() const {
  const std::string extension = std::filesystem::path(options_.output).extension().string();
  return extension == ".glb" || extension == ".gltf";
}

void CurvesJob::write(Animation clip, const std::string& suffix) {
  clip.name = options_.name.empty() ? clip_.name + suffix : options_.name;
  answer["clip"] = clip.name;
  answer["output"] = options_.output;
  if (is_gltf_output()) {
    if (!is_plain(character_))
      throw Error({.code = ErrorCode::usage,
                   .file = options_.output,
                   .problem = "cannot hold the controls of " + options_.file,
                   .remedy = "write x.rigspace.json, which the rig file can name under \"clips\""});
    GltfFile file = is_gltf(options_.file) ? GltfFile(options_.file) : GltfFile(to_glb(character_), options_.file);
    file.add_animation(clip);
    file.save(options_.output);
  } else {
    print_warnings(context_, options_.output,
                   write_curves(options_.output, character_, clip, {.fps = options_.fps, .base = nullptr}));
  }
  name_ = clip.name;
}

void CurvesJob::say(const std::string& sentence) const {
  if (context_.json)
    fmt::print("{}\n", answer.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
  else
    fmt::print("{}: {}\n  {}\n", options_.output, name_, sentence);
}

}  // namespace rigspace::tools
