#include "rigspace/reduce/reduced_body.h"

#include <algorithm>
#include <map>

namespace rigspace {
namespace {

Vec places(const TetMesh& mesh, const std::vector<char>& skin, const CarrierWeights& interior) {
  Vec x = mesh.points;
  for (int i = 0; i < mesh.point_count(); ++i) {
    if (skin[i]) continue;
    Vec3 sum = Vec3::Zero();
    for (const auto& [node, weight] : interior[i]) sum += weight * point(mesh.points, node);
    point(x, i) = sum;
  }
  return x;
}

/// The index of a value in an ascending list.
int place_in(const std::vector<int>& list, int value) {
  return static_cast<int>(std::lower_bound(list.begin(), list.end(), value) - list.begin());
}

/// The ties of the body, where each interior node has the weighted sum of the ties of its carriers.
PointTies folded(const RigBody& body, const CarrierWeights& weights) {
  PointTies ties;
  for (int i = 0; i < body.node_count(); ++i) {
    std::map<int, double> sums;
    const auto add = [&](int node, double share) {
      body.ties.for_each(node, [&](int point, double weight) {
        const double part = share * weight;  // rounded before it is added, with and without fused multiply-add
        if (const auto [at, added] = sums.try_emplace(point, part); !added) at->second += part;
      });
    };
    if (body.skin[i]) add(i, 1);
    if (!body.skin[i])
      for (const auto& [node, weight] : weights[i]) add(node, weight);
    ties.append(sums);
  }
  return ties;
}

/// Gives harmonic weights to the nodes of elements that the weights crush or invert at rest. This may crush other
/// elements, so it is repeated. It ends, since each node changes at most once; harmonic weights keep nodes in place.
void mend(const RigBody& body, CarrierWeights& weights) {
  constexpr double kCrushed = 0.1;  // an element below this share of its volume is crushed
  const Vec before = volumes(body.mesh);
  CarrierWeights harmonic;
  std::vector<char> mended = body.skin;
  for (bool more = true; more;) {
    more = false;
    const Vec after = volumes({places(body.mesh, body.skin, weights), body.mesh.tets});
    for (Eigen::Index e = 0; e < after.size(); ++e) {
      if (!(after[e] < kCrushed * before[e])) continue;
      if (harmonic.empty()) harmonic = harmonic_weights(body.mesh, body.skin);
      for (const int i : body.mesh.tets[e])
        if (!mended[i]) weights[i] = harmonic[i], mended[i] = 1, more = true;
    }
  }
}

/// The ties of `nodes`, with points numbered by their index in `points`.
PointTies some(const PointTies& ties, const std::vector<int>& nodes, const std::vector<int>& points) {
  PointTies few;
  for (const int i : nodes) few.append(ties, i, points);
  return few;
}

}  // namespace

RigBody skinned_body(const RigBody& body, const CarrierWeights& interior, InteriorSkinForm form,
                     BlockJacobian response) {
  RigBody tied = body;
  tied.response = std::move(response);
  tied.skin.assign(body.skin.size(), 1);
  tied.volumes = lumped_masses(body.mesh, 1);
  if (form == InteriorSkinForm::keyed) {
    tied.moves = folded(body, interior);
    return tied;
  }
  CarrierWeights weights = interior;
  mend(body, weights);
  tied.mesh.points = places(body.mesh, body.skin, weights);
  tied.ties = folded(body, weights);
  return tied;
}

RigBody skinned_body(const RigBody& body, const CarrierWeights& interior, const LoadedResponse& response) {
  RigBody tied = body;
  tied.response = response.C, tied.loaded = response.offsets;
  tied.skin.assign(body.skin.size(), 1);
  tied.volumes = lumped_masses(body.mesh, 1);
  tied.ties = folded(body, interior);
  return tied;
}

RigBody sampled_body(const RigBody& body, const BodyCubature& cubature) {
  RigBody few;
  const std::vector<int>& nodes = cubature.nodes;
  std::vector<int> points;
  for (const PointTies* ties : {&body.ties, &body.moves})
    for (std::size_t k = 0; !ties->empty() && k < nodes.size(); ++k) {
      const std::span<const int> of_node = ties->points_of(nodes[k]);
      points.insert(points.end(), of_node.begin(), of_node.end());
    }
  std::sort(points.begin(), points.end());
  points.erase(std::unique(points.begin(), points.end()), points.end());
  few.rig = body.rig->restricted(points);
  few.ties = some(body.ties, nodes, points);
  if (!body.moves.empty()) few.moves = some(body.moves, nodes, points);
  few.response = rows_of(body.response, nodes);
  few.loaded = body.loaded;
  few.loaded.values.resize(body.loaded.empty() ? 0 : 3 * std::ssize(nodes), body.loaded.values.cols());
  few.skin.assign(nodes.size(), 1);
  few.mesh.points.resize(3 * std::ssize(nodes));
  few.volumes = Vec::Zero(std::ssize(nodes));
  for (std::size_t k = 0; k < nodes.size(); ++k)
    point(few.mesh.points, static_cast<int>(k)) = point(body.mesh.points, nodes[k]);
  for (std::size_t k = 0; k < nodes.size() && !few.loaded.empty(); ++k)
    few.loaded.values.middleRows<3>(3 * static_cast<Eigen::Index>(k)) = body.loaded.values.middleRows<3>(3 * nodes[k]);
  for (const auto& [element, weight] : cubature.elements) {
    Tet tet = body.mesh.tets[element];
    for (int& corner : tet) corner = place_in(nodes, corner);
    few.mesh.tets.push_back(tet);
    few.shares.push_back(weight);
  }
  for (const auto& [node, mass] : cubature.masses) few.volumes[place_in(nodes, node)] = mass;
  return few;
}

}  // namespace rigspace
