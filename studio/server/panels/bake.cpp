// The present clip as `simulate` makes it: made by itself a moment after the last change, and shown when time stands.

#include "../studio.h"

#include <chrono>
#include <numbers>

namespace rigspace::studio {
namespace {

using Clock = std::chrono::steady_clock;

struct Bake {
  std::string clip, state = "none";
  bool wanted = false;
  Clock::time_point since;  // when it became wanted
  Json parts = Json::array();
  double seam = 0;
};

/// A clip of the file as simulate_file makes it, in memory.
std::shared_ptr<const SimulatedCharacter> simulated(const Project& project, const LiveCharacter& live,
                                                    const std::string& clip, const ProgressCallback& progress) {
  SimulationRequest request = request_of(project, "");
  request.clips = {clip};
  request.soft = "joints";  // as the page draws it
  std::erase_if(request.sets, [&](const std::string& set) {
    const auto slash = set.rfind('/');
    return slash != std::string::npos && set.substr(0, slash) != clip;
  });
  MemoryCharacter input{.name = project.file,
                        .character = std::shared_ptr<const Character>(std::shared_ptr<const Character>(), &live.artists()),
                        .path = project.file,
                        .is_file = false};
  JobEvents events;
  events.progress = progress;
  return std::make_shared<const SimulatedCharacter>(std::move(input), request, "", events);
}

Json part_reports(const Recipe& recipe) {
  Json list = Json::array();
  if (recipe.clips.empty()) return list;
  const RecipeClip& clip = recipe.clips.front();
  for (std::size_t k = 0; k < clip.parts.size() && k < recipe.parts.size(); ++k) {
    const PartReport& report = clip.parts[k];
    const double factor = report.flesh ? 100 : 180 / std::numbers::pi;
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
      [&studio, bake, file, project = studio.project(), clip = bake->clip](const ProgressCallback& progress) -> std::function<void()> {
        auto made = simulated(project, *file->character, clip, progress);
        const Animation* soft = made->character().clip(clip + "_soft");
        std::shared_ptr<const Animation> baked = soft ? std::make_shared<const Animation>(*soft) : nullptr;
        return [&studio, bake, clip, baked, made, revision = file->revision] {
          if (studio.file()->revision != revision || studio.playback().state().clip != clip) return;
          studio.playback().set_baked(clip, baked);
          studio.set_baked(made);
          bake->state = baked ? "ready" : "none";
          bake->parts = part_reports(made->recipe());
          bake->seam = made->recipe().clips.empty() ? 0 : made->recipe().clips.front().seam;
          studio.touch("bake");
        };
      },
      [&studio, bake](std::exception_ptr error) {
        bake->state = "none";
        studio.touch("bake");
        studio.report(error);
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
  studio.on_edit([want](const Project&) { want(); });
  studio.on_open(want);
  studio.on_clip(want);
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
