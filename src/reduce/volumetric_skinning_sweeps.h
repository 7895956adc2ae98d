#pragma once
// Private to physics: weights of nodes inside that cost the least elastic energy together.

#include "rigspace/reduce/volumetric_skinning.h"

#include <functional>
#include <vector>

namespace rigspace {

/// Errors e of the nodes inside, over all examples, cost  1/2 e^T K e  more than the balance, to second order, K that
/// of linear elasticity about the keyed pose of each example. Gauss and Seidel: the weights of one node at a time are
/// the best with all others as they are; nodes that share no element go together. The skin has no errors.
class SkinSweeps {
 public:
  SkinSweeps(const RigBody& body, std::span<const ExamplePose> examples, const NodeAdjacency& edges, double poisson);

  using Candidates = std::function<std::vector<int>(int node)>;
  /// moves: three rows an example, a column a node; what weights are to reproduce.
  void run(const Mat& moves, CarrierWeights& weights, const Candidates& candidates);

 private:
  void assemble(In x, double poisson);
  void improve(int node, const Mat& moves, CarrierWeights& weights, const Candidates& candidates);

  const RigBody& body_;
  const NodeAdjacency& edges_;
  std::vector<int> pose_;                  // of each example, which of the stiffnesses is its own
  std::vector<std::vector<Mat3>> beside_;  // K_ij, per pose, per entry of the adjacency
  std::vector<std::vector<Mat3>> own_;     // K_ii, per pose, per node
  std::vector<std::vector<int>> colours_;  // nodes inside, none beside another of its colour
  Mat errors_;
};

}  // namespace rigspace
