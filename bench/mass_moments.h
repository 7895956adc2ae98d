#pragma once
// The energies of momentum and gravity without a sum over the mesh. With a linear blend skin, also over blend shapes,
// handles and lattices, every node is a linear function x = Phi y(p) of a few points y ("features") that joints and
// shapes move. Then, exactly,
//   (x - x~)^T M (x - x~) = (y - y~)^T (Phi^T M Phi (x) I_3) (y - y~).

#include "rigspace/body/rig_body.h"
#include "rigspace/geometry/harmonic.h"
#include "rigspace/optimize/energy.h"

#include <memory>
#include <optional>
#include <span>
#include <string>

namespace rigspace::bench {

/// Sums over the nodes that free controls can move. The other nodes would add a constant to the energy.
struct MassMoments {
  /// A rig with the controls of the body's rig and exact derivatives, whose points are y. For each joint that moves one
  /// of these nodes, y has the images under that joint of: the origin, the tips of the three axes, and the inputs of
  /// the deformers that act before the skin (handles and lattice points, columns of transforms, and b_k e_a, the weight
  /// b_k of a shape along axis a). Points without a skin use the same inputs, not transformed by a joint.
  std::shared_ptr<const Rig> features;
  Mat second;  ///< Phi^T M Phi, features x features, kg for masses in kg
  Vec first;   ///< Phi^T M 1, kg: the potential energy in gravity g is -sum_f first_f g . y_f
  /// Phi^T M (Phi_key - Phi), kg. In keyed form an interior node is at x_i = x_key_i + sum_j w_ij (x_j - x_key_j),
  /// where x_key = Phi_key y_key follows RigBody::ties; hence x = Phi y + (Phi_key - Phi) y_key. Zero where Phi_key =
  /// Phi.
  Mat keyed;
  double mass = 0;        ///< total of the nodes below, kg
  std::vector<int> node;  ///< the nodes of the sums, ascending
};

struct MassMomentOptions {
  int most_features = 2000;  ///< with more features no moments are made: sampled masses (BodyCubature) are then cheaper

  void validate() const;
};

struct MassMomentsResult {
  std::optional<MassMoments> moments;
  std::string reason;  ///< why there are none, as a predicate of the rig: "has a dual quaternion skin"
};

/// The moments of a BuiltInRig whose points pass through deformers that are linear in their inputs (blend shapes,
/// clusters, lattices) and then through at most one linear blend skin. x = Phi y is checked at the rest pose and at
/// four random ones. `masses`: one per node. `interior` as in train_cubature.
MassMomentsResult mass_moments(const RigBody& body, std::span<const int> free, const CarrierWeights& interior,
                               In masses, const MassMomentOptions& options = {});

/// The momentum energy over the points y of MassMoments::features,
///   E(y) = scale/2 (y - y~)^T (A (x) I_3) (y - y~) + scale load . (y - y~),   A symmetric.
/// The Hessian is one dense block over all points.
class MomentMomentum final : public Energy {
 public:
  /// A: points x points, kg. Throws Error unless it is square, symmetric and finite.
  explicit MomentMomentum(Mat A);

  /// y_tilde in metres, for all points; scale in 1/s^2. Until the first call the scale is 0.
  void set_target(In y_tilde, double scale);
  /// kg m, three numbers per point: (MassMoments::keyed (x) I_3) (y_key - y_key~), the share of the motion of interior
  /// nodes that comes from the keyed pose. Zero until the first call.
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

}  // namespace rigspace::bench
