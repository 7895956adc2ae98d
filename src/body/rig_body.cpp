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

/// Weights over nodes of the skin become weights over points of the rig.
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

/// The rig without the points that no node needs, and the ties by its numbers.
void tie(RigBody& body, std::shared_ptr<const Rig> rig, const std::vector<Weights>& weights) {
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
  // A restricted rig may refer to the whole one: they live as long as each other.
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

RigBody make_body(std::shared_ptr<const Rig> rig, const TriMesh& surface, TetMesh mesh, std::span<const int> points) {
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
  for (const int point : points) weights.push_back({{point, 1.0}}), body.skin.push_back(1);
  body.mesh.points.conservativeResize(3 * static_cast<Eigen::Index>(weights.size()));
  tie(body, std::move(rig), weights);
  Vec s;
  body.rig->evaluate(*body.rig->make_workspace(), body.rig->rest(), s);
  body.ties.apply(s, body.mesh.points);  // so that at rest nothing is strained
  return body;
}

}  // namespace

RigBody make_rig_body(std::shared_ptr<const Rig> rig, const TriMesh& surface, TetMesh mesh) {
  return make_body(std::move(rig), surface, std::move(mesh), {});
}

RigBody make_rig_body(std::shared_ptr<const Rig> rig, const TriMesh& surface, const RigBodyOptions& options) {
  const StuffingOptions stuffing{.cell = options.cell};
  Body body = options.use_cache ? stuff_or_recall(surface, stuffing) : stuff(surface, stuffing);
  if (body.mesh.tets.empty())
    throw Error(
        {.element = "surface", .problem = "encloses nothing", .remedy = "give a closed surface, or smaller cells"});
  return make_body(std::move(rig), surface, std::move(body.mesh), options.points);
}

RigBody make_rig_body(const Character& character, const RigBodyOptions& options) {
  TriMesh surface = rest_surface(character);
  for (const Piece& piece : character.pieces)
    if (!piece.drawn) surface.triangles = piece.triangles;
  return make_rig_body(character.rig, surface, options);
}

}  // namespace rigspace
