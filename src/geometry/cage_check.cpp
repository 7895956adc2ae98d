// What a cage must be: closed, without faces of no area, apart from itself.
#include "rigspace/base/error.h"
#include "rigspace/geometry/cage_coordinates.h"
#include "rigspace/geometry/triangle_overlap.h"
#include "rigspace/geometry/winding_number.h"

#include <algorithm>
#include <string>

namespace rigspace {
namespace {

using std::to_string;

[[noreturn]] void fail(std::string_view what, const std::string& value, const std::string& problem,
                       const std::string& remedy) {
  throw Error({.element = std::string(what), .value = value, .problem = problem, .remedy = remedy});
}

void check_faces(const TriMesh& cage, std::string_view what) {
  const double size = bounding_box(cage.points).diagonal();
  for (int f = 0; f < cage.triangle_count(); ++f) {
    const Triangle& t = cage.triangles[f];
    const Vec3 a = point(cage.points, t[0]), b = point(cage.points, t[1]), c = point(cage.points, t[2]);
    const double longest = std::max({(b - a).norm(), (c - b).norm(), (a - c).norm()});
    if (!((b - a).cross(c - a).norm() > 1e-9 * longest * longest) || !(longest > 1e-9 * size))
      fail(what, to_string(f),
           "has a face without area: face " + to_string(f) + ", points " + to_string(t[0]) + " " + to_string(t[1]) +
               " " + to_string(t[2]),
           "move its points apart, or take it out");
  }
  std::vector<char> used(static_cast<std::size_t>(cage.point_count()), 0);
  for (const Triangle& t : cage.triangles)
    for (const int j : t) used[j] = 1;
  if (const auto unused = std::find(used.begin(), used.end(), 0); unused != used.end()) {
    const auto j = to_string(unused - used.begin());
    fail(what, j, "has a point that no face uses: point " + j, "take it out, or give it faces");
  }
}

void check_closed(const TriMesh& cage, const EdgeTable& edges, std::string_view what) {
  for (int e = 0; e < edges.count(); ++e) {
    const auto uses = static_cast<int>(edges.uses(e).size());
    const std::string edge = to_string(edges.edges[e][0]) + "-" + to_string(edges.edges[e][1]);
    if (uses == 1) fail(what, edge, "is not closed: edge " + edge + " has a face on one side only", "fill the hole");
    if (uses > 2)
      fail(what, edge, "has " + to_string(uses) + " faces at edge " + edge, "expected two: split the points there");
  }
  const Crossings crossings = self_crossings(cage);
  if (crossings.crossing() > 0) {
    const auto [f, g] = crossings.pairs.front();
    fail(what, to_string(f),
         "passes through itself: " + to_string(crossings.crossing()) + " pairs of faces, the first " + to_string(f) +
             " and " + to_string(g),
         "move them apart");
  }
}

}  // namespace

TriMesh checked_cage(const TriMesh& cage, std::string_view what) {
  cage.validate(what);
  if (cage.triangles.empty()) fail(what, "0", "has no faces", "expected a closed surface around the shape");
  check_faces(cage, what);
  const EdgeTable edges = edge_table(cage);
  check_closed(cage, edges, what);
  TriMesh outward = cage;
  if (orient_outward(outward).unorientable > 0)
    fail(what, "1", "has an inside that is its outside (a Klein bottle)", "expected a surface with two sides");
  // A part within an odd number of others bounds a cavity.
  const Components components = connected_components(outward, edges);
  const int parts = static_cast<int>(components.parts.size());
  if (parts == 1) return outward;
  std::vector<TriMesh> part;
  for (int k = 0; k < parts; ++k) part.push_back(extract(outward, components, k));
  std::vector<char> cavity(static_cast<std::size_t>(parts), 0);
  for (int k = 0; k < parts; ++k)
    for (int other = 0; other < parts; ++other) {
      if (other == k) continue;
      double winding = 0;
      const TriMesh& around = part[other];
      for (const Triangle& t : around.triangles)
        winding += solid_angle(point(part[k].points, 0), point(around.points, t[0]), point(around.points, t[1]),
                               point(around.points, t[2]));
      if (winding > 0.5) cavity[k] = !cavity[k];
    }
  for (int f = 0; f < outward.triangle_count(); ++f)
    if (cavity[components.of_triangle[f]]) std::swap(outward.triangles[f][1], outward.triangles[f][2]);
  return outward;
}

}  // namespace rigspace
