#include "solids.h"

#include <algorithm>
#include <cmath>

namespace rigspace {
namespace {

// Mean winding number just behind a surface: 1 for anything closed, 1/2 for a flat sheet, below 3/4 for half a tube
// (3/4 if it were endless), and nearer to 1 the longer a tube is for its width. Below this it is a sheet.
constexpr double kSolid = 0.7;

constexpr int kSamples = 400;  // triangles of a part that are sampled

/// The triangles of `mesh` numbered `triangles`, with the points they use.
TriMesh part_mesh(const TriMesh& mesh, const std::vector<int>& triangles) {
  std::vector<int> used;
  for (const int t : triangles) used.insert(used.end(), mesh.triangles[t].begin(), mesh.triangles[t].end());
  std::sort(used.begin(), used.end());
  used.erase(std::unique(used.begin(), used.end()), used.end());
  TriMesh part;
  part.points.resize(3 * static_cast<Eigen::Index>(used.size()));
  for (std::size_t i = 0; i < used.size(); ++i) point(part.points, static_cast<int>(i)) = point(mesh.points, used[i]);
  for (const int t : triangles) {
    Triangle corners = mesh.triangles[t];
    for (int& c : corners) c = static_cast<int>(std::lower_bound(used.begin(), used.end(), c) - used.begin());
    part.triangles.push_back(corners);
  }
  return part;
}

/// Area-weighted means of the winding number of `around` just behind and just before the triangles of `mesh`.
struct Sides {
  double behind = 0, before = 0;
};

Sides winding_beside(const TriMesh& mesh, const WindingTree& around) {
  const double step = 1e-5 * bounding_box(mesh.points).diagonal();
  const int stride = std::max(1, mesh.triangle_count() / kSamples);
  Sides sum;
  double total = 0;
  for (int t = 0; t < mesh.triangle_count(); t += stride) {
    const Triangle& c = mesh.triangles[t];
    const Vec3 a = point(mesh.points, c[0]), b = point(mesh.points, c[1]), d = point(mesh.points, c[2]);
    const Vec3 area = (b - a).cross(d - a);
    const double weight = area.norm();
    if (!(weight > 0)) continue;
    const Vec3 middle = (a + b + d) / 3, out = step / weight * area;
    sum.behind += weight * around(middle - out);
    sum.before += weight * around(middle + out);
    total += weight;
  }
  return total > 0 ? Sides{sum.behind / total, sum.before / total} : Sides{};
}

}  // namespace

Solids::Solids(const TriMesh& surface) : part_of_triangle_(surface.triangles.size(), -1) {
  Weld welded = weld(surface);
  flipped_ = orient_outward(welded.mesh).flipped;
  const Components components = connected_components(welded.mesh);
  for (std::size_t t = 0; t < welded.triangle.size(); ++t)
    part_of_triangle_[welded.triangle[t]] = components.of_triangle[t];
  for (const Component& part : components.parts)
    parts_.push_back({.triangles = part.triangles, .closed = part.closed, .area = part.area});
  find_solids(welded.mesh, components);

  std::vector<int> solid_triangles;
  for (int t = 0; t < welded.mesh.triangle_count(); ++t)
    if (parts_[components.of_triangle[t]].solid) solid_triangles.push_back(t);
  skin_ = TriangleTree(part_mesh(welded.mesh, solid_triangles));
  box_ = bounding_box(skin_.mesh().points);
  std::vector<Box> boxes;
  for (const Solid& solid : solids_) boxes.push_back(solid.box);
  boxes_ = Bvh(boxes);
}

void Solids::add_solid(const TriMesh& mesh, bool closed) {
  solids_.push_back({WindingTree(mesh), bounding_box(mesh.points), closed});
}

// Each part is judged by itself. Parts that enclose nothing alone are tried together, for a box may come as six loose
// squares; those of them that do not separate an inside from an outside are taken away until the rest do or none is
// left. (Of two parallel cards the outer has nothing behind it, then the inner is alone.)
void Solids::find_solids(const TriMesh& mesh, const Components& components) {
  std::vector<std::vector<int>> triangles(parts_.size());
  for (int t = 0; t < mesh.triangle_count(); ++t) triangles[components.of_triangle[t]].push_back(t);
  std::vector<int> loose;
  for (int part = 0; part < static_cast<int>(parts_.size()); ++part) {
    const TriMesh own = part_mesh(mesh, triangles[part]);
    WindingTree winding(own);
    parts_[part].solid = winding_beside(own, winding).behind >= kSolid;
    if (parts_[part].solid)
      solids_.push_back({std::move(winding), bounding_box(own.points), parts_[part].closed});
    else if (!parts_[part].closed)
      loose.push_back(part);
  }
  while (loose.size() > 1) {
    std::vector<int> together;
    for (const int part : loose) together.insert(together.end(), triangles[part].begin(), triangles[part].end());
    const TriMesh all = part_mesh(mesh, together);
    const WindingTree winding(all);
    std::vector<int> kept;
    for (const int part : loose) {
      const Sides sides = winding_beside(part_mesh(mesh, triangles[part]), winding);
      if (sides.behind >= kSolid && sides.before <= 1 - kSolid) kept.push_back(part);
    }
    if (kept.size() == loose.size()) {
      for (const int part : kept) parts_[part].solid = true;
      add_solid(all, false);
      return;
    }
    loose = std::move(kept);
  }
}

bool Solids::inside(const Vec3& x) const {
  bool found = false;
  // A surface with all of its triangles to one side of x fills less than half of what x sees, so only boxes matter.
  boxes_.traverse([&](const Bvh::Node& node) { return !found && squared_distance(x, node.low, node.high) == 0; },
                  [&](int k) {
                    const Solid& solid = solids_[k];
                    if (found || squared_distance(x, solid.box.low, solid.box.high) > 0) return;
                    found = solid.winding(x) > 0.5;
                  });
  return found;
}

bool Solids::near_hole(const Vec3& x) const {
  bool found = false;
  boxes_.traverse([&](const Bvh::Node& node) { return !found && squared_distance(x, node.low, node.high) == 0; },
                  [&](int k) {
                    const Solid& solid = solids_[k];
                    found = found || (!solid.closed && squared_distance(x, solid.box.low, solid.box.high) == 0);
                  });
  return found;
}

}  // namespace rigspace
