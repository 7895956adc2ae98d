// Drawing poses: strokes over the character as the camera sees it move the rig's controls (docs/sketch.md). Solved on a
// thread of its own. What strokes found lies in the project as corrections of the clip at the times of the strokes; in
// the rest pose it is a clip of its own.

#include "../drawing_board.h"

#include "rigspace/apps/sketch/pose_by_sketch.h"

#include <algorithm>
#include <cmath>

namespace rigspace::studio {
namespace {

constexpr std::size_t kMostPoints = 4096, kMostStrokes = 200;

std::string camera_text(const Arguments& given) {
  const Arguments camera(given.object("camera", 10));
  const auto place = [&](const char* field) {
    const std::vector<double> numbers = camera.numbers(field, 3);
    if (numbers.size() != 3)
      refuse(std::string("camera's \"") + field + "\"", "", "has other than three numbers", "expected [x, y, z]");
    return Vec3(numbers[0], numbers[1], numbers[2]);
  };
  const Camera made{.eye = place("eye"), .target = place("target"), .fov = camera.number("fov", 1, 120) * kDegree};
  if (!((made.eye - made.target).norm() > 1e-9) || made.eye.norm() > 1e9)
    refuse("camera's \"eye\"", "", "is the target", "look from somewhere else");
  return camera_json(made);
}

}  // namespace

Json DrawingBoard::slice() const {
  Json keys = Json::array(), strokes = Json::array();
  const bool open = studio_.playback().is_open();
  if (open)
    for (const DrawnKey& key : studio_.project().drawing_of(studio_.playback().state().clip))
      keys.push_back({{"time", key.time}, {"strokes", key.strokes.size()}, {"unreached", key.unreached()}});
  const DrawnKey* const now = open ? present() : nullptr;
  bool waiting = false;
  if (now)
    for (const DrawnStroke& each : now->strokes) {
      strokes.push_back({{"name", each.name},
                         {"abstraction", each.abstraction},
                         {"curve", each.curve},
                         {"camera", Json::parse(each.camera)},
                         {"points", each.points},
                         {"closed", each.closed},
                         {"locked", each.locked},
                         {"from", each.from},
                         {"residual", each.residual},
                         {"reached", each.reached}});
      waiting = each.from;
    }
  return {{"abstractions", abstractions_},
          {"abstraction", abstraction_},
          {"keys", std::move(keys)},
          {"time", now ? Json(now->time) : Json()},
          {"strokes", std::move(strokes)},
          {"solving", lane_.busy()},
          {"waiting", waiting},
          {"ms", ms_ ? Json(*ms_) : Json()},
          {"residual", residual_ ? Json(*residual_) : Json()},
          {"problem", problem_}};
}

Json DrawingBoard::lines_slice() const {
  Json curves = Json::array();
  for (const SpaceCurve& curve : lines_) {
    Json points = Json::array();
    for (const Vec3& x : curve.points)
      for (int k = 0; k < 3; ++k) points.push_back(static_cast<float>(x[k]));
    curves.push_back({{"name", curve.name}, {"closed", curve.closed}, {"points", std::move(points)}});
  }
  return {{"curves", std::move(curves)}};
}

DrawnStroke DrawingBoard::stroke_from(const Arguments& given) const {
  DrawnStroke stroke{.abstraction = abstraction_,
                     .curve = given.text_or("curve", ""),
                     .camera = camera_text(given),
                     .aspect = given.number("aspect", 0.1, 10),
                     .points = {},
                     .closed = given.has("closed") && given.flag("closed")};
  for (const Json& point : given.list("points", kMostPoints)) {
    const bool two = point.is_array() && point.size() == 2 && point[0].is_number() && point[1].is_number();
    const double x = two ? point[0].get<double>() : 0, y = two ? point[1].get<double>() : 0;
    constexpr double kFarthest = 100;  // pictures
    if (!two || !(std::abs(x) < kFarthest && std::abs(y) < kFarthest))
      refuse("argument \"points\"", "", "has an entry that is no point", "expected [x, y] in view units");
    stroke.points.push_back({x, y});
  }
  Stroke checked{.name = "the stroke"};
  for (const auto& [x, y] : stroke.points) checked.points.emplace_back(x, y);
  check_stroke(checked, 0, stroke.aspect);
  return stroke;
}

void DrawingBoard::look(const Arguments& given) {
  require_open();
  camera_ = given.has("camera") ? std::optional(camera_text(given)) : std::nullopt;
  look_due_ = camera_.has_value();
  next();
}

void DrawingBoard::preview(const Arguments& given) {
  require_open();
  const std::string name = given.text("stroke", 100);
  if (std::find(over_.begin(), over_.end(), name) != over_.end()) return;
  DrawnStroke stroke = stroke_from(given);
  stroke.name = name;
  stand_still();
  previewed_ = std::move(stroke);
  next();
}

void DrawingBoard::cancel_preview() {
  previewed_.reset();
  if (studio_.playback().is_open()) studio_.playback().set_preview(std::nullopt);
  look_due_ = camera_.has_value();
  next();
}

void DrawingBoard::add(const Arguments& given) {
  require_open();
  DrawnStroke stroke = stroke_from(given);
  const PlayState& state = studio_.playback().state();
  if (const DrawnKey* now = present(); now && now->strokes.size() + tasks_.size() >= kMostStrokes)
    refuse("the drawing", "", "has too many strokes", "clear some");
  stand_still();
  previewed_.reset();
  std::string name = given.text_or("stroke", "");
  stroke.name = "stroke " + std::to_string(++strokes_made_);
  enqueue({state.clip, state.time,
           [stroke](Sketcher& sketcher, DrawnKey& key, const Vec& start, const Vec& seen, const ProgressCallback& go) {
             DrawnStroke own = stroke;
             const auto used = [&] {
               return std::any_of(key.strokes.begin(), key.strokes.end(),
                                  [&](const DrawnStroke& each) { return each.name == own.name; });
             };
             for (int k = 1; used(); ++k) own.name = stroke.name + "." + std::to_string(k);
             sketcher.insert(key.strokes, own, start, seen, go);
             const DrawnStroke& last = key.strokes.back();
             return "stroke" + (last.curve.empty() || last.abstraction == kDrawnAbstraction ? std::string()
                                                                                            : " along " + last.curve);
           },
           std::move(name)});
}

void DrawingBoard::change(const Arguments& given) {
  require_open();
  const DrawnKey* const now = present();
  const int k = given.integer("stroke", 0, 100000);
  if (!now || k >= std::ssize(now->strokes))
    refuse("stroke " + std::to_string(k + 1), "", "is not there", "draw one first");
  const PlayState& state = studio_.playback().state();
  const std::string name = now->strokes[static_cast<std::size_t>(k)].name;
  const auto find = [name](DrawnKey& key) {
    return std::find_if(key.strokes.begin(), key.strokes.end(),
                        [&](const DrawnStroke& each) { return each.name == name; });
  };
  if (given.has("locked")) {
    studio_.edit(given.flag("locked") ? "lock a stroke" : "unlock a stroke", "", [&](Project& project) {
      std::vector<DrawnKey> keys = project.drawing_of(state.clip);
      find(keys[key_at(keys, state.time)])->locked = given.flag("locked");
      project.set_drawing(state.clip, std::move(keys));
    });
    return;
  }
  if (given.has("curve")) {
    const std::string curve = given.text("curve");
    enqueue({state.clip, state.time,
             [find, curve](Sketcher&, DrawnKey& key, const Vec&, const Vec&, const ProgressCallback&) {
               if (const auto own = find(key); own != key.strokes.end()) own->curve = curve;
               return "stroke along " + curve;
             }});
    return;
  }
  if (!given.has("remove") || !given.flag("remove"))
    refuse("command \"sketch.change\"", "", "changes nothing", "give locked, curve or remove");
  enqueue({state.clip, state.time, [find](Sketcher&, DrawnKey& key, const Vec&, const Vec&, const ProgressCallback&) {
             const auto own = find(key);
             if (own == key.strokes.end()) return std::string("remove a stroke");
             if (own->abstraction != kDrawnAbstraction) {
               key.strokes.erase(own);
             } else {  // pairs go together
               const auto first = own->from ? own : own - 1;
               key.strokes.erase(first, std::min(first + 2, key.strokes.end()));
             }
             return std::string("remove a stroke");
           }});
}

void DrawingBoard::clear(const Arguments& given) {
  require_open();
  cancel_preview();
  const PlayState& state = studio_.playback().state();
  if (given.has("all") && given.flag("all")) {
    studio_.edit("clear the drawing", "", [&](Project& project) { project.set_drawing(state.clip, {}); });
    return;
  }
  const DrawnKey* const now = present();
  if (!now) return;
  const bool some =
      std::any_of(now->strokes.begin(), now->strokes.end(), [](const DrawnStroke& each) { return each.locked; });
  if (!some && !state.clip.empty()) {
    studio_.edit("clear the strokes", "", [&](Project& project) {
      std::vector<DrawnKey> keys = project.drawing_of(state.clip);
      keys.erase(keys.begin() + static_cast<std::ptrdiff_t>(key_at(keys, state.time)));
      project.set_drawing(state.clip, std::move(keys));
    });
    return;
  }
  enqueue({state.clip, state.time, [](Sketcher&, DrawnKey& key, const Vec&, const Vec&, const ProgressCallback&) {
             std::erase_if(key.strokes, [](const DrawnStroke& each) { return !each.locked; });
             return std::string("clear the strokes");
           }});
}

/// To a key of the drawing, or to a new one of the rest pose's clip.
void DrawingBoard::go_to_key(const Arguments& given) {
  require_open();
  Playback& playback = studio_.playback();
  const double time = given.number("time", 0, 3600);
  playback.set_playing(false);
  if (playback.state().clip.empty()) rest_time_ = time, fit_rest_length();
  playback.seek(time);
  studio_.touch("play"), studio_.touch("sketch");
  look_due_ = camera_.has_value();
  next();
}

void DrawingBoard::choose(const Arguments& given) {
  require_open();
  const std::string name = given.text("abstraction");
  if (name != kDrawnAbstraction && std::find(abstractions_.begin(), abstractions_.end(), name) == abstractions_.end())
    refuse("abstraction \"" + name + "\"", name, "is not one of the character's", "choose one that the panel lists");
  abstraction_ = name;
  problem_.clear();
  studio_.touch("sketch");
  look_due_ = camera_.has_value();
  next();
}

void add_sketch_panel(Studio& studio) {
  const auto sketch = std::make_shared<DrawingBoard>(studio);
  studio.add_slice("sketch", [sketch] { return sketch->slice(); });
  studio.add_slice("sketch_lines", [sketch] { return sketch->lines_slice(); });
  const auto add = [&](const char* name, void (DrawingBoard::*act)(const Arguments&)) {
    studio.add_command(name, [sketch, act](const Arguments& given) {
      ((*sketch).*act)(given);
      return Json::object();
    });
  };
  add("sketch.look", &DrawingBoard::look);
  add("sketch.preview", &DrawingBoard::preview);
  add("sketch.stroke", &DrawingBoard::add);
  add("sketch.change", &DrawingBoard::change);
  add("sketch.clear", &DrawingBoard::clear);
  add("sketch.key", &DrawingBoard::go_to_key);
  add("sketch.choose", &DrawingBoard::choose);
  studio.add_command("sketch.cancel", [sketch](const Arguments&) { return sketch->cancel_preview(), Json::object(); });
  studio.on_edit([sketch](const Project& before) { sketch->edited(before); });
  studio.on_open([sketch] { sketch->opened(); });
  studio.on_clip([sketch] { sketch->clip_changed(); });
  studio.add_tick([sketch] { sketch->tick(); });
}

}  // namespace rigspace::studio
