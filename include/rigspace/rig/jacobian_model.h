#pragma once
// The Jacobian of a black box, interpolated from poses where it was evaluated,
//   J(key, d) = sum_k w_k(key) J_k + sum_c d_c T_c(key) + R(key, d),   T_c(key) = sum_k v_k(key) T_kc
// in frames that turn with the keyed pose: affine in the keyed shape between those of training (jacobian_memory.h has
// the weights), and linear in the deviation d of the free controls, which is the rig to second order. T_kc are those of
// keyed poses that have a sample for each free control; where none has, one T serves all. R interpolates the residuals
// of samples on the path of an earlier run (kriging.h).

#include "rigspace/base/types.h"
#include "rigspace/rig/jacobian.h"
#include "rigspace/rig/kriging.h"

#include <span>
#include <vector>

namespace rigspace {

class JacobianModel {
 public:
  static constexpr int kKeyed = -1, kOnPath = -2;
  struct Sample {
    Vec key;          ///< its keyed shape, flattened, in those frames
    Vec deviation;    ///< of the free controls, in units of their typical change; zero: J is one of the J_k
    BlockJacobian J;  ///< in those frames
    int of = kKeyed;  ///< of a deviation: the sample of its keyed pose, or kOnPath
  };

  /// At least one sample of a keyed pose; those come first; all of the same rows. `typical`: of the free controls.
  JacobianModel(std::span<const Sample> samples, In typical);

  /// Places that some sample has; values of `predict` are in these.
  const std::vector<int>& start() const { return start_; }
  const std::vector<int>& column() const { return column_; }
  void predict(In key, In deviation, Eigen::Matrix3Xd& value) const;

  /// `beside`: at each sample on the path, a column, the nodes less the prediction by J. `nodes` interpolates these; 0
  /// without any.
  void set_nodes(Mat beside);
  Vec nodes(In key, In deviation) const;

 private:
  Vec flat(const BlockJacobian& J) const;
  void find_places(std::span<const Sample> samples);
  void learn_poses(std::span<const Sample> samples);
  void learn_bending(std::span<const Sample> samples);
  void learn_path(std::span<const Sample> samples, In typical);
  Mat bending_of(std::span<const Sample* const> some, std::span<const Sample> all) const;
  Vec place_of(In key, In deviation) const;

  std::vector<int> start_, column_;
  Mat keys_;            // a column a keyed pose
  Mat J_;               // flattened: likewise
  Mat bend_keys_;       // of those that have T; empty: one T for all
  std::vector<Mat> T_;  // each a column a free control
  Vec lengths_;         // that nodes go by a typical change of each control, root mean square
  Mat places_;          // of the path, a column a sample
  Kriging path_, node_path_;
  Mat beside_;  // R of the path, flattened, a column a sample
  Mat nodes_;   // likewise
};

}  // namespace rigspace
