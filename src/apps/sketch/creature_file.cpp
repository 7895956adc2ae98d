#include "rigspace/apps/sketch/creature_file.h"

#include "rigspace/apps/sketch/pose_by_sketch.h"
#include "rigspace/base/suggestion.h"
#include "rigspace/io/json_text.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace rigspace {
namespace creature_file {
namespace {

constexpr int kVersion = 1;
constexpr const char* kDatabase = "dragon";

double shown(const Control& control, double value) { return control.unit == Unit::angle ? value / kDegree : value; }

int bone_named(const Character& character, const std::string& name) {
  for (std::size_t b = 0; b < character.bones.size(); ++b)
    if (character.bones[b].name == name) return static_cast<int>(b);
  return -1;
}

/// Refuses what is no creature, before anything else in it is looked at.
Field creature_root(const JsonText& json) {
  const Field root = json.root();
  const auto kind = root.json().is_object() ? root.find("rigspace") : std::nullopt;
  if (!kind || !kind->json().is_string() || kind->json().get<std::string>() != "creature")
    root.fail("is no creature of rigspace", "`rigspace sketch build -o creature.json` writes them");
  if (const int version = root["version"].integer(0, 1 << 30); version != kVersion)
    root["version"].fail("is " + std::to_string(version), "this program reads version " + std::to_string(kVersion));
  root.allow({"rigspace", "version", "parts of", "camera", "parts"});
  if (root["parts of"].text() != kDatabase) root["parts of"].fail("is not known", "there are parts of a dragon");
  return root;
}

Stroke read_stroke(const Field& field) {
  Stroke stroke;
  if (!field.is_list()) field.allow({"points", "closed"});
  if (!field.is_list() && field.has("closed")) stroke.closed = field["closed"].boolean();
  for (const Field& each : (field.is_list() ? field : field["points"]).items()) {
    const std::vector<Field> xy = each.items();
    if (xy.size() != 2) each.fail("has " + std::to_string(xy.size()) + " numbers", "expected x and y");
    stroke.points.emplace_back(xy[0].number(), xy[1].number());
  }
  return stroke;
}

FittedPart read_part(const Field& field, const Creature& creature) {
  field.allow({"kind", "probability", "on", "values", "strokes"});
  FittedPart part;
  std::vector<std::string> kinds;
  for (const CreaturePart& each : creature.database()) kinds.push_back(each.name);
  const std::string kind = field["kind"].text();
  part.part = static_cast<int>(std::find(kinds.begin(), kinds.end(), kind) - kinds.begin());
  if (part.part == static_cast<int>(kinds.size()))
    field["kind"].fail("is \"" + kind + "\", which is no part of a dragon", suggestion(kind, kinds, "give another"));
  if (const auto probability = field.find("probability")) part.probability = probability->number(0, 1);
  const CreaturePart& own = creature.database()[static_cast<std::size_t>(part.part)];
  part.p = own.character.rig->rest();
  for (const auto& [name, value] : field["values"].json().items()) {
    const Field given = field["values"][name];
    const int c = own.character.rig->find(name);
    if (c < 0) given.fail("is no control of the part \"" + kind + "\"", "is the file from another version?");
    const Control& control = own.character.rig->controls()[c];
    part.p[c] = given.number() * (control.unit == Unit::angle ? kDegree : 1);
    if (control.group == "place") continue;  // attaching moves a part wherever its carrier is
    if (part.p[c] < control.min - 1e-6 || part.p[c] > control.max + 1e-6)
      given.fail("is beyond the limits of its control", "give a value between them");
  }
  for (const Field& each : field["strokes"].items()) part.strokes.push_back(read_stroke(each));
  part.seen = seen_icon(own, creature.camera(), part.p);
  return part;
}

}  // namespace
}  // namespace creature_file

std::string to_creature_json(const Creature& creature) {
  using namespace creature_file;
  using Json = nlohmann::ordered_json;
  Json json{{"rigspace", "creature"},
            {"version", kVersion},
            {"parts of", kDatabase},
            {"camera", Json::parse(camera_json(creature.camera()))}};
  Json& list = json["parts"] = Json::array();
  for (const FittedPart& part : creature.parts()) {
    const CreaturePart& own = creature.database()[static_cast<std::size_t>(part.part)];
    Json made{{"kind", own.name}, {"probability", part.probability}};
    if (part.carrier >= 0) {
      const FittedPart& carrier = creature.parts()[static_cast<std::size_t>(part.carrier)];
      const Character& on = creature.database()[static_cast<std::size_t>(carrier.part)].character;
      made["on"] = {{"part", part.carrier}, {"bone", on.bones[static_cast<std::size_t>(part.carrier_bone)].name}};
    }
    Json& values = made["values"] = Json::object();
    const Rig& rig = *own.character.rig;
    for (int c = 0; c < part.p.size(); ++c)
      if (part.p[c] != rig.controls()[c].rest) values[rig.controls()[c].name] = shown(rig.controls()[c], part.p[c]);
    Json& strokes = made["strokes"] = Json::array();
    for (const Stroke& stroke : part.strokes) {
      Json points = Json::array();
      for (const Vec2& z : stroke.points)
        points.push_back({std::round(z.x() * 1e5) / 1e5, std::round(z.y() * 1e5) / 1e5});
      strokes.push_back(stroke.closed ? Json{{"closed", true}, {"points", points}} : points);
    }
    list.push_back(std::move(made));
  }
  return json.dump(1) + "\n";
}

Camera creature_camera(const std::string& text, const std::string& name) {
  const JsonText json(text, name);
  return sketch_camera(creature_file::creature_root(json)["camera"].json().dump(), Vec::Zero(3), 1);
}

void read_creature(std::string text, const std::string& name, Creature& creature) {
  using namespace creature_file;
  const JsonText json(std::move(text), name);
  const std::vector<Field> list = creature_root(json)["parts"].items();
  std::vector<FittedPart> parts;
  for (const Field& field : list) parts.push_back(read_part(field, creature));
  for (std::size_t k = 0; k < list.size(); ++k) {
    const auto on = list[k].find("on");
    if (!on) continue;
    on->allow({"part", "bone"});
    if (creature.database()[static_cast<std::size_t>(parts[k].part)].carries)
      on->fail("is of a part that carries others", "a torso is attached to nothing");
    parts[k].carrier = (*on)["part"].integer(0, static_cast<int>(parts.size()) - 1);
    const FittedPart& carrier = parts[static_cast<std::size_t>(parts[k].carrier)];
    const CreaturePart& kind = creature.database()[static_cast<std::size_t>(carrier.part)];
    if (!kind.carries) (*on)["part"].fail("is a part that carries none", "parts are attached to a torso");
    parts[k].carrier_bone = bone_named(kind.character, (*on)["bone"].text());
    if (parts[k].carrier_bone < 0)
      (*on)["bone"].fail("is no bone of the part \"" + kind.name + "\"", "give the name of one of its bones");
  }
  creature.set_parts(std::move(parts));
}

}  // namespace rigspace
