// rigspace view: one page that plays a character.

#include "command.h"

#include "rigspace/base/files.h"
#include "rigspace/io/gltf.h"
#include "rigspace/render/view_page.h"

#include <fmt/format.h>

namespace rigspace::tools {
namespace {

struct Options {
  std::string file, output, clip;
};

}  // namespace

void add_view(CLI::App& app, Context& context) {
  auto* command = app.add_subcommand("view", "One self-contained page that plays the character in any browser");
  auto options = std::make_shared<Options>();
  command->add_option("FILE", options->file, "a character: .glb, .gltf or .bvh")->required();
  command->add_option("-o,--output", options->output, "page.html")->required()->type_name("OUT");
  command->add_option("--clip", options->clip, "the clip that plays first")->type_name("NAME");
  command->footer(
      "The page needs no network: send it by mail, open it from disk.\n"
      "Example\n  rigspace view hero.glb -o hero.html");
  command->callback([options, &context] {
    check_extension(options->output, "html htm");
    check_input(options->file);
    check_writable(options->output);
    const GltfFile file(options->file);
    print_warnings(context, options->file, file.character().warnings);
    clip_named(file.character(), options->file, options->clip);
    const auto title = std::filesystem::path(options->file).filename().string();
    const std::string page = view_page(file.to_glb(), {.title = title, .clip = options->clip});
    write_file(options->output, page);
    if (context.json)
      fmt::print("{}\n", nlohmann::ordered_json{{"output", options->output}, {"bytes", page.size()}}.dump(2));
    else
      fmt::print("{}: open it in a browser\n", options->output);
  });
}

}  // namespace rigspace::tools
