#include "rigspace/geometry/cover_lattice.h"

#include "rigspace/base/error.h"
#include "rigspace/base/require.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <queue>
#include <string>

namespace rigspace {
namespace {

using Index3 = std::array<int, 3>;

constexpr double kLeastVolume = 0.1;  // of a cube, at each corner of a cell
constexpr int kSweeps = 150;          // of smoothing; the bodies are some ten cells across

double segment_share(const Vec3& x, const BoneLine& bone) {
  const Vec3 along = bone.to - bone.from;
  const double length2 = along.squaredNorm();
  return length2 > 0 ? std::clamp((x - bone.from).dot(along) / length2, 0.0, 1.0) : 0.0;
}

Vec3 on_bone(const BoneLine& bone, double t) { return bone.from + t * (bone.to - bone.from); }

/// The cubes of a grid that hold a part of the body, as a lattice.
class Cubes {
 public:
  Cubes(const Vec3& origin, double size) : origin_(origin), size_(size) {}

  void include(const Vec3& x) {
    const Vec3 at = (x - origin_) / size_;
    cells_[{int(std::floor(at.x())), int(std::floor(at.y())), int(std::floor(at.z()))}] = 1;
  }

  /// Points of each triangle, a third of a cube apart, and its corners.
  void include_surface(const TriMesh& surface) {
    for (const Triangle& t : surface.triangles) {
      const Vec3 a = point(surface.points, t[0]), b = point(surface.points, t[1]), c = point(surface.points, t[2]);
      const double longest = std::max({(a - b).norm(), (b - c).norm(), (c - a).norm()});
      const int n = 1 + static_cast<int>(3 * longest / size_);
      for (int i = 0; i <= n; ++i)
        for (int j = 0; i + j <= n; ++j) include((double(i) * a + double(j) * b + double(n - i - j) * c) / n);
    }
  }

  void include_inside(const Box& box, const WindingTree& winding) {
    Index3 low{}, high{};
    for (int a = 0; a < 3; ++a) {
      low[a] = int(std::floor((box.low[a] - origin_[a]) / size_));
      high[a] = int(std::floor((box.high[a] - origin_[a]) / size_));
    }
    for (int i = low[0]; i <= high[0]; ++i)
      for (int j = low[1]; j <= high[1]; ++j)
        for (int k = low[2]; k <= high[2]; ++k) {
          const Vec3 middle = origin_ + size_ * Vec3(i + 0.5, j + 0.5, k + 0.5);
          if (winding(middle) > 0.5) cells_[{i, j, k}] = 1;
        }
  }

  HexLattice lattice() const {
    HexLattice made;
    std::map<Index3, int> number;
    for (const auto& entry : cells_) {
      std::array<int, 8> cell{};
      for (int c = 0; c < 8; ++c) {
        const Index3 at{entry.first[0] + (c & 1), entry.first[1] + (c >> 1 & 1), entry.first[2] + (c >> 2 & 1)};
        const auto [found, is_new] = number.try_emplace(at, made.vertex_count());
        if (is_new) made.vertices.push_back(origin_ + size_ * Vec3(at[0], at[1], at[2]));
        cell[c] = found->second;
      }
      made.cells.push_back(cell);
    }
    return made;
  }

 private:
  Vec3 origin_;
  double size_;
  std::map<Index3, char> cells_;
};

using Neighbours = std::vector<std::vector<int>>;

Neighbours neighbours_of(const HexLattice& lattice) {
  Neighbours near(lattice.vertices.size());
  for (const auto& [i, j] : lattice_edges(lattice)) near[i].push_back(j), near[j].push_back(i);
  return near;
}

int nearest_vertex(const HexLattice& lattice, const Vec3& x) {
  int found = -1;
  double best = std::numeric_limits<double>::infinity();
  for (int i = 0; i < lattice.vertex_count(); ++i)
    if (const double d = (lattice.vertices[i] - x).squaredNorm(); d < best) best = d, found = i;
  return found;
}

/// The path of edges between two vertices that is shortest when lengths count more the farther they are from the bone.
std::vector<int> path_along(const HexLattice& lattice, const Neighbours& near, const BoneLine& bone, double size) {
  const int start = nearest_vertex(lattice, bone.from), end = nearest_vertex(lattice, bone.to);
  const auto cost = [&](int i) {
    const Vec3& x = lattice.vertices[i];
    return 1 + 10 * (x - on_bone(bone, segment_share(x, bone))).squaredNorm() / (size * size);
  };
  std::vector<double> reached(lattice.vertices.size(), std::numeric_limits<double>::infinity());
  std::vector<int> from(lattice.vertices.size(), -1);
  std::priority_queue<std::pair<double, int>, std::vector<std::pair<double, int>>, std::greater<>> open;
  reached[start] = 0, open.push({0, start});
  while (!open.empty()) {
    const auto [so_far, i] = open.top();
    open.pop();
    if (i == end) break;
    if (so_far > reached[i]) continue;
    for (const int j : near[i]) {
      const double there = so_far + 0.5 * (cost(i) + cost(j));
      if (there < reached[j]) reached[j] = there, from[j] = i, open.push({there, j});
    }
  }
  std::vector<int> path;
  for (int i = end; i >= 0; i = from[i]) path.push_back(i);
  std::reverse(path.begin(), path.end());
  return path;
}

/// Which vertices go onto bones, and where.
struct Drawn {
  std::vector<int> bone;  ///< of each vertex, or -1
  std::vector<Vec3> goal;
};

Drawn draw_onto_bones(const HexLattice& lattice, const Neighbours& near, std::span<const BoneLine> bones, double size,
                      const std::vector<char>& outside) {
  Drawn drawn{std::vector<int>(lattice.vertices.size(), -1), lattice.vertices};
  for (int b = 0; b < static_cast<int>(bones.size()); ++b) {
    const std::vector<int> path = path_along(lattice, near, bones[b], size);
    for (std::size_t k = 0; k < path.size(); ++k) {
      const int i = path[k];
      if (outside[i] || drawn.bone[i] >= 0) continue;
      const double t = path.size() > 1 ? static_cast<double>(k) / static_cast<double>(path.size() - 1) : 0.0;
      const Vec3 goal = on_bone(bones[b], t);
      if ((goal - lattice.vertices[i]).norm() > 1.2 * size) continue;  // the path went round a gap of the body
      drawn.bone[i] = b, drawn.goal[i] = goal;
    }
  }
  return drawn;
}

/// Vertices that are not drawn move as the mean of their neighbours; those outside stay.
void follow_smoothly(const Drawn& drawn, const Neighbours& near, const std::vector<char>& outside,
                     const std::vector<Vec3>& cubes, HexLattice& lattice) {
  std::vector<Vec3> move(cubes.size(), Vec3::Zero());
  for (std::size_t i = 0; i < cubes.size(); ++i)
    if (drawn.bone[i] >= 0) move[i] = drawn.goal[i] - cubes[i];
  for (int sweep = 0; sweep < kSweeps; ++sweep)
    for (std::size_t i = 0; i < cubes.size(); ++i) {
      if (drawn.bone[i] >= 0 || outside[i]) continue;
      Vec3 sum = Vec3::Zero();
      for (const int j : near[i]) sum += move[j];
      move[i] = sum / static_cast<double>(near[i].size());
    }
  for (std::size_t i = 0; i < cubes.size(); ++i) lattice.vertices[i] = cubes[i] + move[i];
}

/// The corner of a cell with the least volume, and that volume.
std::pair<double, int> flattest_corner(const HexLattice& lattice, int cell) {
  std::pair<double, int> least{std::numeric_limits<double>::infinity(), 0};
  for (int c = 0; c < 8; ++c)
    least = std::min(least, {lattice.jacobian(cell, Vec3(c & 1, c >> 1 & 1, c >> 2 & 1)).determinant(), c});
  return least;
}

/// Of the drawn vertices of a flat cell one to give up: that at the flat corner, else that which moved most; -1: none.
int vertex_to_release(const HexLattice& lattice, const std::vector<Vec3>& cubes, const Drawn& drawn, int cell,
                      int corner) {
  const auto& vertices = lattice.cells[cell];
  if (drawn.bone[vertices[corner]] >= 0) return vertices[corner];
  int found = -1;
  const auto moved = [&](int i) { return (drawn.goal[i] - cubes[i]).norm(); };
  for (const int i : vertices)
    if (drawn.bone[i] >= 0 && (found < 0 || moved(i) > moved(found))) found = i;
  return found;
}

/// Draws vertices onto the bones and gives up those that make cells too flat, the flattest first: where a path of edges
/// turns a corner, the cell inside the turn would lose it.
Drawn follow_bones(std::span<const BoneLine> bones, double size, HexLattice& lattice) {
  const Neighbours near = neighbours_of(lattice);
  const std::vector<char> outside = boundary_vertices(lattice);
  const std::vector<Vec3> cubes = lattice.vertices;
  Drawn drawn = draw_onto_bones(lattice, near, bones, size, outside);
  for (;;) {
    follow_smoothly(drawn, near, outside, cubes, lattice);
    std::vector<std::pair<double, std::pair<int, int>>> flat;
    for (int k = 0; k < lattice.cell_count(); ++k)
      if (const auto [volume, corner] = flattest_corner(lattice, k); volume < kLeastVolume * size * size * size)
        flat.push_back({volume, {k, corner}});
    if (flat.empty()) return drawn;
    std::sort(flat.begin(), flat.end());
    std::vector<char> near_released(cubes.size(), 0);
    bool any = false;
    for (const auto& [volume, where] : flat) {
      const int i = vertex_to_release(lattice, cubes, drawn, where.first, where.second);
      if (i < 0 || near_released[i] != 0) continue;
      drawn.bone[i] = -1, any = true;
      for (const int j : near[i]) {
        near_released[j] = 1;
        for (const int k : near[j]) near_released[k] = 1;
      }
    }
    if (!any) std::fill(drawn.bone.begin(), drawn.bone.end(), -1);  // a cell is flat without a drawn vertex of its own
  }
}

/// Bones that no vertex lies on hold those nearest to their ends.
void hold_thin_parts(std::span<const BoneLine> bones, const HexLattice& lattice, std::vector<int>& holder) {
  for (int b = 0; b < static_cast<int>(bones.size()); ++b) {
    if (std::find(holder.begin(), holder.end(), b) != holder.end()) continue;
    for (const Vec3& end : {bones[b].from, bones[b].to}) {
      const int i = nearest_vertex(lattice, end);
      if (holder[i] < 0) holder[i] = b;
    }
  }
}

}  // namespace

void CoverOptions::validate() const {
  require_option(cells >= 8 && cells <= 200000, "number of cells", cells, "expected 8 to 200000");
  require_option(cell >= 0 && std::isfinite(cell), "edge of a cell", cell, "expected scene units above 0");
}

CoverLattice cover_lattice(const TriMesh& surface, const WindingTree& winding, std::span<const BoneLine> bones,
                           const CoverOptions& options) {
  options.validate();
  const Box box = bounding_box(surface.points);
  const double volume = std::abs(signed_volume(surface));
  const double flat = 1e-9 * std::pow(box.diagonal(), 3);
  if (surface.triangles.empty() || !(volume > flat))
    throw Error({.element = "surface", .problem = "has no inside", .remedy = "give a closed body that faces outward"});
  CoverLattice made;
  made.cell = options.cell > 0 ? options.cell : std::cbrt(volume / options.cells);
  if (box.size().maxCoeff() / made.cell > 500)
    throw Error({.code = ErrorCode::usage,
                 .element = "edge of a cell",
                 .value = std::to_string(made.cell),
                 .problem = "is less than a 500th of the body",
                 .remedy = "give a larger one"});
  const Vec3 origin = bones.empty() ? box.center() : bones.front().from;  // a vertex of the grid
  Cubes cubes(origin, made.cell);
  cubes.include_surface(surface);
  cubes.include_inside(box, winding);
  made.lattice = cubes.lattice();
  Drawn drawn = follow_bones(bones, made.cell, made.lattice);
  hold_thin_parts(bones, made.lattice, drawn.bone);
  for (int i = 0; i < made.lattice.vertex_count(); ++i)
    if (drawn.bone[i] >= 0) made.held.push_back({i, drawn.bone[i]});
  return made;
}

}  // namespace rigspace
