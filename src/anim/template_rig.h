#pragma once
// Private to anim: a template's body and rig, apart from each other.

#include "rigspace/anim/character.h"
#include "rigspace/base/types.h"
#include "rigspace/rig/rig_plan.h"

#include <map>
#include <string>
#include <vector>

namespace rigspace {

/// The points that triangles use, merged where they meet, facing outward.
struct TemplateBody {
  TriMesh mesh;
  std::vector<int> source;  ///< of each point, one of those that were merged
};
TemplateBody whole_body(const TriMesh& surface);

/// What a plan calls the node of a bone.
std::string node_name(const Character& character, const ControlGraph& graph, int bone);

/// The plan without what moves points. `warnings` gets a sentence for what is left out, skins apart.
RigPlan bare_plan(RigPlan plan, std::vector<std::string>& warnings);

/// Every named transform of a rig at rest.
std::map<std::string, Affine> transforms_at_rest(const BuiltRig& built);

/// Nodes with parents first.
std::vector<plan::Node> ordered(std::vector<plan::Node> nodes);

}  // namespace rigspace
