// A rig that was built in code, as a plan.

#include "rigspace/base/error.h"
#include "rigspace/rig/rig_plan.h"
#include "rigspace/rig/skeleton.h"

namespace rigspace {

RigPlan plan_of(const BuiltInRig& rig) {
  RigPlan plan;
  plan.points_rest = rig.points_rest();
  const ControlGraph& graph = rig.graph();
  std::vector<std::string> name_of(graph.slots().size());
  const auto refuse = [](const std::string& what) {
    throw Error({.element = what, .problem = "is no node, skin or blend shape", .remedy = "describe this rig by hand"});
  };
  for (int s = 0; s < static_cast<int>(graph.slots().size()); ++s) {
    if (const NodeDescription* node = node_description(graph, s)) {
      if (!node->driven.empty()) refuse("driven node \"" + node->name + "\"");
      name_of[s] = graph.controls()[first_control(graph, s)].node;
      plan.nodes.push_back({.name = name_of[s],
                            .parent = node->parent_slot < 0 ? std::string() : name_of[node->parent_slot],
                            .translation = node->translation,
                            .rotation = node->rotation,
                            .scale = node->scale,
                            .constant = node->constant,
                            .typical_length = node->typical_length});
      continue;
    }
    const int control = passed_control(graph, s);
    if (control < 0) refuse("slot " + std::to_string(s));
    name_of[s] = graph.controls()[control].name;
    plan.controls.push_back(graph.controls()[control]);
  }
  for (const auto& deformer : rig.deformers()) {
    const std::string run = "run" + std::to_string(plan.deformers.size());
    plan.pieces.push_back({run, deformer->first(), deformer->count()});
    plan::Deformer each{.name = run, .pieces = {run}, .kind = {}};
    if (const SkinDescription* skin = skin_description(*deformer)) {
      plan::Skin made{.dual_quaternion = !is_linear_skin(*deformer),
                      .joints = {},
                      .inverse_bind = skin->inverse_bind,
                      .influences = skin->influences};
      for (const int slot : skin->joint_slots) made.joints.push_back(name_of[slot]);
      each.kind = std::move(made);
    } else if (!morph_targets(*deformer).empty()) {
      plan::Shapes shapes;
      for (const MorphTarget& target : morph_targets(*deformer)) {
        // Quoted, since names of controls may hold any character.
        std::string quoted = "'";
        for (const char c : name_of[target.weight_slot]) quoted += c == '\'' ? std::string("''") : std::string(1, c);
        shapes.targets.push_back({.name = name_of[target.weight_slot],
                                  .weight = plan::Value(quoted + "'"),
                                  .points = target.points,
                                  .offsets = target.offsets});
      }
      each.kind = std::move(shapes);
    } else {
      refuse("deformer " + std::to_string(plan.deformers.size()));
    }
    plan.deformers.push_back(std::move(each));
  }
  return plan;
}

}  // namespace rigspace
