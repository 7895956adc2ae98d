#include "rigspace/apps/clothing/relax_garment.h"

#include "rigspace/base/require.h"
#include "rigspace/energy/cloth_bend.h"
#include "rigspace/energy/collider.h"
#include "rigspace/energy/momentum.h"
#include "rigspace/energy/pull.h"
#include "rigspace/geometry/surface_crossings.h"
#include "rigspace/optimize/newton.h"

#include <algorithm>
#include <cmath>

namespace rigspace {
namespace {

// Points of the garment at crossings with the body.
std::vector<char> crossing_points(const TriMesh& garment, const TriMesh& body, int& crossings) {
  std::vector<char> found(static_cast<std::size_t>(garment.point_count()), 0);
  const EdgeTable edges = edge_table(garment), body_edges = edge_table(body);
  const auto out = edge_crossings(garment.points, edges.edges, body, false);
  const auto in = edge_crossings(body.points, body_edges.edges, garment, false);
  for (const Crossing& c : out)
    for (const int i : edges.edges[static_cast<std::size_t>(c.edge)]) found[static_cast<std::size_t>(i)] = 1;
  for (const Crossing& c : in)
    for (const int i : garment.triangles[static_cast<std::size_t>(c.triangle)]) found[static_cast<std::size_t>(i)] = 1;
  crossings = static_cast<int>(out.size() + in.size());
  return found;
}

}  // namespace

void RelaxOptions::validate() const {
  require_option(clearance > 0, "clearance", clearance, "expected more than zero m");
  require_option(reach > clearance, "reach", reach, "expected more than the clearance");
  require_option(max_rounds > 0, "rounds", max_rounds, "expected one or more");
}

RelaxReport relax_garment(Garment& garment, const TriMesh& body, const ClothMaterial& material,
                          const RelaxOptions& options, const ProgressCallback& callback) {
  options.validate();
  RelaxReport result;
  TriMesh& mesh = garment.mesh;
  const int n = mesh.point_count();
  const Vec given = mesh.points;
  const SidedMesh surface(body);
  std::vector<double> clearance(static_cast<std::size_t>(n), options.clearance);
  const Vec& rest = garment.rest.size() > 0 ? garment.rest : given;
  const auto flat = garment.panel_corners.empty() ? flat_triangles(rest, mesh.triangles, garment.warp)
                                                  : flat_triangles(garment.panels, garment.panel_corners);
  ClothMaterial soft = material;
  soft.limit = 0;
  const ClothStretch stretch(n, mesh.triangles, flat, soft);
  const ClothBend bend(rest, hinges_of(mesh), material.bending);
  std::vector<Pull> all(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) all[static_cast<std::size_t>(i)].anchor.points[0] = i;
  Pulls pulls(n, all);
  // A weak hold at the present place makes the minimum unique.
  Momentum hold(Vec::Constant(n, 1));
  const IdentityMapping identity(3 * n);
  Objective objective(identity);
  objective.add("stretch", stretch);
  objective.add("bending", bend);
  objective.add("pulls", pulls);
  objective.add("hold", hold);
  NewtonWorkspace workspace;
  const double stiff = 10 * std::max({material.warp, material.weft, 1.0});
  for (; result.rounds < options.max_rounds; ++result.rounds) {
    report(callback, "freeing the garment", static_cast<double>(result.rounds) / options.max_rounds);
    const std::vector<char> crossing = crossing_points(mesh, body, result.crossings);
    if (result.rounds == 0) result.crossings_before = result.crossings;
    int near = 0;
    for (int i = 0; i < n; ++i) {
      double& least = clearance[static_cast<std::size_t>(i)];
      if (result.rounds > 0 && crossing[static_cast<std::size_t>(i)]) least += 0.5 * options.clearance;
      const Vec3 x = point(mesh.points, i);
      const Touch touch = surface.nearest(x, options.reach, Vec3::Zero());
      const bool close = touch.found && touch.gap < least;
      pulls.set_stiffness(i, close ? stiff : 0);
      if (!close) continue;
      pulls.set_target(i, touch.position + 1.05 * least * touch.normal);
      if (touch.gap < (result.rounds == 0 ? least : 0.5 * least)) ++near;
    }
    if (result.rounds == 0) result.inside = near;
    if (result.crossings == 0 && near == 0) break;
    hold.set_target(mesh.points, 0.01 * stiff);
    Newton({.gradient_tolerance = 1e-3, .max_iterations = 8}).solve(objective, mesh.points, workspace, callback);
  }
  for (int i = 0; i < n; ++i)
    result.farthest = std::max(result.farthest, (point(mesh.points, i) - point(given, i)).norm());
  result.own_crossings = count_edge_crossings(mesh, {}).own;
  if (result.farthest > 0 && garment.rest.size() == 0) garment.rest = given;
  return result;
}

}  // namespace rigspace
