#pragma once
// Private to reduce: improves the weights of all interior nodes together, by the elastic energy of their errors.

#include "rigspace/reduce/volumetric_skinning.h"

#include <functional>
#include <vector>

namespace rigspace {

/// Where interior nodes miss their static balance by e, the elastic energy of an example rises by  1/2 e^T K e  to
/// second order. K is the stiffness of linear elasticity about the keyed pose of the example. A sweep minimises the sum
/// over the examples by block Gauss-Seidel: for one node after the other the best weights with all others fixed. Nodes
/// that share no element are fitted in parallel. Skin nodes have e = 0.
class SkinSweeps {
 public:
  SkinSweeps(const RigBody& body, std::span<const ExamplePose> examples, const NodeAdjacency& edges, double poisson);

  using Candidates = std::function<std::vector<int>(int node)>;
  /// One sweep. `moves`: the displacements that weights are to reproduce, three rows an example, a column a node. A
  /// node with fewer than two candidates keeps its weights.
  void run(const Mat& moves, CarrierWeights& weights, const Candidates& candidates);

 private:
  void assemble(In x, double poisson);
  void improve(int node, const Mat& moves, CarrierWeights& weights, const Candidates& candidates);

  const RigBody& body_;
  const NodeAdjacency& edges_;
  std::vector<int> pose_;                  // of each example: index of its keyed pose in beside_ and own_
  std::vector<std::vector<Mat3>> beside_;  // K_ij, per pose, per entry of the adjacency
  std::vector<std::vector<Mat3>> own_;     // K_ii, per pose, per node
  std::vector<std::vector<int>> colours_;  // interior nodes by colour; neighbours have different colours
  Mat errors_;                             // e, laid out as `moves`
};

}  // namespace rigspace
