#include "volumetric_skinning_sweeps.h"

#include "rigspace/base/parallel.h"
#include "rigspace/energy/material.h"
#include "volumetric_skinning_fit.h"

#include <Eigen/Cholesky>
#include <Eigen/LU>

#include <algorithm>

namespace rigspace {
namespace {

// An element below this share of its rest volume is taken in its rest shape instead, as in Solid::set_rest.
constexpr double kFlat = 0.02;

/// The interior nodes by colour. Greedy, in order of numbers: each gets the first colour that no neighbour has.
std::vector<std::vector<int>> colours_of(const RigBody& body, const NodeAdjacency& edges) {
  std::vector<int> colour(static_cast<std::size_t>(body.node_count()), -1);
  std::vector<std::vector<int>> colours;
  for (int i = 0; i < body.node_count(); ++i) {
    if (body.skin[i]) continue;
    std::vector<char> used(colours.size() + 1, 0);
    for (int e = edges.start[i]; e < edges.start[i + 1]; ++e)
      if (const int c = colour[edges.neighbours[e]]; c >= 0) used[c] = 1;
    colour[i] = static_cast<int>(std::find(used.begin(), used.end(), 0) - used.begin());
    if (colour[i] == static_cast<int>(colours.size())) colours.emplace_back();
    colours[colour[i]].push_back(i);
  }
  return colours;
}

Mat3 edges_of(In x, const Tet& tet) {
  Mat3 D;
  for (int k = 0; k < 3; ++k) D.col(k) = point(x, tet[k + 1]) - point(x, tet[0]);
  return D;
}

}  // namespace

SkinSweeps::SkinSweeps(const RigBody& body, std::span<const ExamplePose> examples, const NodeAdjacency& edges,
                       double poisson)
    : body_(body), edges_(edges), colours_(colours_of(body, edges)) {
  for (std::size_t e = 0; e < examples.size(); ++e) {
    std::size_t same = 0;
    while (same < e && examples[same].x_key != examples[e].x_key) ++same;
    pose_.push_back(same < e ? pose_[same] : static_cast<int>(beside_.size()));
    if (same == e) assemble(examples[e].x_key, poisson);
  }
}

// K_ab = V (lambda g_a g_b^T + mu g_b g_a^T + mu (g_a . g_b) I), g the gradients of the shape functions.
void SkinSweeps::assemble(In x, double poisson) {
  const auto [mu, lambda] = lame(1, poisson);
  std::vector<Mat3>& beside = beside_.emplace_back(edges_.neighbours.size(), Mat3::Zero());
  std::vector<Mat3>& own = own_.emplace_back(static_cast<std::size_t>(body_.node_count()), Mat3::Zero());
  for (const Tet& tet : body_.mesh.tets) {
    Mat3 D = edges_of(x, tet);
    const double bind = edges_of(body_.mesh.points, tet).determinant();
    if (!(bind > 0)) continue;
    if (!(D.determinant() > kFlat * bind)) D = edges_of(body_.mesh.points, tet);
    const double volume = D.determinant() / 6;
    Eigen::Matrix<double, 3, 4> g;
    g.rightCols<3>() = D.inverse().transpose();
    g.col(0) = -g.rightCols<3>().rowwise().sum();
    for (int a = 0; a < 4; ++a) {
      const auto begin = edges_.neighbours.begin() + edges_.start[tet[a]];
      const auto end = edges_.neighbours.begin() + edges_.start[tet[a] + 1];
      for (int b = 0; b < 4; ++b) {
        const Mat3 K = volume * (lambda * g.col(a) * g.col(b).transpose() + mu * g.col(b) * g.col(a).transpose() +
                                 mu * g.col(a).dot(g.col(b)) * Mat3::Identity());
        if (a == b)
          own[tet[a]] += K;
        else
          beside[std::lower_bound(begin, end, tet[b]) - edges_.neighbours.begin()] += K;
      }
    }
  }
}

void SkinSweeps::run(const Mat& moves, CarrierWeights& weights, const Candidates& candidates) {
  if (errors_.size() == 0) {
    errors_ = -moves;
    for (int i = 0; i < body_.node_count(); ++i)
      for (const auto& [carrier, weight] : weights[i]) errors_.col(i) += weight * moves.col(carrier);
  }
  for (const std::vector<int>& colour : colours_)
    parallel_ranges(static_cast<int>(colour.size()), 4, [&](int begin, int end) {
      for (int k = begin; k < end; ++k) improve(colour[k], moves, weights, candidates);
    });
}

// With the errors e_j of all other nodes fixed, the energy is, up to a constant,
//   1/2 (e_i - e*)^T K_ii (e_i - e*),   K_ii e* = -sum_j K_ij e_j,
// hence least squares of  L^T (sum_k w_k (move_k - move_i) - e*)  with K_ii = L L^T.
void SkinSweeps::improve(int node, const Mat& moves, CarrierWeights& weights, const Candidates& candidates) {
  const std::vector<int> carriers = candidates(node);
  if (carriers.size() < 2) return;
  Mat A = moves(Eigen::all, carriers).colwise() - moves.col(node);
  Vec b = Vec::Zero(A.rows());
  for (std::size_t e = 0; e < pose_.size(); ++e) {
    const Eigen::Index row = 3 * static_cast<Eigen::Index>(e);
    const Eigen::LLT<Mat3> factor(own_[pose_[e]][node]);
    if (factor.info() != Eigen::Success) return;
    Vec3 force = Vec3::Zero();
    for (int k = edges_.start[node]; k < edges_.start[node + 1]; ++k)
      force -= beside_[pose_[e]][k] * errors_.col(edges_.neighbours[k]).segment<3>(row);
    const Mat3 Lt = factor.matrixU();
    A.middleRows<3>(row) = (Lt * A.middleRows<3>(row)).eval();
    b.segment<3>(row) = factor.matrixL().solve(force);
  }
  const SparseWeights found = WeightFit(std::move(A), std::move(b)).solve();
  if (found.columns.empty()) return;
  weights[node].clear();
  Vec error = -moves.col(node);
  for (std::size_t k = 0; k < found.columns.size(); ++k) {
    const double weight = found.weights[static_cast<Eigen::Index>(k)];
    weights[node].emplace_back(carriers[found.columns[k]], weight);
    error += weight * moves.col(carriers[found.columns[k]]);
  }
  std::sort(weights[node].begin(), weights[node].end());
  errors_.col(node) = error;
}

}  // namespace rigspace
