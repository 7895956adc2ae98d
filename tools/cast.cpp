// rigspace cast: the built-in characters.

#include "command.h"

#include "rigspace/base/files.h"
#include "rigspace/cast/cast.h"
#include "rigspace/cast/garments.h"
#include "rigspace/io/gltf.h"
#include "rigspace/render/renderer.h"

#include <fmt/format.h>

namespace rigspace::tools {
namespace {

struct CastArguments {
  std::string name, output;
  bool sheet = false;
  std::vector<std::string> wear;
  int vertices = 5000;
};

void list(const Context& context) {
  auto all = nlohmann::ordered_json::array();
  for (const CastMember& member : cast()) {
    if (context.json)
      all.push_back({{"name", member.name}, {"description", member.description}});
    else
      fmt::print("{:<12} {}\n", member.name, member.description);
  }
  if (context.json) fmt::print("{}\n", all.dump(2));
}

/// All of the cast on one page, at rest, each framed by itself, its name beneath.
Picture draw_sheet() {
  constexpr int kSide = 400, kGap = 12, kColumns = 3;
  const int rows = (static_cast<int>(cast().size()) + kColumns - 1) / kColumns;
  Picture page(kColumns * (kSide + kGap) + kGap, rows * (kSide + kGap) + kGap);
  int k = 0;
  for (const CastMember& member : cast()) {
    const Character character = make_character(member.name, Version::skeleton);
    const int x = kGap + k % kColumns * (kSide + kGap), y = kGap + k / kColumns * (kSide + kGap);
    paste(page, render(character, pose_at(character, nullptr, 0), {.width = kSide, .height = kSide}), x, y);
    draw_text(page, x + 14, y + kSide - 16, member.name, {.height = 16});
    ++k;
  }
  return page;
}

Character dressed(const CastArguments& options) {
  if (options.name != "mannequin" || !options.output.ends_with(".glb"))
    throw Error({.code = ErrorCode::usage,
                 .element = "--wear",
                 .problem = "is for the mannequin, written to a .glb",
                 .remedy = "rigspace cast mannequin --wear sweater -o dressed.glb"});
  std::vector<CastGarment> garments;
  for (const std::string& name : options.wear) garments.push_back(make_garment(name, {.vertices = options.vertices}));
  return make_dressed_mannequin(garments);
}

void write_member(const CastArguments& options) {
  const bool full = options.output.ends_with(".rig.json");
  if (!full) check_extension(options.output, "glb rig.json");
  check_writable(options.output);
  if (!options.wear.empty())
    write_file(options.output, to_glb(dressed(options)));
  else if (full)
    write_rig_file(options.output, make_rigged_character(options.name));
  else
    write_file(options.output, to_glb(make_character(options.name, Version::skeleton)));
}

void run(const CastArguments& options, const Context& context) {
  if (options.name.empty() && !options.sheet) return list(context);
  if (options.output.empty())
    throw Error(
        {.code = ErrorCode::usage,
         .problem = options.sheet ? "cast --sheet needs an output" : "cast " + options.name + " needs an output",
         .remedy = options.sheet ? "add -o cast.png" : "add -o hero.glb"});
  if (options.sheet && !options.name.empty())
    throw Error({.code = ErrorCode::usage,
                 .problem = "cast --sheet draws everybody",
                 .remedy = "leave out " + options.name + ", or write a file and use rigspace render"});
  if (options.sheet) {
    check_extension(options.output, "png");
    check_writable(options.output);
    write_png(options.output, draw_sheet());
  } else {
    write_member(options);
  }
  if (context.json)
    fmt::print("{}\n", nlohmann::ordered_json{{"output", options.output}}.dump(2));
  else
    fmt::print("{}\n", options.output);
}

}  // namespace

void add_cast(CLI::App& app, Context& context) {
  auto* command = app.add_subcommand("cast", "The built-in characters: list them, draw them, or write one to a file");
  auto options = std::make_shared<CastArguments>();
  command->add_option("NAME", options->name, "who");
  command
      ->add_option("-o,--output", options->output,
                   "x.glb: joints, for any program; x.rig.json: the full rig; x.png with --sheet")
      ->type_name("OUT");
  command->add_option("--wear", options->wear, "the mannequin with sweater, trousers, skirt or cape, skinned")
      ->type_name("GARMENT")
      ->delimiter(',');
  command->add_option("--vertices", options->vertices, "of each garment; 5000 by default")->type_name("N");
  command->add_flag("--sheet", options->sheet, "all of them on one page");
  command->footer(
      "Examples\n"
      "  rigspace cast\n"
      "  rigspace cast peanut -o peanut.glb\n"
      "  rigspace cast peanut -o peanut.rig.json\n"
      "  rigspace cast mannequin --wear sweater,skirt -o dressed.glb\n"
      "  rigspace cast --sheet -o cast.png");
  command->callback([options, &context] { run(*options, context); });
}

}  // namespace rigspace::tools
