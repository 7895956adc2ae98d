#pragma once
// Clusters: transforms that carry weighted points along.

#include "rigspace/rig/deformer.h"

namespace rigspace {

/// s = x + sum_j w_j (C_j x - x),  C_j = world_j * inverse_rest_j. Weights need not sum to one: a point follows each
/// cluster by its weight, and several add. At rest the identity.
struct ClusterDescription {
  int first_point = 0;
  std::vector<int> transform_slots;
  std::vector<Affine> inverse_rest;                ///< one per cluster
  std::vector<std::vector<Influence>> influences;  ///< one list per point; `joint` counts the clusters

  void validate() const;
};

std::unique_ptr<Deformer> make_clusters(const ClusterDescription&);

/// What a deformer was made from, or nullptr if it is another kind (restricted ones keep none).
const ClusterDescription* cluster_description(const Deformer&);

}  // namespace rigspace
