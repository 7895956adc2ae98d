#include "rigspace/geometry/tri_mesh.h"

#include <cmath>
#include <utility>

namespace rigspace {
namespace {

/// Triangles joined by edges of exactly two, with the turns that orient them alike.
struct Patch {
  std::vector<int> triangles;
  bool orientable = true;
};

/// For each half-edge the one across an edge of two triangles, else -1.
std::vector<int> opposite_half_edges(const TriMesh& mesh, const EdgeTable& edges) {
  std::vector<int> opposite(3 * mesh.triangle_count(), -1);
  for (int e = 0; e < edges.count(); ++e) {
    const auto uses = edges.uses(e);
    if (uses.size() != 2) continue;
    opposite[uses[0]] = uses[1];
    opposite[uses[1]] = uses[0];
  }
  return opposite;
}

int start_point(const TriMesh& mesh, int half_edge) { return mesh.triangles[half_edge / 3][half_edge % 3]; }

/// Walks from `seed`, which keeps its turn; flip[t]: whether t must be turned to be oriented like it. -1: not yet seen.
Patch walk(const TriMesh& mesh, const std::vector<int>& opposite, int seed, std::vector<signed char>& flip) {
  Patch patch;
  patch.triangles.push_back(seed);
  flip[seed] = 0;
  for (std::size_t next = 0; next < patch.triangles.size(); ++next) {
    const int t = patch.triangles[next];
    for (int h = 3 * t; h < 3 * t + 3; ++h) {
      if (opposite[h] < 0) continue;
      const int other = opposite[h] / 3;
      // Neighbours oriented alike run along their edge in opposite directions.
      const bool agree = start_point(mesh, h) != start_point(mesh, opposite[h]);
      const auto wanted = static_cast<signed char>(agree ? flip[t] : 1 - flip[t]);
      if (flip[other] < 0) {
        flip[other] = wanted;
        patch.triangles.push_back(other);
      } else if (flip[other] != wanted) {
        patch.orientable = false;
      }
    }
  }
  return patch;
}

/// Whether a patch, once its triangles are oriented alike, must be turned as a whole.
bool faces_inward(const TriMesh& mesh, const Patch& patch, const std::vector<signed char>& flip) {
  Vec3 middle = Vec3::Zero();
  double twice_area = 0, turned = 0;
  for (const int t : patch.triangles) {
    const Triangle& c = mesh.triangles[t];
    const Vec3 x = point(mesh.points, c[0]), y = point(mesh.points, c[1]), z = point(mesh.points, c[2]);
    const double twice = (y - x).cross(z - x).norm();
    middle += twice * (x + y + z) / 3;
    twice_area += twice;
    turned += flip[t] ? twice : 0;
  }
  if (!(twice_area > 0)) return false;
  middle /= twice_area;
  double six_volumes = 0;
  for (const int t : patch.triangles) {
    const Triangle& c = mesh.triangles[t];
    const Vec3 x = point(mesh.points, c[0]) - middle, y = point(mesh.points, c[1]) - middle;
    const Vec3 z = point(mesh.points, c[2]) - middle;
    six_volumes += (flip[t] ? -1 : 1) * x.dot(y.cross(z));
  }
  // A sphere has 6 V / (2 A)^1.5 = 0.2; below a thousandth of that the patch is a sheet, which has no outside.
  if (std::abs(six_volumes) > 2e-4 * std::pow(twice_area, 1.5)) return six_volumes < 0;
  return turned > 0.5 * twice_area;
}

}  // namespace

Orientation orient_outward(TriMesh& mesh) {
  const std::vector<int> opposite = opposite_half_edges(mesh, edge_table(mesh));
  std::vector<signed char> flip(mesh.triangle_count(), -1);
  Orientation result;
  for (int seed = 0; seed < mesh.triangle_count(); ++seed) {
    if (flip[seed] >= 0) continue;
    const Patch patch = walk(mesh, opposite, seed, flip);
    ++result.patches;
    if (!patch.orientable) {
      ++result.unorientable;
      for (const int t : patch.triangles) flip[t] = 0;
    } else if (faces_inward(mesh, patch, flip)) {
      for (const int t : patch.triangles) flip[t] = static_cast<signed char>(1 - flip[t]);
    }
  }
  for (int t = 0; t < mesh.triangle_count(); ++t) {
    if (!flip[t]) continue;
    std::swap(mesh.triangles[t][1], mesh.triangles[t][2]);
    ++result.flipped;
  }
  return result;
}

}  // namespace rigspace
