// Writing results: the files that the command line would write, with the command that does so.

#include "../studio.h"

#include "../guard.h"
#include "../units.h"
#include "rigspace/apps/sketch/pose_by_sketch.h"
#include "rigspace/base/files.h"
#include "rigspace/io/curve_file.h"
#include "rigspace/io/formats.h"
#include "rigspace/io/rig_file.h"
#include "rigspace/jobs/clip_names.h"
#include "rigspace/jobs/posed_model.h"
#include "rigspace/render/sheet.h"
#include "rigspace/render/video.h"

#include <algorithm>
#include <cctype>

namespace rigspace::studio {
namespace {

namespace fs = std::filesystem;

/// Files that an export wrote, by name: read by the server's thread.
struct Results {
  std::mutex mutex;
  std::map<std::string, fs::path> files;
  Json list = Json::array();
};

/// A clip's name as a part of a file's: Armature|Walk as Walk.
std::string plain_word(const std::string& clip) {
  std::string word = clip.substr(clip.find_last_of("|:/") + 1);
  for (char& c : word)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '-' && c != '_') c = '_';
  return word.empty() ? "clip" : word;
}

/// hero of hero.glb and hero.rig.json.
std::string stem_of(const Project& project) {
  const fs::path stem = fs::path(project.file).stem();
  return (stem.extension() == ".rig" ? stem.stem() : stem).string();
}
/// The output that simulate writes: a model, or curves of a rig's own controls.
fs::path model_of(const Studio& studio) {
  const auto file = studio.file();
  const bool curves = file && file->character->on_controls();
  return studio.options().out / (stem_of(studio.project()) + (curves ? ".soft.rigspace.json" : ".soft.glb"));
}
fs::path fix_of(const Studio& studio) { return studio.options().out / (stem_of(studio.project()) + ".fix.json"); }

/// What strokes in the rest pose make: a clip of its own, which `rigspace sketch pose` writes.
struct DrawnClip {
  fs::path strokes, model;
};
DrawnClip drawn_clip_of(const Studio& studio) {
  const fs::path beside = studio.options().out / stem_of(studio.project());
  return {beside.string() + ".strokes.json", beside.string() + ".sketch.glb"};
}
/// Whether there is a clip that `simulate` could take.
bool can_simulate(const Studio& studio) {
  const auto file = studio.file();
  return file && !file->character->artists().clips.empty();
}
bool has_drawn_clip(const Studio& studio) { return !studio.project().drawing_of("").empty(); }

/// What was dragged and drawn in the rest pose: the keys as a clip of their own.
fs::path posed_model_of(const Studio& studio) {
  return studio.options().out / (stem_of(studio.project()) + ".posed.glb");
}
bool has_dragged_clip(const Studio& studio) { return !studio.project().dragged_of("").empty(); }

void write_dragged_clip(const Project& project, const fs::path& model, const JobEvents& events) {
  CharacterSource source;
  source.file = project.file;
  const Character character = source.load(events);
  const std::span<const Control> controls = character.rig->controls();
  Animation clip{.name = "posed"};
  for (Track track : fix_of(project.edits.at("")).tracks) {
    const int c = find_control(controls, track.control);
    if (c < 0) continue;
    const Control& control = controls[static_cast<std::size_t>(c)];
    for (std::vector<double>* numbers : {&track.curve.values, &track.curve.in_tangents, &track.curve.out_tangents})
      for (double& number : *numbers) number /= shown_units(control);
    for (double& value : track.curve.values) value += control.rest;
    clip.duration = std::max(clip.duration, track.curve.times.back());
    clip.tracks.push_back(std::move(track));
  }
  constexpr double kRate = 24;
  write_posed_model(model.string(), source, character, clip, kRate);
}

std::string commands_of(const Studio& studio) {
  std::string text;
  if (can_simulate(studio) || !(has_drawn_clip(studio) || has_dragged_clip(studio)))
    text = command_of(studio.project(), model_of(studio).string(), fix_of(studio).string());
  if (!has_drawn_clip(studio)) return text;
  const DrawnClip drawn = drawn_clip_of(studio);
  return text + (text.empty() ? "" : "\n") + "rigspace sketch pose " + shell_quoted(studio.project().file) +
         " --strokes " + shell_quoted(drawn.strokes.string()) + " -o " + shell_quoted(drawn.model.string());
}

/// What the command line of `rigspace sketch pose` does.
void write_drawn_clip(const Project& project, const DrawnClip& drawn, const JobEvents& events) {
  write_file(drawn.strokes, strokes_text(project.drawing_of("")));
  CharacterSource source;
  source.file = project.file;
  const Character character = source.load(events);
  const SketchResult made =
      pose_by_sketch(character, read_strokes(drawn.strokes), character.rig->rest(), {}, events.progress);
  constexpr double kRate = 24;
  write_posed_model(drawn.model.string(), source, character, made.clip, kRate);
}

Json entry(const fs::path& path, const std::string& about) {
  std::error_code failed;
  return {{"name", path.filename().string()},
          {"url", "/out/" + path.filename().string()},
          {"bytes", fs::file_size(path, failed)},
          {"about", about}};
}

std::string about(const RunFiles& files, const fs::path& path) {
  if (path == files.model)
    return files.curves.empty() ? "the character with the soft clips beside the artist's"
                                : "the rig played out as joints and shapes";
  if (path == files.page) return "before and after as a page";
  if (path == files.recipe) return "the recipe: rigspace rerun repeats it";
  return "curves on the controls";
}

/// A file beside the model, and what it is.
struct Extra {
  fs::path path;
  std::string about;
};

/// Curves, a contact sheet and a film of one soft clip of the written model.
std::vector<Extra> write_extras(const std::vector<std::string>& what, const fs::path& model, const std::string& clip,
                                const ProgressCallback& progress) {
  const auto wanted = [&](const char* kind) { return std::find(what.begin(), what.end(), kind) != what.end(); };
  std::vector<Extra> extras;
  if (!wanted("curves") && !wanted("sheet") && !wanted("video")) return extras;
  const Character character = load_character(model);
  const Animation* soft = character.clip(clip + "_soft");
  if (soft == nullptr) return extras;
  const auto beside = [&](const char* ending) {
    return model.parent_path() / (model.stem().stem().string() + "." + plain_word(clip) + ending);
  };
  if (wanted("curves")) {
    extras.push_back({beside(".csv"), "curves of " + clip + ": time, control, base and delta"});
    write_curves(extras.back().path, character, *soft, {.base = character.clip(clip)});
  }
  if (!wanted("sheet") && !wanted("video")) return extras;
  const Renderer renderer(character);
  constexpr int kMoments = 12;
  if (wanted("sheet")) {
    extras.push_back({beside(".png"), "contact sheet of " + clip});
    write_png(extras.back().path, contact_sheet(renderer, clip_motion(character, soft, kMoments), {}, progress));
  }
  if (wanted("video")) {
    extras.push_back({beside(".mp4"), "film of " + clip});
    const VideoOptions film{.frames_per_second = 30};
    write_video(extras.back().path, renderer, clip_motion_at_rate(character, soft, film.frames_per_second), film,
                progress);
  }
  return extras;
}

void run(Studio& studio, const std::shared_ptr<Results>& results, std::vector<std::string> what) {
  if (!studio.file()) refuse("the studio", "", "has no character", "open a file first");
  for (const std::string& kind : what)
    if (kind != "glb" && kind != "curves" && kind != "sheet" && kind != "video")
      refuse("argument \"what\"", kind, "has \"" + kind + "\"", "expected glb, curves, sheet and video");
  const std::string clip = studio.playback().state().clip;
  const bool drawn = has_drawn_clip(studio), dragged = has_dragged_clip(studio);
  const bool soft = can_simulate(studio) || !(drawn || dragged);
  studio.work().start(
      "Exporting " + model_of(studio).filename().string(),
      [&studio, results, what = std::move(what), clip, project = studio.project(), model = model_of(studio),
       fix = fix_of(studio), soft, drawn, dragged, posed = posed_model_of(studio),
       sketch = drawn_clip_of(studio)](const ProgressCallback& progress) -> std::function<void()> {
        JobEvents events;
        events.progress = progress;
        SimulationResult made;
        std::vector<Extra> extras;
        if (soft) {
          if (project.edited()) write_file(fix, fix_text(project));
          SimulationSource source;
          source.character.file = project.file;
          made = simulate_file(source, request_of(project, fix.string()), model, events);
          extras = write_extras(what, made.files.model, clip, progress);
        }
        if (drawn) {
          write_drawn_clip(project, sketch, events);
          extras.push_back({sketch.model, "the character with the drawn poses as a clip"});
          extras.push_back({sketch.strokes, "the drawing, for `rigspace sketch pose --strokes`"});
        }
        if (dragged) {
          write_dragged_clip(project, posed, events);
          extras.push_back({posed, "the character with the dragged poses as a clip"});
        }
        const std::string written = (soft ? made.files.result() : drawn ? sketch.model : posed).string();
        return [&studio, results, made, written, extras = std::move(extras)] {
          {
            const std::lock_guard lock(results->mutex);
            results->list = Json::array();
            for (const fs::path& path : made.files.written()) {
              results->files[path.filename().string()] = path;
              results->list.push_back(entry(path, about(made.files, path)));
            }
            for (const Extra& extra : extras) {
              results->files[extra.path.filename().string()] = extra.path;
              results->list.push_back(entry(extra.path, extra.about));
            }
          }
          studio.touch("export"), studio.touch("job");
          studio.say("note", "Written: " + written);
        };
      },
      [&studio](std::exception_ptr error) { studio.report(error); });
  studio.touch("job");
}

std::string type_of(const std::string& name) {
  if (name.ends_with(".glb")) return "model/gltf-binary";
  if (name.ends_with(".json")) return "application/json";
  if (name.ends_with(".png")) return "image/png";
  if (name.ends_with(".mp4")) return "video/mp4";
  return "application/octet-stream";  // pages too: they are saved, not shown from here
}

}  // namespace

void add_export_panel(Studio& studio) {
  const auto results = std::make_shared<Results>();
  studio.add_slice("export", [&studio, results]() -> Json {
    const std::lock_guard lock(results->mutex);
    const bool open = studio.file() != nullptr;
    return {{"command", open ? commands_of(studio) : ""},
            {"files", results->list},
            {"path", studio.options().out.string()}};
  });
  studio.add_command("export.run", [&studio, results](const Arguments& given) {
    run(studio, results, given.has("what") ? given.texts("what", 10) : std::vector<std::string>{});
    return Json::object();
  });
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
