#pragma once
// Physics-based volumetric skinning (Thesis 4.2.3): the inside of a body follows its skin by few weights each node,
// fitted to examples in static balance, so that the controls are the only unknowns.

#include "rigspace/geometry/harmonic.h"
#include "rigspace/reduce/shaking.h"

#include <span>
#include <vector>

namespace rigspace {

enum class InteriorSkinMethod {
  fast,        ///< backward elimination on non-negative least squares: what algorithm 4 comes to, as weights sum to 1
  algorithm4,  ///< SmoothL1 and non-negative solves by turns (docs/corrections.md, "sparse weights")
  nnls,        ///< the nearest candidates without elimination (figure 4.5)
  harmonic,    ///< cage coordinates, no training
};

enum class InteriorSkinForm {
  /// Deviations from the keyed pose, x_i = x_key_i + sum w_ij (x_j - x_key_j): no stress where there is no deviation.
  keyed,
  /// Places, x_i = sum w_ij x_j (Thesis 4.9), which is the keyed formula with x_key = 0. The rest shape is to be made
  /// so too, X_n := W X_s (docs/corrections.md, "weights that sum to one").
  absolute,
};

struct InteriorSkinOptions {
  InteriorSkinMethod method = InteriorSkinMethod::fast;
  InteriorSkinForm form = InteriorSkinForm::keyed;
  int candidates = 20;  ///< nodes of the skin that may carry a node: so many nearest, along edges of tetrahedra,
  int around = 20;      ///< and the nearest toward so many directions all round, lest a node deep inside be left to one
                        ///< side; the thesis has none
  double residual_share = 1e-3;  ///< tau_res: rms error that is accepted, as a share of the body's diagonal
  double residual_ratio = 1.5;   ///< tau_ratio: or as a multiple of the error with all candidates
  /// Sweeps over the nodes at the end: each node is fitted again with the others fixed, with errors measured by the
  /// elastic energy that they add, to second order about the keyed pose: forces come from strain, not from
  /// displacement.
  int sweeps = 4;
  double poisson = 0.4;  ///< of the flesh, for the sweeps
  bool repair = true;    ///< elements that turn over in an example get other weights for their nodes

  void validate() const;
};

/// What the weights do on the examples they were made from.
struct InteriorSkinReport {
  int nodes = 0;                   ///< inside
  double mean_carriers = 0;        ///< per node inside
  int moved = 0;                   ///< nodes inside that examples move by more than the tolerance, rms; of places: all
  double mean_carriers_moved = 0;  ///< per such node
  int most_carriers = 0;
  double tolerance = 0;    ///< tau_res, scene units
  double rms_error = 0;    ///< of nodes inside over all examples, scene units
  double worst_error = 0;  ///< of any, scene units
  int untrained = 0;       ///< nodes that no example moves, or no skin reaches: their weights are harmonic
  int inverted = 0;        ///< elements over all examples that weights turn over, but not balance or keyed pose
  int repaired = 0;  ///< nodes that got all their candidates back, then three times as many, then harmonic weights
  int repaired_harmonic = 0;  ///< of those, the ones that ended with harmonic weights
  int inverted_left = 0;      ///< after that
};

struct SkinnedInterior {
  /// One per node; a node of the skin carries itself alone. Not negative (but for `harmonic` ones), sum 1.
  CarrierWeights weights;
  InteriorSkinReport report;
};

/// With no examples, or none that moves anything, weights are harmonic ones, the largest of each node, as many as it
/// has candidates.
SkinnedInterior skin_interior(const RigBody& body, std::span<const ExamplePose> examples,
                              const InteriorSkinOptions& options = {}, const ProgressCallback& progress = {});

/// Sets the carried nodes of x from its carriers:  x_i = x_key_i + sum_j w_ij (x_j - x_key_j).
void carry_interior(const CarrierWeights& weights, In x_key, Vec& x);

/// How far weights miss the inside of examples, scene units, and elements that they turn over.
struct InteriorSkinError {
  double rms = 0, worst = 0;
  int inverted = 0;
};
InteriorSkinError skinning_error(const RigBody& body, std::span<const ExamplePose> examples,
                                 const CarrierWeights& weights, InteriorSkinForm form = InteriorSkinForm::keyed);

/// The `count` nodes of the skin nearest to each node inside along edges of tetrahedra, nearest first; fewer where
/// fewer can be reached. Empty for nodes of the skin.
std::vector<std::vector<int>> nearest_skin(const RigBody& body, int count);

}  // namespace rigspace
