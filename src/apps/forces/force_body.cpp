#include "rigspace/apps/forces/force_body.h"

#include "lattice_weights.h"

#include "rigspace/anim/character_unit.h"
#include "rigspace/base/error.h"
#include "rigspace/base/require.h"

#include <algorithm>
#include <cmath>

namespace rigspace {
namespace {

TriMesh all_of(const Character& character, In points) {
  TriMesh all{.points = points};
  for (const Piece& piece : character.pieces)
    all.triangles.insert(all.triangles.end(), piece.triangles.begin(), piece.triangles.end());
  return all;
}

double mean_edge(const HexLattice& lattice) {
  double sum = 0;
  const auto edges = lattice_edges(lattice);
  for (const auto& [i, j] : edges) sum += (lattice.vertices[i] - lattice.vertices[j]).norm();
  return edges.empty() ? 0 : sum / static_cast<double>(edges.size());
}

void check_holders(const GivenLattice& given, const ForceSkeleton& skeleton) {
  for (const HeldVertex& each : given.held) {
    if (each.vertex < 0 || each.vertex >= given.lattice.vertex_count())
      throw Error({.element = "lattice",
                   .value = std::to_string(each.vertex),
                   .problem = "holds vertex " + std::to_string(each.vertex),
                   .remedy = "there are " + std::to_string(given.lattice.vertex_count()) + ", numbered from 0"});
    if (each.bone < 0 || each.bone >= skeleton.joint_count())
      throw Error({.element = "lattice",
                   .value = std::to_string(each.bone),
                   .problem = "has a vertex held by joint " + std::to_string(each.bone),
                   .remedy = "the skin has " + std::to_string(skeleton.joint_count()) + " joints, numbered from 0"});
  }
}

}  // namespace

WindingTree winding_of(const TriMesh& drawn) {
  TriMesh closed = weld(drawn).mesh;
  orient_outward(closed);
  return WindingTree(closed);
}

void ForceBodyOptions::validate() const {
  cover.validate();
  material.validate();
  require_option(samples.per_edge >= 1 && samples.per_edge <= 16, "samples along an edge of a cell", samples.per_edge,
                 "expected 1 to 16");
  require_option(samples.filling > 0 && samples.filling <= 1, "share of stiffness outside", samples.filling,
                 "expected more than 0 and at most 1");
  require_option(density > 0 && std::isfinite(density), "density", density, "expected kg/m^3 above 0");
  require_option(twist >= 0 && std::isfinite(twist), "stiffness toward the bones", twist, "expected 0 or more");
  require_option(twist_radius > 0 && std::isfinite(twist_radius), "radius around the bones", twist_radius,
                 "expected edges of a cell, more than 0");
  require_option(unit >= 0 && std::isfinite(unit), "metres per unit", unit, "expected more than 0");
}

std::vector<char> ForceBody::held_mask() const {
  std::vector<char> mask(3 * static_cast<std::size_t>(vertex_count()), 0);
  for (const HeldVertex& each : held) std::fill_n(mask.begin() + 3 * each.vertex, 3, 1);
  for (const HangingVertex& each : levels.hanging) std::fill_n(mask.begin() + 3 * each.vertex, 3, 1);
  return mask;
}

std::vector<LatticeTwist::Bone> ForceBody::twist_bones() const {
  std::vector<LatticeTwist::Bone> bones;
  for (const ForceSkeleton::Bone& bone : skeleton.bones)
    bones.push_back({bone.line.from, bone.line.to, options.twist_radius * cell, bone.joint});
  return bones;
}

ForceBody make_force_body(const Character& character, ForceBodyOptions options,
                          const std::optional<GivenLattice>& given) {
  options.validate();
  const TriMesh drawn = rest_surface(character);
  if (drawn.triangles.empty())
    throw Error({.element = "character \"" + character.name + "\"",
                 .problem = "has no surface",
                 .remedy = "forces shape a body: give a character with a mesh"});
  const WindingTree winding = winding_of(drawn);
  ForceBody body{.options = options, .skeleton = force_skeleton(character, winding)};
  if (body.options.unit == 0) body.options.unit = guess_unit(character).metres;
  body.points_rest = drawn.points;
  body.triangles = drawn.triangles;
  HexLattice lattice;
  if (given) {
    given->lattice.validate("lattice");
    check_holders(*given, body.skeleton);
    lattice = given->lattice, body.held = given->held;
    body.cell = given->cell > 0 ? given->cell : mean_edge(lattice);
  } else {
    std::vector<BoneLine> lines;
    for (const ForceSkeleton::Bone& bone : body.skeleton.bones) lines.push_back(bone.line);
    CoverLattice cover = cover_lattice(all_of(character, drawn.points), winding, lines, options.cover);
    for (const HeldVertex& each : cover.held) body.held.push_back({each.vertex, body.skeleton.bones[each.bone].joint});
    lattice = std::move(cover.lattice), body.cell = cover.cell;
  }
  body.surface = embed(lattice, drawn.points, "lattice");
  body.vertex_rows = lattice_weights(body.skeleton, lattice, body.surface, body.held);
  hold_loose_parts(lattice, body.vertex_rows, body.held);
  for (const HeldVertex& each : body.held) body.vertex_rows[each.vertex] = {{each.bone, 1.0}};
  body.cell_rows = rows_of_cells(lattice, body.vertex_rows);
  const auto samples = lattice_samples(
      lattice, [&](const Vec3& x) { return winding(x) > 0.5; }, options.samples);
  body.elements = LatticeElements(std::move(lattice), samples);
  for (const BeltPlan& plan : body.options.belts) body.belts.push_back(make_belt(body, plan));
  check_belts(body);
  return body;
}

}  // namespace rigspace
