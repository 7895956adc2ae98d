#pragma once
// Values interpolated between places where they are known. A value at z is sum_k w_k(z) f_k with the weights of simple
// kriging, K w = k(z), by Matern's 5/2 function of the distance (Rasmussen and Williams 2006, 2.25, 4.17): exact at
// each known place, smooth between them, zero far from all. The length scale and the share of noise are those that
// predict each value best from all others (5.10 there).

#include "rigspace/base/types.h"

#include <Eigen/LU>

namespace rigspace {

class Kriging {
 public:
  Kriging() = default;
  /// Places are columns; `products` are the inner products of their values, f_j . f_k.
  Kriging(Mat places, const Mat& products);

  int count() const { return static_cast<int>(places_.cols()); }
  /// `doubt`, if it is given, becomes the standard deviation at z, 0 at known places (but for noise) and 1 far from
  /// all.
  Vec weights(In z, double* doubt = nullptr) const;
  /// The largest ratio of error to doubt with which a known value is predicted from all others, in the values' norm.
  double worst_left_out() const { return worst_left_out_; }

 private:
  Mat correlations(double reach, double noise) const;

  Mat places_;
  double size_ = 1, reach_ = 1, worst_left_out_ = 0;
  Eigen::PartialPivLU<Mat> system_;
};

}  // namespace rigspace
