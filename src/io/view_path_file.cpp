#include "rigspace/io/view_path_file.h"

#include "rigspace/base/files.h"
#include "rigspace/io/json_text.h"

#include <optional>

namespace rigspace {

ViewPath parse_view_path(std::string text, const std::string& name) {
  const JsonText json(std::move(text), name);
  const Field root = json.root();
  root.allow({"spline", "speed", "keys"});
  ViewSpline spline = ViewSpline::catmull_rom;
  if (const auto field = root.find("spline"))
    spline =
        static_cast<ViewSpline>(field->one_of({"linear", "catmull_rom", "kochanek_bartels", "natural", "bspline"}));
  const auto speed = root.find("speed");
  const bool constant = speed && speed->one_of({"keys", "constant"}) == 1;
  std::vector<ViewKey> keys;
  for (const Field& each : root["keys"].items()) {
    each.allow({"time", "eye", "target", "fov", "tension", "continuity", "bias"});
    ViewKey& key = keys.emplace_back();
    key.time = each["time"].number(), key.eye = each["eye"].vec3(), key.target = each["target"].vec3();
    if (const auto fov = each.find("fov")) key.fov = fov->number(1, 120) * kDegree;
    for (const auto& [word, value] :
         {std::pair{"tension", &key.tension}, {"continuity", &key.continuity}, {"bias", &key.bias}})
      if (const auto field = each.find(word)) {
        if (spline != ViewSpline::kochanek_bartels)
          field->fail("goes with the spline kochanek_bartels", "leave it out, or set \"spline\"");
        *value = field->number(-1, 1);
      }
  }
  std::optional<ViewPath> path;
  root["keys"].located([&] { path.emplace(keys, spline, constant); });
  return *std::move(path);
}

ViewPath read_view_path(const std::filesystem::path& path) { return parse_view_path(read_text(path), path.string()); }

}  // namespace rigspace
