// rigspace eval: the points of a character at a moment, or at control values.

#include "command.h"

#include "rigspace/io/export_points.h"
#include "rigspace/io/gltf.h"

#include <fmt/format.h>

namespace rigspace::tools {
namespace {

struct Options {
  std::string file, output;
  PoseOptions pose;
};

}  // namespace

void add_eval(CLI::App& app, Context& context) {
  auto* command = app.add_subcommand("eval", "Positions of all vertices at a moment of a clip or at control values");
  auto options = std::make_shared<Options>();
  command->add_option("FILE", options->file, "a character: .glb or .gltf")->required();
  options->pose.add_to(*command);
  command->add_option("-o,--output", options->output, "x.npy (float64, N x 3), x.obj or x.ply")
      ->required()
      ->type_name("OUT");
  command->footer(
      "Positions are in scene space: nodes in file order, then primitives in file order, not welded.\n"
      "Examples\n"
      "  rigspace eval hero.glb --clip Walk --time 0.5 -o pose.npy\n"
      "  rigspace eval hero.glb --clip Walk --time 12f --set tail_01.rx=30 -o pose.obj");
  command->callback([options, &context] {
    check_extension(options->output, "npy obj ply");
    check_writable(options->output);
    const Character character = load_character(options->file);
    print_warnings(context, options->file, character.warnings);
    const Vec p = pose_of(character, options->file, options->pose);
    Vec s;
    character.rig->evaluate(*character.rig->make_workspace(), p, s);
    write_points(options->output, character, s);
    if (context.json)
      fmt::print("{}\n", nlohmann::ordered_json{{"output", options->output}, {"vertices", s.size() / 3}}.dump(2));
    else
      fmt::print("{}: {} vertices\n", options->output, s.size() / 3);
  });
}

}  // namespace rigspace::tools
