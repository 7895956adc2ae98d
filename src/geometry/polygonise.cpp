#include "rigspace/geometry/polygonise.h"

#include "rigspace/base/error.h"
#include "rigspace/base/parallel.h"

#include <array>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace rigspace {
namespace {

using Index3 = std::array<int, 3>;
using Quad = std::array<int, 4>;

// Corner k of a cell sits at (k & 1, k >> 1 & 1, k >> 2 & 1). Edge 4 a + 2 c + b runs along axis a; b and c are its
// coordinates along the next two axes, cyclically.
int edge_of(int axis, int b, int c) { return 4 * axis + 2 * c + b; }
int corner_of(int axis, int along, int b, int c) { return along << axis | b << (axis + 1) % 3 | c << (axis + 2) % 3; }

struct Grid {
  Index3 cells;
  Vec3 middle;
  double cell;
  std::vector<double> values;  // at the nodes

  std::int64_t node(const Index3& i) const {
    return (static_cast<std::int64_t>(i[2]) * (cells[1] + 1) + i[1]) * (cells[0] + 1) + i[0];
  }
  Vec3 position(const Index3& i) const {
    return middle + cell * Vec3(i[0] - 0.5 * cells[0], i[1] - 0.5 * cells[1], i[2] - 0.5 * cells[2]);
  }
  Index3 index(std::int64_t node) const {
    const int nx = cells[0] + 1, ny = cells[1] + 1;
    return {static_cast<int>(node % nx), static_cast<int>(node / nx % ny), static_cast<int>(node / nx / ny)};
  }
  double value(const Index3& i) const { return values[node(i)]; }
};

Grid sample(const ScalarField& field, const PolygoniseOptions& options) {
  Grid grid;
  grid.cell = options.cell;
  grid.middle = 0.5 * (options.low + options.high);
  std::int64_t nodes = 1;
  for (int a = 0; a < 3; ++a) {
    grid.cells[a] = static_cast<int>(std::ceil((options.high[a] - options.low[a]) / options.cell));
    nodes *= grid.cells[a] + 1;
  }
  grid.values.resize(nodes);
  parallel_ranges(static_cast<int>(nodes), 4096, [&](int begin, int end) {
    for (int n = begin; n < end; ++n) grid.values[n] = field(grid.position(grid.index(n)));
  });
  for (std::int64_t n = 0; n < nodes; ++n) {
    if (grid.values[n] >= 0) continue;
    const Index3 i = grid.index(n);
    for (int a = 0; a < 3; ++a) {
      if (i[a] == 0 || i[a] == grid.cells[a]) {
        throw Error(
            {.element = "solid", .problem = "reaches out of the box given to polygonise", .remedy = "enlarge the box"});
      }
    }
  }
  return grid;
}

// The patches of surface inside the cells, and the quads between them: the dual of marching cubes. Faces whose inside
// corners are only diagonal neighbours are ambiguous; there the corners are kept apart unless the face is in `joined`.
// Both cells of a face decide alike, so the surface closes.
class SurfaceNets {
 public:
  explicit SurfaceNets(const Grid& grid) : grid_(grid) {}

  // Two patches may meet along both curves of an ambiguous face; their common edge would then belong to four quads.
  // Deciding that face the other way parts them.
  void build() {
    for (int round = 0; round < 16; ++round) {
      find_patches();
      find_quads();
      if (!part_double_edges()) return;
    }
    throw Error(
        {.element = "solid", .problem = "gives no manifold surface on this grid", .remedy = "use smaller cells"});
  }

  std::vector<Vec3> vertices;
  std::vector<Quad> quads;

 private:
  std::int64_t face_key(Index3 cell, int axis, int side) const {
    cell[axis] += side;
    return 3 * grid_.node(cell) + axis;
  }

  void find_patches() {
    vertices.clear();
    vertex_cell_.clear();
    patch_of_.clear();
    for (int k = 0; k < grid_.cells[2]; ++k) {
      for (int j = 0; j < grid_.cells[1]; ++j) {
        for (int i = 0; i < grid_.cells[0]; ++i) find_patches_in({i, j, k});
      }
    }
  }

  void find_patches_in(const Index3& cell) {
    std::array<double, 8> value;
    int inside = 0;
    for (int corner = 0; corner < 8; ++corner) {
      value[corner] = grid_.value({cell[0] + (corner & 1), cell[1] + (corner >> 1 & 1), cell[2] + (corner >> 2 & 1)});
      inside += value[corner] < 0;
    }
    if (inside == 0 || inside == 8) return;

    std::array<int, 12> root;
    for (int e = 0; e < 12; ++e) root[e] = e;
    const auto unite = [&](int e, int f) {
      const int from = root[f], to = root[e];
      for (int& r : root) r = r == from ? to : r;
    };
    for (int axis = 0; axis < 3; ++axis) {
      for (int side = 0; side < 2; ++side) unite_on_face(cell, axis, side, value, unite);
    }

    std::array<int, 12> patch, vertex;
    patch.fill(-1);
    vertex.fill(-1);
    std::array<int, 12> crossings{};
    for (int axis = 0; axis < 3; ++axis) {
      for (int bc = 0; bc < 4; ++bc) {
        const int b = bc & 1, c = bc >> 1, e = edge_of(axis, b, c);
        const double v0 = value[corner_of(axis, 0, b, c)], v1 = value[corner_of(axis, 1, b, c)];
        if ((v0 < 0) == (v1 < 0)) continue;
        int& v = vertex[root[e]];
        if (v < 0) {
          v = static_cast<int>(vertices.size());
          vertices.push_back(Vec3::Zero());
          vertex_cell_.push_back(cell);
        }
        Vec3 crossing;
        crossing[axis] = v0 / (v0 - v1);
        crossing[(axis + 1) % 3] = b;
        crossing[(axis + 2) % 3] = c;
        vertices[v] += crossing;
        ++crossings[root[e]];
        patch[e] = v;
      }
    }
    for (int e = 0; e < 12; ++e) {
      if (vertex[e] < 0) continue;
      Vec3& v = vertices[vertex[e]];
      v = grid_.position(cell) + grid_.cell / crossings[e] * v;
    }
    patch_of_.emplace(grid_.node(cell), patch);
  }

  template <class Unite>
  void unite_on_face(const Index3& cell, int axis, int side, const std::array<double, 8>& value, const Unite& unite) {
    const int b = (axis + 1) % 3, c = (axis + 2) % 3;
    // Corners around the face, and the edge from each to the next.
    const std::array<int, 4> corner{side << axis, side << axis | 1 << b, side << axis | 1 << b | 1 << c,
                                    side << axis | 1 << c};
    const std::array<int, 4> edge{edge_of(b, 0, side), edge_of(c, side, 1), edge_of(b, 1, side), edge_of(c, side, 0)};
    std::array<int, 4> crossing;
    int count = 0;
    for (int k = 0; k < 4; ++k) {
      if ((value[corner[k]] < 0) != (value[corner[(k + 1) % 4]] < 0)) crossing[count++] = edge[k];
    }
    if (count == 2) unite(crossing[0], crossing[1]);
    if (count == 4) {
      const bool around_inside = !joined_.contains(face_key(cell, axis, side));
      const int first = (value[corner[0]] < 0) == around_inside ? 0 : 1;
      for (int k = first; k < 4; k += 2) unite(edge[k], edge[(k + 3) % 4]);
    }
  }

  void find_quads() {
    quads.clear();
    const std::int64_t nodes = static_cast<std::int64_t>(grid_.values.size());
    for (std::int64_t n = 0; n < nodes; ++n) {
      const Index3 i = grid_.index(n);
      for (int axis = 0; axis < 3; ++axis) {
        if (i[axis] == grid_.cells[axis]) continue;
        Index3 next = i;
        ++next[axis];
        const bool in0 = grid_.values[n] < 0, in1 = grid_.value(next) < 0;
        if (in0 != in1) quads.push_back(quad_around(i, axis, in0));
      }
    }
  }

  Quad quad_around(const Index3& node, int axis, bool outward_along_axis) const {
    constexpr int kBack[4][2] = {{1, 1}, {0, 1}, {0, 0}, {1, 0}};  // counter-clockwise seen against the axis
    Quad quad;
    for (int k = 0; k < 4; ++k) {
      Index3 cell = node;
      cell[(axis + 1) % 3] -= kBack[k][0];
      cell[(axis + 2) % 3] -= kBack[k][1];
      quad[k] = patch_of_.at(grid_.node(cell))[edge_of(axis, kBack[k][0], kBack[k][1])];
    }
    if (!outward_along_axis) std::swap(quad[1], quad[3]);
    return quad;
  }

  bool part_double_edges() {
    std::unordered_map<std::uint64_t, int> uses;
    bool changed = false;
    for (const Quad& quad : quads) {
      for (int k = 0; k < 4; ++k) {
        const auto [u, v] = std::minmax(quad[k], quad[(k + 1) % 4]);
        if (++uses[static_cast<std::uint64_t>(u) << 32 | static_cast<std::uint32_t>(v)] != 3) continue;
        const Index3 &cu = vertex_cell_[u], &cv = vertex_cell_[v];
        const int axis = cu[0] != cv[0] ? 0 : cu[1] != cv[1] ? 1 : 2;
        const std::int64_t key = face_key(cu[axis] < cv[axis] ? cu : cv, axis, 1);
        changed |= joined_.insert(key).second;
        if (!changed) {
          throw Error(
              {.element = "solid", .problem = "gives no manifold surface on this grid", .remedy = "use smaller cells"});
        }
      }
    }
    return changed;
  }

  const Grid& grid_;
  std::unordered_map<std::int64_t, std::array<int, 12>> patch_of_;  // by cell: the vertex of each crossing edge
  std::vector<Index3> vertex_cell_;
  std::unordered_set<std::int64_t> joined_;
};

// Neighbours along the sides of quads, each once.
std::vector<std::vector<int>> neighbours(const std::vector<Quad>& quads, std::size_t vertex_count) {
  std::vector<std::vector<int>> result(vertex_count);
  for (const Quad& quad : quads) {
    for (int k = 0; k < 4; ++k) result[quad[k]].push_back(quad[(k + 1) % 4]);  // each side occurs once either way
  }
  return result;
}

// Newton's steps to the level, each at most half a cell; `normal` becomes the direction of the last one.
Vec3 projected(const ScalarField& field, Vec3 p, double cell, int steps, Vec3& normal) {
  for (int k = 0; k < steps; ++k) {
    const double value = field(p);
    const Vec3 g = gradient(field, p, 1e-3 * cell);
    const Vec3 step = -value / std::max(g.squaredNorm(), 1e-6) * g;
    p += std::min(1.0, 0.5 * cell / std::max(step.norm(), 1e-300)) * step;
    normal = g.normalized();
  }
  return p;
}

// Moves every vertex toward the mean of its neighbours, within the surface.
void spread(const ScalarField& field, const PolygoniseOptions& options, const std::vector<std::vector<int>>& around,
            std::vector<Vec3>& vertices) {
  std::vector<Vec3> next(vertices.size()), normals(vertices.size());
  for (int round = 0; round <= options.smoothing; ++round) {
    const int newton_steps = round == 0 ? 2 : round == options.smoothing ? 4 : 1;
    parallel_ranges(static_cast<int>(vertices.size()), 256, [&](int begin, int end) {
      for (int v = begin; v < end; ++v) {
        Vec3 p = vertices[v];
        if (round > 0) {
          Vec3 move = -p;
          for (const int n : around[v]) move += vertices[n] / static_cast<double>(around[v].size());
          p += 0.7 * (move - move.dot(normals[v]) * normals[v]);
        }
        next[v] = projected(field, p, options.cell, newton_steps, normals[v]);
      }
    });
    vertices.swap(next);
  }
}

double smallest_angle(const Vec3& a, const Vec3& b, const Vec3& c) {
  const auto angle = [](const Vec3& u, const Vec3& v) { return std::atan2(u.cross(v).norm(), u.dot(v)); };
  return std::min({angle(b - a, c - a), angle(c - b, a - b), angle(a - c, b - c)});
}

// Each quad along the diagonal that leaves the larger smallest angle.
std::vector<std::array<int, 3>> triangulate(const std::vector<Quad>& quads, const std::vector<Vec3>& x) {
  std::vector<std::array<int, 3>> triangles;
  triangles.reserve(2 * quads.size());
  for (const Quad& q : quads) {
    const auto quality = [&](int a, int b, int c) { return smallest_angle(x[q[a]], x[q[b]], x[q[c]]); };
    const double even = std::min(quality(0, 1, 2), quality(0, 2, 3));
    const double odd = std::min(quality(0, 1, 3), quality(1, 2, 3));
    if (even >= odd) {
      triangles.push_back({q[0], q[1], q[2]});
      triangles.push_back({q[0], q[2], q[3]});
    } else {
      triangles.push_back({q[0], q[1], q[3]});
      triangles.push_back({q[1], q[2], q[3]});
    }
  }
  return triangles;
}

std::uint64_t directed(int from, int to) {
  return static_cast<std::uint64_t>(from) << 32 | static_cast<std::uint32_t>(to);
}

// One pass of flips that raise the smallest angle of two triangles; a triangle takes part once. Returns the number.
int flip_edges(std::vector<std::array<int, 3>>& triangles, const std::vector<Vec3>& x) {
  std::unordered_map<std::uint64_t, int> owner;  // of a directed edge
  for (int t = 0; t < static_cast<int>(triangles.size()); ++t) {
    for (int k = 0; k < 3; ++k) owner[directed(triangles[t][k], triangles[t][(k + 1) % 3])] = t;
  }
  const auto normal = [&](int a, int b, int c) { return (x[b] - x[a]).cross(x[c] - x[a]).normalized(); };
  std::vector<char> used(triangles.size(), 0);
  int flips = 0;
  for (int t = 0; t < static_cast<int>(triangles.size()); ++t) {
    for (int k = 0; k < 3 && !used[t]; ++k) {
      const int a = triangles[t][k], b = triangles[t][(k + 1) % 3], c = triangles[t][(k + 2) % 3];
      const int other = owner.at(directed(b, a));
      if (used[other]) continue;
      int d = -1;
      for (const int v : triangles[other]) d = v != a && v != b ? v : d;
      if (owner.contains(directed(c, d)) || owner.contains(directed(d, c))) continue;
      const double before = std::min(smallest_angle(x[a], x[b], x[c]), smallest_angle(x[b], x[a], x[d]));
      const double after = std::min(smallest_angle(x[c], x[a], x[d]), smallest_angle(x[d], x[b], x[c]));
      const Vec3 mean = (normal(a, b, c) + normal(b, a, d)).normalized();
      // Only where the surface is nearly flat across the edge: 0.9 is 26 degrees.
      if (after < before + 1e-3 || mean.dot(normal(c, a, d)) < 0.9 || mean.dot(normal(d, b, c)) < 0.9) continue;
      triangles[t] = {c, a, d};
      triangles[other] = {d, b, c};
      owner[directed(c, d)] = other;
      owner[directed(d, c)] = t;
      owner.erase(directed(a, b));
      owner.erase(directed(b, a));
      used[t] = used[other] = 1;
      ++flips;
    }
  }
  return flips;
}

}  // namespace

Vec3 gradient(const ScalarField& field, const Vec3& p, double step) {
  Vec3 g;
  for (int a = 0; a < 3; ++a) {
    const Vec3 d = step * Vec3::Unit(a);
    g[a] = (field(p + d) - field(p - d)) / (2 * step);
  }
  return g;
}

void PolygoniseOptions::validate() const {
  constexpr double kMostNodes = 1e8;
  const auto reject = [](std::string problem, std::string remedy) {
    throw Error({.element = "polygonise", .problem = std::move(problem), .remedy = std::move(remedy)});
  };
  if (!(cell > 0) || !((high - low).minCoeff() > cell))
    reject("has an empty box or cell", "low < high, 0 < cell < box");
  if (((high - low) / cell).array().prod() > kMostNodes) reject("has more than 1e8 grid cells", "use larger cells");
  if (smoothing < 0) reject("has negative smoothing", "expected 0 or more rounds");
}

TriMesh polygonise(const ScalarField& field, const PolygoniseOptions& options) {
  options.validate();
  const Grid grid = sample(field, options);
  SurfaceNets nets(grid);
  nets.build();
  if (nets.vertices.empty()) {
    throw Error({.element = "solid",
                 .problem = "is empty on this grid",
                 .remedy = "check the field's sign, or use smaller cells"});
  }
  spread(field, options, neighbours(nets.quads, nets.vertices.size()), nets.vertices);

  TriMesh mesh;
  mesh.triangles = triangulate(nets.quads, nets.vertices);
  for (int round = 0; round < 8 && flip_edges(mesh.triangles, nets.vertices) > 0; ++round) {
  }
  mesh.points.resize(static_cast<Eigen::Index>(3 * nets.vertices.size()));
  for (std::size_t v = 0; v < nets.vertices.size(); ++v) mesh.points.segment<3>(3 * v) = nets.vertices[v];
  return mesh;
}

}  // namespace rigspace
