#pragma once
// A black-box rig replaced by its second-order expansion about sampled poses, for training, which evaluates thousands
// of poses.

#include "rigspace/reduce/jacobian_samples.h"
#include "rigspace/rig/rig.h"

#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace rigspace {

/// The expansion about the nearest pose p_0 with sampled second differences (sample_jacobians), in the free controls:
///   s(p) = s_0 + sum_c d_c (J_c + 1/2 sum_i d_i T_ic),   J(p) = J + sum_i d_i T_i,   d = p - p_0.
/// The Jacobian is the exact derivative of this function. Both may be evaluated by many threads at once. A pose whose
/// controls that are not free equal those of no p_0 is evaluated by the black box, one thread at a time.
class QuadraticRigModel final : public Rig {
 public:
  QuadraticRigModel(std::shared_ptr<const Rig> box, std::span<const int> free, std::span<const JacobianSample> samples);

  std::span<const Control> controls() const override { return box_->controls(); }
  int point_count() const override { return box_->point_count(); }
  Traits traits() const override { return {.exact_jacobian = true, .concurrent = true}; }
  void evaluate(Workspace&, In p, Vec& s) const override;
  void jacobian(Workspace&, In p, std::span<const int> free, BlockJacobian& J) const override;

  /// The poses p_0.
  std::vector<Vec> poses() const;

 private:
  struct Expansion {
    Vec p, s;                             ///< p_0, all controls; s_0, all points
    BlockJacobian J;                      ///< at p_0, with the sparsity of J and of all T_c together
    std::vector<Eigen::Matrix3Xd> bends;  ///< T_c = dJ/dp_c of each free control, a column for each entry of J
  };
  const Expansion* expansion_near(In p) const;
  Vec deviation(const Expansion& expansion, In p) const;

  std::shared_ptr<const Rig> box_;
  std::vector<int> free_, others_;
  std::vector<Expansion> expansions_;
  mutable std::mutex evaluating_;  ///< one evaluation of the box at a time
};

}  // namespace rigspace
