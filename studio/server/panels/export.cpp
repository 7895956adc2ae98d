// Writing results: the files that the command line would write, with the command that does so.

#include "../studio.h"

#include "../guard.h"
#include "rigspace/base/files.h"

#include <algorithm>

namespace rigspace::studio {
namespace {

namespace fs = std::filesystem;

/// Files that an export wrote, by name: read by the server's thread.
struct Results {
  std::mutex mutex;
  std::map<std::string, fs::path> files;
  Json list = Json::array();
};

std::string stem_of(const Project& project) { return fs::path(project.file).stem().string(); }
fs::path model_of(const Studio& studio) { return studio.options().out / (stem_of(studio.project()) + ".soft.glb"); }
fs::path fix_of(const Studio& studio) { return studio.options().out / (stem_of(studio.project()) + ".fix.json"); }

Json entry(const fs::path& path, const std::string& about) {
  std::error_code failed;
  return {{"name", path.filename().string()},
          {"url", "/out/" + path.filename().string()},
          {"bytes", fs::file_size(path, failed)},
          {"about", about}};
}

std::string about(const RunFiles& files, const fs::path& path) {
  if (path == files.model) return "the character with the soft clips beside the artist's";
  if (path == files.page) return "before and after as a page";
  if (path == files.recipe) return "the recipe: rigspace rerun repeats it";
  return "curves on the controls";
}

void run(Studio& studio, const std::shared_ptr<Results>& results) {
  if (!studio.file()) refuse("the studio", "", "has no character", "open a file first");
  studio.work().start(
      "Exporting " + model_of(studio).filename().string(),
      [&studio, results, project = studio.project(), model = model_of(studio), fix = fix_of(studio)](
          const ProgressCallback& progress) -> std::function<void()> {
        if (project.edited()) write_file(fix, fix_text(project));
        SimulationSource source;
        source.character.file = project.file;
        JobEvents events;
        events.progress = progress;
        const SimulationResult made = simulate_file(source, request_of(project, fix.string()), model, events);
        return [&studio, results, made] {
          {
            const std::lock_guard lock(results->mutex);
            results->list = Json::array();
            for (const fs::path& path : made.files.written()) {
              results->files[path.filename().string()] = path;
              results->list.push_back(entry(path, about(made.files, path)));
            }
          }
          studio.touch("export"), studio.touch("job");
          studio.say("note", "Written: " + made.files.result().string());
        };
      },
      [&studio](std::exception_ptr error) { studio.report(error); });
  studio.touch("job");
}

std::string type_of(const std::string& name) {
  if (name.ends_with(".glb")) return "model/gltf-binary";
  if (name.ends_with(".json")) return "application/json";
  if (name.ends_with(".png")) return "image/png";
  return "application/octet-stream";  // pages too: they are saved, not shown from here
}

}  // namespace

void add_export_panel(Studio& studio) {
  const auto results = std::make_shared<Results>();
  studio.add_slice("export", [&studio, results]() -> Json {
    const std::lock_guard lock(results->mutex);
    const bool open = studio.file() != nullptr;
    return {{"command", open ? command_of(studio.project(), model_of(studio).string(), fix_of(studio).string()) : ""},
            {"files", results->list},
            {"path", studio.options().out.string()}};
  });
  studio.add_command("export.run", [&studio, results](const Arguments&) { return run(studio, results), Json::object(); });
  studio.add_command("project.save", [&studio](const Arguments&) {
    if (!studio.file()) refuse("the studio", "", "has no character", "open a file first");
    const fs::path path = studio.options().out / (stem_of(studio.project()) + ".studio.json");
    write_file(path, to_json(studio.project()).dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
    return Json{{"path", path.string()}};
  });
  studio.add_address("/out/", [results](const std::string& name) -> HttpAnswer {
    const std::lock_guard lock(results->mutex);
    const auto at = results->files.find(name);
    if (at == results->files.end()) return {.status = 404};
    return {.type = type_of(name), .body = std::make_shared<const Bytes>(read_file(at->second)), .download = name};
  });
  studio.on_edit([&studio](const Project&) { studio.touch("export"); });
  studio.on_open([&studio, results] { studio.touch("export"); });
}

}  // namespace rigspace::studio
