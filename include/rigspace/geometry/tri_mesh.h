#pragma once
// Triangle surfaces: what they are made of, how they hang together, which way they face. Everything here takes time and
// memory about linear in the mesh and gives the same result on every run.

#include "rigspace/base/types.h"

#include <array>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

namespace rigspace {

using Triangle = std::array<int, 3>;

struct TriMesh {
  Vec points;                       ///< flattened, scene units
  std::vector<Triangle> triangles;  ///< counter-clockwise seen from outside

  int point_count() const { return static_cast<int>(points.size() / 3); }
  int triangle_count() const { return static_cast<int>(triangles.size()); }

  /// Throws Error if an index is out of range or a coordinate is not finite. `what` begins the sentence.
  void validate(std::string_view what) const;
};

/// An axis-aligned box; empty (low above high) until something is put in.
struct Box {
  Vec3 low = Vec3::Constant(std::numeric_limits<double>::infinity());
  Vec3 high = Vec3::Constant(-std::numeric_limits<double>::infinity());

  bool empty() const { return (low.array() > high.array()).any(); }
  Vec3 center() const { return 0.5 * (low + high); }
  Vec3 size() const { return empty() ? Vec3(Vec3::Zero()) : Vec3(high - low); }
  double diagonal() const { return size().norm(); }
  void include(const Vec3& x) { low = low.cwiseMin(x), high = high.cwiseMax(x); }
};

Box bounding_box(In points);

/// Unit normals of the points, flattened: the mean of their triangles' normals, weighted by area. Zero at a point that
/// no triangle of any area uses. The points may be another pose of the mesh. Allocates only if `normals` has another
/// size.
void vertex_normals(In points, std::span<const Triangle> triangles, Vec& normals);
Vec vertex_normals(const TriMesh& mesh);

/// Total area, in square scene units.
double area(const TriMesh& mesh);

/// Enclosed volume of a closed mesh; positive if it faces outward. Of an open mesh, that of the cones from the middle
/// of its bounding box.
double signed_volume(const TriMesh& mesh);

struct Weld {
  TriMesh mesh;
  std::vector<int> point;     ///< of each old point, the new one
  std::vector<int> triangle;  ///< of each new triangle, the old one: those whose corners met are gone
};

/// Merges points closer than `relative_tolerance` times the bounding box's diagonal (0: equal ones). A point goes to
/// the first one, in order, within the tolerance that was kept, and takes its place: so none moves further than the
/// tolerance, and those kept are further apart than it.
Weld weld(const TriMesh& mesh, double relative_tolerance = 1e-6);

/// The edges of a mesh. Half-edge 3 t + k runs from corner k of triangle t to the next; edge e is used by the
/// half-edges half_edges[start[e]] .. half_edges[start[e + 1]], ascending.
struct EdgeTable {
  std::vector<std::array<int, 2>> edges;  ///< points, the smaller first; ascending
  std::vector<int> start;
  std::vector<int> half_edges;

  int count() const { return static_cast<int>(edges.size()); }
  std::span<const int> uses(int edge) const {
    return {half_edges.data() + start[edge], half_edges.data() + start[edge + 1]};
  }
};

/// Edges whose ends are one point (degenerate triangles) are left out.
EdgeTable edge_table(const TriMesh& mesh);

/// A part of a mesh whose triangles are joined by edges.
struct Component {
  int triangles = 0;
  int boundary_edges = 0;      ///< used once
  int non_manifold_edges = 0;  ///< used more than twice
  bool closed = false;         ///< every edge is used an even number of times: there is an inside
  Box box;                     ///< of its points
  double area = 0;
  double volume = 0;  ///< signed, see signed_volume
};

struct Components {
  std::vector<int> of_triangle;  ///< numbered in the order of their first triangles
  std::vector<Component> parts;

  bool all_closed() const;
};

/// Parts are joined at shared *points of edges*, so weld first.
Components connected_components(const TriMesh& mesh, const EdgeTable& edges);
Components connected_components(const TriMesh& mesh);

/// One component as a mesh of its own; `points`, unless null, gets the old number of each of its points.
TriMesh extract(const TriMesh& mesh, const Components& components, int part, std::vector<int>* points = nullptr);

struct Orientation {
  int flipped = 0;       ///< triangles
  int patches = 0;       ///< parts joined by edges of exactly two triangles
  int unorientable = 0;  ///< patches like Moebius strips: left as they were
};

/// Orients neighbours alike across edges of two triangles, then turns each patch outward: a closed one by its volume,
/// an open one by the volume over its middle, a flat one by the majority of its area as it was. A closed shell inside
/// another, a cavity, is turned outward like all others.
Orientation orient_outward(TriMesh& mesh);

}  // namespace rigspace
