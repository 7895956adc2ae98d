#pragma once
// Private to geometry: one step of Gauss and Newton on the nodes of a deformation.

#include "rigspace/geometry/deformation_graph.h"

#include <Eigen/SparseCore>

#include <vector>

namespace rigspace {

/// The normal equations of terms (1/2) r^T M r with r of three rows, seven unknowns a node (DeformationGraph::step).
class GraphFit {
 public:
  explicit GraphFit(const DeformationGraph& graph);

  void clear();
  /// weight sum_edges (|s_i R_i (g_j - g_i) - (p_j - p_i)|^2 / |g_j - g_i|^2 + evenness (log s_i - log s_j)^2) / edges,
  /// each edge from both ends. `scale`: of the whole body, lengths count in it.
  void add_smoothness(double weight, double evenness, double scale);
  /// (1/2) (y - target)^T M (y - target) for y = sum_c share_c y(x_c).
  struct Corner {
    double share;
    const NodeWeights& weights;
    Vec3 x;
  };
  void add_point(std::span<const Corner> corners, const Vec3& target, const Mat3& M);
  /// The change of all nodes; turns are limited to half a radian.
  Vec solve();

 private:
  using Block = Eigen::Matrix<double, 7, 7>;
  using Row = Eigen::Matrix<double, 3, 7>;
  void add(std::span<const std::pair<int, Row>> row, const Vec3& r, const Mat3& M);
  Block& block(int i, int j);

  const DeformationGraph& graph_;
  std::vector<int> slot_;  // of the pairs of nodes, lower triangle
  std::vector<std::pair<int, int>> pair_;
  std::vector<Block, Eigen::aligned_allocator<Block>> blocks_;
  Vec g_;
};

}  // namespace rigspace
