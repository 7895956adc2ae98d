#pragma once
// The priors of sketch posing in the free controls:  E(q) = 1/2 (q - q0)^T A (q - q0).

#include "rigspace/optimize/energy.h"

#include <numeric>
#include <vector>

namespace rigspace {

/// A is given as a sum of squares, so that its eigenvalues need no check.
class PosePrior final : public Energy {
 public:
  PosePrior(Mat A, Vec q_start)
      : A_(std::move(A)), q_start_(std::move(q_start)), all_(static_cast<std::size_t>(A_.rows())) {
    std::iota(all_.begin(), all_.end(), 0);
  }

  double value(const State&, In q) const override { return 0.5 * (q - q_start_).dot(A_ * (q - q_start_)); }
  void add_gradient(const State&, In q, double weight, Vec& g) const override { g += weight * (A_ * (q - q_start_)); }
  void add_hessian(const State&, In, double weight, HessianMode, BlockSink& sink) const override {
    const Mat H = weight * A_;
    sink.add_coordinates(all_, H.data());
  }

 private:
  Mat A_;
  Vec q_start_;
  std::vector<int> all_;
};

}  // namespace rigspace
