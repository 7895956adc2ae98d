#include "simulate_rig.h"

#include "rigspace/anim/plain_character.h"
#include "rigspace/apps/physics/flesh.h"
#include "rigspace/base/files.h"
#include "rigspace/io/curve_file.h"
#include "rigspace/io/gltf.h"
#include "rigspace/render/soft_page.h"
#include "simulation_run.h"
#include "simulation_summary.h"

#include <fmt/format.h>

#include <algorithm>

namespace rigspace::tools {
namespace {

using Json = nlohmann::ordered_json;

std::vector<Part> parts_of(const RigSimulation& run, const Character& character) {
  std::vector<Part> parts;
  if (run.parts.empty()) parts = find_control_parts(character);
  for (const std::string& text : run.parts) parts.push_back(control_part_from_pattern(character, text));
  if (parts.empty())
    throw Error({.file = run.file,
                 .problem = "has no group of controls that sounds like a part (belly, trunk, tail, ears)",
                 .remedy = "name controls: --part 'belly_*=belly'; `rigspace info --controls` lists them"});
  for (const RecipeValue& value : parse_sets(run.sets, parts, run.file))
    for (Part& part : parts)
      if (part.name == value.part) part.look.set(value.control, value.value);
  for (Part& part : parts) part = with_solid(character, std::move(part), {.recall = true});
  return parts;
}

/// The files of a run, beside each other.
struct Outputs {
  std::filesystem::path curves, model, page;

  explicit Outputs(const std::filesystem::path& output) {
    std::string stem = output.string();
    for (const char* ending : {".rigspace.json", ".glb", ".html"})
      if (stem.ends_with(ending)) stem.resize(stem.size() - std::string_view(ending).size());
    curves = stem + ".rigspace.json", model = stem + ".glb", page = stem + ".html";
  }
};

Json report_json(const std::string& name, const PartReport& report) {
  return {{"name", name}, {"rate", report.rate}, {"settle", report.settle}, {"swing", report.swing}};
}

}  // namespace

void simulate_rig(const RigSimulation& run, const Character& given, const Context& context) {
  const Character character = with_all_bones(given);
  const Outputs out(run.output);
  for (const auto& path : {out.curves, out.model, out.page}) check_writable(path);
  const std::vector<Part> parts = parts_of(run, character);
  if (!context.json)
    for (const Part& part : parts)
      fmt::print("part {}: {} controls, {} tetrahedra, as {}\n", part.name, part.controls.size(),
                 part.flesh->mesh.tets.size(), part.preset);
  Character soft = character;
  SoftPageOptions page{.title = out.model.filename().string()};
  std::vector<Animation> made;
  Json answer_clips = Json::array();
  int failed = 0;
  for (const Animation& clip : character.clips) {
    if (!run.clips.empty() && std::find(run.clips.begin(), run.clips.end(), clip.name) == run.clips.end()) continue;
    const ProgressCallback bar = terminal_progress();
    const SoftMotion motion = simulate_parts(character, &clip, parts, run.physics, [&](const Progress& progress) {
      return !bar || bar({clip.name, progress.fraction});
    });
    failed += motion.failed_steps;
    made.push_back(soft_clip(character, &clip, motion, run.frame_rate > 0 ? run.frame_rate : key_rate(clip)));
    SoftPair pair{.base = clip.name, .soft = made.back().name, .loop = motion.looped};
    Json shown{{"name", made.back().name}, {"seam", motion.seam}, {"parts", Json::array()}};
    if (!context.json) fmt::print("{}{}\n", made.back().name, motion.looped ? ": loops" : "");
    for (std::size_t k = 0; k < parts.size(); ++k) {
      const std::string words = report_in_words(motion.parts[k]);
      page.notes.push_back(fmt::format("{}, {}: {}", made.back().name, parts[k].name, words));
      shown["parts"].push_back(report_json(parts[k].name, motion.parts[k]));
      if (!context.json) fmt::print("  {:<14} {}\n", parts[k].name, words);
    }
    page.pairs.push_back(std::move(pair));
    answer_clips.push_back(std::move(shown));
    std::fflush(stdout);
  }
  if (made.empty()) throw Error({.file = run.file, .problem = "has no clip to simulate", .remedy = "add a clip"});
  soft.clips.insert(soft.clips.end(), made.begin(), made.end());
  const Plain plain = plain_character(soft);
  // The page plays joints and shapes, which no single part owns: their curves stand for all.
  SoftPagePart all{
      .name = "all parts", .preset = "rig", .summary = "joints and principal shapes: what the controls of the rig do"};
  for (const Control& control : plain.character.rig->controls())
    if (control.name.find(":") != std::string::npos && control.name.find("motion_") != std::string::npos)
      all.morphs.push_back(control.name);
  for (const Bone& bone : plain.character.bones) all.nodes.push_back(bone.name);
  for (SoftPair& pair : page.pairs) pair.parts = {all};
  const std::vector<std::byte> glb = to_glb(plain.character);
  write_file(out.curves, to_curves_json(curve_file(character, made)));
  write_file(out.model, glb);
  write_file(out.page, soft_page(glb, page));
  if (context.json)
    fmt::print("{}\n", Json{{"output", {out.curves.string(), out.model.string(), out.page.string()}},
                            {"clips", answer_clips},
                            {"failed_steps", failed}}
                           .dump(2));
  else
    fmt::print("{}: the curves; name it under \"clips\" in {}\n{}: the rig played out\n{}: open it in a browser\n",
               out.curves.string(), run.file, out.model.string(), out.page.string());
  if (failed > 0)
    throw Error({.code = ErrorCode::not_converged,
                 .file = run.file,
                 .problem = "some steps did not converge; the result is written",
                 .remedy = "lower the amount, or raise the rate"});
}

}  // namespace rigspace::tools
