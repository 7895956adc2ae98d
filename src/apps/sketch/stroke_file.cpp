#include "rigspace/apps/sketch/stroke_file.h"

#include "rigspace/base/error.h"
#include "rigspace/base/files.h"
#include "rigspace/io/json_text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace rigspace {
namespace {

/// A number, or NaN for null, which is how JSON says that a number is none: check_stroke says which stroke it is in.
double coordinate(const Field& field) { return field.is_null() ? std::nan("") : field.number(); }

void read_points(const Field& list, const StrokeFile& file, Stroke& stroke) {
  for (const Field& each : list.items()) {
    const std::vector<Field> xy = each.items();
    if (xy.size() != 2) each.fail("has " + std::to_string(xy.size()) + " numbers", "expected x and y");
    const Vec2 at(coordinate(xy[0]), coordinate(xy[1]));
    stroke.points.push_back(file.height > 0 ? view_from_pixels(at, file.width, file.height) : at);
  }
}

std::string camera_text(const Field& camera) { return camera.is_object() ? camera.json().dump() : camera.text(); }

nlohmann::ordered_json camera_field(const std::string& camera) {
  using Json = nlohmann::ordered_json;
  return camera.starts_with('{') ? Json::parse(camera) : Json(camera);
}

}  // namespace

StrokeFile parse_strokes(std::string text, const std::string& name) {
  const JsonText json(std::move(text), name);
  const Field root = json.root();
  root.allow({"width", "height", "camera", "strokes"});
  StrokeFile file;
  if (root.has("width") != root.has("height"))
    root.fail("has a width or a height alone", "give both, in pixels, or neither");
  if (root.has("width"))
    file.width = root["width"].integer(1, 1 << 20), file.height = root["height"].integer(1, 1 << 20);
  if (const auto camera = root.find("camera")) file.camera = camera_text(*camera);
  std::vector<std::pair<std::size_t, Field>> pairs;
  for (const Field& each : root["strokes"].items()) {
    Stroke stroke;
    if (each.is_list()) {
      read_points(each, file, stroke);
    } else {
      each.allow({"points", "closed", "name", "curve", "time", "to", "part", "camera", "abstraction"});
      read_points(each["points"], file, stroke);
      if (const auto closed = each.find("closed")) stroke.closed = closed->boolean();
      if (const auto own = each.find("name")) stroke.name = own->any_text();
      if (const auto curve = each.find("curve")) stroke.curve = curve->any_text();
      if (const auto part = each.find("part")) stroke.part = part->any_text();
      if (const auto time = each.find("time")) stroke.time = time->number(0, 1e6);
      if (const auto camera = each.find("camera")) stroke.camera = camera_text(*camera);
      if (const auto abstraction = each.find("abstraction")) stroke.abstraction = abstraction->text();
      if (const auto to = each.find("to")) pairs.emplace_back(file.strokes.size(), *to);
    }
    file.strokes.push_back(std::move(stroke));
  }
  for (const auto& [k, to] : pairs) {
    const std::string wanted = to.text();
    const auto found =
        std::find_if(file.strokes.begin(), file.strokes.end(), [&](const Stroke& s) { return s.name == wanted; });
    if (found == file.strokes.end())
      to.fail("is the name of no stroke", "give the name of the stroke that says where it goes");
    file.strokes[k].to = static_cast<int>(found - file.strokes.begin());
  }
  return file;
}

StrokeFile read_strokes(const std::filesystem::path& path) {
  std::string text = read_text(path);
  std::string ending = path.extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return ending == ".svg" ? parse_svg_strokes(text, path.string()) : parse_strokes(std::move(text), path.string());
}

std::string to_strokes_json(const StrokeFile& file) {
  using Json = nlohmann::ordered_json;
  Json json;
  if (file.height > 0) json["width"] = file.width, json["height"] = file.height;
  if (!file.camera.empty()) json["camera"] = camera_field(file.camera);
  Json& strokes = json["strokes"] = Json::array();
  for (const Stroke& stroke : file.strokes) {
    Json each;
    if (!stroke.name.empty()) each["name"] = stroke.name;
    if (!stroke.curve.empty()) each["curve"] = stroke.curve;
    if (!stroke.part.empty()) each["part"] = stroke.part;
    if (stroke.time != 0) each["time"] = stroke.time;
    if (stroke.closed) each["closed"] = true;
    if (!stroke.camera.empty()) each["camera"] = camera_field(stroke.camera);
    if (!stroke.abstraction.empty()) each["abstraction"] = stroke.abstraction;
    if (stroke.to >= 0) each["to"] = file.strokes[static_cast<std::size_t>(stroke.to)].name;
    Json& points = each["points"] = Json::array();
    for (const Vec2& z : stroke.points) {
      const Vec2 at = file.height > 0 ? pixels_from_view(z, file.width, file.height) : z;
      const double grid = file.height > 0 ? 1e2 : 1e5;
      points.push_back({std::round(at.x() * grid) / grid, std::round(at.y() * grid) / grid});
    }
    strokes.push_back(std::move(each));
  }
  return json.dump(1) + "\n";
}

std::string to_strokes_svg(const StrokeFile& file) {
  const int width = file.height > 0 ? file.width : 1000, height = file.height > 0 ? file.height : 1000;
  std::string text = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\">\n"
      "<g fill=\"none\" stroke=\"#c22\" stroke-width=\"{2}\" stroke-linecap=\"round\">\n",
      width, height, std::max(1, height / 160));
  for (const Stroke& stroke : file.strokes) {
    std::string id;
    for (const char c : stroke.name) id += c == '"' || c == '<' || c == '&' || c == '>' ? '_' : c;
    text += fmt::format("<path id=\"{}\" d=\"", id);
    for (std::size_t k = 0; k < stroke.points.size(); ++k) {
      const Vec2 at = pixels_from_view(stroke.points[k], width, height);
      text += fmt::format("{}{:.2f} {:.2f}", k == 0 ? "M" : " L", at.x(), at.y());
    }
    text += stroke.closed ? " Z\"/>\n" : "\"/>\n";
  }
  return text + "</g>\n</svg>\n";
}

}  // namespace rigspace
