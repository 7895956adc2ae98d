#include "stepper.h"

#include "rigspace/body/interior_response.h"
#include "rigspace/body/row_scale.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace rigspace {
namespace {

constexpr double kErrorTolerance = 0.02;  // largest time error of one step, as a share of the size
constexpr int kErrorHalvings = 2;  // at most for errors and inversions: at a kink of the input halving does not help
constexpr double kBlur = 10;       // tolerances of noisy rigs, in multiples of the error that the noise makes
constexpr double kSmall = 0.01;    // gradient over the terms' norms that noise may leave in a converged step
constexpr int kPatience = 8;       // smallest steps that may fail before halving is given up for the run

/// Options for a black box. A built-in rig computes its Jacobian at the cost of a few evaluations, so there is a new
/// one every step. For a black box J is evaluated by differences, control by control, only where neither the last J nor
/// the samples predict the nodes within the tolerance; up to 7 steps in a row may end without any evaluation. Motions
/// below 3e-4 of the size count as this long, since visible swings are some hundredths of it.
LinearRigOptions black_box_use() {
  LinearRigOptions options = black_box_jacobian();
  options.floor = 3e-4, options.most_unevaluated_steps = 7;
  return options;
}

}  // namespace

Stepper::Stepper(SteppedBody body, const KeyedMotion& motion, const SimulationOptions& options)
    : body_(std::move(body)),
      motion_(motion),
      options_(options),
      mapping_(description_of(body_)),
      rig_workspace_(body_.rig->make_workspace()),
      objective_(mapping_),
      black_box_(body_.linear && !body_.rig->traits().exact_jacobian) {
  Vec x_rest;
  body_.rig->evaluate(*rig_workspace_, body_.rig->rest(), s_);
  body_.ties.apply(s_, x_rest);
  Vec masses = Vec::Zero(body_.node_count());
  for (const MassGroup& group : body_.groups) masses += group.masses;
  if (body_.linear) {
    BlockJacobian response = rows_of(body_.response, mapping_.description().bound);
    const RigSpaceDescription& map = mapping_.description();
    if (black_box_) {
      auto predictor = std::make_unique<RigPredictor>(map, x_rest, black_box_use(), std::move(response));
      predictor_ = predictor.get(), lineariser_ = std::move(predictor);
    } else {
      lineariser_ = std::make_unique<JacobianEveryStep>(map, x_rest, LinearRigOptions{}, std::move(response));
    }
    lineariser_->set_masses(masses);
    if (black_box_ && body_.known) {
      Mat x_keys(x_rest.size(), std::ssize(*body_.known));
      for (Eigen::Index k = 0; k < x_keys.cols(); ++k)
        body_.ties.apply((*body_.known)[k].s_key, x_), x_keys.col(k) = x_;
      predictor_->set_samples(*body_.known, x_keys);
    }
  }
  // For measurements of the motion before `start`: the grid of the later run, whose poses a black box remembers.
  if (black_box_ && motion_.duration() > 0)
    grid_ = motion_.duration() / std::max(1.0, std::round(motion_.duration() / options_.step));
  if (!body_.tets.empty()) bind_volumes_ = volumes({x_rest, body_.tets});
  terms_.emplace(body_, x_rest, options_.material, mapping_.interior_size());
  mapping_.set_curvature(options_.curvature);
  terms_->add_to(objective_);
  if (terms_->damping && mapping_.interior_size() > 0) inside_frames_.emplace(x_rest, LinearRigFrames().regions);
  BlockJacobian ds_dp;
  if (body_.rest_jacobian)
    ds_dp = *body_.rest_jacobian;
  else
    body_.rig->jacobian(*rig_workspace_, body_.rig->rest(), body_.free, ds_dp);
  objective_.set_row_scale(row_scale(mapping_.description(), ds_dp, masses, body_.response));
  cuts_ = far_cuts();
}

void Stepper::collide(std::span<const Obstacle> obstacles) {
  Vec x_rest;
  body_.rig->evaluate(*rig_workspace_, body_.rig->rest(), s_);
  body_.ties.apply(s_, x_rest);
  contact_.emplace(contact_body_of(body_, x_rest), obstacles, contact_options(body_, options_));
  objective_.add("contact", contact_->energy());
}

/// For a black box the nearest multiple of the grid's step, since poses at these times are remembered.
double Stepper::on_grid(double time) const {
  return black_box_ && grid_ > 0 ? grid_ * std::nearbyint(time / grid_) : time;
}

/// `width`, s, for a black box rounded to grid steps, at least one.
double Stepper::window(double width) const { return std::max(on_grid(width), black_box_ ? grid_ : 0.0); }

/// All controls in the animation at a time; amounts of shapes are 0.
void Stepper::key_controls(double time, Vec& p) const {
  motion_.controls(time, p);
  if (body_.shapes == 0) return;
  const Eigen::Index own = p.size();
  p.conservativeResize(own + body_.shapes);
  p.tail(body_.shapes).setZero();
}

/// All nodes in the animation at a time. A clip that is `under_way` continues in straight lines before its start and
/// after its end.
const Vec& Stepper::key(double time) {
  for (const Key& known : keys_)
    if (known.time == time) return known.x;
  Vec x;
  const double last = motion_.duration();
  if (under_way_ && (time < first_time_ || time > last) && last > 0) {
    const double edge = time < first_time_ ? first_time_ : last, inside = time < first_time_ ? 0.5 : -0.5;
    const double near = std::clamp(edge + on_grid(inside * kDriveWidth), 0.0, last);
    x = key(near);
    const Vec& at_edge = key(edge);
    x = at_edge + (time - edge) / (near - edge) * (x - at_edge);
  } else {
    key_controls(time, p_key_);
    body_.rig->evaluate(*rig_workspace_, p_key_, s_);
    body_.ties.apply(s_, x);
  }
  if (keys_.size() >= 32) keys_.pop_front();
  keys_.push_back({time, std::move(x)});
  return keys_.back().x;
}

void Stepper::start(double time, double grid, bool under_way) {
  keys_.clear();
  first_time_ = time, grid_ = grid, under_way_ = under_way;
  const Vec none = Vec::Zero(3 * static_cast<Eigen::Index>(body_.node_count()));
  now_.integrator = Integrator(options_.integrator);
  now_.integrator.restart(none, none);
  now_.p_now = now_.p_before = Vec::Zero(static_cast<Eigen::Index>(body_.free.size()));
  now_.d_now = now_.d_before = now_.d_older = none;
  now_.time = time, now_.h = now_.h_before = grid;
  patience_ = kPatience;
  if (lineariser_) lineariser_->restart();
  if (contact_) contact_->start(time, key(time), key(time));
}

/// q from deviations of controls and nodes; p_key_ must be at the time of x_key.
Vec Stepper::coordinates(In p_deviation, In d, In x_key) const {
  const RigSpaceDescription& body = mapping_.description();
  Vec q(mapping_.size_q());
  for (std::size_t k = 0; k < body.interior.size(); ++k)
    q.segment<3>(3 * static_cast<Eigen::Index>(k)) =
        x_key.segment<3>(3 * body.interior[k]) + d.segment<3>(3 * body.interior[k]);
  for (std::size_t k = 0; k < body.free.size(); ++k) {
    const auto c = static_cast<Eigen::Index>(k);
    q[mapping_.interior_size() + c] = p_key_[body.free[k]] + p_deviation[c];
  }
  return q;
}

/// Sets p_end_ to the controls of q. For a black box as keyed value plus deviation, so that code that has only the
/// deviation computes the same pose to the bit and finds it remembered.
void Stepper::end_controls(In q) {
  mapping_.controls_at(q, p_end_);
  if (!black_box_) return;
  for (const int c : body_.free) p_end_[c] = p_key_[c] + (p_end_[c] - p_key_[c]);
}

/// Makes the rig linear at p_end_.
void Stepper::begin_linear(In x_key) {
  if (black_box_ && mapping_.description().relative) predictor_->set_carried_key(mapping_.carried_key());
  lineariser_->begin(p_end_, p_key_, x_key);
}

/// kappa of x_hat = x + kappa (x - x_before): r (1 - tau / h), of both methods and of any two steps.
double Stepper::drift_share() const {
  const TimeStep& step = now_.integrator.step();
  return step.h / now_.h * (1 - step.tau / step.h);
}

/// Damping acts on what the free controls do, s(p) - s(p_drift) with p_drift = p_key + delta_hat, and on the deviation
/// of nodes inside in frames that turn with the animation, so that nodes that only turn with it count as not moving. Of
/// a linear rig s(p) - s(p_drift) is J (p - p_drift): motion that the controls cannot produce would be sampled at
/// random by few elements, and damping it would add energy.
void Stepper::damp(In x_key) {
  if (!terms_->damping) return;
  const double share = drift_share();
  Vec p = p_key_, y, x = x_key;
  for (std::size_t k = 0; k < body_.free.size(); ++k) {
    const auto c = static_cast<Eigen::Index>(k);
    p[body_.free[k]] += now_.p_now[c] + share * (now_.p_now[c] - now_.p_before[c]);
  }
  if (lineariser_) {
    lineariser_->linear().at(p, y);
  } else {
    const RigSpaceDescription& map = mapping_.description();
    body_.rig->evaluate(*rig_workspace_, p, s_);
    map.ties.apply(s_, y);
  }
  mapping_.place(y, x);
  drift_inside(x_key, share, x);
  terms_->damping->set_target(x, body_.stiffness_damping / now_.integrator.step().tau);
}

/// Sets the nodes inside to x_key + R (e_now + share (e_now - e_before)), e = R^T d at each time, with the rotation R
/// of the node's region in the animation.
void Stepper::drift_inside(In x_key, double share, Vec& x) {
  if (!inside_frames_) return;
  const std::vector<int>& inside = mapping_.description().interior;
  Vec e(3 * std::ssize(inside));
  inside_frames_->turn(key(now_.time));
  for (std::size_t k = 0; k < inside.size(); ++k)
    point(e, static_cast<int>(k)) = inside_frames_->of(inside[k]).transpose() * point(now_.d_now, inside[k]);
  if (share != 0) {
    inside_frames_->turn(key(now_.time - now_.h));
    for (std::size_t k = 0; k < inside.size(); ++k) {
      const Vec3 before = inside_frames_->of(inside[k]).transpose() * point(now_.d_before, inside[k]);
      point(e, static_cast<int>(k)) += share * (Vec3(point(e, static_cast<int>(k))) - before);
    }
  }
  inside_frames_->turn(x_key);
  for (std::size_t k = 0; k < inside.size(); ++k)
    point(x, inside[k]) = point(x_key, inside[k]) + inside_frames_->of(inside[k]) * point(e, static_cast<int>(k));
}

/// A solve from q. A linear rig is linearised at the controls of q; the solve is repeated with a renewed linearisation
/// while that misses the rig (4.13). Sets x_ to the nodes at the end, as the rig, not its linearisation, places them.
Summary Stepper::solve(const Newton& newton, In x_key, Vec& q, StepOutcome& outcome) {
  mapping_.set_linear(lineariser_ ? &lineariser_->linear() : nullptr);
  const Vec from = q;
  if (lineariser_) {
    end_controls(q);
    if (predictor_ != nullptr) predictor_->set_step(now_.integrator.step().h);
    begin_linear(x_key);
  }
  damp(x_key);
  Summary summary = newton.solve(objective_, q, newton_);
  outcome.iterations += summary.iterations;
  x_ = newton_.x();
  if (!lineariser_ || !q.allFinite()) return summary;
  end_controls(q);
  while (!lineariser_->check_linearisation(p_end_, y_)) {
    lineariser_->renew();
    damp(x_key);
    q = from;
    summary = newton.solve(objective_, q, newton_);
    outcome.iterations += summary.iterations;
    if (!q.allFinite()) return summary;
    end_controls(q);
  }
  mapping_.place(y_, x_);
  if (lineariser_->still_misses())
    summary.termination = Termination::stalled, summary.reason = "the linear rig still misses the rig";
  return summary;
}

/// Springs between controls pull to their keys and, where they stand for flesh, damp as it does: both in one, with
/// 1 + b / tau times the stiffness and the mean of keys and drift.
void Stepper::pull_coupled(const Vec& keyed) {
  const double damped = terms_->damping ? body_.stiffness_damping / now_.integrator.step().tau : 0;
  const Vec drift = keyed + now_.p_now + drift_share() * (now_.p_now - now_.p_before);
  terms_->coupling->set_target(((keyed + damped * drift) / (1 + damped)).head(body_.coupling.rows()));
  for (std::size_t k = 0; k < objective_.terms().size(); ++k)
    if (objective_.terms()[k].energy == &*terms_->coupling) objective_.set_weight(static_cast<int>(k), 1 + damped);
}

bool Stepper::try_step(double time, StepOutcome& outcome, bool last_try) {
  const double h = time - now_.time, ratio = h / now_.h;
  if (ratio > 2.2) now_.integrator.forget();
  if (variation_ != nullptr) retune(variation_->body(time));
  const Vec x_key = key(time);
  if (terms_->solid && options_.follow_animation) terms_->solid->set_rest(x_key);
  now_.integrator.begin(h);
  set_targets(x_key);
  set_loads(time);
  key_controls(time, p_key_);
  mapping_.set_key(p_key_, x_key);
  if (terms_->springs || terms_->coupling) {
    Vec keyed(static_cast<Eigen::Index>(body_.free.size()));
    for (std::size_t k = 0; k < body_.free.size(); ++k) keyed[static_cast<Eigen::Index>(k)] = p_key_[body_.free[k]];
    if (terms_->springs && dampens_rods()) {
      const TimeStep& step = now_.integrator.step();
      terms_->set_springs(body_.springs / step.tau);
      terms_->springs->set_target(keyed + now_.p_now + drift_share() * (now_.p_now - now_.p_before));
    } else if (terms_->springs) {
      terms_->springs->set_target(keyed.head(body_.springs.size()));
    }
    if (terms_->coupling) pull_coupled(keyed);
  }
  if (terms_->limit) terms_->limit->set_keys(coordinates(Vec::Zero(now_.p_now.size()), Vec::Zero(x_key.size()), x_key));
  if (terms_->reach_limit) terms_->reach_limit->set_keys(x_key);
  if (contact_) contact_->begin(now_.time, time, x_key);

  // Derivatives by differences of a rig with noise have the relative error (noise / size)^(2/3) (differences.h), and so
  // have forces.
  const double floor = body_.force_floor, noise = body_.rig->traits().noise;
  const double blur = noise > 0 ? kBlur * std::pow(noise / body_.size, 2.0 / 3) : 0;
  const bool noisy = noise > 0 && !lineariser_;
  // Below the noise floor of the energy a line search returns a tiny step; with a small gradient that counts as
  // converged.
  const auto resolved = [&](const Summary& s) {
    const bool ends = s.iterations > 0 && s.last_step <= kBlur * noise && s.gradient_norm <= kSmall * s.term_norms;
    return s.converged() || (noisy && ends);
  };
  const Newton newton({.projected_curvature = options_.curvature != RigCurvature::none,
                       .gradient_tolerance = std::max(terms_->solid ? 1e-5 : 1e-6, noisy ? blur : 0),
                       .gradient_floor = floor,
                       .step_tolerance = std::max(terms_->solid ? 2e-6 * body_.size : 0, noisy ? kBlur * noise : 0),
                       .max_iterations = noisy ? 12 : 30,
                       .keep_factor = lineariser_ ? 0.3 : 0});
  Vec q = coordinates(now_.p_now + ratio * (now_.p_now - now_.p_before),
                      now_.d_now + ratio * (now_.d_now - now_.d_before), x_key);
  Summary summary = solve(newton, x_key, q, outcome);
  if (!resolved(summary)) {  // again, from the last state instead of the extrapolated one
    q = coordinates(now_.p_now, now_.d_now, x_key);
    summary = solve(newton, x_key, q, outcome);
  }
  // With the keyed pose of this step a nonlinear rig may place the last deviation outside the reach limit, where the
  // energy is infinite: then the solve starts nearer to the animation.
  for (const double share : {0.9, 0.6, 0.0}) {
    if (!terms_->reach_limit || std::isfinite(summary.initial_value)) break;
    q = coordinates(share * now_.p_now, share * now_.d_now, x_key);
    summary = solve(newton, x_key, q, outcome);
  }
  const Vec& x = x_;
  if (!last_try) {
    if (!resolved(summary) || !q.allFinite()) return false;
    const bool may_halve = h > 0.9 * grid_ * std::pow(0.5, kErrorHalvings);
    if (may_halve && smallest_ratio(x, x_key) <= 0) return false;
    // The local error of BDF2 is 2/9 h^3 x''', where h^3 x''' is the third difference of the deviations.
    if (may_halve && h == now_.h && h == now_.h_before) {
      const Vec third = (x - x_key) - 3 * now_.d_now + 3 * now_.d_before - now_.d_older;
      if (2.0 / 9 * farthest_move(third) > kErrorTolerance * body_.size) return false;
    }
  }
  outcome.converged = outcome.converged && resolved(summary);
  const bool finite = q.allFinite() && x.allFinite();
  if (!finite) {  // controls and nodes together keep their deviation from before the step
    q = coordinates(now_.p_now, now_.d_now, x_key);
    x_ = x_key + now_.d_now;
    outcome.converged = false, outcome.recovered = true;
  }
  outcome.inverted = outcome.inverted || smallest_ratio(x, x_key) <= 0;
  now_.d_older = now_.d_before;
  now_.d_before = now_.d_now;
  if (finite) now_.d_now = x - x_key;
  now_.p_before = now_.p_now;
  for (std::size_t k = 0; k < body_.free.size(); ++k) {
    const auto c = static_cast<Eigen::Index>(k);
    now_.p_now[c] = q[mapping_.interior_size() + c] - p_key_[body_.free[k]];
  }
  if (body_.trained && !body_.trained->has(now_.p_now.head(std::ssize(body_.own_controls())))) outcome.untrained = true;
  now_.integrator.accept(now_.d_now);
  if (lineariser_) end_controls(q), lineariser_->accept(p_end_);
  if (contact_ && contact_->accept(x)) now_.integrator.forget();
  now_.h_before = now_.h, now_.h = h, now_.time = time;
  return true;
}

void Stepper::step(double time, StepOutcome& outcome, int depth) {
  if (depth >= options_.max_halvings || patience_ == 0) {
    const bool converged_before = outcome.converged;
    outcome.converged = true;
    try_step(time, outcome, true);
    if (!outcome.converged && patience_ > 0) --patience_;
    outcome.converged = outcome.converged && converged_before;
    return;
  }
  const History before = now_;
  if (try_step(time, outcome, false)) return;
  now_ = before;
  outcome.halvings = std::max(outcome.halvings, depth + 1);
  const double middle = 0.5 * (now_.time + time);
  step(middle, outcome, depth + 1);
  step(time, outcome, depth + 1);
}

StepOutcome Stepper::advance(double time) {
  StepOutcome outcome;
  if (turns_with_jump(time)) return outcome;
  while (contact_) {  // divides the step so that fast nodes and obstacles do not pass through each other
    const Vec x_now = key(now_.time) + now_.d_now, x_key = key(time);
    const double left = time - now_.time, ratio = left / now_.h;
    const Vec x_next = x_key + now_.d_now + ratio * (now_.d_now - now_.d_before);
    const int parts = contact_->steps(now_.time, time, x_now, x_next);
    const double part = std::max(left / parts, grid_ / ObstacleContact::kMostSteps);  // bounded: keys may jump
    if (part >= 0.999 * left) break;
    step(now_.time + part, outcome, 0);
  }
  step(time, outcome, 0);
  return outcome;
}

void Stepper::hold(double time) {
  if (black_box_) lineariser_->restart();
  now_.integrator.restart(now_.d_now, Vec::Zero(now_.d_now.size()));
  now_.d_before = now_.d_older = now_.d_now;
  now_.p_before = now_.p_now;
  now_.h = now_.h_before = time - now_.time;
  now_.time = time;
}

}  // namespace rigspace
