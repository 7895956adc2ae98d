// The block "sketch" of rig files.

#include "rigspace/apps/sketch/abstraction.h"
#include "rigspace/base/error.h"
#include "rigspace/io/json_text.h"
#include "rigspace/io/rig_blocks.h"

#include <nlohmann/json.hpp>

namespace rigspace {
namespace {

constexpr std::string_view kProcedures[] = {"ordered", "nearest", "from stroke"};

int bone_of(const Field& field, const Character& character) {
  const std::string name = field.text();
  for (std::size_t b = 0; b < character.bones.size(); ++b)
    if (character.bones[b].name == name) return static_cast<int>(b);
  field.fail("is no joint of this character", "give the name of a joint");
}

PlacePart read_part(const Field& field, const Character& character) {
  field.allow({"point", "bone", "at", "weight"});
  PlacePart part;
  if (field.has("weight")) part.weight = field["weight"].number(-1e6, 1e6);
  if (const auto point = field.find("point")) {
    part.point = point->integer(0, character.rig->point_count() - 1);
    return part;
  }
  part.bone = bone_of(field["bone"], character);
  part.rest = field["at"].vec3();
  return part;
}

SketchCurve read_curve(const Field& field, const Character& character) {
  field.allow({"name", "closed", "places"});
  SketchCurve curve{.name = field["name"].text()};
  if (const auto closed = field.find("closed")) curve.closed = closed->boolean();
  for (const Field& place : field["places"].items()) {
    CurvePlace parts;
    if (place.is_list())
      for (const Field& part : place.items()) parts.push_back(read_part(part, character));
    else
      parts.push_back(read_part(place, character));
    if (parts.empty() || parts.size() > 4)
      place.fail("has " + std::to_string(parts.size()) + " parts", "expected 1 to 4");
    curve.places.push_back(std::move(parts));
  }
  if (curve.places.size() < 2) field.fail("has fewer than two places", "a curve needs a beginning and an end");
  return curve;
}

std::vector<SketchAbstraction> read_abstractions(const Field& block, const Character& character) {
  block.allow({"abstractions"});
  std::vector<SketchAbstraction> abstractions;
  for (const Field& each : block["abstractions"].items()) {
    each.allow({"name", "camera", "procedure", "pooled", "curves"});
    SketchAbstraction made{.name = each["name"].text()};
    if (const auto camera = each.find("camera")) made.camera = camera->text();
    if (const auto procedure = each.find("procedure"))
      made.correspondence = static_cast<Correspondence>(procedure->one_of(kProcedures));
    if (const auto pooled = each.find("pooled")) made.pooled = pooled->boolean();
    if (made.pooled && made.correspondence == Correspondence::ordered)
      each.fail("is pooled and ordered", "pooled curves need the procedure \"nearest\" or \"from stroke\"");
    for (const Field& curve : each["curves"].items()) made.curves.push_back(read_curve(curve, character));
    if (made.curves.empty()) each.fail("has no curves", "give at least one");
    abstractions.push_back(std::move(made));
  }
  return abstractions;
}

std::shared_ptr<const CharacterExtension> read_block(const Field& block, const RiggedCharacter& rigged) {
  auto sketch = std::make_shared<SketchBlock>();
  sketch->abstractions = read_abstractions(block, rigged.character);
  return sketch;
}

std::string write_block(const CharacterExtension& extension, const RiggedCharacter& rigged) {
  using Json = nlohmann::ordered_json;
  Json list = Json::array();
  for (const SketchAbstraction& each : dynamic_cast<const SketchBlock&>(extension).abstractions) {
    Json made{{"name", each.name}};
    if (!each.camera.empty()) made["camera"] = each.camera;
    made["procedure"] = kProcedures[static_cast<int>(each.correspondence)];
    if (each.pooled) made["pooled"] = true;
    Json& curves = made["curves"] = Json::array();
    for (const SketchCurve& curve : each.curves) {
      Json places = Json::array();
      for (const CurvePlace& place : curve.places) {
        Json parts = Json::array();
        for (const PlacePart& part : place) {
          Json one;
          if (part.point >= 0)
            one["point"] = part.point;
          else
            one["bone"] = rigged.character.bones[static_cast<std::size_t>(part.bone)].name,
            one["at"] = {part.rest.x(), part.rest.y(), part.rest.z()};
          if (part.weight != 1) one["weight"] = part.weight;
          parts.push_back(std::move(one));
        }
        places.push_back(parts.size() == 1 ? parts[0] : parts);
      }
      Json written{{"name", curve.name}};
      if (curve.closed) written["closed"] = true;
      written["places"] = std::move(places);
      curves.push_back(std::move(written));
    }
    list.push_back(std::move(made));
  }
  return Json{{"abstractions", std::move(list)}}.dump();
}

}  // namespace

std::vector<SketchAbstraction> parse_abstractions(std::string text, const std::string& name,
                                                  const Character& character) {
  const JsonText json(std::move(text), name);
  std::vector<SketchAbstraction> abstractions = read_abstractions(json.root(), character);
  if (abstractions.empty()) json.root()["abstractions"].fail("is empty", "give at least one");
  return abstractions;
}

void register_sketch_block() { register_rig_block({.name = "sketch", .read = read_block, .write = write_block}); }

}  // namespace rigspace
