#pragma once
// Private to inverse: damped least squares of one frame after another.

#include "inverse_parts.h"

#include <Eigen/Cholesky>

namespace rigspace {

/// Brings the features of the rig to a target, held to the prediction in the metric of the examples (inverse_model.h).
/// The Jacobian and the factor of the normal equations serve as long as each step takes the error down by half or more,
/// also for the next frames; then they are made anew. Of rigs without exact derivatives, whose Jacobian costs two
/// evaluations a control, every step mends the Jacobian by what it did (Schubert 1970: Broyden's update of each row,
/// with the row's zeros kept), and it is made anew only where such steps stop going down.
class Refiner {
 public:
  Refiner(const InverseModel::Parts& parts, const RefineOptions& options);

  /// f: what the regression sees; target: of the features, scene units. Reads result.predicted; sets y and all after.
  void run(In f, In target, const InversePose* before, InversePose& result);

 private:
  void make_jacobian(In y, In f);
  void make_factor();
  void add_products();                      // of the blocks, to JtJ_
  void mend(const Vec& dy, const Vec& dx);  // the blocks, so that J dy = dx
  Vec pulled(In r) const;                   // J^T r
  const Vec& column(int k) const;           // of H^-1
  // Least squares within limits; Hs: the step times the matrix of the factor.
  Vec bounded_step(const Vec& y, const Vec& g, Vec& Hs) const;
  double missed(In y, In target, Vec& x, InversePose& result) const;

  const InverseModel::Parts& parts_;
  RefineOptions options_;
  bool measured_;  // differences make the Jacobian
  double scale_;   // of squared distances of features: 1 / (j size^2)
  bool known_ =
      false;  // there is a Jacobian: in `blocks_`, by coordinates of y, or in J_ where it is not the rig's own
  BlockJacobian blocks_;  // a joint feels a few of the controls
  Mat J_, JtJ_;           // the latter with scale_
  Eigen::LLT<Mat> factor_;
  mutable std::vector<Vec> columns_;  // of the factor's inverse, as far as they were needed
  double weight_ = 0;                 // of the prior
  double damping_ = 0;                // on top of it, of the step alone (Levenberg and Marquardt)
};

}  // namespace rigspace
