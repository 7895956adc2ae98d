// The forces on a body along the animation: inertia, drag, damping, and settings that change over time.

#include "stepper.h"

#include <algorithm>
#include <cmath>

namespace rigspace {
namespace {

constexpr double kRampTime = 0.15;  // s: loads are faded in at the start of a clip out of a longer motion

}  // namespace

/// The velocity of the character as a whole: that of the mean point, scene units / s, over one second around `time`, or
/// over one whole turn of a loop, so that the sway of a walk in place counts as motion and not as travel. Drag is
/// relative to it, so that a walk does not blow tails backwards.
Vec3 Stepper::travel_velocity(double time) {
  double from = time - window(0.5), to = time + window(0.5);
  if (motion_.cyclic() && motion_.duration() > 0)
    from = on_grid(time - 0.5 * motion_.duration()), to = from + motion_.duration();
  Vec moved;
  key_controls(to, p_key_);
  body_.rig->evaluate(*rig_workspace_, p_key_, moved);
  key_controls(from, p_key_);
  body_.rig->evaluate(*rig_workspace_, p_key_, s_);
  moved -= s_;
  return Eigen::Map<const Eigen::Matrix3Xd>(moved.data(), 3, moved.size() / 3).rowwise().mean() / (to - from);
}

/// The acceleration of the mean of the nodes, averaged under a triangle of half a second to each side, scene units /
/// s^2. Beyond the ends of a clip that is `under_way` as in `key`.
Vec3 Stepper::travel_acceleration(double time) {
  const double w = window(0.5);
  Vec bend = key(time - w);
  bend -= 2 * key(time);
  bend += key(time + w);
  return Eigen::Map<const Eigen::Matrix3Xd>(bend.data(), 3, bend.size() / 3).rowwise().mean() / (w * w);
}

/// The unknown is the deviation d = x - x_key:  M d'' = f(x) - M x_key'' - a M d' - b M (d' + v_key - v_travel), with
/// damping a relative to the animation and drag b relative to the travel of the whole character. The animation enters
/// as a load of inertia and drag; of gravity MassGroup::weight acts (felt_gravity). Elements that the animation inverts
/// have their bind shape as rest shape; a force that balances their stress in the animated pose is added as well.
///
/// The acceleration x_key'' is the second difference over one frame, which is its mean under a triangle of two frames:
/// linear keys have a jump of velocity at every frame, which is not meant as motion.
void Stepper::set_loads(double time) {
  const double w = window(kDriveWidth);
  const Vec before = key(time - w), now = key(time), after = key(time + w);
  const Vec acceleration = (after - 2 * now + before) / (w * w);
  const bool dragged = std::any_of(body_.groups.begin(), body_.groups.end(), [](const auto& g) { return g.drag > 0; });
  Vec wind = Vec::Zero(now.size());
  const Vec3 travel = dragged ? travel_velocity(time) : Vec3(Vec3::Zero());
  if (dragged) wind = (after - before) / (2 * w) - travel.replicate(now.size() / 3, 1);
  Vec forces = Vec::Zero(now.size());
  for (const MassGroup& group : body_.groups) {
    const double drag = group.wind * group.drag;
    Vec felt = acceleration, blown = wind;
    if (group.push != 1) felt -= ((1 - group.push) * travel_acceleration(time)).replicate(now.size() / 3, 1);
    if (group.travel != 0) blown += (group.travel * travel).replicate(now.size() / 3, 1);
    for (Eigen::Index i = 0; i < group.masses.size(); ++i) {
      if (group.masses[i] == 0) continue;
      forces.segment<3>(3 * i) -=
          group.masses[i] * (group.load * felt.segment<3>(3 * i) + drag * blown.segment<3>(3 * i));
      forces.segment<3>(3 * i) += group.masses[i] * group.weight;
    }
  }
  if (under_way_ && time < first_time_ + kRampTime) {  // fades loads in, so that the run begins without a jerk
    const double t = std::max(0.0, time - first_time_) / kRampTime;
    forces *= t * t * (3 - 2 * t);
  }
  if (terms_->solid && options_.follow_animation && terms_->solid->fallbacks() > 0)
    terms_->solid->add_gradient(*terms_->solid->make_state(), now, 1, forces);
  terms_->load.set_forces(forces);
  terms_->load.set_reference(now);
}

/// Takes stiffness, damping, loads and limits from another body with the same nodes and controls; sparsity patterns and
/// the order of factorisation stay. A limit that becomes smaller than the present deviation is set 5 % above it, since
/// the body must be inside; its force then moves the body inward step by step.
void Stepper::retune(const SteppedBody& now) {
  constexpr double kOutside = 1.05;
  for (std::size_t g = 0; g < body_.groups.size(); ++g) {
    Vec masses = std::move(body_.groups[g].masses);
    body_.groups[g] = now.groups[g];
    body_.groups[g].masses = std::move(masses);
  }
  body_.stiffness_damping = now.stiffness_damping;
  body_.force_floor = now.force_floor;
  terms_->set_stiffness(body_, now);
  body_.stiffness = now.stiffness, body_.factors = now.factors, body_.coupling = now.coupling,
  body_.springs = now.springs;
  if (terms_->limit) {
    std::vector<double> limits = now.limits;
    for (std::size_t k = 0; k < limits.size(); ++k)
      limits[k] = std::max(limits[k], kOutside * now_.p_now.segment<3>(3 * static_cast<Eigen::Index>(k)).norm());
    terms_->set_limits(limits, now.limit_stiffness);
  }
  if (terms_->reach_limit) {
    double farthest = 0;
    for (int g = 0; g < static_cast<int>(body_.groups.size()); ++g) farthest = std::max(farthest, reach(g));
    terms_->set_reach_limit(std::max(now.reach_limit, kOutside * farthest), now.reach_stiffness);
  }
}

void Stepper::set_targets(In x_key) {
  const Integrator& integrator = now_.integrator;
  const Vec none = Vec::Zero(x_key.size());
  Vec target;
  for (std::size_t g = 0; g < body_.groups.size(); ++g) {
    const double a = body_.groups[g].damping + body_.groups[g].drag, pull = body_.groups[g].pull;
    integrator.momentum_target(a, none, target);
    double scale = integrator.momentum_scale(a);
    if (pull > 0) {  // pull/2 (x - x_key)^T M (x - x_key), with the inertia in one
      target *= scale / (scale + pull);
      scale += pull;
    }
    terms_->momenta[g].set_target(x_key + target, scale);
  }
}

}  // namespace rigspace
