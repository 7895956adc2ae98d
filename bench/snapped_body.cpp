#include "snapped_body.h"

#include "rigspace/base/require.h"
#include "rigspace/geometry/harmonic.h"

#include <algorithm>
#include <map>

namespace rigspace::bench {
namespace {

/// The mean length of the edges between nodes of the skin.
double skin_edge(const RigBody& body) {
  const NodeAdjacency edges = node_adjacency(body.mesh);
  double sum = 0;
  int count = 0;
  for (int i = 0; i < body.node_count(); ++i)
    for (int e = edges.start[i]; e < edges.start[i + 1]; ++e)
      if (const int j = edges.neighbours[e]; j > i && body.skin[i] && body.skin[j])
        sum += (point(body.mesh.points, i) - point(body.mesh.points, j)).norm(), ++count;
  return count > 0 ? sum / count : 0;
}

/// For each node the point of the rig that it is snapped to, or -1. The closest pairs are taken first; no point is used
/// twice.
std::vector<int> nearest_points(const RigBody& body, In s, double within) {
  struct Offer {
    double distance;
    int node, point;
  };
  std::vector<char> in_mesh(body.node_count(), 0);
  for (const Tet& tet : body.mesh.tets)
    for (const int node : tet) in_mesh[node] = 1;
  std::vector<Offer> offers;
  std::vector<char> taken(body.rig->point_count(), 0);
  for (int i = 0; i < body.node_count(); ++i) {
    if (!body.skin[i]) continue;
    for (const int tied : body.ties.points_of(i)) {
      const double distance = (point(s, tied) - point(body.mesh.points, i)).norm();
      if (in_mesh[i] && distance <= within) offers.push_back({distance, i, tied});
    }
  }
  std::stable_sort(offers.begin(), offers.end(),
                   [](const Offer& a, const Offer& b) { return a.distance < b.distance; });
  std::vector<int> target(body.node_count(), -1);
  for (const Offer& offer : offers)
    if (target[offer.node] < 0 && !taken[offer.point]) target[offer.node] = offer.point, taken[offer.point] = 1;
  return target;
}

/// Moves nodes to their targets, and undoes the moves of every tetrahedron that falls below `least_volume` of its
/// volume, until there is none. Returns all nodes; `target` is -1 where a move was undone.
Vec moved(const RigBody& body, In s, double least_volume, std::vector<int>& target) {
  Vec x = body.mesh.points;
  for (int i = 0; i < body.node_count(); ++i)
    if (target[i] >= 0) point(x, i) = point(s, target[i]);
  const Vec before = volumes(body.mesh);
  for (bool changed = true; changed;) {
    changed = false;
    for (int t = 0; t < body.mesh.tet_count(); ++t) {
      const Tet& tet = body.mesh.tets[t];
      const double now = tet_volume(point(x, tet[0]), point(x, tet[1]), point(x, tet[2]), point(x, tet[3]));
      if (now >= least_volume * before[t]) continue;
      for (const int node : tet)
        if (target[node] >= 0) {
          target[node] = -1, changed = true;
          point(x, node) = point(body.mesh.points, node);
        }
    }
  }
  return x;
}

using Ties = std::vector<PointWeights>;

Ties ties_of_skin(const RigBody& body, const std::vector<int>& target) {
  Ties ties(body.node_count());
  for (int i = 0; i < body.node_count(); ++i) {
    if (!body.skin[i]) continue;
    if (target[i] >= 0) {
      ties[i] = {{target[i], 1.0}};
      continue;
    }
    body.ties.for_each(i, [&](int point, double weight) { ties[i].emplace_back(point, weight); });
  }
  return ties;
}

/// Gives each interior node the weighted sum of the ties of the skin nodes that carry it.
void carry_inside(const CarrierWeights& carriers, Ties& ties) {
  for (std::size_t i = 0; i < ties.size(); ++i) {
    if (!ties[i].empty()) continue;
    std::map<int, double> sums;
    for (const auto& [node, weight] : carriers[i])
      for (const auto& [point, share] : ties[node]) sums[point] += weight * share;
    ties[i].assign(sums.begin(), sums.end());
  }
}

}  // namespace

void SnapOptions::validate() const {
  require_option(within >= 0 && within <= 1, "how far a node may be moved", within, "expected 0 to 1");
  require_option(least_volume > 0 && least_volume < 1, "least volume", least_volume, "expected 0 to 1");
}

RigBody snapped_to_points(const RigBody& body, const SnapOptions& options) {
  options.validate();
  Vec s;
  body.rig->evaluate(*body.rig->make_workspace(), body.rig->rest(), s);
  std::vector<int> target = nearest_points(body, s, options.within * skin_edge(body));
  RigBody lean;
  lean.mesh = body.mesh, lean.skin = body.skin;
  lean.mesh.points = moved(body, s, options.least_volume, target);
  Ties ties = ties_of_skin(body, target);
  carry_inside(harmonic_weights(lean.mesh, lean.skin), ties);

  std::vector<int> needed;
  for (const PointWeights& each : ties)
    for (const auto& [point, weight] : each) needed.push_back(point);
  std::sort(needed.begin(), needed.end());
  needed.erase(std::unique(needed.begin(), needed.end()), needed.end());
  for (const PointWeights& each : ties) {
    for (const auto& [point, weight] : each) {
      const auto place = std::lower_bound(needed.begin(), needed.end(), point) - needed.begin();
      lean.ties.add(static_cast<int>(place), weight);
    }
    lean.ties.end_row();
  }
  // A restricted rig may refer to the whole one: the shared pair keeps both alive.
  auto restricted = std::make_shared<std::pair<std::shared_ptr<const Rig>, std::unique_ptr<Rig>>>(body.rig, nullptr);
  restricted->second = body.rig->restricted(needed);
  lean.rig = std::shared_ptr<const Rig>(restricted, restricted->second.get());
  Vec rest;
  lean.rig->evaluate(*lean.rig->make_workspace(), lean.rig->rest(), rest);
  lean.ties.apply(rest, lean.mesh.points);  // the rest shape is exactly what the ties give at rest: no strain there
  return lean;
}

}  // namespace rigspace::bench
