#pragma once
// The refinement that IRM prints (4.3), for comparison:  dy = (J^T J + lambda^2 I)^-1 J^T dx  from the prediction on,
// with the Jacobian learned, computed by differences, or the derivative of the learned inverse itself (6.1).

#include "rigspace/apps/inverse/inverse_model.h"

namespace rigspace {

enum class PrintedJacobian {
  learned,      ///< 4.4, one for a frame
  differences,  ///< computed at every step
  inverse,      ///< dy = (dy/dx) dx, the derivative of the regression; one for a frame
};

struct PrintedOptions {
  PrintedJacobian jacobian = PrintedJacobian::learned;
  int steps = 7;            ///< each with one evaluation of the rig, those for differences apart
  double damping = 0.01;    ///< lambda, as a share of the largest singular value of J
  double tolerance = 1e-6;  ///< share of the size: a smaller error ends it
  bool keep_limits = true;

  void validate() const;
};

/// InversePose::evaluations has those of differences. Throws Error if the model has no learned Jacobian and that is
/// asked for.
std::vector<InversePose> refine_as_printed(const InverseModel& model, const Mat& X, const PrintedOptions& options);

}  // namespace rigspace
