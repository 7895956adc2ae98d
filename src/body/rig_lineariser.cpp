#include "rigspace/body/rig_lineariser.h"

#include "rigspace/base/require.h"
#include "rigspace/body/deferred_jacobian.h"
#include "rigspace/body/rig_predictor.h"

#include <algorithm>
#include <cmath>

namespace rigspace {

void LinearRigOptions::validate() const {
  require_option(tolerance > 0, "tolerance of the rig's Jacobian", tolerance, "expected a number above 0");
  require_option(floor >= 0, "floor of the rig's Jacobian", floor, "expected at least 0");
  require_option(frames >= 0, "number of frames", frames, "expected at least 0");
  require_option(most_steps >= 1, "steps that a Jacobian serves", most_steps, "expected at least 1");
  require_option(most_unevaluated_steps >= 0, "steps that end without an evaluation", most_unevaluated_steps,
                 "expected at least 0");
}

LinearRigOptions black_box_jacobian() {
  return {.use = JacobianUse::few_evaluations,
          .broyden = true,
          .tolerance = 0.02,
          .most_steps = 1200,
          .remember_jacobians = true};
}

RigLineariser::RigLineariser(const RigSpaceDescription& map, In x_rest, const LinearRigOptions& options,
                             LinearRigFrames frames, BlockJacobian response)
    : options_(options), linear_(map, x_rest, frames, std::move(response)) {
  options_.validate();
  masses_ = Vec::Ones(static_cast<Eigen::Index>(map.bound.size()));
}

void RigLineariser::set_masses(In masses) {
  const std::vector<int>& bound = linear_.bound();
  for (std::size_t k = 0; k < bound.size(); ++k) masses_[static_cast<Eigen::Index>(k)] = masses[bound[k]];
}

void RigLineariser::place(In p, In p_key, In x_key, Vec& y) {
  linear_.set_key(p_key);
  linear_.turn(x_key);
  linear_.evaluate(p, y);
}

LinearRigCounts RigLineariser::counts() const {
  LinearRigCounts counts = counts_;
  counts.evaluations = linear_.evaluations(), counts.jacobians = linear_.jacobians();
  return counts;
}

bool RigLineariser::accept_check(bool near) {
  still_misses_ = !near && renewals_ >= kMostRenewals;
  counts_.missed += still_misses_ ? 1 : 0;
  if (near || still_misses_) return true;
  ++renewals_;
  return false;
}

double RigLineariser::share_of_way(double miss, double way) const {
  const double mass = masses_.sum(), floor = std::pow(options_.floor * linear_.size(), 2) * mass;
  return mass > 0 ? std::sqrt(miss / std::max(way, std::max(floor, 1e-300))) : 0;
}

/// sqrt(miss / way): the error energy of (4.13), relative to the kinetic energy of the motion from y_from to y_true in
/// this step. Both have the factor 1/(2 h^2) (so should (4.13)), which cancels. The caller gives a y_from that already
/// has the keyed controls of this step, so that only motion by the free controls counts, not a walk of the character.
double RigLineariser::missed(In y_linear, In y_true, In y_from) const {
  double miss = 0, way = 0;
  for (Eigen::Index k = 0; k < masses_.size(); ++k) {
    miss += masses_[k] * (y_linear.segment<3>(3 * k) - y_true.segment<3>(3 * k)).squaredNorm();
    way += masses_[k] * (y_true.segment<3>(3 * k) - y_from.segment<3>(3 * k)).squaredNorm();
  }
  return share_of_way(miss, way);
}

std::unique_ptr<RigLineariser> make_rig_lineariser(const RigSpaceDescription& map, In x_rest,
                                                   const LinearRigOptions& options, BlockJacobian response) {
  switch (options.use) {
    case JacobianUse::every_step: return std::make_unique<JacobianEveryStep>(map, x_rest, options, std::move(response));
    case JacobianUse::deferred: return std::make_unique<DeferredJacobian>(map, x_rest, options, std::move(response));
    case JacobianUse::few_evaluations: return std::make_unique<RigPredictor>(map, x_rest, options, std::move(response));
  }
  return nullptr;
}

}  // namespace rigspace
