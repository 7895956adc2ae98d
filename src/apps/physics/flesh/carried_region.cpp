// The solid of controls whose rig has no known bones: its nodes are tied to points of the surface.

#include "flesh_region.h"
#include "rigspace/geometry/embedding.h"
#include "rigspace/geometry/harmonic.h"
#include "rigspace/geometry/nearby_weights.h"
#include "rigspace/geometry/stuffing.h"

#include <algorithm>
#include <map>

namespace rigspace {
namespace {

constexpr int kMany = 6000;      // nodes; above it weights are computed only in a box: they cost interior x skin nodes
constexpr double kMargin = 6.0;  // cells around the moved skin in that box; farther nodes are held in any case

/// Harmonic weights of the nodes in a box, computed on the mesh inside the box only. Other nodes have none.
CarrierWeights weights_near(const TetMesh& mesh, const std::vector<char>& skin, const Box& box) {
  std::vector<char> inside(mesh.point_count(), 0);
  for (int i = 0; i < mesh.point_count(); ++i) {
    const Vec3 x = point(mesh.points, i);
    inside[i] = (x.array() >= box.low.array()).all() && (x.array() <= box.high.array()).all();
  }
  TetMesh near;
  const std::vector<int> nodes = cut_free(mesh, inside, near);
  std::vector<char> near_skin;
  for (const int i : nodes) near_skin.push_back(skin[i]);
  CarrierWeights all(mesh.point_count());
  if (std::none_of(near_skin.begin(), near_skin.end(), [](char s) { return s; })) return all;
  CarrierWeights weights = harmonic_weights(near, near_skin);
  for (std::size_t k = 0; k < nodes.size(); ++k)
    for (const auto& [node, weight] : weights[k]) all[nodes[k]].emplace_back(nodes[node], weight);
  return all;
}

/// For each node, points of the surface and weights: skin nodes by their position on the surface, interior nodes by
/// harmonic weights. In a large body (kMany) only nodes in the box have weights.
BoneWeights carriers_of(const TetMesh& mesh, const TriMesh& surface, const Box& box, std::vector<char>& skin) {
  skin.assign(mesh.point_count(), 0);
  BoneWeights ties(mesh.point_count()), carried(mesh.point_count());
  const SurfaceBinding binding = bind_boundary(mesh, surface);
  const std::vector<int> used = points_to_choose(surface, mesh);
  for (int k = 0; k < binding.count(); ++k) {
    skin[binding.nodes[k]] = 1;
    if (binding.off_surface[k]) {
      ties[binding.nodes[k]] = weights_around(point(mesh.points, binding.nodes[k]), surface.points, used);
      continue;
    }
    for (int c = 0; c < 3; ++c) ties[binding.nodes[k]].emplace_back(binding.corners[k][c], binding.weights[k][c]);
  }
  if (std::none_of(skin.begin(), skin.end(), [](char s) { return s; })) return carried;
  const CarrierWeights harmonic =
      mesh.point_count() > kMany ? weights_near(mesh, skin, box) : harmonic_weights(mesh, skin);
  for (int i = 0; i < mesh.point_count(); ++i) {
    std::map<int, double> sums;
    for (const auto& [node, weight] : harmonic[i])
      for (const auto& [point, share] : ties[node]) sums[point] += weight * share;
    carried[i].assign(sums.begin(), sums.end());
  }
  return carried;
}

/// The body with each node at the weighted sum of its surface points, without the tetrahedra that this flattens or
/// inverts, as where the surface folds within a cell, in a corner or beneath an ear.
TetMesh carried_mesh(const TetMesh& mesh, const TriMesh& surface, const BoneWeights& carriers) {
  constexpr double kLeast = 0.02;  // tetrahedra below this share of their volume are removed
  TetMesh carried{.points = mesh.points, .tets = {}};
  for (int i = 0; i < mesh.point_count(); ++i) {
    if (carriers[i].empty()) continue;
    point(carried.points, i).setZero();
    for (const auto& [p, weight] : carriers[i]) point(carried.points, i) += weight * point(surface.points, p);
  }
  const auto volume = [](const TetMesh& body, const Tet& tet) {
    Mat3 D;
    for (int k = 0; k < 3; ++k) D.col(k) = point(body.points, tet[k + 1]) - point(body.points, tet[0]);
    return D.determinant() / 6;
  };
  for (const Tet& tet : mesh.tets)
    if (volume(carried, tet) > kLeast * volume(mesh, tet)) carried.tets.push_back(tet);
  return carried;
}

}  // namespace

Region carried_region(const TriMesh& surface, const Vec& motion, const SoftenOptions& options) {
  Box box;
  for (int i = 0; i < surface.point_count(); ++i)
    if (motion[i] > kMoved) box.include(surface.points.segment<3>(3 * static_cast<Eigen::Index>(i)));
  Region region;
  if (box.empty()) return region;
  region.cell = region_cell(box, bounding_box(surface.points).diagonal());
  const StuffingOptions stuffing{.cell = region.cell};
  const TriMesh ordered = in_place_order(surface).mesh;
  const Body body = options.use_cache ? stuff_with_cache(ordered, stuffing) : stuff(ordered, stuffing);
  std::vector<char> skin;
  box.low.array() -= kMargin * region.cell, box.high.array() += kMargin * region.cell;
  const BoneWeights carriers = carriers_of(body.mesh, surface, box, skin);
  std::vector<char> free(body.mesh.point_count(), 0);
  for (int i = 0; i < body.mesh.point_count(); ++i) {
    double moved = 0;
    for (const auto& [point, weight] : carriers[i]) moved += weight * motion[point];
    free[i] = moved > kMoved;
  }
  const TetMesh carried = carried_mesh(body.mesh, surface, carriers);
  for (const int i : cut_free(carried, free, region.mesh)) {
    region.nodes.push_back(!free[i] ? FleshNode::held : skin[i] ? FleshNode::skin : FleshNode::interior);
    region.on_surface.push_back(carriers[i]);
    region.bones.emplace_back();
  }
  return region;
}

}  // namespace rigspace
