#pragma once
// Which points of a rig a deformer moves, how strongly, and what is known of where they will be.

#include "rigspace/base/types.h"

#include <string_view>
#include <vector>

namespace rigspace {

/// Points `first .. first + count` of the rig. Where their rest positions are given, a deformer of bounded reach leaves
/// out the points that it cannot reach and the controls that a point cannot feel: Jacobians become sparse. That holds
/// while earlier deformers carry a point no further than `drift` from rest; further away a point feels only what it was
/// bound to, still with exact derivatives. First in a stack: drift 0.
struct DeformedPoints {
  int first = 0;
  int count = 0;
  std::vector<double> weights;  ///< one per point: 0 leaves the point alone, 1 is the full effect. Empty: all 1
  Vec rest;                     ///< flattened, scene units. Empty: unknown, every point feels everything
  double drift = 0;             ///< scene units; only with `rest`

  double weight(int k) const { return weights.empty() ? 1 : weights[static_cast<std::size_t>(k)]; }
  bool rest_known() const { return rest.size() > 0; }

  /// Throws Error that begins with the deformer's kind.
  void validate(std::string_view deformer) const;
};

}  // namespace rigspace
