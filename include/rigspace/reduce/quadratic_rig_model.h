#pragma once
// Private to physics: a black box as its lessons tell it, for training, which would ask it for thousands of poses.

#include "rigspace/reduce/jacobian_samples.h"
#include "rigspace/rig/rig.h"

#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace rigspace {

/// Near each pose p_0 whose bending was taught (sample_jacobians), to second order in the free controls:
///   s(p) = s_0 + sum_c d_c (J_c + 1/2 sum_i d_i T_ic),   J(p) = J + sum_i d_i T_i,   d = p - p_0.
/// Its Jacobian is exact, and many threads may ask at once. Poses whose other controls are none of these go to the box.
class QuadraticRigModel final : public Rig {
 public:
  QuadraticRigModel(std::shared_ptr<const Rig> box, std::span<const int> free, std::span<const JacobianSample> lessons);

  std::span<const Control> controls() const override { return box_->controls(); }
  int point_count() const override { return box_->point_count(); }
  Traits traits() const override { return {.exact_jacobian = true, .concurrent = true}; }
  void evaluate(Workspace&, In p, Vec& s) const override;
  void jacobian(Workspace&, In p, std::span<const int> free, BlockJacobian& J) const override;

  /// The poses whose bending was taught.
  std::vector<Vec> poses() const;

 private:
  struct Lesson {
    Vec p, s;
    BlockJacobian J;                      ///< with the places of all T
    std::vector<Eigen::Matrix3Xd> bends;  ///< T_c, at the places of J
  };
  const Lesson* lesson_of(In p) const;
  Vec deviation(const Lesson& lesson, In p) const;

  std::shared_ptr<const Rig> box_;
  std::vector<int> free_, others_;
  std::vector<Lesson> lessons_;
  mutable std::mutex asking_;  ///< the box, which may be asked by one at a time
};

}  // namespace rigspace
