#pragma once
// Physics-based volumetric skinning (Thesis 4.2.3): each interior node of a body is a weighted sum of a few skin nodes,
// its carriers. The weights are fitted to example shapes in static balance. The controls are then the only unknowns.

#include "rigspace/geometry/harmonic.h"
#include "rigspace/reduce/shaking.h"

#include <span>
#include <vector>

namespace rigspace {

enum class InteriorSkinMethod {
  fast,  ///< non-negative least squares, then removal of the smallest weights one by one; as weights sum to 1, their L1
         ///< norm is constant, and algorithm 4 does the same (docs/corrections.md, "sparse weights")
  algorithm4,  ///< Thesis, algorithm 4: the weight to remove is chosen by a minimisation with a smooth L1 norm
  nnls,        ///< non-negative least squares over all candidates, nothing removed (figure 4.5)
  harmonic,    ///< harmonic coordinates of the skin, not trained
};

enum class InteriorSkinForm {
  /// Weights of deviations, x_i = x_key_i + sum_j w_ij (x_j - x_key_j): the keyed pose itself has no stress.
  keyed,
  /// Weights of positions, x_i = sum_j w_ij x_j (Thesis 4.9), the keyed formula with x_key = 0. The caller must replace
  /// the rest shape by X_n := W X_s (docs/corrections.md, "weights that sum to one"), as skinned_body does.
  absolute,
};

struct InteriorSkinOptions {
  InteriorSkinMethod method = InteriorSkinMethod::fast;
  InteriorSkinForm form = InteriorSkinForm::keyed;
  int candidates = 20;  ///< possible carriers of a node: this many skin nodes nearest along edges of tetrahedra,
  /// and in each of this many directions, spread over the sphere, the nearest skin node. Without these a node deep
  /// inside would have carriers on one side only. Not in the Thesis.
  int around = 20;
  /// tau_res: carriers are removed while the rms error over the examples is at most this share of the body's diagonal,
  double residual_share = 1e-3;
  double residual_ratio = 1.5;  ///< tau_ratio: or at most this multiple of the error with all candidates
  /// Sweeps over the interior nodes after the fit. Each fits the weights of one node again with the other nodes fixed
  /// and minimises the elastic energy that the errors add (to second order about the keyed pose), since forces come
  /// from strain, not from displacement.
  int sweeps = 4;
  double poisson = 0.4;  ///< Poisson's ratio of that energy
  bool repair = true;    ///< nodes of elements that the weights invert in an example get other weights

  void validate() const;
};

/// Size and error of the weights, measured on the examples that they were fitted to.
struct InteriorSkinReport {
  int nodes = 0;                   ///< interior nodes
  double mean_carriers = 0;        ///< per interior node
  int moved = 0;                   ///< interior nodes with an rms displacement above `tolerance`; in absolute form all
  double mean_carriers_moved = 0;  ///< per node of `moved`
  int most_carriers = 0;
  double tolerance = 0;    ///< tau_res, scene units
  double rms_error = 0;    ///< distance of interior nodes from the examples, over nodes and examples, scene units
  double worst_error = 0;  ///< the largest such distance, scene units
  int untrained = 0;       ///< nodes that no example moves or that no skin node can reach: their weights are harmonic
  /// Elements, summed over the examples, that the weights invert and that neither the balance nor the keyed pose
  /// inverts; before the repair.
  int inverted = 0;
  /// Nodes with other weights after the repair: fitted to all candidates, then to three times as many, then harmonic.
  int repaired = 0;
  int repaired_harmonic = 0;  ///< of these, nodes that ended with harmonic weights
  int inverted_left = 0;      ///< `inverted`, after the repair
};

struct SkinnedInterior {
  /// One list per node; a skin node has itself with weight 1. Weights sum to 1 and are not negative, except those of
  /// InteriorSkinMethod::harmonic, which may be.
  CarrierWeights weights;
  InteriorSkinReport report;
};

/// Fits the weights. Without examples, or where no example moves anything, a node gets its largest positive harmonic
/// weights, at most as many as there may be candidates, scaled to sum 1.
SkinnedInterior skin_interior(const RigBody& body, std::span<const ExamplePose> examples,
                              const InteriorSkinOptions& options = {}, const ProgressCallback& progress = {});

/// Sets the interior nodes of x from their carriers in x:  x_i = x_key_i + sum_j w_ij (x_j - x_key_j).
void carry_interior(const CarrierWeights& weights, In x_key, Vec& x);

/// Distance between the interior nodes of examples and those that the weights give, scene units, and the number of
/// elements that the weights invert (as InteriorSkinReport::inverted).
struct InteriorSkinError {
  double rms = 0, worst = 0;
  int inverted = 0;
};
InteriorSkinError skinning_error(const RigBody& body, std::span<const ExamplePose> examples,
                                 const CarrierWeights& weights, InteriorSkinForm form = InteriorSkinForm::keyed);

/// For each interior node the `count` skin nodes nearest along edges of tetrahedra, nearest first; fewer where fewer
/// can be reached. Empty for skin nodes.
std::vector<std::vector<int>> nearest_skin(const RigBody& body, int count);

}  // namespace rigspace
