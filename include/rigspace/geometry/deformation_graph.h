#pragma once
// A smooth deformation of a body by a few hundred nodes inside it (embedded deformation, Sumner et al. 2007). Each node
// turns, scales and moves what is near it:
//
//   y(x) = sum_k w_k(x) (s_k R_k (x - g_k) + p_k),   sum_k w_k = 1
//
// Neighbours are found through the body, so that a hand that rests on a hip does not move with it.

#include "rigspace/geometry/solid_voxels.h"

#include <utility>
#include <vector>

namespace rigspace {

/// Where a point takes part: its nodes with weights that sum to 1.
using NodeWeights = std::vector<std::pair<int, double>>;

class DeformationGraph {
 public:
  /// About `nodes` nodes, each as far from the others as can be, through the body. The voxels must outlive the graph.
  DeformationGraph(const SolidVoxels& voxels, int nodes);

  int count() const { return static_cast<int>(rest_.size()); }
  const std::vector<std::pair<int, int>>& edges() const { return edges_; }  ///< the smaller node first

  /// The nodes of the nearest voxel's neighbourhood.
  NodeWeights weights_at(const Vec3& x) const;
  Vec3 apply(const NodeWeights& weights, const Vec3& x) const;
  Vec3 operator()(const Vec3& x) const { return apply(weights_at(x), x); }
  /// The mean of the nodes' rotations.
  Mat3 turn(const NodeWeights& weights) const;

  Vec3 rest(int node) const { return rest_[node]; }
  Vec3 place(int node) const { return place_[node]; }
  /// s R of a node.
  Mat3 stretch(int node) const { return scale_[node] * turn_[node]; }
  double scale(int node) const { return scale_[node]; }

  /// y = scale turn x + shift for all nodes.
  void set_similarity(const Mat3& turn, double scale, const Vec3& shift);
  /// Seven numbers a node: its place moves by (0..2), it turns on by exp(3..5), its scale grows by exp(6).
  void step(In change);

 private:
  const SolidVoxels& voxels_;
  std::vector<int> nearest_;  // node of each voxel, through the body
  std::vector<std::vector<int>> neighbours_;
  std::vector<std::pair<int, int>> edges_;
  std::vector<Vec3> rest_, place_;
  std::vector<Mat3> turn_;
  std::vector<double> scale_;
};

}  // namespace rigspace
