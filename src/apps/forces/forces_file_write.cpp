#include "rigspace/apps/forces/forces_file.h"

#include <nlohmann/json.hpp>

#include <map>

namespace rigspace {
namespace {

using OrderedJson = nlohmann::ordered_json;

OrderedJson json_of(const Vec3& x) { return OrderedJson::array({x.x(), x.y(), x.z()}); }

OrderedJson lattice_json(const GivenLattice& given, const ForceSkeleton& skeleton) {
  OrderedJson vertices = OrderedJson::array(), cells = OrderedJson::array(), held = OrderedJson::object();
  for (const Vec3& x : given.lattice.vertices) vertices.push_back(json_of(x));
  for (const auto& cell : given.lattice.cells) cells.push_back(cell);
  for (const HeldVertex& each : given.held) held[skeleton.names[each.bone]].push_back(each.vertex);
  return {{"cell", given.cell}, {"vertices", vertices}, {"hexahedra", cells}, {"held", held}};
}

OrderedJson body_json(const ForceBodyOptions& options) {
  return {{"young", options.material.young}, {"poisson", options.material.poisson},  {"density", options.density},
          {"twist", options.twist},          {"twist_radius", options.twist_radius}, {"unit", options.unit}};
}

OrderedJson belts_json(const std::vector<BeltPlan>& plans) {
  OrderedJson belts = OrderedJson::array();
  for (const BeltPlan& plan : plans)
    belts.push_back({{"name", plan.name},
                     {"bone", plan.bone},
                     {"along", plan.along},
                     {"width", plan.width},
                     {"tight", plan.tight}});
  return belts;
}

OrderedJson rig_json(const ForceRigPart& part, const ForceRig& rig) {
  const int control = rig.find(part.control);
  const bool angle = control >= 0 && rig.controls()[control].unit == Unit::angle;
  OrderedJson json{{"name", part.name}, {"control", part.control}};
  if (part.is_template()) {
    const TemplateForce& force = part.force.front();
    json["template"] = name(force.kind);
    if (force.guide.kind == GuideKind::bone) json["bone"] = force.guide.bone;
    if (force.guide.kind == GuideKind::skin) json["skin"] = json_of(force.guide.place);
  }
  if (!part.splits.empty()) json["split"] = part.splits;
  for (const auto& sample : part.samples) {
    OrderedJson each{{"at", angle ? sample.at / kDegree : sample.at}};
    if (part.is_template()) {
      const auto names = part.force.front().parameter_names();
      for (std::size_t k = 0; k < names.size(); ++k) {
        const double value = sample.value[static_cast<Eigen::Index>(k)];
        each[std::string(names[k])] = is_angle(names[k]) ? value / kDegree : value;
      }
    } else {
      for (Eigen::Index i = 0; i < sample.value.size(); i += 3)
        each["forces"].push_back(json_of(sample.value.segment<3>(i)));
    }
    json["samples"].push_back(each);
  }
  return json;
}

}  // namespace

// One line a rig and a section: lists of numbers are long.
std::string to_forces_json(const ForcesPlan& plan, const ForceRig& rig) {
  std::string text = "{\n  \"rigspace_rig\": 1,\n  \"kind\": \"forces\",\n";
  text += "  \"mesh\": " + OrderedJson(plan.mesh).dump() + ",\n";
  OrderedJson cover;
  if (plan.options.cover.cell > 0)
    cover["cell"] = plan.options.cover.cell;
  else
    cover["cells"] = plan.options.cover.cells;
  text += "  \"lattice\": " + (plan.lattice ? lattice_json(*plan.lattice, rig.body().skeleton) : cover).dump() + ",\n";
  text += "  \"body\": " + body_json(plan.options).dump() + ",\n";
  if (!plan.options.belts.empty()) text += "  \"belts\": " + belts_json(plan.options.belts).dump() + ",\n";
  text += "  \"rigs\": [";
  for (std::size_t k = 0; k < plan.rigs.size(); ++k)
    text += (k > 0 ? ",\n    " : "\n    ") + rig_json(plan.rigs[k], rig).dump();
  return text + (plan.rigs.empty() ? "]\n}\n" : "\n  ]\n}\n");
}

}  // namespace rigspace
