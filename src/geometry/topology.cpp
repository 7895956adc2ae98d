#include "rigspace/geometry/tri_mesh.h"

#include <algorithm>
#include <numeric>

namespace rigspace {
namespace {

/// Disjoint sets with path halving; the smallest member is the root, so that numbering does not depend on the order of
/// joins.
class DisjointSets {
 public:
  explicit DisjointSets(int count) : parent_(count) { std::iota(parent_.begin(), parent_.end(), 0); }
  int root(int i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  void join(int a, int b) {
    a = root(a), b = root(b);
    parent_[std::max(a, b)] = std::min(a, b);
  }

 private:
  std::vector<int> parent_;
};

std::array<int, 2> ends(const TriMesh& mesh, int half_edge) {
  const Triangle& t = mesh.triangles[half_edge / 3];
  const int k = half_edge % 3;
  return {t[k], t[(k + 1) % 3]};
}

Vec3 corner(const TriMesh& mesh, int triangle, int k) { return point(mesh.points, mesh.triangles[triangle][k]); }

double cone_volume(const TriMesh& mesh, int triangle, const Vec3& apex) {
  const Vec3 a = corner(mesh, triangle, 0) - apex, b = corner(mesh, triangle, 1) - apex;
  return a.dot(b.cross(corner(mesh, triangle, 2) - apex)) / 6;
}

double triangle_area(const TriMesh& mesh, int t) {
  const Vec3 a = corner(mesh, t, 0);
  return 0.5 * (corner(mesh, t, 1) - a).cross(corner(mesh, t, 2) - a).norm();
}

}  // namespace

// Half-edges sorted by their smaller point by counting, then each point's few by their larger one.
EdgeTable edge_table(const TriMesh& mesh) {
  struct Use {
    int larger, half_edge;
  };
  const int half_edges = 3 * mesh.triangle_count();
  std::vector<int> first(mesh.point_count() + 1, 0);
  for (int h = 0; h < half_edges; ++h) {
    const auto [a, b] = ends(mesh, h);
    if (a != b) ++first[std::min(a, b) + 1];
  }
  std::partial_sum(first.begin(), first.end(), first.begin());
  std::vector<Use> uses(first.back());
  std::vector<int> fill(first.begin(), first.end() - 1);
  for (int h = 0; h < half_edges; ++h) {
    const auto [a, b] = ends(mesh, h);
    if (a != b) uses[fill[std::min(a, b)]++] = {std::max(a, b), h};
  }
  EdgeTable table;
  table.edges.reserve(uses.size() / 2 + 16);
  table.start.reserve(uses.size() / 2 + 17);
  table.half_edges.resize(uses.size());
  for (int smaller = 0; smaller < mesh.point_count(); ++smaller) {
    const int begin = first[smaller], end = first[smaller + 1];
    std::sort(uses.begin() + begin, uses.begin() + end, [](const Use& a, const Use& b) {
      return a.larger != b.larger ? a.larger < b.larger : a.half_edge < b.half_edge;
    });
    for (int i = begin; i < end; ++i) {
      if (i == begin || uses[i].larger != uses[i - 1].larger) {
        table.edges.push_back({smaller, uses[i].larger});
        table.start.push_back(i);
      }
      table.half_edges[i] = uses[i].half_edge;
    }
  }
  table.start.push_back(static_cast<int>(uses.size()));
  return table;
}

bool Components::all_closed() const {
  return std::all_of(parts.begin(), parts.end(), [](const Component& part) { return part.closed; });
}

Components connected_components(const TriMesh& mesh, const EdgeTable& edges) {
  const int triangles = mesh.triangle_count();
  DisjointSets sets(triangles);
  for (int e = 0; e < edges.count(); ++e) {
    const auto uses = edges.uses(e);
    for (const int h : uses.subspan(1)) sets.join(uses[0] / 3, h / 3);
  }
  Components components;
  components.of_triangle.resize(triangles);
  for (int t = 0; t < triangles; ++t) {
    const int root = sets.root(t);
    if (root == t) {
      components.of_triangle[t] = static_cast<int>(components.parts.size());
      components.parts.push_back({.closed = true});
    } else {
      components.of_triangle[t] = components.of_triangle[root];
    }
    Component& part = components.parts[components.of_triangle[t]];
    ++part.triangles;
    part.area += triangle_area(mesh, t);
    for (int k = 0; k < 3; ++k) part.box.include(corner(mesh, t, k));
  }
  for (int t = 0; t < triangles; ++t) {
    Component& part = components.parts[components.of_triangle[t]];
    part.volume += cone_volume(mesh, t, part.box.center());
  }
  for (int e = 0; e < edges.count(); ++e) {
    const auto uses = edges.uses(e);
    Component& part = components.parts[components.of_triangle[uses[0] / 3]];
    part.boundary_edges += uses.size() == 1;
    part.non_manifold_edges += uses.size() > 2;
    if (uses.size() % 2 != 0) part.closed = false;
  }
  return components;
}

Components connected_components(const TriMesh& mesh) { return connected_components(mesh, edge_table(mesh)); }

TriMesh extract(const TriMesh& mesh, const Components& components, int part, std::vector<int>* points) {
  std::vector<int> number(mesh.point_count(), -1), old;
  TriMesh result;
  for (int t = 0; t < mesh.triangle_count(); ++t) {
    if (components.of_triangle[t] != part) continue;
    Triangle corners = mesh.triangles[t];
    for (int& c : corners) {
      if (number[c] < 0) {
        number[c] = static_cast<int>(old.size());
        old.push_back(c);
      }
      c = number[c];
    }
    result.triangles.push_back(corners);
  }
  result.points.resize(3 * old.size());
  for (std::size_t i = 0; i < old.size(); ++i) point(result.points, static_cast<int>(i)) = point(mesh.points, old[i]);
  if (points) *points = std::move(old);
  return result;
}

}  // namespace rigspace
