#include "rigspace/geometry/refined.h"

#include "rigspace/base/require.h"

#include <cmath>
#include <cstdio>
#include <string>

namespace rigspace {
namespace {

constexpr int kMostCuts = 8;            // of an edge: into 256
constexpr int kMostPoints = 1'000'000;  // nothing that is done with such meshes is practical beyond

/// In words, of a few digits.
std::string short_number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2g", value);
  return text;
}

/// Of each triangle's edge k, from corner k to the next, its number in the table; -1 where both ends are one point.
std::vector<std::array<int, 3>> edges_of_triangles(const TriMesh& mesh, const EdgeTable& edges) {
  std::vector<std::array<int, 3>> of(mesh.triangles.size(), {-1, -1, -1});
  for (int e = 0; e < edges.count(); ++e)
    for (const int half : edges.uses(e)) of[static_cast<std::size_t>(half / 3)][static_cast<std::size_t>(half % 3)] = e;
  return of;
}

/// Marks the longest edge of each triangle that has a marked one, until all have.
void mark_longest(const std::vector<std::array<int, 3>>& of, const std::vector<double>& length,
                  std::vector<char>& cut) {
  for (bool changed = true; changed;) {
    changed = false;
    for (const auto& own : of) {
      int longest = -1;
      bool any = false;
      for (const int e : own) {
        if (e < 0) continue;
        any = any || cut[static_cast<std::size_t>(e)];
        if (longest < 0 || length[static_cast<std::size_t>(e)] > length[static_cast<std::size_t>(longest)]) longest = e;
      }
      if (!any || cut[static_cast<std::size_t>(longest)]) continue;
      cut[static_cast<std::size_t>(longest)] = 1;
      changed = true;
    }
  }
}

/// The triangle cut at the middles that it has (-1: none), `middle[k]` between corner k and the next.
void add_cut(const Triangle& t, const std::array<int, 3>& middle, std::vector<Triangle>& to) {
  int count = 0, first = 0;
  for (int k = 0; k < 3; ++k) count += middle[k] >= 0;
  if (count == 0) return to.push_back(t);
  // Turned so that with one middle it is the first, with two the last is missing.
  while (count < 3 && !(middle[first] >= 0 && middle[(first + 2) % 3] < 0)) ++first;
  const int a = t[first], b = t[(first + 1) % 3], c = t[(first + 2) % 3];
  const int ab = middle[first], bc = middle[(first + 1) % 3], ca = middle[(first + 2) % 3];
  if (count == 1) {
    to.push_back({a, ab, c}), to.push_back({ab, b, c});
  } else if (count == 2) {
    to.push_back({ab, b, bc}), to.push_back({a, ab, bc}), to.push_back({a, bc, c});
  } else {
    to.push_back({a, ab, ca}), to.push_back({ab, b, bc}), to.push_back({ca, bc, c}), to.push_back({ab, bc, ca});
  }
}

}  // namespace

TriMesh refined(const TriMesh& mesh, double longest_edge) {
  TriMesh fine = mesh;
  for (int round = 0; round < kMostCuts; ++round) {
    const EdgeTable edges = edge_table(fine);
    std::vector<double> length(static_cast<std::size_t>(edges.count()));
    std::vector<char> cut(length.size(), 0);
    bool any = false;
    for (std::size_t e = 0; e < length.size(); ++e) {
      length[e] = (point(fine.points, edges.edges[e][0]) - point(fine.points, edges.edges[e][1])).norm();
      cut[e] = length[e] > longest_edge;
      any = any || cut[e];
    }
    if (!any) break;
    const auto of = edges_of_triangles(fine, edges);
    mark_longest(of, length, cut);
    std::vector<int> middle(length.size(), -1);
    int count = fine.point_count();
    for (std::size_t e = 0; e < length.size(); ++e)
      if (cut[e]) middle[e] = count++;
    require_option(count <= kMostPoints, "longest edge", longest_edge,
                   "expected at least " + short_number(2 * std::sqrt(area(mesh) / kMostPoints)) +
                       ": there would be more than " + std::to_string(kMostPoints) + " points");
    Vec points(3 * count);
    points.head(fine.points.size()) = fine.points;
    for (std::size_t e = 0; e < length.size(); ++e)
      if (cut[e])
        point(points, middle[e]) =
            0.5 * (point(fine.points, edges.edges[e][0]) + point(fine.points, edges.edges[e][1]));
    std::vector<Triangle> triangles;
    for (std::size_t t = 0; t < fine.triangles.size(); ++t) {
      std::array<int, 3> at{-1, -1, -1};
      for (std::size_t k = 0; k < 3; ++k)
        if (of[t][k] >= 0) at[k] = middle[static_cast<std::size_t>(of[t][k])];
      add_cut(fine.triangles[t], at, triangles);
    }
    fine = {std::move(points), std::move(triangles)};
  }
  return fine;
}

}  // namespace rigspace
