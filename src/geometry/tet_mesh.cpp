#include "rigspace/geometry/tet_mesh.h"

#include "rigspace/base/error.h"
#include "union_find.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <string>

namespace rigspace {
namespace {

std::array<Vec3, 4> corners(const TetMesh& mesh, int tet) {
  const Tet& t = mesh.tets[tet];
  return {point(mesh.points, t[0]), point(mesh.points, t[1]), point(mesh.points, t[2]), point(mesh.points, t[3])};
}

}  // namespace

void TetMesh::validate(std::string_view what) const {
  TriMesh{points, {}}.validate(what);
  for (int t = 0; t < tet_count(); ++t) {
    for (const int corner : tets[t]) {
      if (corner >= 0 && corner < point_count()) continue;
      throw Error({.element = std::string(what),
                   .value = std::to_string(corner),
                   .problem = "has tetrahedron " + std::to_string(t) + " at point " + std::to_string(corner),
                   .remedy = "there are " + std::to_string(point_count()) + " points, counted from 0"});
    }
  }
}

double tet_volume(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  return (b - a).cross(c - a).dot(d - a) / 6;
}

// Between the faces at edge ij, opposite to the corners k and l:  pi minus the angle between their outward normals, by
// atan2 so that small angles keep their digits.
std::array<double, 6> dihedral_angles(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  const std::array<Vec3, 4> x{a, b, c, d};
  std::array<Vec3, 4> outward;
  for (int k = 0; k < 4; ++k) {
    const auto& f = kTetFace[k];
    outward[k] = (x[f[1]] - x[f[0]]).cross(x[f[2]] - x[f[0]]);
  }
  constexpr int kOpposite[6][2] = {{2, 3}, {1, 3}, {1, 2}, {0, 3}, {0, 2}, {0, 1}};
  std::array<double, 6> angles;
  for (int e = 0; e < 6; ++e) {
    const Vec3& n = outward[kOpposite[e][0]];
    const Vec3& m = outward[kOpposite[e][1]];
    angles[e] = std::numbers::pi - std::atan2(n.cross(m).norm(), n.dot(m));
  }
  return angles;
}

Vec volumes(const TetMesh& mesh) {
  Vec result(mesh.tet_count());
  for (int t = 0; t < mesh.tet_count(); ++t) {
    const auto [a, b, c, d] = corners(mesh, t);
    result[t] = tet_volume(a, b, c, d);
  }
  return result;
}

double volume(const TetMesh& mesh) { return volumes(mesh).sum(); }

Vec lumped_masses(In points, std::span<const Tet> tets, double density) {
  Vec masses = Vec::Zero(points.size() / 3);
  for (const Tet& t : tets) {
    const double volume =
        tet_volume(point(points, t[0]), point(points, t[1]), point(points, t[2]), point(points, t[3]));
    for (const int corner : t) masses[corner] += 0.25 * density * std::abs(volume);
  }
  return masses;
}

Vec lumped_masses(const TetMesh& mesh, double density) { return lumped_masses(mesh.points, mesh.tets, density); }

// Faces are sorted into buckets by their smallest point, and compared within a bucket: linear, without hashing.
std::vector<std::array<int, 4>> tet_neighbours(const TetMesh& mesh) {
  struct Face {
    int middle, largest, use;  // use = 4 tet + opposite corner
  };
  const auto sorted = [&](int use) {
    const Tet& tet = mesh.tets[use / 4];
    std::array<int, 3> f;
    for (int k = 0; k < 3; ++k) f[k] = tet[kTetFace[use % 4][k]];
    std::sort(f.begin(), f.end());
    return f;
  };
  const int uses = 4 * mesh.tet_count();
  std::vector<int> start(mesh.point_count() + 1, 0);
  for (int use = 0; use < uses; ++use) ++start[sorted(use)[0] + 1];
  std::partial_sum(start.begin(), start.end(), start.begin());
  std::vector<Face> faces(uses);
  std::vector<int> next(start.begin(), start.end() - 1);
  for (int use = 0; use < uses; ++use) {
    const auto f = sorted(use);
    faces[next[f[0]]++] = {f[1], f[2], use};
  }
  std::vector<std::array<int, 4>> neighbours(mesh.tets.size(), {-1, -1, -1, -1});
  for (int i = 0; i < mesh.point_count(); ++i) {
    for (int a = start[i]; a < start[i + 1]; ++a) {
      if (neighbours[faces[a].use / 4][faces[a].use % 4] >= 0) continue;
      for (int b = a + 1; b < start[i + 1]; ++b) {
        if (faces[a].middle != faces[b].middle || faces[a].largest != faces[b].largest) continue;
        if (neighbours[faces[b].use / 4][faces[b].use % 4] >= 0) continue;
        neighbours[faces[a].use / 4][faces[a].use % 4] = faces[b].use / 4;
        neighbours[faces[b].use / 4][faces[b].use % 4] = faces[a].use / 4;
        break;
      }
    }
  }
  return neighbours;
}

std::vector<Triangle> boundary_triangles(const TetMesh& mesh) {
  const auto neighbours = tet_neighbours(mesh);
  std::vector<Triangle> triangles;
  for (int t = 0; t < mesh.tet_count(); ++t)
    for (int k = 0; k < 4; ++k)
      if (neighbours[t][k] < 0)
        triangles.push_back({mesh.tets[t][kTetFace[k][0]], mesh.tets[t][kTetFace[k][1]], mesh.tets[t][kTetFace[k][2]]});
  return triangles;
}

std::vector<int> boundary_nodes(const TetMesh& mesh) {
  std::vector<char> used(mesh.point_count(), 0);
  for (const Triangle& t : boundary_triangles(mesh))
    for (const int corner : t) used[corner] = 1;
  std::vector<int> nodes;
  for (int i = 0; i < mesh.point_count(); ++i)
    if (used[i]) nodes.push_back(i);
  return nodes;
}

TriMesh boundary_surface(const TetMesh& mesh, std::vector<int>* nodes) {
  TriMesh surface;
  surface.triangles = boundary_triangles(mesh);
  std::vector<int> number(mesh.point_count(), -1), kept;
  for (const Triangle& t : surface.triangles)
    for (const int corner : t) number[corner] = 0;
  for (int i = 0; i < mesh.point_count(); ++i)
    if (number[i] == 0) number[i] = static_cast<int>(kept.size()), kept.push_back(i);
  surface.points.resize(3 * static_cast<Eigen::Index>(kept.size()));
  for (std::size_t i = 0; i < kept.size(); ++i)
    point(surface.points, static_cast<int>(i)) = point(mesh.points, kept[i]);
  for (Triangle& t : surface.triangles)
    for (int& corner : t) corner = number[corner];
  if (nodes) *nodes = std::move(kept);
  return surface;
}

TetComponents connected_components(const TetMesh& mesh) {
  std::vector<int> parent(mesh.point_count());
  std::iota(parent.begin(), parent.end(), 0);
  for (const Tet& t : mesh.tets)
    for (int k = 1; k < 4; ++k) parent[root(parent, t[k])] = root(parent, t[0]);
  TetComponents result;
  std::vector<int> number(mesh.point_count(), -1);
  const Vec v = volumes(mesh);
  for (int t = 0; t < mesh.tet_count(); ++t) {
    int& part = number[root(parent, mesh.tets[t][0])];
    if (part < 0) {
      part = static_cast<int>(result.tets.size());
      result.tets.push_back(0), result.volumes.push_back(0);
    }
    result.of_tet.push_back(part);
    ++result.tets[part];
    result.volumes[part] += v[t];
  }
  return result;
}

NodeAdjacency node_adjacency(const TetMesh& mesh) {
  std::vector<std::array<int, 2>> pairs;
  pairs.reserve(12 * mesh.tets.size());
  for (const Tet& t : mesh.tets)
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 4; ++j)
        if (i != j) pairs.push_back({t[i], t[j]});
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  NodeAdjacency result;
  result.start.assign(mesh.point_count() + 1, 0);
  for (const auto& [from, to] : pairs) ++result.start[from + 1], result.neighbours.push_back(to);
  std::partial_sum(result.start.begin(), result.start.end(), result.start.begin());
  return result;
}

TetQuality quality(const TetMesh& mesh) {
  TetQuality q;
  if (mesh.tets.empty()) return q;
  const Vec v = volumes(mesh);
  q.volume = v.sum();
  q.smallest_volume = v.minCoeff();
  q.inverted = static_cast<int>((v.array() <= 0).count());
  std::vector<double> smallest;
  smallest.reserve(mesh.tets.size());
  for (int t = 0; t < mesh.tet_count(); ++t) {
    const auto [a, b, c, d] = corners(mesh, t);
    const auto angles = dihedral_angles(a, b, c, d);
    smallest.push_back(*std::min_element(angles.begin(), angles.end()));
    q.largest_angle = std::max(q.largest_angle, *std::max_element(angles.begin(), angles.end()));
  }
  std::sort(smallest.begin(), smallest.end());
  q.smallest_angle = smallest.front();
  q.first_percentile = smallest[smallest.size() / 100];
  q.median = smallest[smallest.size() / 2];
  return q;
}

BoundaryDefects boundary_defects(int point_count, std::span<const Triangle> triangles) {
  // Around each point, the edges opposite to it in its triangles form its link: one closed loop on a manifold.
  std::vector<int> start(point_count + 1, 0);
  for (const Triangle& t : triangles)
    for (const int corner : t) ++start[corner + 1];
  std::partial_sum(start.begin(), start.end(), start.begin());
  std::vector<std::array<int, 2>> links(3 * triangles.size());
  std::vector<int> next(start.begin(), start.end() - 1);
  for (const Triangle& t : triangles)
    for (int k = 0; k < 3; ++k) links[next[t[k]]++] = {t[(k + 1) % 3], t[(k + 2) % 3]};

  BoundaryDefects defects;
  for (int i = 0; i < point_count; ++i) {
    const auto begin = links.begin() + start[i], end = links.begin() + start[i + 1];
    if (begin == end) continue;
    std::sort(begin, end);
    // Follow the loop from the first edge; it must come back after all edges, each point having one way on.
    int steps = 0, at = (*begin)[0];
    bool fine = true;
    for (auto edge = begin; edge + 1 < end; ++edge) fine = fine && (*edge)[0] != (*(edge + 1))[0];
    do {
      const auto edge = std::lower_bound(begin, end, std::array<int, 2>{at, -1});
      if (edge == end || (*edge)[0] != at)
        fine = false;
      else
        at = (*edge)[1];
      ++steps;
    } while (fine && at != (*begin)[0] && steps <= end - begin);
    if (!fine || steps != end - begin) defects.points.push_back(i);
  }
  std::vector<std::array<int, 2>> edges;
  for (const Triangle& t : triangles)
    for (int k = 0; k < 3; ++k) edges.push_back({std::min(t[k], t[(k + 1) % 3]), std::max(t[k], t[(k + 1) % 3])});
  std::sort(edges.begin(), edges.end());
  for (std::size_t a = 0; a < edges.size();) {
    std::size_t b = a;
    while (b < edges.size() && edges[b] == edges[a]) ++b;
    if (b - a != 2) ++defects.edges;
    a = b;
  }
  return defects;
}

}  // namespace rigspace
