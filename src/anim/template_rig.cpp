#include "template_rig.h"

#include "rigspace/rig/built_in_rig.h"
#include "rigspace/rig/skeleton.h"

#include <algorithm>
#include <set>

namespace rigspace {

TemplateBody whole_body(const TriMesh& surface) {
  std::vector<int> used(surface.point_count(), -1), old;
  TriMesh compact;
  for (const Triangle& t : surface.triangles)
    for (const int v : t)
      if (used[v] < 0) used[v] = static_cast<int>(old.size()), old.push_back(v);
  compact.points.resize(3 * std::ssize(old));
  for (int k = 0; k < std::ssize(old); ++k) point(compact.points, k) = point(surface.points, old[k]);
  for (const Triangle& t : surface.triangles) compact.triangles.push_back({used[t[0]], used[t[1]], used[t[2]]});
  Weld welded = weld(compact);
  TemplateBody body{.mesh = std::move(welded.mesh), .source = {}};
  body.source.assign(body.mesh.point_count(), -1);
  for (int k = 0; k < std::ssize(old); ++k)
    if (body.source[welded.point[k]] < 0) body.source[welded.point[k]] = old[k];
  orient_outward(body.mesh);
  return body;
}

std::string node_name(const Character& character, const ControlGraph& graph, int bone) {
  const int slot = character.bones[bone].slot;
  const int first = slot < 0 ? -1 : first_control(graph, slot);
  return first < 0 ? character.bones[bone].name : graph.controls()[first].node;
}

RigPlan bare_plan(RigPlan plan, std::vector<std::string>& warnings) {
  plan.points_rest.resize(0), plan.pieces.clear(), plan.triangles.clear();
  int left_out = 0;
  for (const plan::Deformer& each : plan.deformers) left_out += !std::holds_alternative<plan::Skin>(each.kind);
  if (left_out > 0)
    warnings.push_back(left_out == 1 ? "a deformer of the template shaped its own points and is left out"
                                     : std::to_string(left_out) +
                                           " deformers of the template shaped its own points and are left out");
  plan.deformers.clear();
  std::set<std::string> known;
  for (const auto& each : plan.nodes) known.insert(each.name);
  for (const auto& each : plan.points) known.insert(each.name);
  for (const auto& each : plan.controls) known.insert(each.name);
  const auto is_lost = [&](const plan::Driver& driver) {
    return driver.mode != plan::Driver::Mode::value && !known.contains(driver.name) &&
           !known.contains(driver.name.substr(0, driver.name.rfind('.')));
  };
  for (const plan::Driver& each : plan.drivers)
    if (is_lost(each)) warnings.push_back("driver of \"" + each.name + "\" is left out with what it drives");
  std::erase_if(plan.drivers, is_lost);
  return plan;
}

std::map<std::string, Affine> transforms_at_rest(const BuiltRig& built) {
  Vec u;
  built.rig->evaluate_slots(*built.rig->make_workspace(), built.rig->rest(), u);
  std::map<std::string, Affine> transforms;
  for (const auto& [name, slot] : built.transforms)
    if (built.rig->graph().slots()[slot].size == kTransformSlot)
      transforms[name] = transform_at(u, built.rig->graph().slots()[slot]);
  return transforms;
}

std::vector<plan::Node> ordered(std::vector<plan::Node> nodes) {
  std::vector<plan::Node> result;
  std::set<std::string> waiting;
  for (const plan::Node& each : nodes) waiting.insert(each.name);
  while (!nodes.empty()) {
    const std::size_t before = nodes.size();
    std::vector<plan::Node> later;
    for (plan::Node& each : nodes) {
      if (waiting.contains(each.parent)) {
        later.push_back(std::move(each));
        continue;
      }
      waiting.erase(each.name);
      result.push_back(std::move(each));
    }
    nodes = std::move(later);
    if (nodes.size() == before) break;  // circular: `build` says so
  }
  return result;
}

}  // namespace rigspace
