// rigspace convert: a file as another kind of file, with nothing else changed.

#include "command.h"

#include "rigspace/io/gltf.h"

#include <fmt/format.h>

namespace rigspace::tools {
namespace {

struct Options {
  std::string file, output;
  bool embed = false;
};

}  // namespace

void add_convert(CLI::App& app, Context& context) {
  auto* command = app.add_subcommand("convert", "A character as .glb or .gltf; everything in the file is kept");
  auto options = std::make_shared<Options>();
  command->add_option("FILE", options->file, "a character: .glb or .gltf")->required();
  command->add_option("-o,--output", options->output, "x.glb, or x.gltf with x.bin beside it")
      ->required()
      ->type_name("OUT");
  command->add_flag("--embed", options->embed, "for .gltf: buffers inside the file");
  command->footer(
      "Examples\n  rigspace convert hero.gltf -o hero.glb\n  rigspace convert hero.glb -o hero.gltf --embed");
  command->callback([options, &context] {
    check_extension(options->output, "glb gltf");
    check_input(options->file);
    check_writable(options->output);
    const GltfFile file(options->file);
    print_warnings(context, options->file, file.character().warnings);
    file.save(options->output, {.embed = options->embed});
    if (context.json)
      fmt::print("{}\n", nlohmann::ordered_json{{"output", options->output}}.dump(2));
    else
      fmt::print("{}\n", options->output);
  });
}

}  // namespace rigspace::tools
