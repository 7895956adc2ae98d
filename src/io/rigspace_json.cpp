// Our own curves: every key as it is. See docs/curves.md.
#include "curve_format.h"
#include "rigspace/base/files.h"
#include "rigspace/io/json_text.h"

#include <nlohmann/json.hpp>

#include <cmath>

namespace rigspace {
namespace {

constexpr int kSchema = 1;
constexpr std::string_view kKind = "rigspace curves";
const std::initializer_list<std::string_view> kUnits = {"scalar", "length", "degree", "scale"};  // as Unit
const std::initializer_list<std::string_view> kInterpolations = {"step",        "linear",  "hermite",
                                                                 "catmull_rom", "natural", "bspline"};
const std::initializer_list<std::string_view> kExtrapolations = {"hold", "linear", "cycle", "cycle_offset"};

template <class Enum>
std::string_view word(std::initializer_list<std::string_view> words, Enum value) {
  return words.begin()[static_cast<int>(value)];
}

double from_degrees(double degrees) { return degrees * std::numbers::pi / 180; }

/// The degrees that read back as these radians, with few digits where several do; the nearest if none does.
double to_degrees(double radians) {
  const double nearest = radians * 180 / std::numbers::pi;
  const double infinity = std::numeric_limits<double>::infinity();
  double up = nearest, down = nearest;
  if (const double few = std::strtod(number_text(nearest, 15).c_str(), nullptr); from_degrees(few) == radians)
    return few;
  for (int k = 0; k < 3; ++k) {
    if (from_degrees(up) == radians) return up;
    if (from_degrees(down) == radians) return down;
    up = std::nextafter(up, infinity), down = std::nextafter(down, -infinity);
  }
  return nearest;
}

std::string json_text(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string list_text(const std::vector<double>& values, Unit unit = Unit::scalar) {
  std::string text = "[";
  for (std::size_t k = 0; k < values.size(); ++k)
    text += (k > 0 ? ", " : "") + exact_text(unit == Unit::angle ? to_degrees(values[k]) : values[k]);
  return text + "]";
}

std::string list_text(const std::vector<Vec4>& values) {
  std::string text = "[";
  for (std::size_t k = 0; k < values.size(); ++k)
    text += (k > 0 ? ", " : "") + list_text(std::vector<double>(values[k].begin(), values[k].end()));
  return text + "]";
}

std::string track_text(const Track& track, Unit unit) {
  const Curve& curve = track.curve;
  const std::string next = ",\n         ";
  std::string text = "        {\"control\": " + json_text(track.control) + ", \"unit\": \"" +
                     std::string(word(kUnits, unit)) + "\", \"interpolation\": \"" +
                     std::string(word(kInterpolations, curve.interpolation)) + "\"" + ", \"before\": \"" +
                     std::string(word(kExtrapolations, curve.before)) + "\", \"after\": \"" +
                     std::string(word(kExtrapolations, curve.after)) + "\"";
  text += next + "\"times\": " + list_text(curve.times);
  text += next + "\"values\": " + list_text(curve.values, unit);
  if (curve.interpolation == Interpolation::hermite) {
    text += next + "\"in_tangents\": " + list_text(curve.in_tangents, unit);
    text += next + "\"out_tangents\": " + list_text(curve.out_tangents, unit);
  }
  return text + "}";
}

std::string rotation_text(const RotationTrack& track) {
  const std::string next = ",\n         ";
  std::string text = "        {\"node\": " + json_text(track.node) + ", \"interpolation\": \"" +
                     std::string(word(kInterpolations, track.interpolation)) + "\"";
  text += next + "\"times\": " + list_text(track.times);
  text += next + "\"values\": " + list_text(track.values);
  if (track.interpolation == Interpolation::hermite) {
    text += next + "\"in_tangents\": " + list_text(track.in_tangents);
    text += next + "\"out_tangents\": " + list_text(track.out_tangents);
  }
  return text + "}";
}

template <class List, class Text>
std::string block(const List& list, Text text_of) {
  std::string text = "[";
  for (std::size_t k = 0; k < list.size(); ++k) text += (k > 0 ? ",\n" : "\n") + text_of(list[k]);
  return text + (list.empty() ? "]" : "\n      ]");
}

std::string clip_text(const Animation& clip, const CurveFile& file) {
  return "    {\n      \"name\": " + json_text(clip.name) + ",\n      \"duration\": " + exact_text(clip.duration) +
         ",\n      \"tracks\": " +
         block(clip.tracks, [&](const Track& track) { return track_text(track, file.unit_of(track.control)); }) +
         ",\n      \"rotations\": " + block(clip.rotations, rotation_text) + "\n    }";
}

/// Fast for good lists; bad ones are looked through again for the place to name.
std::vector<double> numbers(const Field& field, Unit unit = Unit::scalar) {
  if (!field.is_list()) return field.numbers();
  std::vector<double> values;
  values.reserve(field.json().size());
  for (const auto& item : field.json()) {
    if (!item.is_number() || !std::isfinite(item.get<double>())) return field.numbers();
    values.push_back(unit == Unit::angle ? from_degrees(item.get<double>()) : item.get<double>());
  }
  return values;
}

std::vector<Vec4> quaternions(const Field& field) {
  std::vector<Vec4> values;
  for (const Field& item : field.items()) {
    const std::vector<double> q = numbers(item);
    if (q.size() != 4) item.fail("has " + std::to_string(q.size()) + " numbers", "expected 4: x y z w");
    values.emplace_back(q[0], q[1], q[2], q[3]);
  }
  return values;
}

Track read_track(const Field& field, CurveFile& file) {
  field.allow(
      {"control", "unit", "interpolation", "before", "after", "times", "values", "in_tangents", "out_tangents"});
  Track track{.control = field["control"].text()};
  const Unit unit = static_cast<Unit>(field["unit"].one_of(kUnits));
  if (unit != unit_by_name(track.control)) file.units[track.control] = unit;
  Curve& curve = track.curve;
  curve.interpolation = static_cast<Interpolation>(field["interpolation"].one_of(kInterpolations));
  if (const auto before = field.find("before"))
    curve.before = static_cast<Extrapolation>(before->one_of(kExtrapolations));
  if (const auto after = field.find("after")) curve.after = static_cast<Extrapolation>(after->one_of(kExtrapolations));
  curve.times = numbers(field["times"]);
  curve.values = numbers(field["values"], unit);
  if (curve.interpolation == Interpolation::hermite) {
    curve.in_tangents = numbers(field["in_tangents"], unit);
    curve.out_tangents = numbers(field["out_tangents"], unit);
  }
  field.located([&] { curve.validate("curve \"" + track.control + "\""); });
  return track;
}

RotationTrack read_rotation(const Field& field) {
  field.allow({"node", "interpolation", "times", "values", "in_tangents", "out_tangents"});
  RotationTrack track{.node = field["node"].text()};
  track.interpolation = static_cast<Interpolation>(field["interpolation"].one_of({"step", "linear", "hermite"}));
  track.times = numbers(field["times"]);
  track.values = quaternions(field["values"]);
  if (track.interpolation == Interpolation::hermite) {
    track.in_tangents = quaternions(field["in_tangents"]);
    track.out_tangents = quaternions(field["out_tangents"]);
  }
  field.located([&] { track.validate("rotation of \"" + track.node + "\""); });
  return track;
}

Animation read_clip(const Field& field, CurveFile& file) {
  field.allow({"name", "duration", "tracks", "rotations"});
  Animation clip{.name = field["name"].text()};
  if (file.clip(clip.name)) field["name"].fail("is \"" + clip.name + "\" for a second time", "give each clip its own");
  if (const auto tracks = field.find("tracks"))
    for (const Field& track : tracks->items()) clip.tracks.push_back(read_track(track, file));
  if (const auto rotations = field.find("rotations"))
    for (const Field& track : rotations->items()) clip.rotations.push_back(read_rotation(track));
  const auto duration = field.find("duration");
  clip.duration = duration ? duration->number(0, 1e9) : last_key_time(clip);
  return clip;
}

}  // namespace

CurveFile parse_curves(std::string text, const std::string& name) {
  const JsonText json(std::move(text), name);
  const Field root = json.root();
  if (!root.is_object() || !root.find("kind") || root["kind"].text() != kKind)
    throw Error(
        {.file = name, .problem = "is no file of curves", .remedy = "it must say \"kind\": \"rigspace curves\""});
  root.allow({"kind", "schema", "name", "clips"});
  if (const int schema = root["schema"].integer(0, 1 << 30); schema != kSchema)
    root["schema"].fail("is " + std::to_string(schema), "this program reads " + std::to_string(kSchema));
  CurveFile file;
  if (const auto own = root.find("name"); own && own->json() != "") file.name = own->text();
  for (const Field& clip : root["clips"].items()) file.clips.push_back(read_clip(clip, file));
  return file;
}

CurveFile read_curves(const std::filesystem::path& path) { return parse_curves(read_text(path), path.string()); }

std::string to_curves_json(const CurveFile& file) {
  for (const Animation& clip : file.clips) {
    for (const Track& track : clip.tracks) track.curve.validate("curve \"" + track.control + "\"");
    for (const RotationTrack& track : clip.rotations) track.validate("rotation of \"" + track.node + "\"");
  }
  std::string text = "{\n  \"kind\": \"" + std::string(kKind) + "\",\n  \"schema\": " + std::to_string(kSchema) +
                     ",\n  \"name\": " + json_text(file.name) + ",\n  \"clips\": [";
  for (std::size_t k = 0; k < file.clips.size(); ++k) text += (k > 0 ? ",\n" : "\n") + clip_text(file.clips[k], file);
  return text + (file.clips.empty() ? "" : "\n  ") + "]\n}\n";
}

std::vector<CurveText> curves_rigspace_json(CurveJob& job) {
  return {{"", to_curves_json(curve_file(job.character, {&job.animation, 1}))}};
}

}  // namespace rigspace
