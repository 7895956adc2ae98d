// rigspace demo: the built-in character with secondary motion, as a file, a page and a contact sheet.

#include "command.h"

#include "rigspace/apps/physics/simulation.h"
#include "rigspace/base/files.h"
#include "rigspace/cast/cast.h"
#include "rigspace/io/gltf.h"
#include "rigspace/render/sheet.h"
#include "rigspace/render/view_page.h"

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
    const std::string name(cast().front().name);
    check_writable(out / name);
    const Character character = make_character(name);
    GltfFile file(to_glb(character), name + ".glb");
    const ProgressCallback progress = terminal_progress();
    for (const Animation& clip : character.clips) {
      const SoftMotion motion = simulate_parts(character, &clip, find_parts(character), {}, progress);
      file.add_animation(soft_clip(character, &clip, motion, frame_rate(&clip)));
    }
    const std::vector<std::byte> glb = file.to_glb();
    const fs::path model = out / (name + ".soft.glb"), page = out / (name + ".soft.html"),
                   sheet = out / (name + ".soft.png");
    write_file(model, glb);
    write_file(page, view_page(glb, {.title = name, .clip = "Walk_soft"}));
    const Character soft = load_gltf(glb, name + ".soft.glb");
    const Motion walk = clip_motion(soft, soft.clip("Walk_soft"), 8);
    write_png(sheet, contact_sheet(Renderer(soft), walk,
                                   {.framing = {.azimuth = 75 * kDegree}, .columns = 4, .follow = true}, progress));
    if (context.json) {
      fmt::print("{}\n", nlohmann::ordered_json{{"output", {model.string(), page.string(), sheet.string()}}}.dump(2));
      return;
    }
    fmt::print("{}  the character, its clips, and beside each the same with soft tail and ears\n", model.string());
    fmt::print("{}  plays it: open it in a browser\n", page.string());
    fmt::print("{}  its soft walk at a glance\n", sheet.string());
  });
}

}  // namespace rigspace::tools
