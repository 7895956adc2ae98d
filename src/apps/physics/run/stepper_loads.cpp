// The forces on a body along the animation: inertia, drag, damping, and settings that change over time.

#include "rigspace/geometry/signed_distance.h"
#include "stepper.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace rigspace {
namespace {

constexpr double kRampTime = 0.15;  // s: loads are faded in at the start of a clip out of a longer motion

}  // namespace

/// The jumps of the clip (motion_cuts) that move a node of this body by a tenth of its size and more: what an arm
/// does is nothing to a tail.
std::vector<Cut> Stepper::far_cuts() {
  constexpr double kFar = 0.1;
  constexpr int kMoments = 4;  // a jump and the one back may be one cut
  std::vector<Cut> far;
  if (!options_.corrections.jumps) return far;
  for (const Cut& cut : motion_cuts(motion_, body_.rig->controls())) {
    const Vec before = key(cut.from);
    double most = 0;
    for (int k = 1; k <= kMoments; ++k)
      most = std::max(most, farthest_move(key(on_grid(cut.from + k * (cut.to - cut.from) / kMoments)) - before));
    if (most > kFar * body_.size) far.push_back(cut);
  }
  keys_.clear();
  return far;
}

/// Share of a second difference of the animation, `width` s to each side of a time, that is meant as motion: 0 where a
/// jump is within its reach, and 1 where none is within twice that.
double Stepper::felt(double time, double width) const {
  double nearest = std::numeric_limits<double>::infinity();
  const double turn = motion_.duration();
  if (motion_.cyclic() && turn > 0) time -= turn * std::floor(time / turn);
  for (const Cut& cut : cuts_)
    for (const double shift : {0.0, turn, -turn}) {
      if (shift != 0 && !motion_.cyclic()) continue;
      nearest = std::min(nearest, std::max({0.0, cut.from + shift - time, time - cut.to - shift}));
    }
  return smooth_step(width, 2 * width, nearest);
}

/// A step through a jump that turns the body: its controls keep their deviation, nodes turn with the animation, and
/// both stand still. (Nodes that went on in the old direction would tear at controls that are turned.) False where
/// nothing jumps, or only moves; and for bodies with nodes of their own inside.
bool Stepper::turns_with_jump(double time) {
  constexpr double kTurned = 0.1;  // of the deviation
  if (cuts_.empty() || black_box_ || mapping_.interior_size() > 0 || felt(time, 1e-9) > 0) return false;
  Vec x = key(time), y;
  key_controls(time, p_key_);
  mapping_.set_key(p_key_, x);
  p_end_ = p_key_;
  for (std::size_t k = 0; k < body_.free.size(); ++k) p_end_[body_.free[k]] += now_.p_now[static_cast<Eigen::Index>(k)];
  if (lineariser_) {
    begin_linear(x);
    lineariser_->check_linearisation(p_end_, y);
  } else {
    body_.rig->evaluate(*rig_workspace_, p_end_, s_);
    mapping_.description().ties.apply(s_, y);
  }
  mapping_.place(y, x);
  const Vec d = x - key(time);
  if (farthest_move(d - now_.d_now) <= kTurned * farthest_move(now_.d_now) + 1e-9 * body_.size) return false;
  now_.d_now = d;
  hold(time);
  return true;
}

/// How far jumps between two times move the mean of the rig's points.
Vec3 Stepper::jumped(double from, double to) {
  Vec3 sum = Vec3::Zero();
  const double turn = motion_.duration();
  const auto mean = [&](double time) {
    key_controls(time, p_key_);
    body_.rig->evaluate(*rig_workspace_, p_key_, s_);
    return Vec3(Eigen::Map<const Eigen::Matrix3Xd>(s_.data(), 3, s_.size() / 3).rowwise().mean());
  };
  for (const Cut& cut : cuts_) {
    const double first = motion_.cyclic() && turn > 0 ? std::ceil((from - cut.from) / turn) * turn : 0;
    for (double shift = first; cut.from + shift >= from && cut.to + shift <= to; shift += turn) {
      const Vec3 before = mean(cut.from + shift);
      sum += mean(cut.to + shift) - before;
      if (!motion_.cyclic() || !(turn > 0)) break;
    }
  }
  return sum;
}

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
  const Vec3 way = Eigen::Map<const Eigen::Matrix3Xd>(moved.data(), 3, moved.size() / 3).rowwise().mean();
  return (cuts_.empty() ? way : Vec3(way - jumped(from, to))) / (to - from);
}

/// The acceleration of the mean of the nodes, averaged under a triangle of half a second to each side, scene units /
/// s^2. Beyond the ends of a clip that is `under_way` as in `key`.
Vec3 Stepper::travel_acceleration(double time) {
  const double w = window(0.5);
  Vec bend = key(time - w);
  bend -= 2 * key(time);
  bend += key(time + w);
  return felt(time, w) * Eigen::Map<const Eigen::Matrix3Xd>(bend.data(), 3, bend.size() / 3).rowwise().mean() / (w * w);
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
  const double meant = felt(time, w);
  const Vec acceleration = meant * (after - 2 * now + before) / (w * w);
  const bool dragged = std::any_of(body_.groups.begin(), body_.groups.end(), [](const auto& g) { return g.drag > 0; });
  Vec wind = Vec::Zero(now.size());
  const Vec3 travel = dragged ? travel_velocity(time) : Vec3(Vec3::Zero());
  if (dragged) wind = meant * ((after - before) / (2 * w) - travel.replicate(now.size() / 3, 1));
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
