// The forces on a body in real time: from the past of the animation alone.

#include "realtime_body.h"
#include "rigspace/geometry/signed_distance.h"
#include "run/part_system.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace rigspace {

/// The velocity of the character as a whole, scene units / s: the mean point's over the last second against the second
/// before. That is its mean under a triangle of two seconds, in which the sway of a walk, about once a second, cancels.
/// Slower sway does not; but who travels does so by half of its size a second or more, and what is slower than a
/// seventh counts as sway. (Stepper has the mean over a whole turn of a loop, which is 0 in place.)
Vec3 RealtimeBody::travel_velocity() const {
  constexpr double kSway = 0.1, kTravel = 0.25;  // of the character's size, 1/s
  Vec3 late = Vec3::Zero(), early = Vec3::Zero();
  for (int k = 0; k < second_; ++k) late += past_mean(point_means_, k), early += past_mean(point_means_, second_ + k);
  const Vec3 velocity = (late - early) / (second_ * second_ * h_);
  return smooth_step(kSway, kTravel, velocity.norm() / character_size_) * velocity;
}

/// Calls use(n, weight) for one or two whole numbers of grid steps, at most the window, of which the weighted mean of
/// n^2 is `squared`, or as near to it as they come. At least 2, where the window is: with 1 the load of a corner
/// between two poses would all act in one step.
template <class Use>
void RealtimeBody::mix_windows(double squared, const Use& use) const {
  const double most = window_, least = std::min(2.0, most), wanted = std::clamp(squared, least * least, most * most);
  const int n = std::min(window_, static_cast<int>(std::floor(std::sqrt(wanted) + 1e-9)));
  const double share = n == window_ ? 0 : std::max(0.0, (wanted - n * n) / (2 * n + 1));
  use(n, 1 - share);
  if (share > 0) use(n + 1, share);
}

/// The loads of Stepper::set_loads, at a time w, the window, before the newest pose: acceleration
/// (x(t + w) - 2 x(t) + x(t - w)) / w^2, which is the mean under a triangle of w to each side, and velocity
/// (x(t + w) - x(t - w)) / 2 w. Between the poses of the caller, which are T apart, x is linear, which is a triangle of
/// T more. A triangle of half base w has the variance w^2 / 6, a box w^2 / 3, and those of filters in a row add, so
/// that windows of w^2 - T^2 and w^2 - T^2 / 2 keep all in all what one of w does: the motion does not depend on T. The
/// acceleration of the character's travel is that over the last second.
void RealtimeBody::find_drive() {
  const double spacing = std::pow(spacing_[past(window_)] / h_, 2), whole = window_ * window_;
  const Vec& middle = drive_[past(window_)];
  acceleration_.setZero(), wind_.setZero();
  mix_windows(whole - spacing, [&](int n, double weight) {
    const Vec &after = drive_[past(window_ - n)], &before = drive_[past(window_ + n)];
    acceleration_ += weight / std::pow(n * h_, 2) * (after - 2 * middle + before);
  });
  mix_windows(whole - 0.5 * spacing, [&](int n, double weight) {
    wind_ += weight / (2 * n * h_) * (drive_[past(window_ - n)] - drive_[past(window_ + n)]);
  });
}

/// Lowers the load of a part, damps it more and pulls it to the animation where the drive says that it would swing
/// farther than a clip may: Tuner::hold_by_drive, calming and hold_stiffness.
void RealtimeBody::hold() {
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const RealtimeHold& tuned = holds_[g];
    const MassGroup& whole = settings_->groups[g];
    const Vec& masses = body_.groups[g].masses;
    Vec3 a = Vec3::Zero();
    for (int i = 0; i < body_.node_count(); ++i) a += masses[i] * point(acceleration_, i);
    meters_[g].add(a / masses.sum());
    if (!(tuned.gain > 0)) continue;
    const double share = felt_share(tuned.gain * meters_[g].drive());
    groups_[g].load = share * whole.load, groups_[g].wind = share * whole.wind;
    groups_[g].damping = whole.damping + (1 - share) * 4 * std::numbers::pi * tuned.rate;
    groups_[g].pull = whole.pull + steadied_share(share) * meters_[g].shaking() / tuned.length;
  }
}

/// Sets `shown_` from the last two seconds.
void RealtimeBody::limit_swing() {
  const bool all = groups_.size() == 1;  // as in Stepper::reach
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const Vec& masses = body_.groups[g].masses;
    double farthest = 0;
    for (int i = 0; i < body_.node_count(); ++i)
      if ((all || masses[i] > 0) && body_.roles[i] != NodeRole::held)
        farthest = std::max(farthest, point(d_, i).squaredNorm());
    swings_[g].add(std::sqrt(farthest));
    if (!(holds_[g].gain > 0)) continue;
    const double reach = swings_[g].value() / holds_[g].length;
    const double most = holds_[g].flesh ? kMostFleshSwing : kMostChainSwing;
    const double swing = holds_[g].scaling * (holds_[g].flesh ? reach : 2 * std::asin(std::min(1.0, 0.5 * reach)));
    shown_[g] = swing > most ? most / swing : 1;
  }
}

/// The forces of drive, drag and gravity.
void RealtimeBody::set_loads() {
  const double second = second_ * h_;
  const Vec3 travel = travel_velocity();
  const Vec3 surge =
      (past_mean(node_means_, 0) - 2 * past_mean(node_means_, second_ / 2) + past_mean(node_means_, second_)) /
      std::pow(0.5 * second, 2);
  forces_.setZero();
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const MassGroup& group = groups_[g];
    const double drag = group.wind * group.drag;
    const Vec3 unfelt = (1 - group.push) * surge, still = (1 - group.travel) * travel;
    for (int i = 0; i < body_.node_count(); ++i) {
      const double mass = body_.groups[g].masses[i];
      if (mass == 0) continue;
      point(forces_, i) -= mass * (group.load * (point(acceleration_, i) - unfelt) + drag * (point(wind_, i) - still));
      point(forces_, i) += mass * group.weight;
    }
  }
  if (terms_->solid && terms_->solid->fallbacks() > 0) terms_->solid->add_gradient(*solid_state_, x_key_, 1, forces_);
  terms_->load.set_forces(forces_);
  terms_->load.set_reference(x_key_);
}

}  // namespace rigspace
