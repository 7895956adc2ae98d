#include "realtime_body.h"

#include "light_body.h"
#include "quick_hessian.h"
#include "rigspace/body/interior_response.h"
#include "rigspace/geometry/signed_distance.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace rigspace {
namespace {

/// A factor of the Hessian serves further iterations of a step while each lowers the gradient to 0.3, and no further
/// step: the body turns from step to step, and the factor of another pose made solves run out of iterations. A Newton
/// step that moves nodes by less than 2e-5 of the size counts as converged: nobody would see it.
NewtonOptions newton_options(const SteppedBody& body, const RealtimeOptions& options) {
  return {.gradient_tolerance = options.tolerance,
          .gradient_floor = body.force_floor,
          .step_tolerance = 2e-5 * body.size,
          .max_iterations = options.max_iterations,
          .keep_factor = 0.3};
}

constexpr double kPreviewTolerance = 0.2;  // of the way of a step: ten times that of a run
constexpr int kUnevaluatedSteps = 15;

/// A Jacobian every step; of a rig without derivatives, each of whose evaluations costs more than a step, few
/// evaluations (RigPredictor): a J may miss by more than in a run, and fifteen steps in a row may end without one.
std::unique_ptr<RigLineariser> lineariser_of(const SteppedBody& body, In x_rest, double h, BlockJacobian response) {
  const RigSpaceDescription map = description_of(body);
  if (body.rig->traits().exact_jacobian)
    return std::make_unique<JacobianEveryStep>(map, x_rest, LinearRigOptions{}, std::move(response));
  LinearRigOptions options = black_box_jacobian();
  options.floor = 1e-3, options.most_unevaluated_steps = kUnevaluatedSteps, options.tolerance = kPreviewTolerance;
  auto predictor = std::make_unique<RigPredictor>(map, x_rest, options, std::move(response));
  predictor->set_step(h);
  if (body.known && !body.known->empty()) {
    Mat x_keys(x_rest.size(), std::ssize(*body.known));
    Vec x_key;
    for (Eigen::Index k = 0; k < x_keys.cols(); ++k) {
      body.ties.apply((*body.known)[static_cast<std::size_t>(k)].s_key, x_key);
      x_keys.col(k) = x_key;
    }
    predictor->set_samples(*body.known, x_keys);
  }
  return predictor;
}

constexpr int kMostRenewed = 2;  // linearisations of a step that missed the rig

}  // namespace

int window_steps(const RealtimeOptions& options) {
  return std::max(1, static_cast<int>(std::lround(options.window / options.step)));
}

RealtimeBody::RealtimeBody(const SteppedBody& body, const RealtimeOptions& options, double character_size,
                           std::span<const RealtimeHold> holds, const LimbMesh* limbs, const Collisions& collisions,
                           const Mat* elastic)
    : body_(body),
      settings_(&body),
      limits_(body.limits),
      reach_limit_(body.reach_limit),
      holds_(holds.begin(), holds.end()),
      character_size_(std::max(character_size, 1e-12)),
      h_(options.step),
      window_(window_steps(options)),
      second_(std::max(2, 2 * static_cast<int>(std::lround(0.5 / options.step)))),
      workspace_(body.rig->make_workspace()),
      newton_(newton_options(body, options)),
      snap_speed_(options.snap_speed / options.metres_per_unit),
      in_time_([this](const Progress&) { return !deadline_.passed(); }) {
  zero_ = Vec::Zero(3 * static_cast<Eigen::Index>(body.node_count()));
  p_now_ = p_before_ = p_older_ = from_ = free_key_ = Vec::Zero(static_cast<Eigen::Index>(body.free.size()));
  x_seen_ = x_key_ = x_ = d_ = target_ = forces_ = acceleration_ = wind_ = speed_ = zero_;
  const auto poses = static_cast<std::size_t>(std::max(2 * window_ + 1, window_ + 3));
  controls_.assign(poses, body.rig->rest());
  points_.assign(poses, Vec::Zero(3 * static_cast<Eigen::Index>(body.rig->point_count())));
  drive_.assign(poses, zero_);
  spacing_.assign(poses, 0);
  node_means_.assign(static_cast<std::size_t>(2 * second_), Vec3::Zero());
  point_means_ = node_means_;
  for (const RealtimeHold& hold : holds_) meters_.emplace_back(hold.rate, hold.settle, h_);
  swings_.assign(body.groups.size(), RecentPeak(h_));
  shown_.assign(body.groups.size(), 1.0);
  groups_ = body.groups;
  for (MassGroup& group : groups_) group.masses.resize(0);
  observe(body.rig->rest(), 0);
  const RigSpaceDescription map = description_of(body);
  lineariser_ = lineariser_of(body, x_seen_, h_,
                              body.response.start.empty() ? BlockJacobian{} : rows_of(body.response, map.bound));
  if (map.relative) predictor_ = dynamic_cast<RigPredictor*>(lineariser_.get());
  mapping_.emplace(lineariser_->linear(), body);
  objective_.emplace(*mapping_);
  Vec masses = Vec::Zero(body.node_count());
  for (const MassGroup& group : body.groups) masses += group.masses;
  lineariser_->set_masses(masses);
  terms_.emplace(body, x_seen_, options.material, 0);
  set_dampers();
  terms_->add_to(*objective_);
  if (terms_->solid) solid_state_ = terms_->solid->make_state();
  if (limbs != nullptr || collisions.self || !collisions.obstacles.empty()) meet(limbs, collisions, options);
  if (elastic != nullptr && elastic->size() > 0 && terms_->solid) solve_quickly(*elastic);
  warm_up();
}

RealtimeBody::~RealtimeBody() = default;

/// Contact as Stepper::collide has it. The obstacle's times are 0, the last grid time of the body, and h, this one.
void RealtimeBody::meet(const LimbMesh* limbs, const Collisions& collisions, const RealtimeOptions& options) {
  std::vector<Obstacle> obstacles = collisions.obstacles;
  if (limbs != nullptr) {
    limb_rig_ = limbs->rig, limb_workspace_ = limb_rig_->make_workspace();
    limb_rig_->evaluate(*limb_workspace_, limb_rig_->rest(), limbs_now_);
    limbs_before_ = limbs_now_;
    obstacles.push_back({.name = "self", .shape = Collider::mesh(limbs->mesh), .points = [this](double time, Vec& x) {
                           x = time > 0 ? limbs_now_ : limbs_before_;
                         }});
    obstacles.back().artist_first = true;
  }
  SimulationOptions physics;
  physics.metres_per_unit = options.metres_per_unit, physics.collisions = collisions;
  contact_.emplace(contact_body_of(body_, x_seen_), obstacles, contact_options(body_, physics));
  objective_->add("contact", contact_->energy());
}

/// The limbs at the body's own time.
void RealtimeBody::place_limbs() {
  if (limb_rig_) limb_rig_->evaluate(*limb_workspace_, p_key_, limbs_now_);
}

/// Runs every code path that allocates once, so that later steps allocate nothing: a solve away from balance, a renewed
/// Jacobian, a start at rest.
void RealtimeBody::warm_up() {
  settle(true);
  for (int turn = 0; turn < 3; ++turn) {
    observe(body_.rig->rest(), 0);
    for (int k = 0; k < body_.groups.front().masses.size(); ++k) x_seen_[3 * k + 1] += 1e-3 * turn * turn * body_.size;
    step();
  }
  observe(body_.rig->rest(), 0);
  rest(false);
  forget();
  settle(true);
}

void RealtimeBody::settle(bool zero) {
  constexpr double kWait = 0.05;  // s: time to wait for a pose that differs, see go_on_backward
  fresh_ = 0;
  pass();
  for (std::size_t k = 0; k < drive_.size(); ++k)
    controls_[k] = p_seen_, points_[k] = s_seen_, drive_[k] = x_seen_, spacing_[k] = spacing_seen_;
  for (std::vector<Vec3>* means : {&node_means_, &point_means_})
    std::fill(means->begin(), means->end(), Vec3((*means)[static_cast<std::size_t>(newest_mean_)]));
  fresh_ = std::max(1, static_cast<int>(std::lround(kWait / h_)));
  rest(zero);
}

void RealtimeBody::enter(In deviation, In velocity) {
  p_now_ = deviation - h_ * velocity;
  settle(false);
  speed_ = d_;
  p_now_ = deviation;
  rest(false);
  speed_ = (d_ - speed_) / h_;
  p_before_ = p_now_ - h_ * velocity, p_older_ = p_before_ - h_ * velocity;
  integrator_.restart(d_, speed_);
}

/// Makes the rig linear at p_end_.
void RealtimeBody::begin_linear() {
  if (predictor_ != nullptr) {
    body_.moves.apply(s_key_, carried_);
    predictor_->set_carried_key(carried_);
  }
  lineariser_->begin(p_end_, p_key_, x_key_);
}

void RealtimeBody::rest(bool zero) {
  if (zero) p_now_.setZero();
  p_before_ = p_older_ = p_now_;
  select(window_);
  lineariser_->restart();
  mapping_->set_key(p_key_, x_key_, s_key_);
  q_ = free_key_ + p_now_;
  mapping_->controls_at(q_, p_end_);
  begin_linear();
  lineariser_->check_linearisation(p_end_, y_);
  x_ = x_key_;
  mapping_->place(y_, x_);
  if (zero)
    d_.setZero();
  else
    d_ = x_ - x_key_;
  integrator_.restart(d_, zero_);
  if (!contact_) return;
  place_limbs();
  limbs_before_ = limbs_now_;
  contact_->start(0, x_, x_key_);
}

void RealtimeBody::forget() {
  newton_workspace_.forget();
  forget_quick();
  jacobians_before_ = lineariser_->counts().jacobians;
  summary_ = {};
  snaps_ = 0, snapping_ = 0;
  for (DriveMeter& meter : meters_) meter.clear();
  for (RecentPeak& swing : swings_) swing.clear();
  std::fill(shown_.begin(), shown_.end(), 1.0);
  if (!limits_change()) return;
  limits_ = settings_->limits, reach_limit_ = settings_->reach_limit;
  set_limits();
}

/// The past of the animation is evaluated again on the nodes of this body. Only differences of the means are used, so
/// those of the other body are copied, shifted to this body's present mean. The velocity of the deviation is that of
/// the last three states, d' = (3 d - 4 d_before + d_older) / 2 h.
void RealtimeBody::take_over(const RealtimeBody& from, std::span<const Vec> poses) {
  const long jacobians_so_far = jacobians();
  forget();
  jacobians_before_ -= jacobians_so_far;
  fresh_ = 0;
  for (int k = past_poses() - 1; k >= 0; --k)
    observe(poses[static_cast<std::size_t>(k)], from.spacing_[from.past(k)]), pass();
  const std::pair<std::vector<Vec3>&, const std::vector<Vec3>&> both[] = {{node_means_, from.node_means_},
                                                                          {point_means_, from.point_means_}};
  for (const auto& [own, other] : both) {
    const Vec3 apart = past_mean(own, 0) - from.past_mean(other, 0);
    for (std::size_t k = 0; k < own.size(); ++k) own[k] = other[k] + apart;
  }
  newest_mean_ = from.newest_mean_, fresh_ = from.fresh_;
  meters_ = from.meters_, swings_ = from.swings_, shown_ = from.shown_;
  const Vec* const states[] = {&from.p_now_, &from.p_before_, &from.p_older_};
  constexpr double kSlope[] = {1.5, -2, 0.5};
  speed_.setZero();
  for (int k = 2; k >= 0; --k) {
    p_now_ = *states[k];
    newest_ = (newest_ - k + past_poses()) % past_poses();  // rest() selects the pose one window before the newest
    rest(false);
    newest_ = (newest_ + k) % past_poses();
    speed_ += kSlope[k] / h_ * d_;
  }
  p_before_ = from.p_before_, p_older_ = from.p_older_;
  integrator_.restart(d_, speed_);
  if (!from.limits_change()) return;
  limits_ = from.limits_, reach_limit_ = from.reach_limit_;
  set_limits();
}

void RealtimeBody::set_targets() {
  for (std::size_t g = 0; g < body_.groups.size(); ++g) {
    const double a = groups_[g].damping + groups_[g].drag, pull = groups_[g].pull;
    integrator_.momentum_target(a, zero_, target_);
    double scale = integrator_.momentum_scale(a);
    if (pull > 0) {  // pull/2 (x - x_key)^T M (x - x_key), with the inertia in one, as in Stepper::set_targets
      target_ *= scale / (scale + pull);
      scale += pull;
    }
    target_ += x_key_;
    terms_->momenta[g].set_target(target_, scale);
  }
}

/// Damping acts on the motion by the free controls only, as in Stepper::damp.
void RealtimeBody::damp_controls() {
  if (!terms_->damping) return;
  const double tau = integrator_.step().tau;
  q_ = free_key_ + p_now_ + (1 - tau / h_) * (p_now_ - p_before_);
  mapping_->controls_at(q_, p_end_);
  lineariser_->linear().at(p_end_, y_);
  target_ = x_key_;
  mapping_->place(y_, target_);
  terms_->damping->set_target(target_, settings_->stiffness_damping / tau);
}

void RealtimeBody::set_keys() {
  mapping_->set_key(p_key_, x_key_, s_key_);
  if (terms_->springs && dampens_rods()) {  // as in Stepper::try_step
    q_ = free_key_ + p_now_ + (1 - integrator_.step().tau / h_) * (p_now_ - p_before_);
    terms_->springs->set_target(q_);
  } else if (terms_->springs) {
    terms_->springs->set_target(free_key_);
  }
  if (terms_->coupling && dampens_coupling(*settings_)) {
    const double share = coupling_damping(*settings_, h_), drift = 1 - integrator_.step().tau / h_;
    q_ = free_key_ + share * (p_now_ + drift * (p_now_ - p_before_));
    terms_->coupling->set_target(q_);
  } else if (terms_->coupling) {
    terms_->coupling->set_target(free_key_);
  }
  if (terms_->limit) terms_->limit->set_keys(free_key_);
  if (terms_->reach_limit) terms_->reach_limit->set_keys(x_key_);
}

/// Solves from the start  share p_now + ahead (p_now - p_before), with the rig linear there.
void RealtimeBody::solve_from(double share, double ahead) {
  from_ = free_key_ + share * p_now_ + ahead * (p_now_ - p_before_);
  mapping_->controls_at(from_, p_end_);
  begin_linear();
  damp_controls();
  q_ = from_;
  solve();
  mapping_->controls_at(q_, p_end_);
  for (int k = 0; q_.allFinite() && !lineariser_->check_linearisation(p_end_, y_) && k < kMostRenewed; ++k) {
    lineariser_->renew();
    damp_controls();
    q_ = from_;
    solve();
    mapping_->controls_at(q_, p_end_);
  }
}

bool RealtimeBody::step(const Deadline& deadline) {
  deadline_ = deadline;
  pass();
  select(window_);
  if (terms_->solid) terms_->solid->set_rest(x_key_);
  integrator_.begin(h_);
  find_drive();
  hold();
  narrow_limits();
  set_targets();
  set_loads();
  set_keys();
  if (contact_) {
    limbs_before_.swap(limbs_now_);
    place_limbs();
    contact_->begin(0, h_, x_key_);
  }
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
  if (contact_ && contact_->accept(x_)) integrator_.forget();
  lineariser_->accept(p_end_);
  p_older_ = p_before_, p_before_ = p_now_;
  p_now_ = q_ - free_key_;
  limit_swing();
  return summary_.converged();
}

double RealtimeBody::reach() const {
  double farthest = 0;
  for (int i = 0; i < body_.node_count(); ++i) farthest = std::max(farthest, point(d_, i).squaredNorm());
  return std::sqrt(farthest);
}

}  // namespace rigspace
