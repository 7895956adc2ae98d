// The clock: clip, time, speed; poses at other times.

#include "../studio.h"

namespace rigspace::studio {
namespace {

Json play_slice(Studio& studio) {
  const PlayState& state = studio.playback().state();
  return {{"clip", state.clip.empty() ? Json() : Json(state.clip)},
          {"time", state.time},
          {"playing", state.playing},
          {"speed", state.speed},
          {"loop", state.loop},
          {"live", state.live},
          {"muted", state.muted},
          {"cells", state.cells},
          {"length", state.clip.empty() ? studio.playback().duration() : 0}};
}

void require_open(Studio& studio) {
  if (!studio.playback().is_open()) refuse("the studio", "", "has no character", "open a file first");
}

}  // namespace

void add_play_panel(Studio& studio) {
  studio.add_slice("play", [&studio] { return play_slice(studio); });
  studio.add_command("play.set", [&studio](const Arguments& given) {
    require_open(studio);
    Playback& playback = studio.playback();
    if (given.has("clip") || given.is_null("clip")) {
      playback.set_clip(given.has("clip") ? given.text("clip") : "");
      studio.adjust();
      for (const char* slice : {"bake", "controls", "curves", "parts"}) studio.touch(slice);
      studio.clip_changed();
    }
    if (given.has("loop")) playback.set_loop(given.flag("loop"));
    if (given.has("speed")) playback.set_speed(given.number("speed", 0.05, 4));
    if (given.has("live")) playback.set_live(given.flag("live"));
    if (given.has("muted")) playback.set_muted(given.flag("muted"));
    if (given.has("cells")) playback.set_cells(given.flag("cells"));
    if (given.has("time")) playback.seek(given.number("time", 0, 1e6));
    if (given.has("playing")) playback.set_playing(given.flag("playing"));
    studio.touch("play");
    return Json::object();
  });
  studio.add_command("poses.at", [&studio](const Arguments& given) {
    require_open(studio);
    Json poses = Json::array();
    for (const double time : given.numbers("times", 24)) poses.push_back(studio.playback().numbers_at(time));
    return Json{{"poses", std::move(poses)}};
  });
  studio.add_slice("live", [&studio] { return studio.meter(); });
}

}  // namespace rigspace::studio
