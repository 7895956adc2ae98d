#include "flesh_ties.h"

#include "rigspace/base/affine.h"
#include "rigspace/body/interior_response.h"
#include "rigspace/geometry/harmonic.h"
#include "rigspace/rig/built_in_rig.h"
#include "rigspace/rig/skeleton.h"

#include <algorithm>
#include <map>

namespace rigspace {
namespace {

/// The character's rig with the nodes of the flesh as further points, each skinned by its own weights.
std::unique_ptr<BuiltInRig> rig_with_nodes(const Character& character, const Flesh& flesh) {
  const auto& whole = dynamic_cast<const BuiltInRig&>(*character.rig);
  Vec u;
  whole.evaluate_slots(*whole.make_workspace(), whole.rest(), u);
  SkinDescription skin{.first_point = whole.point_count()};
  std::map<int, int> joint_of_bone;
  for (const auto& weights : flesh.bones) {
    std::vector<Influence> influences;
    for (const auto& [bone, weight] : weights) {
      const auto [at, fresh] = joint_of_bone.emplace(bone, static_cast<int>(skin.joint_slots.size()));
      if (fresh) {
        const int slot = character.bones[bone].slot;
        skin.joint_slots.push_back(slot);
        skin.inverse_bind.push_back(inverse(transform_at(u, whole.graph().slots()[slot])));
      }
      influences.push_back({at->second, weight});
    }
    skin.influences.push_back(std::move(influences));
  }
  Vec points(whole.points_rest().size() + flesh.mesh.points.size());
  points << whole.points_rest(), flesh.mesh.points;
  std::vector<std::shared_ptr<const Deformer>> deformers(whole.deformers().begin(), whole.deformers().end());
  deformers.push_back(make_linear_blend_skin(skin));
  return std::make_unique<BuiltInRig>(whole.shared_graph(), std::move(points), std::move(deformers));
}

}  // namespace

void tie_nodes(const Character& character, const Flesh& flesh, SteppedBody& body) {
  const int surface = character.rig->point_count();
  const auto on_surface = [&](int i) { return !flesh.on_surface[i].empty(); };
  std::vector<int> needed;
  for (int i = 0; i < flesh.mesh.point_count(); ++i) {
    if (on_surface(i))
      for (const auto& [point, weight] : flesh.on_surface[i]) needed.push_back(point);
    else
      needed.push_back(surface + i);
  }
  std::sort(needed.begin(), needed.end());
  needed.erase(std::unique(needed.begin(), needed.end()), needed.end());
  const auto place = [&](int point) {
    return static_cast<int>(std::lower_bound(needed.begin(), needed.end(), point) - needed.begin());
  };
  for (int i = 0; i < flesh.mesh.point_count(); ++i) {
    if (on_surface(i)) {
      for (const auto& [point, weight] : flesh.on_surface[i]) body.ties.add(place(point), weight);
    } else {
      body.ties.add(place(surface + i), 1);
    }
    body.ties.end_row();
    body.roles.push_back(flesh.nodes[i] == FleshNode::held       ? NodeRole::held
                         : flesh.nodes[i] == FleshNode::interior ? NodeRole::interior
                                                                 : NodeRole::bound);
  }
  const bool tied = needed.empty() || needed.back() < surface;  // all nodes are on the surface, as with a black box
  body.rig = tied ? character.rig->restricted(needed) : rig_with_nodes(character, flesh)->restricted(needed);
  body.tets = flesh.mesh.tets;
  if (character.rig->traits().exact_jacobian) return;
  // For all points of the rig, as with_solid evaluated it: a rig that remembers poses evaluates nothing anew.
  BlockJacobian J;
  character.rig->jacobian(*character.rig->make_workspace(), character.rig->rest(), body.free, J);
  body.rest_jacobian = std::make_shared<const BlockJacobian>(rows_of(J, needed));
}

void calm_interior(const TetMesh& mesh, Interior interior, SteppedBody& body) {
  Vec& masses = body.groups.front().masses;
  if (interior == Interior::dynamic) return;
  std::vector<char> carriers;
  for (const NodeRole role : body.roles) carriers.push_back(role != NodeRole::interior);
  if (std::none_of(carriers.begin(), carriers.end(), [](char c) { return c; })) return;
  const CarrierWeights carried = harmonic_weights(mesh, carriers);
  if (interior == Interior::still) {
    Vec moved = Vec::Zero(masses.size());
    for (int i = 0; i < body.node_count(); ++i)
      for (const auto& [node, weight] : carried[i]) moved[node] += weight * masses[i];
    masses = moved.cwiseMax(0);
    return;
  }
  PointTies ties;
  for (int i = 0; i < body.node_count(); ++i) {
    std::map<int, double> sums;
    for (const auto& [node, weight] : carried[i])
      body.ties.for_each(node, [&, factor = weight](int point, double share) {
        const double part = factor * share;  // rounded before it is added, with and without fused multiply-add
        if (const auto [at, added] = sums.try_emplace(point, part); !added) at->second += part;
      });
    ties.append(sums);
    if (!carriers[i]) body.roles[i] = NodeRole::bound;
  }
  body.ties = std::move(ties);
}

}  // namespace rigspace
