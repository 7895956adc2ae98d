// The present clip as `simulate` makes it: made by itself a moment after the last change, and shown when time stands.

#include "../studio.h"
#include "../units.h"

#include <chrono>

namespace rigspace::studio {
namespace {

using Clock = std::chrono::steady_clock;

struct Bake {
  std::string clip, state = "none";
  bool wanted = false;
  Clock::time_point since;  // when the bake was requested
  Json parts = Json::array();
  double seam = 0;
};

/// A clip of the file as simulate_file makes it, in memory.
std::shared_ptr<const SimulatedCharacter> simulated(const Project& project, const LiveCharacter& live,
                                                    const std::string& clip, const ProgressCallback& progress) {
  Project of_clip = project;
  of_clip.edits.clear();  // they go on top, and need no simulation
  std::erase_if(of_clip.sets, [&](const ProjectSet& set) { return !set.clip.empty() && set.clip != clip; });
  SimulationRequest request = request_of(of_clip, "");
  request.clips = {clip};
  if (!live.on_controls()) request.soft = "joints";  // as the page draws it
  MemoryCharacter input{
      .name = project.file,
      .character = std::shared_ptr<const Character>(std::shared_ptr<const Character>(), &live.artists()),
      .path = project.file,
      .is_file = false};
  JobEvents events;
  events.progress = progress;
  return std::make_shared<const SimulatedCharacter>(std::move(input), request, "", events);
}

/// The baked clip with the edits of the project on top: what is shown when time stands.
void show_layers(Studio& studio) {
  Playback& playback = studio.playback();
  if (!playback.is_open()) return;
  const std::string& clip = playback.state().clip;
  const auto at = studio.project().edits.find(clip);
  const ClipFix fix = at == studio.project().edits.end() ? ClipFix{} : fix_of(at->second);
  const std::span<const Control> controls = playback.character().character().rig->controls();
  std::vector<std::pair<int, Curve>> corrections;
  for (const Track& track : fix.tracks) {
    const int control = find_control(controls, track.control);
    if (control < 0) continue;
    Curve curve = track.curve;
    if (controls[static_cast<std::size_t>(control)].unit == Unit::angle)
      for (std::vector<double>* numbers : {&curve.values, &curve.in_tangents, &curve.out_tangents})
        for (double& number : *numbers) number /= kDegrees;
    corrections.emplace_back(control, std::move(curve));
  }
  playback.set_corrections(fix.weight(), std::move(corrections));
  const auto& baked = studio.baked();
  if (!baked || baked->recipe().clips.empty()) return;
  RecipeClip made = baked->recipe().clips.front();
  if (made.base != clip || !made.has_motion()) return;
  made.fix = fix;
  const Character& character = baked->character();
  const SoftMotion motion = layered_motion(made, character.rig->controls());
  playback.set_baked(
      clip, std::make_shared<const Animation>(soft_clip(character, character.clip(clip), motion, made.frame_rate)));
}

/// Whether what physics makes of the clip is the same in both.
bool same_physics(Project a, Project b) {
  a.edits.clear(), b.edits.clear();
  return a == b;
}

Json part_reports(const Recipe& recipe) {
  Json list = Json::array();
  if (recipe.clips.empty()) return list;
  const RecipeClip& clip = recipe.clips.front();
  for (std::size_t k = 0; k < clip.parts.size() && k < recipe.parts.size(); ++k) {
    const PartReport& report = clip.parts[k];
    const double factor = report.flesh ? 100 : kDegrees;
    list.push_back({{"name", recipe.parts[k].name},
                    {"unit", report.flesh ? "percent" : "degrees"},
                    {"swing", factor * report.swing},
                    {"largest", factor * report.largest},
                    {"largest_at", report.largest_at}});
  }
  return list;
}

void start(Studio& studio, const std::shared_ptr<Bake>& bake) {
  const auto file = studio.file();
  bake->clip = studio.playback().state().clip, bake->state = "running";
  studio.background().start(
      "Baking " + bake->clip,
      [&studio, bake, file, project = studio.project(),
       clip = bake->clip](const ProgressCallback& progress) -> std::function<void()> {
        auto made = simulated(project, *file->character, clip, progress);
        return [&studio, bake, clip, made, revision = file->revision] {
          if (studio.file()->revision != revision || studio.playback().state().clip != clip) return;
          studio.set_baked(made);
          show_layers(studio);
          bake->state = made->recipe().clips.empty() ? "none" : "ready";
          bake->parts = part_reports(made->recipe());
          bake->seam = made->recipe().clips.empty() ? 0 : made->recipe().clips.front().seam;
          studio.touch("bake");
        };
      },
      [&studio, bake](std::exception_ptr error) {
        bake->state = "none";
        studio.touch("bake");
        try {
          std::rethrow_exception(error);
        } catch (const Cancelled&) {  // by a newer change: neither is reported
        } catch (...) {
          studio.report(error);
        }
      });
  studio.touch("bake");
}

}  // namespace

void add_bake_panel(Studio& studio) {
  const auto bake = std::make_shared<Bake>();
  const auto want = [&studio, bake] {
    bake->wanted = true, bake->since = Clock::now();
    bake->state = bake->state == "none" ? "none" : "stale";
    if (studio.playback().is_open()) studio.playback().set_baked("", nullptr);
    studio.set_baked(nullptr);
    studio.background().cancel();
    studio.touch("bake");
  };
  studio.add_slice("bake", [&studio, bake]() -> Json {
    return {{"clip", bake->clip}, {"state", bake->state}, {"seam", bake->seam}, {"parts", bake->parts}};
  });
  studio.on_edit([&studio, want](const Project& before) {
    if (!same_physics(before, studio.project())) want();
    show_layers(studio);
  });
  studio.on_open([&studio, want] { want(), show_layers(studio); });
  studio.on_clip([&studio, want] { want(), show_layers(studio); });
  studio.add_tick([&studio, bake] {
    constexpr auto kQuiet = std::chrono::milliseconds(400);
    const auto file = studio.file();
    if (!bake->wanted || !file || !file->character->model() || studio.playback().state().clip.empty()) return;
    if (studio.work().busy() || Clock::now() - bake->since < kQuiet) return;
    bake->wanted = false;
    start(studio, bake);
  });
}

}  // namespace rigspace::studio
