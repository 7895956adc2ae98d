#pragma once
// Skin weights fitted to shapes that a garment had (Thesis 6.2.3: where closest points do not do, "an example-based
// automatic skinning approach such as the one by James and Twigg").

#include "rigspace/apps/clothing/kinematic_reference.h"

#include <span>
#include <vector>

namespace rigspace {

/// A simulated shape and what the joints did.
struct ClothExample {
  std::vector<Affine> C;  ///< per joint, from rest to pose, scene space
  Vec x;                  ///< the garment's points, flattened
};

struct ExampleWeightOptions {
  /// How far the given weights count: as much as this share of the examples' mean squared motion.
  double prior = 0.02;
  int most_influences = 8;  ///< candidates of a point: its own joints and its neighbours', the strongest

  void validate() const;
};

struct ExampleWeights {
  std::vector<std::vector<Influence>> weights;  ///< not negative, sum 1
  double rms_before = 0, rms_after = 0;         ///< of the skinned points from the examples, scene units
};

/// Per point:  min_w  sum_e |sum_j w_j C_j^e x_rest - x^e|^2 + prior |w - w_given|^2,  w >= 0, sum w = 1. Joints that
/// come into question are those of the point and of its neighbours in `triangles`.
ExampleWeights fit_example_weights(const KinematicReference& reference, std::span<const std::array<int, 3>> triangles,
                                   std::span<const ClothExample> examples, const ExampleWeightOptions& options = {});

}  // namespace rigspace
