#pragma once
// Private to physics: how far a reduced body is from the whole one, before and after a run.

#include "fast_body.h"

namespace rigspace {

/// The deviations of the shakes of training, by the stiffness K of the controls; null where nothing was shaken.
std::shared_ptr<const TrainedRange> trained_range(const SteppedBody& body, std::span<const ExamplePose> seen,
                                                  const Mat& K);

/// How far few elements are from the whole body on a motion that training did not see: both, at a rate of 1 Hz and
/// damped as parts are, are jolted to and fro along each of their axes, a seventh of a second each way, and then swing.
struct JoltError {
  double reach = 0;  ///< scene units: the farthest that a node of the skin comes
  double error = 0;  ///< r.m.s. over the skin and time of the distance between the two, as a share of that from rest
};
/// Jolted gently and hard: a jolt that went on would make the body hang at 10 and at 30 % of its size. Fewer if a step
/// does not converge.
/// `omega_squared`: of the two at a Young's modulus of 1 (Stepper::answering_omega_squared).
std::vector<JoltError> errors_of_jolts(const SteppedBody& whole, double omega_squared, const SteppedBody& few,
                                       double few_omega_squared, const KeyedMotion& still,
                                       const SimulationOptions& options);
/// At another reach, in a straight line through both; never below the smaller of both. 0 without any. Other motions
/// were 0.7 to 2.8 times as far off (bar, trunk and belly, with shapes of the inside and without).
double error_at(std::span<const JoltError> errors, double reach);

}  // namespace rigspace
