// How a body that is stepped takes other settings.

#include "realtime_body.h"

#include <algorithm>
#include <cmath>

namespace rigspace {

void RealtimeBody::change_settings(const SteppedBody& settings, std::span<const RealtimeHold> holds) {
  terms_->set_stiffness(*settings_, settings);
  settings_ = &settings;
  set_dampers();
  holds_.assign(holds.begin(), holds.end());
  for (std::size_t g = 0; g < holds_.size(); ++g) meters_[g].retune(holds_[g].rate, holds_[g].settle);
  for (std::size_t g = 0; g < groups_.size(); ++g) groups_[g] = settings.groups[g];
  for (MassGroup& group : groups_) group.masses.resize(0);
  NewtonOptions newton = newton_.options();
  newton.gradient_floor = settings.force_floor;
  newton_ = Newton(newton);
  set_elastic();
  set_limits();  // their stiffness
}

/// Damping of rods by springs to where the controls would be without it; tau of steps of equal length.
void RealtimeBody::set_dampers() {
  if (dampens_rods()) terms_->set_springs(settings_->springs / (2.0 / 3 * h_));
}

bool RealtimeBody::limits_change() const {
  return limits_ != settings_->limits || reach_limit_ != settings_->reach_limit;
}

void RealtimeBody::set_limits() {
  terms_->set_limits(limits_, settings_->limit_stiffness);
  terms_->set_reach_limit(reach_limit_, settings_->reach_stiffness);
}

/// Wider limits hold at once. Narrower ones are approached exponentially, to 5 % within 0.1 s, and stay 5 % above the
/// present deviation, since a solve must start inside; the barrier then pushes the body inward step by step.
void RealtimeBody::narrow_limits() {
  constexpr double kOutside = 1.05, kTime = 0.1 / 3, kDone = 1e-3;
  if (!limits_change()) return;
  const double left = std::exp(-h_ / kTime);
  const auto next = [&](double now, double wanted, double deviation) {
    const double eased = now - wanted > kDone * wanted ? wanted + left * (now - wanted) : wanted;
    return std::max(eased, kOutside * deviation);
  };
  for (std::size_t k = 0; k < limits_.size(); ++k)
    limits_[k] = next(limits_[k], settings_->limits[k], p_now_.segment<3>(3 * static_cast<Eigen::Index>(k)).norm());
  if (terms_->reach_limit) reach_limit_ = next(reach_limit_, settings_->reach_limit, reach());
  set_limits();
}

}  // namespace rigspace
