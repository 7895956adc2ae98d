#include "rigspace/body/rig_body.h"

#include "rigspace/base/error.h"
#include "rigspace/geometry/embedding.h"
#include "rigspace/geometry/harmonic.h"
#include "rigspace/geometry/nearby_weights.h"
#include "rigspace/geometry/stuffing.h"

#include <algorithm>
#include <map>

namespace rigspace {
namespace {

using Weights = PointWeights;

/// Converts weights over skin nodes to weights over points of the rig.
std::vector<Weights> over_points(const CarrierWeights& carriers, const std::vector<Weights>& of_skin) {
  std::vector<Weights> result;
  for (const auto& carried : carriers) {
    std::map<int, double> sums;
    for (const auto& [node, weight] : carried)
      for (const auto& [point, share] : of_skin[node]) sums[point] += weight * share;
    result.emplace_back(sums.begin(), sums.end());
  }
  return result;
}

/// Sets body.rig to the rig, and body.ties with its point numbers.
void tie_to_all(RigBody& body, std::shared_ptr<const Rig> rig, const std::vector<Weights>& weights) {
  for (const Weights& each : weights) {
    for (const auto& [point, weight] : each) body.ties.add(point, weight);
    body.ties.end_row();
  }
  body.rig = std::move(rig);
}

/// Sets body.rig to the rig restricted to the points that nodes are tied to, and body.ties with its point numbers.
void tie_to_needed(RigBody& body, std::shared_ptr<const Rig> rig, const std::vector<Weights>& weights) {
  std::vector<int> needed;
  for (const Weights& each : weights)
    for (const auto& [point, weight] : each) needed.push_back(point);
  std::sort(needed.begin(), needed.end());
  needed.erase(std::unique(needed.begin(), needed.end()), needed.end());
  for (const Weights& each : weights) {
    for (const auto& [point, weight] : each) {
      const auto place = std::lower_bound(needed.begin(), needed.end(), point) - needed.begin();
      body.ties.add(static_cast<int>(place), weight);
    }
    body.ties.end_row();
  }
  if (static_cast<int>(needed.size()) == rig->point_count()) {
    body.rig = std::move(rig);
    return;
  }
  // A restricted rig may refer to the whole one: the shared pair keeps both alive.
  auto restricted = std::make_shared<std::pair<std::shared_ptr<const Rig>, std::unique_ptr<Rig>>>(rig, nullptr);
  restricted->second = rig->restricted(needed);
  body.rig = std::shared_ptr<const Rig>(restricted, restricted->second.get());
}

}  // namespace

int RigBody::skin_count() const { return static_cast<int>(std::count(skin.begin(), skin.end(), 1)); }

void LoadedOffsets::at(In p_now, Vec& offset) const {
  Vec w;
  poses.weights(p_now, w);
  offset.noalias() = values * w;
}

namespace {

/// Leaves out cells that join regions which options.apart separates, and those that the ties turn inside out or
/// flatten: where the surface folds within a cell, in a corner, between shells or beneath an ear. Nodes that are left
/// without a cell are carried by the surface.
void leave_out_cells(RigBody& body, const Vec& stuffed, const std::vector<int>& main_point,
                     const std::function<bool(int, int)>& apart) {
  constexpr double kLeast = 0.02;  // of the volume that a cell was cut with
  const auto volume = [](const Vec& x, const Tet& tet) {
    return tet_volume(point(x, tet[0]), point(x, tet[1]), point(x, tet[2]), point(x, tet[3]));
  };
  const auto joins = [&](const Tet& tet) {
    for (int a = 0; apart && a < 4; ++a)
      for (int b = 0; b < a; ++b)
        if (apart(main_point[tet[a]], main_point[tet[b]])) return true;
    return false;
  };
  body.left_out = static_cast<int>(std::erase_if(body.mesh.tets, [&](const Tet& tet) {
    return joins(tet) || !(volume(body.mesh.points, tet) > kLeast * volume(stuffed, tet));
  }));
  if (body.left_out == 0) return;
  std::vector<char> used(body.skin.size(), 0);
  for (const Tet& tet : body.mesh.tets)
    for (const int corner : tet) used[corner] = 1;
  for (std::size_t i = 0; i < used.size(); ++i)
    if (!used[i]) body.skin[i] = 1;
  if (body.mesh.tets.empty())
    throw Error({.element = "body",
                 .problem = "has no cell that its surface leaves the right way out",
                 .remedy = "give smaller cells, or a surface that does not cross itself"});
}

/// Of each node the point that carries most of it.
std::vector<int> main_points(const std::vector<Weights>& weights) {
  std::vector<int> result;
  for (const Weights& each : weights)
    result.push_back(std::max_element(each.begin(), each.end(), [](const auto& a, const auto& b) {
                       return a.second < b.second;
                     })->first);
  return result;
}

RigBody make_body(std::shared_ptr<const Rig> rig, const TriMesh& surface, TetMesh mesh, const RigBodyOptions& options) {
  RigBody body{.mesh = std::move(mesh)};
  body.skin.assign(body.mesh.point_count(), 0);
  std::vector<Weights> of_skin(body.mesh.point_count());
  const std::vector<int> used = points_to_choose(surface, body.mesh);
  const SurfaceBinding binding = bind_boundary(body.mesh, surface);
  for (int k = 0; k < binding.count(); ++k) {
    const int node = binding.nodes[k];
    body.skin[node] = 1;
    if (binding.off_surface[k]) {
      of_skin[node] = weights_around(point(body.mesh.points, node), surface.points, used);
      continue;
    }
    for (int c = 0; c < 3; ++c)
      if (binding.weights[k][c] > 0) of_skin[node].emplace_back(binding.corners[k][c], binding.weights[k][c]);
  }
  if (body.skin_count() == 0)
    throw Error({.element = "body",
                 .problem = "has no node on the surface of the rig",
                 .remedy = "give tetrahedra that fill the surface at the rest pose"});
  std::vector<Weights> weights = over_points(harmonic_weights(body.mesh, body.skin), of_skin);
  for (const int point : options.points) weights.push_back({{point, 1.0}}), body.skin.push_back(1);
  body.mesh.points.conservativeResize(3 * static_cast<Eigen::Index>(weights.size()));
  (options.all_points ? tie_to_all : tie_to_needed)(body, std::move(rig), weights);
  Vec s;
  body.rig->evaluate(*body.rig->make_workspace(), body.rig->rest(), s);
  const Vec stuffed = body.mesh.points;
  body.ties.apply(s, body.mesh.points);  // so that at rest nothing is strained
  leave_out_cells(body, stuffed, main_points(weights), options.apart);
  return body;
}

}  // namespace

RigBody with_points(const RigBody& body, std::span<const int> points) {
  std::vector<Weights> weights;
  for (int i = 0; i < body.node_count(); ++i) {
    Weights& own = weights.emplace_back();
    body.ties.for_each(i, [&](int point, double weight) { own.emplace_back(point, weight); });
  }
  RigBody result{.mesh = body.mesh, .skin = body.skin, .left_out = body.left_out};
  for (const int point : points) weights.push_back({{point, 1.0}}), result.skin.push_back(1);
  tie_to_needed(result, body.rig, weights);
  const int nodes = body.node_count();
  result.mesh.points.conservativeResize(3 * static_cast<Eigen::Index>(weights.size()));
  Vec s;
  result.rig->evaluate(*result.rig->make_workspace(), result.rig->rest(), s);
  for (int k = nodes; k < nodes + static_cast<int>(points.size()); ++k)
    point(result.mesh.points, k) = result.ties.row(k, s);
  return result;
}

RigBody make_rig_body(std::shared_ptr<const Rig> rig, const TriMesh& surface, TetMesh mesh) {
  return make_body(std::move(rig), surface, std::move(mesh), {});
}

RigBody make_rig_body(std::shared_ptr<const Rig> rig, const TriMesh& surface, const RigBodyOptions& options) {
  const StuffingOptions stuffing{.cell = options.cell};
  Body body = options.use_cache ? stuff_with_cache(surface, stuffing) : stuff(surface, stuffing);
  if (body.mesh.tets.empty())
    throw Error(
        {.element = "surface", .problem = "encloses nothing", .remedy = "give a closed surface, or smaller cells"});
  return make_body(std::move(rig), surface, std::move(body.mesh), options);
}

RigBody make_rig_body(const Character& character, const RigBodyOptions& options) {
  TriMesh surface = rest_surface(character);
  for (const Piece& piece : character.pieces)
    if (!piece.drawn) surface.triangles = piece.triangles;
  return make_rig_body(character.rig, surface, options);
}

}  // namespace rigspace
