#pragma once
// Private to physics: the Jacobian of a black box near poses where it was paid for in training,
//   J(key, d) = sum_k w_k(key) J_k + sum_c d_c T_c,
// in frames that turn with the keyed pose: affine in the keyed shape between those of training (learned_jacobian.h has
// the weights), and linear in the deviation d of the free controls, which is the rig to second order.

#include "rigspace/base/types.h"
#include "rigspace/rig/jacobian.h"

#include <span>
#include <vector>

namespace rigspace {

class TaughtJacobian {
 public:
  struct Sample {
    Vec key;          ///< its keyed shape, flattened, in those frames
    Vec deviation;    ///< of the free controls, in units of their typical change; zero: J is one of the J_k
    BlockJacobian J;  ///< in those frames
    int of = -1;      ///< of a deviation: the sample of its keyed pose
  };

  /// At least one sample of a keyed pose; those come first; all of the same rows.
  explicit TaughtJacobian(std::span<const Sample> samples);

  /// Places that some sample has; values of `predict` are in these.
  const std::vector<int>& start() const { return start_; }
  const std::vector<int>& column() const { return column_; }
  void predict(In key, In deviation, Eigen::Matrix3Xd& value) const;

 private:
  Vec flat(const BlockJacobian& J) const;

  std::vector<int> start_, column_;
  Mat keys_;  // a column a keyed pose
  Mat J_;     // flattened: likewise
  Mat T_;     // a column a free control
};

}  // namespace rigspace
