// Opening a character: a file of the given folders, an upload, a member of the cast.

#include "../studio.h"

#include "../kept_projects.h"
#include "rigspace/anim/key_fitting.h"
#include "rigspace/anim/key_rate.h"
#include "rigspace/base/files.h"
#include "rigspace/cast/cast.h"
#include "rigspace/io/formats.h"
#include "rigspace/io/gltf.h"
#include "rigspace/io/rig_file.h"

#include <algorithm>

namespace rigspace::studio {
namespace {

namespace fs = std::filesystem;

bool lies_in(const fs::path& file, const fs::path& folder) {
  const auto [end, at] = std::mismatch(folder.begin(), folder.end(), file.begin(), file.end());
  return end == folder.end();
}

/// The file itself, without links and dots, if it lies in a given folder.
fs::path allowed(const Studio& studio, const std::string& path) {
  std::error_code failed;
  const fs::path real = fs::canonical(path, failed);
  if (failed || !fs::is_regular_file(real, failed))
    refuse("file \"" + path + "\"", path, "is not there", "choose one of the list, or drop one on the page");
  const auto given = [&](const fs::path& folder) {
    const fs::path real_folder = fs::canonical(folder, failed);
    return !failed && lies_in(real, real_folder);
  };
  const auto& folders = studio.options().folders;
  if (!given(studio.options().out) && std::none_of(folders.begin(), folders.end(), given))
    refuse("file \"" + path + "\"", path, "is outside of the folders that the studio was given",
           "start it with --folder, or drop the file on the page");
  if (!rigspace::is_character_file(real))
    refuse("file \"" + path + "\"", path, "is of no kind that holds a character",
           "give a .glb, .gltf, .vrm or .rig.json");
  return real;
}

Json listed(const Studio& studio) {
  constexpr std::size_t kMost = 500;
  Json files = Json::array();
  std::vector<fs::path> folders = studio.options().folders;
  folders.push_back(studio.options().out);
  std::sort(folders.begin(), folders.end());
  folders.erase(std::unique(folders.begin(), folders.end()), folders.end());
  for (const fs::path& folder : folders) {
    std::error_code failed;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, failed)) {
      if (!entry.is_regular_file(failed) || !rigspace::is_character_file(entry.path()) || files.size() >= kMost)
        continue;
      files.push_back({{"path", entry.path().string()},
                       {"name", entry.path().filename().string()},
                       {"bytes", entry.file_size(failed)}});
    }
  }
  return {{"files", files}};
}

Json clips_of(const LiveCharacter& live) {
  Json clips = Json::array();
  for (const Animation& clip : live.character().clips) {
    const ClipPlay play = decide_play(live.character(), clip);
    clips.push_back({{"name", clip.name},
                     {"duration", play.loops ? play.period : clip.duration},
                     {"rate", key_rate(clip)},
                     {"loop", play.loops},
                     {"why", play.why}});
  }
  return clips;
}

Json file_slice(Studio& studio) {
  const auto file = studio.file();
  if (!file) return nullptr;
  const LiveCharacter& live = *file->character;
  const Playback& playback = studio.playback();
  return {{"name", fs::path(studio.project().file).filename().string()},
          {"path", studio.project().file},
          {"revision", file->revision},
          {"kind", live.on_controls() ? "points" : "nodes"},
          {"nodes", playback.nodes()},
          {"morphs", playback.morphs()},
          {"points", playback.points() ? playback.points()->count() : live.artists().rig->point_count()},
          {"clips", clips_of(live)},
          {"height", rest_height(*live.artists().rig)},
          {"unit", live.metres_per_unit()},
          {"warnings", live.artists().warnings},
          {"notes", live.notes()}};
}

void open(Studio& studio, const fs::path& path, bool fresh) {
  Project project{.file = path.string()};
  const auto kept = fresh ? std::nullopt : kept_project(studio.options().state, path.string());
  if (kept) {
    project = *kept;
    studio.say("note", "Your last work on this file is back.");
  }
  studio.begin_project(std::move(project));
  studio.load("Opening " + path.filename().string());
}

/// The member as a file, written once; `rig`: with its own controls, as a rig file.
fs::path cast_file(const Studio& studio, const std::string& name, bool rig) {
  if (rig) {
    const fs::path path = studio.options().out / (name + ".rig.json");
    write_rig_file(path, make_rigged_character(name));
    return fs::canonical(path);
  }
  const fs::path path = studio.options().out / (name + ".glb");
  const std::vector<std::byte> glb = to_glb(make_character(name, Version::skeleton));
  std::error_code failed;
  if (fs::file_size(path, failed) != glb.size() || failed) write_file(path, glb);
  return fs::canonical(path);
}

/// `rest`: "3/model.glb".
HttpAnswer answer_file(const Studio& studio, const std::string& rest) {
  const std::size_t slash = rest.find('/');
  if (slash == std::string::npos || slash > 9 || rest.find_first_not_of("0123456789") != slash || slash == 0)
    return {.status = 404};
  const auto file = studio.file_of(static_cast<std::uint32_t>(std::stoul(rest.substr(0, slash))));
  const std::string name = rest.substr(slash + 1);
  if (file && name == "model.glb") return {.type = "model/gltf-binary", .body = file->glb};
  if (file && name == "shares.bin") return {.type = "application/octet-stream", .body = file->shares};
  if (file && name == "stiffness.bin") return {.type = "application/octet-stream", .body = file->stiffness};
  if (file && name == "cells.bin") return {.type = "application/octet-stream", .body = file->cells};
  return {.status = 404};
}

}  // namespace

void add_file_panel(Studio& studio) {
  studio.add_slice("file", [&studio] { return file_slice(studio); });
  studio.add_address("/file/", [&studio](const std::string& rest) { return answer_file(studio, rest); });
  studio.add_command("file.list", [&studio](const Arguments&) { return listed(studio); });
  studio.add_command("file.open", [&studio](const Arguments& given) {
    open(studio, allowed(studio, given.text("path")), given.has("fresh") && given.flag("fresh"));
    return Json::object();
  });
  studio.add_command("file.cast", [&studio](const Arguments& given) {
    open(studio, cast_file(studio, given.text("name", 100), given.has("rig") && given.flag("rig")), false);
    return Json::object();
  });
  studio.on_edit([&studio](const Project&) { keep_project(studio.options().state, studio.project()); });
  if (!studio.options().file.empty())
    studio.post([&studio] { open(studio, std::filesystem::canonical(studio.options().file), false); });
}

}  // namespace rigspace::studio
