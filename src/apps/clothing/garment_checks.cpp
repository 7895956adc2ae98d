#include "garment_checks.h"

#include "rigspace/base/error.h"
#include "rigspace/geometry/surface_crossings.h"

#include <algorithm>
#include <string>

namespace rigspace {
namespace {

[[noreturn]] void bad_garment(const std::string& problem, const std::string& remedy, const std::string& value = {}) {
  throw Error({.element = "garment", .value = value, .problem = problem, .remedy = remedy});
}

}  // namespace

void check_garment(const Garment& garment) {
  const TriMesh& mesh = garment.mesh;
  mesh.validate("garment");
  if (mesh.triangles.empty()) bad_garment("has no triangles", "give it a surface");
  if (garment.rest.size() > 0 && garment.rest.size() != mesh.points.size())
    bad_garment("has a rest shape of " + std::to_string(garment.rest.size() / 3) + " points",
                "expected " + std::to_string(mesh.point_count()));
  if (!garment.panel_corners.empty() && garment.panel_corners.size() != mesh.triangles.size())
    bad_garment("has " + std::to_string(garment.panel_corners.size()) + " triangles in its panels",
                "expected " + std::to_string(mesh.triangles.size()));
  const double smallest = 1e-9 * std::pow(bounding_box(mesh.points).diagonal(), 2);
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    const Triangle& c = mesh.triangles[t];
    const Vec3 a = point(mesh.points, c[0]);
    const double twice = (point(mesh.points, c[1]) - a).cross(point(mesh.points, c[2]) - a).norm();
    if (!(twice > smallest))
      bad_garment("has a triangle without area, number " + std::to_string(t),
                  "remove degenerate triangles (merge points by distance)", std::to_string(t));
  }
  const Weld welded = weld(mesh, 1e-7);
  if (welded.mesh.point_count() < mesh.point_count())
    bad_garment("has " + std::to_string(mesh.point_count() - welded.mesh.point_count()) + " duplicate points",
                "merge them, or its seams come apart", std::to_string(mesh.point_count() - welded.mesh.point_count()));
  const EdgeTable edges = edge_table(mesh);
  for (int e = 0; e < edges.count(); ++e)
    if (edges.uses(e).size() > 2)
      bad_garment("has an edge of " + std::to_string(edges.uses(e).size()) + " triangles, between points " +
                      std::to_string(edges.edges[e][0]) + " and " + std::to_string(edges.edges[e][1]),
                  "cut it, or sew one side on by pins", std::to_string(e));
}

void check_start(const Garment& garment, const TriMesh& body, std::span<const char> absent, bool self) {
  TriMesh present = body;
  std::size_t kept = 0;
  for (std::size_t t = 0; t < body.triangles.size(); ++t)
    if (t >= absent.size() || !absent[t]) present.triangles[kept++] = body.triangles[t];
  present.triangles.resize(kept);
  const SurfaceCrossings found = count_edge_crossings(garment.mesh, present);
  if (found.other > 0)
    bad_garment("passes through the body at the start, with " + std::to_string(found.other) + " edges",
                "relax it first (relax_garment)", std::to_string(found.other));
  if (self && found.own > 0)
    bad_garment("passes through itself at the start, with " + std::to_string(found.own) + " edges",
                "relax it first (relax_garment)", std::to_string(found.own));
}

}  // namespace rigspace
