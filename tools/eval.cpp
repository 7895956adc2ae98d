// rigspace eval: the points of a character at a moment, or at control values.

#include "source_options.h"

#include "rigspace/io/export_points.h"

#include <fmt/format.h>

namespace rigspace::tools {
namespace {

struct EvalArguments {
  CharacterSource source;
  std::string output;
  PoseOptions pose;
};

}  // namespace

void add_eval(CLI::App& app, Context& context) {
  auto* command = app.add_subcommand("eval", "Positions of all vertices at a moment of a clip or at control values");
  auto options = std::make_shared<EvalArguments>();
  add_source(*command, options->source);
  options->pose.add_to(*command);
  command->add_option("-o,--output", options->output, "x.npy (float64, N x 3), x.obj or x.ply")
      ->required()
      ->type_name("OUT");
  command->footer(
      "Positions are in scene space: nodes in file order, then primitives in file order, not welded.\n"
      "Examples\n"
      "  rigspace eval hero.glb --clip Walk --time 0.5 -o pose.npy\n"
      "  rigspace eval hero.glb --clip Walk --time 12f --set tail_01.rx=30 -o pose.obj\n"
      "  rigspace eval --rig-process 'python3 rig.py' --set bar.bend=30 -o pose.npy");
  command->callback([options, &context] {
    check_extension(options->output, "npy obj ply");
    check_writable(options->output);
    const Character character = load(options->source, context);
    const Vec p = pose_of(character, options->source.name(), options->pose);
    Vec s;
    character.rig->evaluate(*character.rig->make_workspace(), p, s);
    write_points(options->output, character, s);
    print_incidents(context, character);
    if (!context.json) return fmt::print("{}: {} vertices\n", options->output, s.size() / 3);
    nlohmann::ordered_json answer = {{"output", options->output}, {"vertices", s.size() / 3}};
    if (const auto incidents = character.rig->incidents(); !incidents.empty()) answer["warnings"] = incidents;
    fmt::print("{}\n", answer.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
  });
}

}  // namespace rigspace::tools
