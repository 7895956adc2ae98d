#include "stepper_contact.h"

#include "flesh/flesh_region.h"
#include "part_system.h"
#include "rigspace/base/error.h"
#include "rigspace/parts/sheet.h"
#include "rigspace/rig/built_in_rig.h"

#include <algorithm>
#include <numbers>

namespace rigspace {
namespace {

constexpr double kCarried = 0.3;  // bones with more than this weight on a point that a part's controls move are its own

/// Marks the bones whose skin belongs to the part: its bones, those of its flesh, or those on points that its controls
/// move.
void mark_own(const Character& character, const Part& part, const RiggedSurface& surface, std::vector<char>& own) {
  for (const int bone : turning_joints(part)) own[bone] = 1;
  if (part.controls.empty()) {
    if (part.flesh)
      for (const int bone : part.flesh->joints) own[bone] = 1;
    return;
  }
  BlockJacobian J;
  character.rig->jacobian(*character.rig->make_workspace(), character.rig->rest(), part.controls, J);
  for (int i = 0; i < surface.mesh.point_count(); ++i)
    if (J.start[i + 1] > J.start[i])
      for (const auto& [bone, weight] : surface.weights[i])
        if (weight > kCarried) own[bone] = 1;
}

}  // namespace

std::optional<LimbMesh> limbs_of(const Character& character, const PartSystem& system) {
  if (dynamic_cast<const BuiltInRig*>(character.rig.get()) == nullptr)
    throw Error({.code = ErrorCode::usage,
                 .file = character.name,
                 .element = "contact with its own limbs",
                 .problem = "needs a built-in rig, whose bones say what a limb is",
                 .remedy = "name other obstacles"});
  const RiggedSurface surface = rigged_surface(character);
  std::vector<char> own(character.bones.size(), 0);
  for (const TunedPart& part : system.parts) mark_own(character, *part.part, surface, own);
  // Where a sheet is attached its skin belongs to the bone that it hangs on; arms and what they carry pass through it.
  std::vector<char> left_out(static_cast<std::size_t>(surface.mesh.point_count()), 0);
  const bool sheet = std::any_of(system.parts.begin(), system.parts.end(),
                                 [](const TunedPart& part) { return !part.part->points.empty(); });
  for (const TunedPart& part : system.parts)
    for (const int i : part.part->points) left_out[i] = 1;
  for (std::size_t b = 0; sheet && b < own.size(); ++b)
    if (is_arm(character.bones[b].name)) own[b] = 1;
  for (const Piece& piece : character.pieces)
    if (sheet && is_protected(piece.name)) std::fill_n(left_out.begin() + piece.first_point, piece.point_count, 1);
  std::vector<int> needed;
  std::vector<Triangle> limbs;
  for (const Triangle& triangle : surface.mesh.triangles)
    if (std::all_of(triangle.begin(), triangle.end(),
                    [&](int i) { return !left_out[i] && weight_of(surface.weights[i], own) < kLimb; })) {
      limbs.push_back(triangle);
      needed.insert(needed.end(), triangle.begin(), triangle.end());
    }
  if (limbs.empty()) return std::nullopt;
  std::sort(needed.begin(), needed.end());
  needed.erase(std::unique(needed.begin(), needed.end()), needed.end());
  TriMesh mesh{.points = Vec(3 * static_cast<Eigen::Index>(needed.size())), .triangles = std::move(limbs)};
  for (std::size_t k = 0; k < needed.size(); ++k)
    point(mesh.points, static_cast<int>(k)) = point(surface.mesh.points, needed[k]);
  for (Triangle& triangle : mesh.triangles)
    for (int& corner : triangle)
      corner = static_cast<int>(std::lower_bound(needed.begin(), needed.end(), corner) - needed.begin());
  return LimbMesh{std::move(mesh), character.rig->restricted(needed)};
}

std::vector<Obstacle> obstacles_for(const Character& character, const PartSystem& system, const KeyedMotion& motion,
                                    const Collisions& collisions) {
  std::vector<Obstacle> obstacles = collisions.obstacles;
  if (!collisions.limbs) return obstacles;
  const std::optional<LimbMesh> limbs = limbs_of(character, system);
  if (!limbs) return obstacles;
  const std::shared_ptr<Workspace> workspace = limbs->rig->make_workspace();
  obstacles.push_back({.name = "self",
                       .shape = Collider::mesh(limbs->mesh),
                       .points = [rig = limbs->rig, workspace, &motion](double time, Vec& x) {
                         Vec p;
                         motion.controls(time, p);
                         rig->evaluate(*workspace, p, x);
                       }});
  obstacles.back().artist_first = true;
  return obstacles;
}

}  // namespace rigspace
