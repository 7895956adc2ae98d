// rigspace demo: Peanut, a built-in character, with secondary motion, as a file, a page and a contact sheet.

#include "simulation_answer.h"

#include "rigspace/base/files.h"
#include "rigspace/cast/cast.h"
#include "rigspace/io/formats.h"
#include "rigspace/io/gltf.h"
#include "rigspace/render/sheet.h"

#include <fmt/format.h>

namespace rigspace::tools {

void add_demo(CLI::App& app, Context& context) {
  auto* command = app.add_subcommand(
      "demo", "The built-in character with secondary motion: a file, a page that plays it, a contact sheet");
  auto folder = std::make_shared<std::string>();
  command->add_option("-o,--output", *folder, "an existing folder")->required()->type_name("FOLDER");
  command->footer("Example\n  rigspace demo -o out/demo");
  command->callback([folder, &context] {
    namespace fs = std::filesystem;
    const fs::path out = *folder;
    if (!fs::is_directory(out)) throw Error({.file = *folder, .problem = "is no folder", .remedy = "create it first"});
    const std::string name = "peanut";
    const fs::path artist = out / (name + ".glb"), model = out / (name + ".soft.glb"),
                   sheet = out / (name + ".soft.png");
    check_writable(artist);
    Character character = make_character(name, Version::skeleton);
    character.clips.resize(2);  // a walk and a dance will do
    write_file(artist, to_glb(character));
    SimulationSource source;
    source.character.file = artist.string();
    print_result(simulate_file(source, {}, model, job_events(context)), context);
    const Character soft = load_character(model);
    const Motion walk = clip_motion(soft, soft.clip("Walk_soft"), 8);
    write_png(sheet,
              contact_sheet(Renderer(soft), walk, {.framing = {.azimuth = 75 * kDegree}, .columns = 4, .follow = true},
                            terminal_progress()));
    if (!context.json) fmt::print("{}: its soft walk at a glance\n", sheet.string());
  });
}

}  // namespace rigspace::tools
