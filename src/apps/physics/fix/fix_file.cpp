#include "fix_json.h"

#include "rigspace/base/files.h"
#include "rigspace/jobs/recipe_envelope.h"

#include <algorithm>

namespace rigspace {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kKind = "rigspace fix";
constexpr int kSchema = 1;

Json keys_json(const Curve& curve) {
  Json json = Json::array();
  for (std::size_t k = 0; k < curve.times.size(); ++k)
    json.push_back({curve.times[k], curve.values[k], curve.in_tangents[k], curve.out_tangents[k]});
  return json;
}

/// [[time, value], ..], flat at such a key, or with the slopes before and after it, per second.
Curve read_fix_keys(const Field& place) {
  Curve curve{.interpolation = Interpolation::hermite};
  for (const Field& key : place.items()) {
    const std::vector<double> numbers = key.numbers();
    if (numbers.size() != 2 && numbers.size() != 4)
      key.fail("is no key", "expected [time, value], or [time, value, slope before, slope after]");
    if (!curve.times.empty() && !(numbers[0] > curve.times.back()))
      key.fail("is not later than the key before it", "keys stand in the order of their times, s");
    curve.times.push_back(numbers[0]), curve.values.push_back(numbers[1]);
    curve.in_tangents.push_back(numbers.size() == 4 ? numbers[2] : 0);
    curve.out_tangents.push_back(numbers.size() == 4 ? numbers[3] : 0);
  }
  if (curve.times.empty()) place.fail("has no key", "expected [[time, value], ..], or leave the control out");
  return curve;
}

}  // namespace

Json json_of(const ClipFix& fix) {
  Json json = Json::object();
  if (fix.influence != 1) json["influence"] = fix.influence;
  if (fix.mute) json["mute"] = true;
  if (!fix.tracks.empty()) json["curves"] = Json::object();
  for (const Track& track : fix.tracks) json["curves"][track.control] = keys_json(track.curve);
  return json;
}

ClipFix read_clip_fix(const Field& place, std::string_view also) {
  std::vector<std::string_view> known{"influence", "mute", "curves"};
  if (!also.empty()) known.push_back(also);
  place.allow(known);
  ClipFix fix;
  if (const auto influence = place.find("influence")) fix.influence = influence->number(0, 1);
  if (const auto mute = place.find("mute")) fix.mute = mute->boolean();
  if (const auto curves = place.find("curves"))
    for (const auto& [control, keys] : curves->members()) fix.tracks.push_back({control, read_fix_keys(keys)});
  return fix;
}

FixFile parse_fix(std::string_view text, const std::string& name) {
  const JsonText document(std::string(text), name);
  const Field root = document.root();
  if (!root.is_object() || !root.has("kind") || !root["kind"].is_text() || root["kind"].any_text() != kKind)
    throw Error({.file = name,
                 .problem = "is no file of corrections",
                 .remedy = "it begins with \"kind\": \"" + std::string(kKind) + "\", \"schema\": 1, \"clips\": [..]"});
  root.allow({"kind", "schema", "clips"});
  if (const std::int64_t schema = root["schema"].count(); schema != kSchema)
    root["schema"].fail("is " + std::to_string(schema), "this program reads " + std::to_string(kSchema));
  FixFile file{.name = name};
  for (const Field& clip : root["clips"].items())
    file.clips.push_back({.clip = clip["clip"].text(), .fix = read_clip_fix(clip, "clip")});
  return file;
}

FixFile read_fix(const std::filesystem::path& path) { return parse_fix(read_text(path), path.string()); }

std::string fix_text(const FixFile& file) {
  Json json{{"kind", kKind}, {"schema", kSchema}, {"clips", Json::array()}};
  for (const FixFile::Clip& each : file.clips) {
    if (each.fix.empty()) continue;
    Json clip{{"clip", each.clip}};
    clip.update(json_of(each.fix));
    json["clips"].push_back(std::move(clip));
  }
  return recipe_json_text(json);
}

}  // namespace rigspace
