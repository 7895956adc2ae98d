#include "rigspace/geometry/deformation_graph.h"

#include "rigspace/base/decompositions.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

namespace rigspace {
namespace {

constexpr std::size_t kNodesOfAPoint = 5;

}  // namespace

DeformationGraph::DeformationGraph(const SolidVoxels& voxels, int nodes) : voxels_(voxels) {
  nearest_.assign(voxels.count(), -1);
  Vec distance = Vec::Constant(voxels.count(), SolidVoxels::kFar);
  // The first one is farthest from the middle; each further one where the others are farthest.
  Vec3 middle = Vec3::Zero();
  for (int v = 0; v < voxels.count(); ++v) middle += voxels.center(v) / voxels.count();
  Eigen::Index next = 0;
  voxels.distances(std::array{std::pair{voxels.nearest(middle), 0.0}}).maxCoeff(&next);
  while (count() < std::min(nodes, voxels.count())) {
    const int seed = static_cast<int>(next), own = count();
    rest_.push_back(voxels.center(seed));
    const Vec from_seed = voxels.distances(std::array{std::pair{seed, 0.0}}, &distance);
    for (int v = 0; v < voxels.count(); ++v)
      if (from_seed[v] < distance[v]) distance[v] = from_seed[v], nearest_[v] = own;
    if (!(distance.maxCoeff(&next) > 0)) break;
  }
  std::set<std::pair<int, int>> met;
  for (int v = 0; v < voxels.count(); ++v)
    for (const SolidVoxels::Link& link : voxels.links(v))
      if (nearest_[v] < nearest_[link.to]) met.emplace(nearest_[v], nearest_[link.to]);
  edges_.assign(met.begin(), met.end());
  neighbours_.resize(rest_.size());
  for (const auto& [a, b] : edges_) neighbours_[a].push_back(b), neighbours_[b].push_back(a);
  set_similarity(Mat3::Identity(), 1, Vec3::Zero());
}

NodeWeights DeformationGraph::weights_at(const Vec3& x) const {
  const int middle = nearest_[voxels_.nearest(x)];
  std::vector<std::pair<double, int>> near = {{(rest_[middle] - x).norm(), middle}};
  for (const int n : neighbours_[middle]) near.emplace_back((rest_[n] - x).norm(), n);
  std::sort(near.begin(), near.end());
  // Weights fall to 0 at the first node that is left out.
  const double reach = near.size() > kNodesOfAPoint ? near[kNodesOfAPoint].first : 1.5 * near.back().first + 1e-300;
  near.resize(std::min(near.size(), kNodesOfAPoint));
  NodeWeights weights;
  double sum = 0;
  for (const auto& [distance, node] : near) {
    const double w = std::pow(std::max(1e-6, 1 - distance / reach), 2);
    weights.emplace_back(node, w), sum += w;
  }
  for (auto& each : weights) each.second /= sum;
  return weights;
}

Vec3 DeformationGraph::apply(const NodeWeights& weights, const Vec3& x) const {
  Vec3 y = Vec3::Zero();
  for (const auto& [k, w] : weights) y += w * (scale_[k] * (turn_[k] * (x - rest_[k])) + place_[k]);
  return y;
}

Mat3 DeformationGraph::turn(const NodeWeights& weights) const {
  Mat3 sum = Mat3::Zero();
  for (const auto& [k, w] : weights) sum += w * turn_[k];
  return nearest_rotation(sum);
}

void DeformationGraph::set_similarity(const Mat3& turn, double scale, const Vec3& shift) {
  turn_.assign(rest_.size(), turn);
  scale_.assign(rest_.size(), scale);
  place_.clear();
  for (const Vec3& g : rest_) place_.emplace_back(scale * (turn * g) + shift);
}

void DeformationGraph::step(In change) {
  for (int k = 0; k < count(); ++k) {
    const Vec3 r = change.segment<3>(7 * k + 3);
    place_[k] += change.segment<3>(7 * k);
    if (r.norm() > 0) turn_[k] = Eigen::AngleAxisd(r.norm(), r.normalized()).toRotationMatrix() * turn_[k];
    scale_[k] *= std::exp(change[7 * k + 6]);
  }
}

}  // namespace rigspace
