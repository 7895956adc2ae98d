// rigspace demo: the built-in character as a file, a page and a contact sheet.

#include "command.h"

#include "rigspace/base/files.h"
#include "rigspace/cast/cast.h"
#include "rigspace/io/gltf.h"
#include "rigspace/render/sheet.h"
#include "rigspace/render/view_page.h"

#include <fmt/format.h>

namespace rigspace::tools {

void add_demo(CLI::App& app, Context& context) {
  auto* command =
      app.add_subcommand("demo", "The built-in character as a file, a page that plays it, and a contact sheet");
  auto folder = std::make_shared<std::string>();
  command->add_option("-o,--output", *folder, "an existing folder")->required()->type_name("FOLDER");
  command->footer("Example\n  rigspace demo -o out/demo");
  command->callback([folder, &context] {
    namespace fs = std::filesystem;
    const fs::path out = *folder;
    if (!fs::is_directory(out)) throw Error({.file = *folder, .problem = "is no folder", .remedy = "create it first"});
    const std::string name(cast().front().name);
    const Character character = make_character(name);
    const std::vector<std::byte> glb = to_glb(character);
    const fs::path file = out / (name + ".glb"), page = out / (name + ".html"), sheet = out / (name + ".png");
    write_file(file, glb);
    write_file(page, view_page(glb, {.title = name, .clip = "Walk"}));
    const Renderer renderer(character);
    const Motion motion = clip_motion(character, character.clip("Walk"), 8);
    write_png(sheet, contact_sheet(renderer, motion, {.columns = 4, .follow = true}, terminal_progress()));
    if (context.json) {
      fmt::print("{}\n", nlohmann::ordered_json{{"output", {file.string(), page.string(), sheet.string()}}}.dump(2));
      return;
    }
    fmt::print("{}  the character, for any program that reads glTF\n", file.string());
    fmt::print("{}  plays it: open it in a browser\n", page.string());
    fmt::print("{}  its walk at a glance\n", sheet.string());
  });
}

}  // namespace rigspace::tools
