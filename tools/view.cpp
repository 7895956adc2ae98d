// rigspace view: one page that plays a character.

#include "compare.h"

#include "rigspace/base/files.h"
#include "rigspace/io/formats.h"
#include "rigspace/io/gltf.h"
#include "rigspace/pages/compare_page.h"
#include "rigspace/pages/view_page.h"

#include <fmt/format.h>

namespace rigspace::tools {
namespace {

struct ViewArguments {
  std::string output;
  CompareSource source;
};

std::string page_of_one(const ViewArguments& options, const Context& context) {
  const GltfFile file(options.source.file, job_events(context).progress);
  print_warnings(context, options.source.file, file.character().warnings);
  const Animation* clip = clip_named(file.character(), options.source.file, options.source.clip);
  const auto title = std::filesystem::path(options.source.file).filename().string();
  return view_page(file.to_glb(), {.title = title, .clip = clip == nullptr ? "" : clip->name});
}

std::string page_of_two(const ViewArguments& options, const Context& context) {
  const Compared compared = load_compared(options.source, context);
  return compare_page(compared.character, {.title = compared.first_label + " and " + compared.second_label,
                                           .first = compared.first,
                                           .second = compared.second,
                                           .first_label = compared.first_label,
                                           .second_label = compared.second_label});
}

}  // namespace

void add_view(CLI::App& app, Context& context) {
  auto* command = app.add_subcommand("view", "One self-contained page that plays the character in any browser");
  auto options = std::make_shared<ViewArguments>();
  CompareSource& source = options->source;
  command->add_option("FILE", source.file, "a character: " + character_endings("or"))->required();
  command->add_option("-o,--output", options->output, "page.html")->required()->type_name("OUT");
  command
      ->add_option("--clip", source.clip,
                   "the clip that plays first; with --over the one to compare, the last of both by default")
      ->type_name("NAME");
  auto* over = command
                   ->add_option("--over", source.over,
                                "a second motion of the same character, from curves (.rigspace.json) or a file like "
                                "FILE: both on one page")
                   ->type_name("OTHER");
  command->add_option("--over-clip", source.over_clip, "the clip of OTHER; else of the same name, or its first")
      ->type_name("NAME")
      ->needs(over);
  command->add_option("--clips", source.clips, "FILE's motion from curves: .rigspace.json")
      ->type_name("CURVES")
      ->needs(over);
  command->footer(
      "The page needs no network: send it by mail, open it from disk. With --over it shows two motions side by side,\n"
      "wiped, or one as a ghost over the other, a slider between them, and how far apart their points are.\n"
      "Examples\n  rigspace view hero.glb -o hero.html\n"
      "  rigspace view hero.soft.glb --over hero.softer.glb -o both.html\n"
      "  rigspace view peanut.rig.json --clips full.rigspace.json --over fast.rigspace.json -o both.html");
  command->callback([options, &context] {
    check_extension(options->output, "html htm");
    check_input(options->source.file);
    check_writable(options->output);
    const std::string page =
        options->source.over.empty() ? page_of_one(*options, context) : page_of_two(*options, context);
    write_file(options->output, page);
    if (context.json)
      fmt::print("{}\n", nlohmann::ordered_json{{"output", options->output}, {"bytes", page.size()}}.dump(2));
    else
      fmt::print("{}: open it in a browser\n", options->output);
  });
}

}  // namespace rigspace::tools
