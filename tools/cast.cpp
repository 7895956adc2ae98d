// rigspace cast: the built-in characters.

#include "command.h"

#include "rigspace/base/files.h"
#include "rigspace/cast/cast.h"
#include "rigspace/io/gltf.h"

#include <fmt/format.h>

namespace rigspace::tools {
namespace {

struct Options {
  std::string name, output;
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

}  // namespace

void add_cast(CLI::App& app, Context& context) {
  auto* command = app.add_subcommand("cast", "The built-in characters: list them, or write one to a file");
  auto options = std::make_shared<Options>();
  command->add_option("NAME", options->name, "who");
  command->add_option("-o,--output", options->output, "x.glb")->type_name("OUT");
  command->footer("Examples\n  rigspace cast\n  rigspace cast NAME -o hero.glb");
  command->callback([options, &context] {
    if (options->name.empty()) return list(context);
    if (options->output.empty())
      throw Error({.code = ErrorCode::usage,
                   .problem = "cast " + options->name + " needs an output",
                   .remedy = "add -o hero.glb"});
    check_extension(options->output, "glb");
    check_writable(options->output);
    const Character character = make_character(options->name);
    write_file(options->output, to_glb(character));
    if (context.json)
      fmt::print("{}\n", nlohmann::ordered_json{{"output", options->output}}.dump(2));
    else
      fmt::print("{}\n", options->output);
  });
}

}  // namespace rigspace::tools
