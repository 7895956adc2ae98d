#include "realtime_body.h"

#include "rigspace/body/interior_response.h"

#include <algorithm>
#include <cmath>

namespace rigspace {
namespace {

/// A factorisation of the Hessian is kept, over steps too, while each iteration with it lowers the gradient to 0.4. A
/// Newton step that moves nodes by less than 2e-5 of the size counts as converged: nobody would see it.
NewtonOptions newton_options(const SteppedBody& body, const RealtimeOptions& options) {
  return {.gradient_tolerance = options.tolerance,
          .gradient_floor = body.force_floor,
          .step_tolerance = 2e-5 * body.size,
          .max_iterations = options.max_iterations,
          .keep_factor = 0.4,
          .keep_over_solves = true};
}

}  // namespace

RealtimeBody::RealtimeBody(const SteppedBody& body, const RealtimeOptions& options)
    : body_(body),
      h_(options.step),
      window_(std::max(1, static_cast<int>(std::lround(options.window / options.step)))),
      second_(std::max(2, 2 * static_cast<int>(std::lround(0.5 / options.step)))),
      workspace_(body.rig->make_workspace()),
      newton_(newton_options(body, options)) {
  zero_ = Vec::Zero(3 * static_cast<Eigen::Index>(body.node_count()));
  p_now_ = p_before_ = p_older_ = from_ = free_key_ = Vec::Zero(static_cast<Eigen::Index>(body.free.size()));
  x_key_ = x_ = d_ = target_ = forces_ = d_before_ = speed_ = zero_;
  poses_.assign(static_cast<std::size_t>(2 * window_ + 1), zero_);
  means_.assign(static_cast<std::size_t>(second_ + 1), Vec3::Zero());
  observe(body.rig->rest());
  const RigSpaceDescription map = description_of(body);
  lineariser_.emplace(map, x_key_, LinearRigOptions{.tolerance = 0.01},
                      body.response.start.empty() ? BlockJacobian{} : rows_of(body.response, map.bound));
  mapping_.emplace(lineariser_->linear(), body);
  objective_.emplace(*mapping_);
  Vec masses = Vec::Zero(body.node_count());
  for (const MassGroup& group : body.groups) masses += group.masses;
  lineariser_->set_masses(masses);
  terms_.emplace(body, x_key_, options.material, 0);
  terms_->add_to(*objective_);
  if (terms_->solid) solid_state_ = terms_->solid->make_state();
  warm_up();
}

/// Runs every code path that allocates once, so that later steps allocate nothing: a solve away from balance, a renewed
/// Jacobian, a start at rest.
void RealtimeBody::warm_up() {
  settle(true);
  for (int turn = 0; turn < 3; ++turn) {
    observe(body_.rig->rest());
    for (int k = 0; k < body_.groups.front().masses.size(); ++k) x_key_[3 * k + 1] += 1e-3 * turn * turn * body_.size;
    step();
    lineariser_->renew();
  }
  observe(body_.rig->rest());
  rest(false);
  settle(true);
}

double RealtimeBody::observe(In p_key) {
  p_key_ = p_key;
  body_.rig->evaluate(*workspace_, p_key_, s_key_);
  const Vec& last = poses_[static_cast<std::size_t>(pose_)];
  double farthest = 0;
  for (int i = 0; i < body_.node_count(); ++i) {
    const Vec3 node = body_.ties.row(i, s_key_);
    point(x_key_, i) = node;
    farthest = std::max(farthest, (node - point(last, i)).squaredNorm());
  }
  for (std::size_t k = 0; k < body_.free.size(); ++k) free_key_[static_cast<Eigen::Index>(k)] = p_key_[body_.free[k]];
  return std::sqrt(farthest);
}

void RealtimeBody::pass() {
  pose_ = (pose_ + 1) % static_cast<int>(poses_.size());
  poses_[static_cast<std::size_t>(pose_)] = x_key_;
  mean_ = (mean_ + 1) % static_cast<int>(means_.size());
  Vec3 mean = Vec3::Zero();
  for (int i = 0; i < body_.node_count(); ++i) mean += point(x_key_, i);
  means_[static_cast<std::size_t>(mean_)] = mean / std::max(1, body_.node_count());
  if (fresh_ > 0) go_on_backward();
}

/// Extrapolates the past linearly from the first two different poses, so that a character that appears in mid-walk is
/// not jolted. Games repeat the first pose for a frame or two, so equal poses are passed over for 0.05 s.
void RealtimeBody::go_on_backward() {
  --fresh_;
  if (past(0) == past(1)) return;
  fresh_ = 0;
  const int poses = static_cast<int>(poses_.size()), means = static_cast<int>(means_.size());
  const Vec &now = past(0), &last = past(1);
  for (int k = 2; k < poses; ++k)
    poses_[static_cast<std::size_t>((pose_ - k + poses) % poses)] = now + k * (last - now);
  for (int k = 2; k < means; ++k)
    means_[static_cast<std::size_t>((mean_ - k + means) % means)] = past_mean(0) + k * (past_mean(1) - past_mean(0));
}

void RealtimeBody::settle(bool zero) {
  constexpr double kWait = 0.05;  // s: time to wait for a pose that differs, see go_on_backward
  fresh_ = 0;
  pass();
  for (Vec& pose : poses_) pose = x_key_;
  std::fill(means_.begin(), means_.end(), Vec3(means_[static_cast<std::size_t>(mean_)]));
  fresh_ = std::max(1, static_cast<int>(std::lround(kWait / h_)));
  rest(zero);
}

void RealtimeBody::rest(bool zero) {
  if (zero) p_now_.setZero();
  p_before_ = p_older_ = p_now_;
  lineariser_->restart();
  mapping_->set_key(p_key_, x_key_, s_key_);
  q_ = free_key_ + p_now_;
  mapping_->controls_at(q_, p_end_);
  lineariser_->begin(p_end_, p_key_, x_key_);
  lineariser_->check_linearisation(p_end_, y_);
  x_ = x_key_;
  mapping_->place(y_, x_);
  if (zero)
    d_.setZero();
  else
    d_ = x_ - x_key_;
  integrator_.restart(d_, zero_);
}

/// The past of the animation is evaluated again on the nodes of this body. Only differences of the means are used, so
/// those of the other body are copied, shifted to this body's present mean. The velocity of the deviation is that of
/// the last three states, d' = (3 d - 4 d_before + d_older) / 2 h.
void RealtimeBody::take_over(const RealtimeBody& from, std::span<const Vec> poses) {
  fresh_ = 0;
  for (int k = past_poses() - 1; k >= 0; --k) observe(poses[static_cast<std::size_t>(k)]), pass();
  const Vec3 apart = means_[static_cast<std::size_t>(mean_)] - from.means_[static_cast<std::size_t>(from.mean_)];
  for (std::size_t k = 0; k < means_.size(); ++k) means_[k] = from.means_[k] + apart;
  mean_ = from.mean_, fresh_ = from.fresh_;
  const Vec* const states[] = {&from.p_now_, &from.p_before_, &from.p_older_};
  constexpr double kSlope[] = {1.5, -2, 0.5};
  speed_.setZero();
  for (int k = 2; k >= 0; --k) {
    observe(poses[static_cast<std::size_t>(k)]);
    p_now_ = *states[k];
    rest(false);
    speed_ += kSlope[k] / h_ * d_;
  }
  p_before_ = from.p_before_, p_older_ = from.p_older_;
  integrator_.restart(d_, speed_);
}

const Vec& RealtimeBody::past(int steps) const {
  const int count = static_cast<int>(poses_.size());
  return poses_[static_cast<std::size_t>((pose_ - steps + count) % count)];
}

const Vec3& RealtimeBody::past_mean(int steps) const {
  const int count = static_cast<int>(means_.size());
  return means_[static_cast<std::size_t>((mean_ - steps + count) % count)];
}

void RealtimeBody::set_targets() {
  for (std::size_t g = 0; g < body_.groups.size(); ++g) {
    const double a = body_.groups[g].damping + body_.groups[g].drag;
    integrator_.momentum_target(a, zero_, target_);
    target_ += x_key_;
    terms_->momenta[g].set_target(target_, integrator_.momentum_scale(a));
  }
}

/// Damping acts on the motion by the free controls only, as in Stepper::damp_controls.
void RealtimeBody::damp_controls() {
  if (!terms_->damping) return;
  const double tau = integrator_.step().tau;
  q_ = free_key_ + p_now_ + (1 - tau / h_) * (p_now_ - p_before_);
  mapping_->controls_at(q_, p_end_);
  lineariser_->linear().at(p_end_, y_);
  target_ = x_key_;
  mapping_->place(y_, target_);
  terms_->damping->set_target(target_, body_.stiffness_damping / tau);
}

/// The loads of Stepper::set_loads, from past poses only. With w the window: acceleration
/// (x(t) - 2 x(t - w) + x(t - 2w)) / w^2, which is the mean under a triangle around t - w; velocity
/// (x(t) - x(t - w)) / w; velocity and acceleration of the character's travel over the last second.
void RealtimeBody::set_loads() {
  const double w = window_ * h_, second = second_ * h_;
  const Vec &now = past(0), &middle = past(window_), &before = past(2 * window_);
  const Vec3 travel = (past_mean(0) - past_mean(second_)) / second;
  const Vec3 surge = (past_mean(0) - 2 * past_mean(second_ / 2) + past_mean(second_)) / std::pow(0.5 * second, 2);
  forces_.setZero();
  for (const MassGroup& group : body_.groups) {
    const double drag = group.wind * group.drag;
    const Vec3 unfelt = (1 - group.push) * surge, still = (1 - group.travel) * travel;
    for (int i = 0; i < body_.node_count(); ++i) {
      const double mass = group.masses[i];
      if (mass == 0) continue;
      const Vec3 acceleration = (point(now, i) - 2 * point(middle, i) + point(before, i)) / (w * w) - unfelt;
      const Vec3 wind = (point(now, i) - point(middle, i)) / w - still;
      point(forces_, i) -= mass * (group.load * acceleration + drag * wind);
      forces_[3 * i + 1] -= group.sag * mass * body_.gravity;
    }
  }
  if (terms_->solid && terms_->solid->fallbacks() > 0) terms_->solid->add_gradient(*solid_state_, x_key_, 1, forces_);
  terms_->load.set_forces(forces_);
  terms_->load.set_reference(x_key_);
}

void RealtimeBody::set_keys() {
  mapping_->set_key(p_key_, x_key_, s_key_);
  if (terms_->springs) terms_->springs->set_target(free_key_);
  if (terms_->limit) terms_->limit->set_keys(free_key_);
  if (terms_->reach_limit) terms_->reach_limit->set_keys(x_key_);
}

/// Solves from the start  share p_now + ahead (p_now - p_before).
void RealtimeBody::solve_from(double share, double ahead) {
  from_ = free_key_ + share * p_now_ + ahead * (p_now_ - p_before_);
  mapping_->controls_at(from_, p_end_);
  lineariser_->begin(p_end_, p_key_, x_key_);
  damp_controls();
  solve();
  if (!q_.allFinite() || !std::isfinite(summary_.initial_value) || lineariser_->check_linearisation(p_end_, y_)) return;
  lineariser_->renew();  // the linearisation missed the rig by more than the tolerance (Thesis 4.13)
  damp_controls();
  solve();
  lineariser_->check_linearisation(p_end_, y_);
}

void RealtimeBody::solve() {
  q_ = from_;
  summary_ = newton_.solve(*objective_, q_, newton_workspace_);
  mapping_->controls_at(q_, p_end_);
}

bool RealtimeBody::step() {
  pass();
  if (terms_->solid) terms_->solid->set_rest(x_key_);
  integrator_.begin(h_);
  set_targets();
  set_loads();
  set_keys();
  solve_from(1, 1);
  // If the extrapolated start violates a limit, its energy is infinite: start from the last state, then from states
  // ever nearer to the animation, which violates none.
  for (const double share : {1.0, 0.8, 0.4, 0.0}) {
    if (std::isfinite(summary_.initial_value) && q_.allFinite()) break;
    solve_from(share, 0);
  }
  if (!q_.allFinite() || !y_.allFinite()) {  // no finite solution: continue from the animation, with zero velocity
    rest(true);
    return false;
  }
  x_ = x_key_;
  mapping_->place(y_, x_);
  d_ = x_ - x_key_;
  integrator_.accept(d_);
  lineariser_->accept(p_end_);
  p_older_ = p_before_, p_before_ = p_now_;
  p_now_ = q_ - free_key_;
  return summary_.converged();
}

double RealtimeBody::reach() const {
  double farthest = 0;
  for (int i = 0; i < body_.node_count(); ++i) farthest = std::max(farthest, point(d_, i).squaredNorm());
  return std::sqrt(farthest);
}

}  // namespace rigspace
