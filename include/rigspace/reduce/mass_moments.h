#pragma once
// Momentum and gravity without the mesh, exact for linear blend skins and blend shapes, handles and
// lattices under them: every node is a linear function
// x = Phi y(p) of few points y that joints and shapes move, and so
//   (x - x~)^T M (x - x~) = (y - y~)^T (Phi^T M Phi (x) I_3) (y - y~).

#include "rigspace/body/rig_body.h"
#include "rigspace/geometry/harmonic.h"
#include "rigspace/optimize/energy.h"

#include <memory>
#include <optional>
#include <span>
#include <string>

namespace rigspace {

/// Of the nodes that free controls can move: the others add a constant.
struct MassMoments {
  /// Its points are y, its controls those of the body's rig, its derivatives exact. For each joint that those nodes
  /// need: where it takes the origin, the tips of the three axes, and what moves points before their skin: handles and
  /// lattice points, columns of transforms, b_k e_a of a shape's weight b_k along each axis a. The scene stands for a
  /// joint where there is none.
  std::shared_ptr<const Rig> features;
  Mat second;  ///< Phi^T M Phi, features x features, kg for masses in kg
  Vec first;   ///< Phi^T M 1: the weight of gravity g is -sum_f first_f g . y_f
  /// Phi^T M (Phi_key - Phi), where nodes inside are carried as x_i = x_key_i + sum_j w_ij (x_j - x_key_j) from where
  /// RigBody::ties has them in the keyed pose:  x = Phi y + (Phi_key - Phi) y_key. Zero where both carry alike.
  Mat keyed;
  double mass = 0;        ///< of those nodes
  std::vector<int> node;  ///< which they are, ascending
};

struct MassMomentOptions {
  int most_features = 2000;  ///< with more, sampled masses are cheaper

  void validate() const;
};

struct MassMomentsResult {
  std::optional<MassMoments> moments;
  std::string reason;  ///< why there are none, as a predicate of the rig: "has a dual quaternion skin"
};

/// Of a BuiltInRig whose points go through deformers that are linear in what moves them (blend shapes, clusters,
/// lattices) and then at most one linear skin; that x = Phi y is tested at poses. `masses`: one a node. `interior` as
/// in train_cubature.
MassMomentsResult mass_moments(const RigBody& body, std::span<const int> free, const CarrierWeights& interior,
                               In masses, const MassMomentOptions& options = {});

/// E(y) = scale/2 (y - y~)^T (A (x) I_3) (y - y~) + scale load . (y - y~), A symmetric, over points y. One Hessian
/// block, over all points.
class MomentMomentum final : public Energy {
 public:
  /// A: points x points, kg. Throws Error unless it is square, symmetric and finite.
  explicit MomentMomentum(Mat A);

  /// y_tilde in metres, for all points; scale in 1/s^2. Until the first call the scale is 0.
  void set_target(In y_tilde, double scale);
  /// kg m, for all coordinates: what the keyed pose does to nodes inside, (MassMoments::keyed (x) I_3) (y_key -
  /// y_key~).
  void set_load(In load);

  double value(const State&, In y) const override;
  void add_gradient(const State&, In y, double weight, Vec& g) const override;
  void add_hessian(const State&, In y, double weight, HessianMode, BlockSink&) const override;

  const Mat& matrix() const { return A_; }

 private:
  Mat A_;
  Vec target_, load_;
  double scale_ = 0;
};

}  // namespace rigspace
