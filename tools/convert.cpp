// rigspace convert: a file as another kind of file, with nothing else changed; or one of its clips as curves.

#include "command.h"

#include "rigspace/base/files.h"
#include "rigspace/io/bvh.h"
#include "rigspace/io/curve_file.h"
#include "rigspace/io/fbx_file.h"
#include "rigspace/io/formats.h"
#include "rigspace/io/gltf.h"

#include <fmt/format.h>

namespace rigspace::tools {
namespace {

struct ConvertArguments {
  std::string file, output, clip, base;
  double fps = 0;
  bool embed = false;
};

bool ends_in(const std::string& file, std::string_view extension) {
  std::string own = std::filesystem::path(file).extension().string();
  std::transform(own.begin(), own.end(), own.begin(), [](unsigned char c) { return std::tolower(c); });
  return own == extension;
}

/// The clip to be written: the one that is named, or the only one.
const Animation& chosen_clip(const Character& character, const ConvertArguments& options) {
  if (!options.clip.empty()) return *clip_named(character, options.file, options.clip);
  if (character.clips.size() == 1) return character.clips.front();
  std::string names;
  for (const Animation& clip : character.clips) names += (names.empty() ? "" : ", ") + clip.name;
  throw Error({.code = ErrorCode::usage,
               .file = options.file,
               .problem = character.clips.empty() ? "has no clip" : "has several clips",
               .remedy = character.clips.empty() ? "curves are written of clips" : "name one with --clip: " + names});
}

/// Options that this output does not use are an error.
void check_options(const ConvertArguments& options, bool curves) {
  const auto refuse = [](const char* option, const char* remedy) {
    throw Error({.code = ErrorCode::usage, .element = option, .problem = "has no effect here", .remedy = remedy});
  };
  if (!curves && !options.clip.empty()) refuse("--clip", "all clips of a character are kept");
  if (!curves && options.fps > 0) refuse("--fps", "keys of a character are kept as they are");
  if (!options.base.empty() && !ends_in(options.output, ".csv")) refuse("--base", "only .csv has a column for it");
  if (options.embed && !ends_in(options.output, ".gltf")) refuse("--embed", "only .gltf has buffers beside it");
}

void convert_character(const ConvertArguments& options, const Context& context) {
  const ProgressCallback progress = job_events(context).progress;
  const GltfFile file(options.file, progress);
  print_warnings(context, options.file, file.character().warnings);
  if (is_fbx_file(options.output)) return write_fbx(file.to_glb(), options.output, progress);
  file.save(options.output, {.embed = options.embed});
}

void convert_curves(const ConvertArguments& options, const Context& context) {
  const bool all_clips = options.clip.empty() && options.output.ends_with(".rigspace.json");
  if (ends_in(options.file, ".bvh") && ends_in(options.output, ".bvh")) {
    // The same channels in the same order; without another rate the same numbers.
    BvhMotion motion = read_bvh(options.file);
    const Character character = to_character(motion);
    clip_named(character, options.file, options.clip);
    if (options.fps > 0 && motion.frames.cols() > 0) {
      motion = to_motion(character, character.clips.front(), {.fps = options.fps, .like = &motion});
    }
    print_warnings(context, options.file, motion.warnings);
    return write_file(options.output, to_bvh(motion));
  }
  const Character character = load_character(options.file);
  print_warnings(context, options.file, character.warnings);
  if (all_clips && !character.clips.empty())
    return write_file(options.output, to_curves_json(curve_file(character, character.clips)));
  const CurveOptions curves{.fps = options.fps, .base = clip_named(character, options.file, options.base)};
  print_warnings(context, options.output,
                 write_curves(options.output, character, chosen_clip(character, options), curves));
}

}  // namespace

void add_convert(CLI::App& app, Context& context) {
  auto* command = app.add_subcommand(
      "convert", "A character as .glb or .gltf, everything kept, or .fbx; or one clip as a file of curves");
  auto options = std::make_shared<ConvertArguments>();
  command->add_option("FILE", options->file, "a character: " + character_endings("or"))->required();
  command
      ->add_option("-o,--output", options->output,
                   "x.glb, x.gltf with x.bin beside it, x.fbx by Blender; curves: x.rigspace.json, .csv, .atom, .chan, "
                   ".usda, .bvh")
      ->required()
      ->type_name("OUT");
  command->add_option("--clip", options->clip, "the clip whose curves are written; needed if there are several")
      ->type_name("NAME");
  command->add_option("--base", options->base, "for .csv: the clip that the column `delta` counts from")
      ->type_name("NAME");
  command->add_option("--fps", options->fps, "frames per second of sampled curves; the rate of the keys if not given")
      ->check(frame_rate());
  command->add_flag("--embed", options->embed, "for .gltf: buffers inside the file");
  command->footer(
      "Examples\n  rigspace convert hero.gltf -o hero.glb\n  rigspace convert hero.glb -o hero.gltf --embed\n"
      "  rigspace convert walk.bvh -o walk.glb\n  rigspace convert hero.glb --clip Walk -o walk.bvh\n"
      "  rigspace convert hero.fbx -o hero.glb\n  rigspace convert hero.soft.glb -o hero.soft.fbx\n"
      "  rigspace convert hero.soft.glb --clip Walk_soft --base Walk -o walk.csv");
  command->callback([options, &context] {
    const bool curves = is_curve_file(options->output);
    if (!curves) check_extension(options->output, "glb gltf fbx " + std::string(curve_endings()));
    check_options(*options, curves);
    check_input(options->file, options->output);
    check_writable(options->output);
    if (curves)
      convert_curves(*options, context);
    else
      convert_character(*options, context);
    if (context.json)
      fmt::print("{}\n", nlohmann::ordered_json{{"output", options->output}}.dump(2));
    else
      fmt::print("{}\n", options->output);
  });
}

}  // namespace rigspace::tools
