// The solids of parts on a rig's own controls, of any deformer: lattices, wires, clusters (RSP 3).

#include "flesh_region.h"
#include "rigspace/anim/character_frame.h"
#include "rigspace/apps/physics/flesh.h"
#include "rigspace/base/error.h"
#include "rigspace/rig/built_in_rig.h"
#include "rigspace/rig/skeleton.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace rigspace {
namespace {

/// Whether all controls belong to bones. Then nodes near these bones must not be held: in moved_region the core of a
/// tail would stay in the keyed pose while the tail's own joints move its skin. Such parts get a carried_region.
bool are_joints(const Character& character, std::span<const int> controls) {
  std::set<std::string_view> bones;
  for (const Bone& bone : character.bones) bones.insert(bone.name);
  return std::all_of(controls.begin(), controls.end(),
                     [&](int c) { return bones.contains(character.rig->controls()[c].node); });
}

}  // namespace

Vec motion_of(const Character& character, std::span<const int> controls) {
  const Rig& rig = *character.rig;
  BlockJacobian J;
  rig.jacobian(*rig.make_workspace(), rig.rest(), controls, J);
  Vec motion = Vec::Zero(rig.point_count());
  for (int i = 0; i < J.points(); ++i)
    for (int e = J.start[i]; e < J.start[i + 1]; ++e)
      motion[i] = std::max(motion[i], J.value.col(e).norm() * rig.controls()[controls[J.column[e]]].typical);
  const double most = motion.size() > 0 ? motion.maxCoeff() : 0;
  return most > 0 ? Vec(motion / most) : motion;
}

Character with_all_bones(Character character) {
  const auto* rig = dynamic_cast<const BuiltInRig*>(character.rig.get());
  if (rig == nullptr) return character;
  for (const auto& deformer : rig->deformers())
    if (const SkinDescription* skin = skin_description(*deformer))
      for (const int slot : skin->joint_slots) {
        if (std::any_of(character.bones.begin(), character.bones.end(), [&](const Bone& b) { return b.slot == slot; }))
          continue;
        const NodeDescription* node = node_description(rig->graph(), slot);
        character.bones.push_back({node != nullptr ? node->name : "joint" + std::to_string(slot), -1, slot});
      }
  return character;
}

Part with_solid(const Character& character, Part part, const SoftenOptions& options) {
  const auto refuse = [&](const char* problem, const char* remedy) {
    throw Error(
        {.file = character.name, .element = "part \"" + part.name + "\"", .problem = problem, .remedy = remedy});
  };
  const bool built_in = dynamic_cast<const BuiltInRig*>(character.rig.get()) != nullptr;
  // Regions without known bones are cut in the principal axes of the surface, whatever the rig: the same skin has the
  // same solid as a black box and as a rig of joints.
  const bool carried = !built_in || are_joints(character, part.controls);
  RiggedSurface surface = built_in ? rigged_surface(character) : RiggedSurface{.mesh = rest_surface(character)};
  for (const Piece& piece : character.pieces)
    if (!piece.drawn) surface.mesh.triangles = piece.triangles;  // uses the proxy, if the character has one
  Vec motion = motion_of(character, part.controls);
  if (!(motion.size() > 0 && motion.maxCoeff() > 0)) refuse("moves nothing", "name controls that move points");
  const OwnFrame frame =
      carried ? own_frame(surface.mesh.points, principal_turn(surface.mesh)) : character_frame(character, surface.mesh);
  surface = framed(std::move(surface), frame);
  Region region =
      carried ? carried_region(surface.mesh, motion, options) : moved_region(character, surface, motion, options);
  if (std::none_of(region.nodes.begin(), region.nodes.end(), [](FleshNode n) { return n == FleshNode::skin; }))
    refuse("has no inside", "name controls that move a closed surface");
  const std::shared_ptr<Flesh> flesh = flesh_of(std::move(region), surface.frame);
  flesh->controls = part.controls;
  part.flesh = flesh;
  return part;
}

}  // namespace rigspace
