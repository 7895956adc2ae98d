// New characters of a mesh, joints and weights.
#include "rigspace/anim/skin_part.h"
#include "rigspace/base/error.h"
#include "rigspace/rig/built_in_rig.h"
#include "rigspace/rig/skeleton.h"

#include <string>

namespace rigspace {
namespace {

void check_places(std::span<const JointPlace> places) {
  if (places.empty())
    throw Error({.element = "the skeleton", .problem = "has no joint", .remedy = "give at least one"});
  for (int j = 0; j < std::ssize(places); ++j)
    if (places[j].parent >= j || places[j].parent < -1 || !places[j].position.allFinite())
      throw Error({.element = "joint \"" + places[j].name + "\"",
                   .problem = "has a parent that does not come before it, or a place that is not finite",
                   .remedy = "list parents before their children"});
}

}  // namespace

Character rigged_character(const Character& shape, std::span<const JointPlace> places,
                           std::span<const std::vector<Influence>> influences) {
  check_places(places);
  if (std::ssize(influences) != shape.rig->point_count())
    throw Error({.element = "the weights",
                 .value = std::to_string(influences.size()),
                 .problem = "are for " + std::to_string(influences.size()) + " points of " +
                            std::to_string(shape.rig->point_count()),
                 .remedy = "give one list per point"});
  Character result;
  result.name = shape.name;
  result.materials = shape.materials;
  result.images = shape.images;
  auto graph = std::make_shared<ControlGraph>();
  SkinDescription skin;
  for (const JointPlace& each : places) {
    const Vec3 above = each.parent < 0 ? Vec3(Vec3::Zero()) : places[each.parent].position;
    skin.joint_slots.push_back(add_node(*graph, {.name = each.name,
                                                 .parent_slot = each.parent < 0 ? -1 : skin.joint_slots[each.parent],
                                                 .translation = each.position - above,
                                                 .typical_length = std::max(1e-6, (each.position - above).norm())}));
    Affine bind = identity_affine();
    translation(bind) = -each.position;
    skin.inverse_bind.push_back(bind);
    result.bones.push_back({.name = each.name, .parent = each.parent, .slot = skin.joint_slots.back()});
  }
  Vec points;
  shape.rig->evaluate(*shape.rig->make_workspace(), shape.rig->rest(), points);
  std::vector<std::shared_ptr<const Deformer>> deformers;
  for (const Piece& piece : shape.pieces) {
    if (!piece.drawn) continue;
    result.pieces.push_back(piece);
    result.pieces.back().rest_normals.clear();  // in the space of the node that the mesh had
    skin.first_point = piece.first_point;
    skin.influences.assign(influences.begin() + piece.first_point,
                           influences.begin() + piece.first_point + piece.point_count);
    deformers.push_back(make_linear_blend_skin(skin));
  }
  result.rig = std::make_shared<BuiltInRig>(std::move(graph), std::move(points), std::move(deformers));
  return result;
}

std::vector<JointPlace> joint_places(const Character& character) {
  std::vector<JointPlace> places;
  const auto* rig = dynamic_cast<const BuiltInRig*>(character.rig.get());
  if (rig == nullptr) return places;
  Vec u;
  rig->evaluate_slots(*rig->make_workspace(), rig->rest(), u);
  for (const Bone& bone : character.bones)
    places.push_back(
        {bone.name, bone.parent,
         bone.slot < 0 ? Vec3(Vec3::Zero()) : Vec3(translation(transform_at(u, rig->graph().slots()[bone.slot])))});
  return places;
}

}  // namespace rigspace
