#pragma once
// Private to physics: how far a reduced body is from the whole one, before and after a run.

#include "fast_body.h"

namespace rigspace {

/// Sets expected_error and trained of the reduction. The body is shaken by impulses that training did not use, at the
/// poses options.unseen (at those of training if there are none). Of each shape the elastic force on the controls by
/// the reduced body, f~, is compared with f, that of all elements with the inside in balance:
///   expected_error = rms of |J K^-1 (f~ - f)|_M / |J K^-1 f|_M,
/// how far the difference would move the skin at rest, as a share of how far the force itself would. Shapes beyond the
/// range of training do not count: a run flags such steps. It leaves out what the motion of the inside by its own
/// inertia adds. 0, not known, for black boxes that are trained without a model (train_reduction).
void expect_error(const SteppedBody& body, const RigBody& whole, std::span<const ExamplePose> seen,
                  Reduction& reduction, const ReductionOptions& options, const ProgressCallback& progress);

}  // namespace rigspace
