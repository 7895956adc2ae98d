#include "drawing.h"

#include "rigspace/apps/sketch/stroke_file.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace rigspace::studio {
namespace {

constexpr std::size_t kMostKeptPoints = 10000, kMostControls = 100000;

Json to_json(const DrawnStroke& stroke) {
  Json json{{"name", stroke.name},      {"abstraction", stroke.abstraction}, {"curve", stroke.curve},
            {"camera", stroke.camera},  {"aspect", stroke.aspect},           {"residual", stroke.residual},
            {"reached", stroke.reached}};
  for (const auto& [field, on] : {std::pair{"closed", stroke.closed}, {"locked", stroke.locked}, {"from", stroke.from}})
    if (on) json[field] = true;
  json["points"] = stroke.points;
  return json;
}

DrawnStroke stroke_from(const Json& json) {
  if (!json.is_object()) refuse("project's stroke", "", "is no object", "expected one a stroke");
  const Arguments read(json);
  const auto flag = [&](const char* field) { return read.has(field) && read.flag(field); };
  DrawnStroke stroke{.name = read.text("name"),
                     .abstraction = read.text("abstraction"),
                     .curve = read.text("curve"),
                     .camera = read.text("camera"),
                     .aspect = read.number("aspect", 1e-3, 1e3),
                     .points = {},
                     .closed = flag("closed"),
                     .locked = flag("locked"),
                     .from = flag("from"),
                     .residual = read.number("residual", 0, 1e6),
                     .reached = read.flag("reached")};
  if (!Json::accept(stroke.camera))
    refuse("project's stroke \"" + stroke.name + "\"", stroke.camera, "has a camera that is no JSON",
           "expected {eye, target, fov}");
  for (const Json& point : read.list("points", kMostKeptPoints)) {
    if (!point.is_array() || point.size() != 2 || !point[0].is_number() || !point[1].is_number())
      refuse("project's stroke \"" + stroke.name + "\"", "", "has a point that is none", "expected [x, y]");
    stroke.points.push_back({point[0].get<double>(), point[1].get<double>()});
  }
  return stroke;
}

std::map<std::string, double> values_from(const Json& json) {
  std::map<std::string, double> values;
  for (const auto& [control, value] : json.items()) {
    if (!value.is_number() || !std::isfinite(value.get<double>()))
      refuse("project's drawing", control, "has a value that is no number", "expected one a control");
    values[control] = value.get<double>();
  }
  return values;
}

}  // namespace

int DrawnKey::unreached() const {
  return static_cast<int>(
      std::count_if(strokes.begin(), strokes.end(), [](const DrawnStroke& each) { return !each.reached; }));
}

Json to_json(const DrawnKey& key) {
  Json strokes = Json::array();
  for (const DrawnStroke& stroke : key.strokes) strokes.push_back(to_json(stroke));
  return {{"time", key.time}, {"strokes", std::move(strokes)}, {"base", Json(key.base)}, {"moved", Json(key.moved)}};
}

DrawnKey drawn_key_from(const Json& json) {
  if (!json.is_object()) refuse("project's drawing", "", "has a key that is no object", "expected {time, strokes, ..}");
  const Arguments read(json);
  DrawnKey key{.time = read.number("time", 0, 1e6),
               .strokes = {},
               .base = values_from(read.object("base", kMostControls)),
               .moved = values_from(read.object("moved", kMostControls))};
  for (const Json& stroke : read.list("strokes", 1000)) key.strokes.push_back(stroke_from(stroke));
  return key;
}

Json to_json(const DraggedKey& key) { return {{"time", key.time}, {"moved", Json(key.moved)}}; }

DraggedKey dragged_key_from(const Json& json) {
  if (!json.is_object())
    refuse("project's dragged poses", "", "have a key that is no object", "expected {time, moved}");
  const Arguments read(json);
  return {.time = read.number("time", 0, 1e6), .moved = values_from(read.object("moved", kMostControls))};
}

namespace {

/// Of keys with a time and what they add.
template <class Key>
KeysByControl tracks_of(std::span<const Key> keys) {
  std::set<std::string> controls;
  for (const Key& key : keys)
    for (const auto& [control, value] : key.moved) controls.insert(control);
  KeysByControl tracks;
  for (const std::string& control : controls) {
    std::vector<ProjectKey>& track = tracks[control];
    for (const Key& key : keys) {
      const auto own = key.moved.find(control);
      track.push_back({key.time, own == key.moved.end() ? 0 : own->second, 0, 0});
    }
    for (std::size_t k = 1; k + 1 < track.size(); ++k)
      track[k].in = track[k].out = (track[k + 1].value - track[k - 1].value) / (track[k + 1].time - track[k - 1].time);
  }
  return tracks;
}

}  // namespace

KeysByControl drawn_tracks(std::span<const DrawnKey> keys) { return tracks_of(keys); }
KeysByControl dragged_tracks(std::span<const DraggedKey> keys) { return tracks_of(keys); }

std::string strokes_text(std::span<const DrawnKey> keys) {
  StrokeFile file;
  double aspect = 1;
  for (const DrawnKey& key : keys)
    for (std::size_t k = 0; k < key.strokes.size(); ++k) {
      const DrawnStroke& drawn = key.strokes[k];
      if (drawn.from && k + 1 == key.strokes.size()) continue;  // nothing says yet where it goes
      aspect = std::max(aspect, drawn.aspect);
      Stroke stroke{.closed = drawn.closed,
                    .name = drawn.name,
                    .curve = drawn.curve,
                    .time = key.time,
                    .to = drawn.from ? static_cast<int>(file.strokes.size()) + 1 : -1,
                    .camera = drawn.camera,
                    .abstraction = drawn.abstraction};
      for (const auto& [x, y] : drawn.points) stroke.points.emplace_back(x, y);
      file.strokes.push_back(std::move(stroke));
    }
  constexpr int kHeight = 1000;  // pixels
  file.height = kHeight, file.width = static_cast<int>(std::ceil(kHeight * aspect));
  return to_strokes_json(file);
}

}  // namespace rigspace::studio
