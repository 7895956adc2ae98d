// Cages in rig files: the deformer of type "cage".

#include "rig_file_cage.h"

#include "rig_file_fields.h"
#include "rigspace/rig/cage_plan.h"

#include <nlohmann/json.hpp>

namespace rigspace {
namespace {

constexpr const char* kCageOutside[] = {"refuse", "still", "extend"};

std::shared_ptr<const plan::OwnDeformer> read_cage(const Field& field) {
  field.allow({"type", "name", "pieces", "points", "faces", "coordinates", "outside", "nodes", "rays", "drop_below"});
  auto cage = std::make_shared<plan::Cage>();
  for (const Field& each : field["points"].items()) {
    if (each.is_text())
      cage->points.push_back({.node = each.text()});
    else
      cage->points.push_back({.node = {}, .position = each.vec3()});
  }
  const int count = static_cast<int>(cage->points.size());
  if (count < 4) field["points"].fail("has " + std::to_string(count) + " points", "expected 4 or more");
  for (const Field& each : field["faces"].items()) {
    std::vector<int> corners;
    for (const Field& corner : each.items()) corners.push_back(corner.integer(0, count - 1));
    if (corners.size() < 3)
      each.fail("has " + std::to_string(corners.size()) + " points", "expected 3 or more, counted from 0");
    for (std::size_t k = 1; k + 1 < corners.size(); ++k)
      cage->faces.push_back({corners[0], corners[k], corners[k + 1]});
  }
  CageOptions& options = cage->coordinates;
  options.drop_below = 1e-5;
  if (const auto family = field.find("coordinates")) {
    std::vector<std::string_view> names;
    for (const CageFamily each : cage_families()) names.push_back(name(each));
    options.family = cage_families()[family->one_of(names)];
  }
  if (const auto outside = field.find("outside"))
    options.outside = static_cast<CageOutside>(outside->one_of({kCageOutside[0], kCageOutside[1], kCageOutside[2]}));
  read_optional(field, "nodes", options.nodes, [](const Field& f) { return f.integer(50, 200000); });
  read_optional(field, "rays", options.rays, [](const Field& f) { return f.integer(16, 1000000); });
  read_number(field, "drop_below", options.drop_below, 0, 0.099);
  return cage;
}

std::string write_cage(const plan::OwnDeformer& deformer) {
  const auto& cage = dynamic_cast<const plan::Cage&>(deformer);
  const CageOptions usual, &options = cage.coordinates;
  Field::Json to{{"coordinates", name(options.family)}};
  if (options.outside != usual.outside) to["outside"] = kCageOutside[static_cast<int>(options.outside)];
  if (options.nodes != usual.nodes) to["nodes"] = options.nodes;
  if (options.rays != usual.rays) to["rays"] = options.rays;
  if (options.drop_below != 1e-5) to["drop_below"] = options.drop_below;
  to["points"] = Field::Json::array();
  for (const plan::CagePoint& each : cage.points) {
    if (each.node.empty())
      to["points"].push_back({each.position.x(), each.position.y(), each.position.z()});
    else
      to["points"].push_back(each.node);
  }
  to["faces"] = cage.faces;
  return to.dump();
}

}  // namespace

RigDeformerType cage_type() { return {.name = "cage", .read = read_cage, .write = write_cage}; }

}  // namespace rigspace
