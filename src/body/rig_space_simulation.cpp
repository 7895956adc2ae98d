#include "rigspace/body/rig_space_simulation.h"

#include "rigspace/base/require.h"
#include "rigspace/body/interior_response.h"
#include "rigspace/body/rig_predictor.h"
#include "rigspace/body/row_scale.h"
#include "rigspace/energy/rods.h"
#include "rigspace/geometry/harmonic.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace rigspace {
namespace {

/// Young's modulus for lengths in scene units: forces are then kg unit / s^2.
Material in_units(Material material, double metres) {
  material.young *= metres;
  return material;
}

/// Masses of the nodes, kg. With Interior::still, interior nodes have no mass: theirs is added to the skin nodes that
/// carry them.
Vec masses_of(const RigBody& body, const RigSpaceOptions& options) {
  const double density = options.density * std::pow(options.metres_per_unit, 3);
  if (body.volumes.size() > 0) return density * body.volumes;
  const Vec lumped = lumped_masses(body.mesh, density);
  if (options.interior != Interior::still) return lumped;
  const CarrierWeights carriers = harmonic_weights(body.mesh, body.skin, {.drop_below = 0});
  Vec masses = Vec::Zero(lumped.size());
  for (int i = 0; i < body.node_count(); ++i)
    for (const auto& [node, weight] : carriers[i]) masses[node] += weight * lumped[i];
  return masses.cwiseMax(0);
}

}  // namespace

/// Weak springs on the free controls, toward their values at the start of a solve.
struct RigSpaceSimulation::Hold {
  CoordinatePrior springs;
};

void RigSpaceOptions::validate() const {
  material.validate();
  require_option(step > 0 && std::isfinite(step), "step", step, "expected seconds above 0");
  require_option(density > 0, "density", density, "expected kg/m^3 above 0");
  require_option(metres_per_unit > 0, "metres per unit", metres_per_unit, "expected a number above 0");
  require_option(mass_damping >= 0, "mass damping", mass_damping, "expected at least 0");
  require_option(max_iterations >= 1, "number of iterations", max_iterations, "expected at least 1");
}

RigSpaceDescription RigSpaceSimulation::description(std::vector<int> free) const {
  RigSpaceDescription d{.rig = body_.rig, .free = std::move(free), .node_count = body_.node_count()};
  d.relative = !body_.moves.empty();
  for (int i = 0; i < body_.node_count(); ++i) {
    if (!body_.skin[i] && options_.interior != Interior::carried) {
      d.interior.push_back(i);
      continue;
    }
    d.bound.push_back(i);
    d.ties.append(d.relative ? body_.moves : body_.ties, i);
  }
  return d;
}

RigSpaceSimulation::RigSpaceSimulation(RigBody body, std::vector<int> free, const RigSpaceOptions& options)
    : body_(std::move(body)),
      options_(options),
      mapping_(description(std::move(free))),
      solid_(body_.mesh.points, body_.mesh.tets, in_units(options.material, options.metres_per_unit), body_.shares),
      masses_(masses_of(body_, options)),
      momentum_(masses_),
      gravity_(rigspace::gravity(masses_, options.gravity / options.metres_per_unit)),
      balancing_(Vec::Zero(mapping_.size_q())),
      dynamics_(mapping_),
      statics_(mapping_),
      workspace_(body_.rig->make_workspace()),
      integrator_(options.integrator) {
  options_.validate();
  mapping_.set_curvature(options_.curvature);
  mapping_.keep_inertia(options_.keep_factor > 0);
  if (options_.linear) {
    lineariser_ = make_rig_lineariser(mapping_.description(), body_.mesh.points, options_.jacobian,
                                      rows_of(body_.response, mapping_.description().bound));
    predictor_ = dynamic_cast<RigPredictor*>(lineariser_.get());
    lineariser_->set_masses(masses_);
  }
  dynamics_.add("momentum", momentum_);
  for (Objective* each : {&dynamics_, &statics_}) {
    each->add("solid", solid_);
    if (options_.gravity.norm() > 0) each->add("gravity", gravity_);
    if (body_.loaded.forces.size() > 0) each->add("balance of few elements", balancing_, 1, Space::coordinates);
  }
  const Vec rest = body_.rig->rest();
  BlockJacobian J;
  body_.rig->jacobian(*workspace_, rest, this->free(), J);
  Vec moved = Vec::Zero(static_cast<Eigen::Index>(this->free().size()));
  for (int i = 0; i < J.points(); ++i)
    for (int e = J.start[i]; e < J.start[i + 1]; ++e) moved[J.column[e]] += J.value.col(e).squaredNorm() / J.points();
  if (options_.scale_rows) {
    const Vec scale = row_scale(mapping_.description(), J, masses_);
    for (Objective* each : {&dynamics_, &statics_}) each->set_row_scale(scale);
  }
  const double size = bounding_box(body_.mesh.points).diagonal();
  std::vector<int> places(this->free().size());
  std::iota(places.begin(), places.end(), mapping_.interior_size());
  const double weak = 1e-6 * solid_.material().young * size, most = moved.size() > 0 ? moved.maxCoeff() : 0;
  const Vec springs = weak * moved.cwiseMax(std::max(1e-6 * most, 1e-12));
  hold_ = std::make_unique<Hold>(Hold{CoordinatePrior(places, springs, Vec::Zero(springs.size()))});
  statics_.add("hold", hold_->springs, 1, Space::coordinates);
  if (options_.keep_limits) set_bounds();
  restart(rest);
}

RigSpaceSimulation::~RigSpaceSimulation() = default;

void RigSpaceSimulation::set_bounds() {
  constexpr double kNone = std::numeric_limits<double>::infinity();
  Vec lower = Vec::Constant(mapping_.size_q(), -kNone), upper = -lower;
  for (std::size_t k = 0; k < free().size(); ++k) {
    const Control& control = body_.rig->controls()[free()[k]];
    lower[mapping_.interior_size() + static_cast<Eigen::Index>(k)] = control.min;
    upper[mapping_.interior_size() + static_cast<Eigen::Index>(k)] = control.max;
  }
  for (Objective* each : {&dynamics_, &statics_}) each->set_bounds(lower, upper);
}

void RigSpaceSimulation::add(std::string name, const Energy& energy, double weight) {
  statics_.add(name, energy, weight);
  dynamics_.add(std::move(name), energy, weight);
}

void RigSpaceSimulation::set_stiffness(std::span<const double> factors) {
  std::vector<double> all(factors.begin(), factors.end());
  for (std::size_t e = 0; e < body_.shares.size(); ++e) all[e] *= body_.shares[e];
  solid_.set_stiffness(all);
}

void RigSpaceSimulation::carried_nodes(In p, Vec& x) {
  body_.rig->evaluate(*workspace_, p, s_);
  ++carried_;
  body_.ties.apply(s_, x);
}

void RigSpaceSimulation::set_rest_pose(In p) {
  Vec x;
  carried_nodes(p, x);
  solid_.set_rest(x);
}

void RigSpaceSimulation::restart(In p) {
  p_ = p_before_ = key_ = p;
  carried_nodes(p, x_);
  x_carried_ = x_;
  h_before_ = 0;
  if (lineariser_) {
    lineariser_->restart();
    lineariser_->place(p, response_from(p), x_carried_, y_);
    mapping_.place(y_, x_);
  }
  integrator_.restart(x_, Vec::Zero(x_.size()));
}

void RigSpaceSimulation::restart(In p, In x) {
  restart(p);
  for (const int i : mapping_.description().interior) x_.segment<3>(3 * i) = x.segment<3>(3 * i);
  integrator_.restart(x_, Vec::Zero(x_.size()));
}

void RigSpaceSimulation::set_velocity(In v) { integrator_.restart(x_, v); }

NewtonOptions RigSpaceSimulation::newton_options() const {
  NewtonOptions newton{.hessian = options_.hessian,
                       .projected_curvature = options_.curvature != RigCurvature::none,
                       .line_search = options_.line_search,
                       .gradient_tolerance = options_.gradient_tolerance,
                       .gradient_floor = options_.gradient_floor,
                       .step_tolerance = options_.step_tolerance,
                       .max_iterations = options_.max_iterations,
                       .keep_factor = options_.keep_factor,
                       .keep_over_solves = options_.keep_factor > 0};
  if (options_.forced_iterations > 0)
    newton.gradient_tolerance = newton.gradient_floor = 0, newton.max_iterations = options_.forced_iterations;
  return newton;
}

/// Sets the pose from which nodes deviate. In relative form that is p_key with the free controls at rest.
void RigSpaceSimulation::set_key(In p_key) {
  if (!mapping_.description().relative) return mapping_.set_key(p_key, x_);
  Vec p = p_key, x_key;
  const Vec rest = body_.rig->rest();
  for (const int c : free()) p[c] = rest[c];
  carried_nodes(p, x_key);
  mapping_.set_key(p, x_key, s_);
}

/// The start of a solve: free controls extrapolated by `ratio` times their last change; interior nodes keep their
/// displacement from where the ties carry them.
Vec RigSpaceSimulation::start(In p_key, double ratio) {
  Vec p = p_key, x;
  for (const int c : free()) p[c] = p_[c] + ratio * (p_[c] - p_before_[c]);
  if (mapping_.interior_size() == 0) return mapping_.coordinates(x_, p);
  carried_nodes(p, x);
  return mapping_.coordinates(x + (x_ - x_carried_), p);
}

Vec RigSpaceSimulation::static_forces(In p) {
  restart(p);
  set_key(p);
  Vec q = mapping_.coordinates(x_, p), x, g;
  hold_->springs.set_target(q.tail(mapping_.control_size()));
  linearise(q);
  ObjectiveState state = statics_.make_state();
  statics_.evaluate(state, q, x);
  statics_.refresh(state, q, x, Phase::step);
  statics_.gradient(state, q, x, g);
  return -g.tail(mapping_.control_size());
}

void RigSpaceSimulation::accept(In q, In x) {
  p_before_ = p_;
  mapping_.controls_at(q, p_);
  x_ = x;
  if (lineariser_) lineariser_->accept(p_);
  if (mapping_.interior_size() > 0 || options_.mass_damping > 0) carried_nodes(p_, x_carried_);
  if (!x_carried_.allFinite()) x_carried_ = x_;  // where the rig gives no numbers
}

/// The controls at which the response is 0; sets the offsets of the keyed pose p.
Vec RigSpaceSimulation::response_from(In p) {
  if (body_.loaded.empty()) return body_.rig->rest();
  Vec w;
  body_.loaded.poses.weights(p, w);
  lineariser_->set_offset(body_.loaded.values * w);
  if (body_.loaded.forces.size() > 0) balancing_.set_forces(body_.loaded.forces * w);
  return body_.loaded.p;
}

/// Makes the rig linear at the controls of q; false if options().linear is off.
bool RigSpaceSimulation::linearise(In q) {
  mapping_.set_linear(lineariser_ ? &lineariser_->linear() : nullptr);
  if (!lineariser_) return false;
  Vec p;
  mapping_.controls_at(q, p);
  Vec p_key = response_from(p);
  if (predictor_ == nullptr) {
    lineariser_->begin(p, p_key, x_);
    return true;
  }
  Vec keyed = p, x_key;
  for (const int c : free()) keyed[c] = p_key[c];
  carried_nodes(keyed, x_key);
  predictor_->begin(p, keyed, x_key, x_);
  return true;
}

/// A solve from q. With a linear rig it is repeated with a renewed linearisation while x~ misses the rig (4.13).
Summary RigSpaceSimulation::solve(const NewtonOptions& newton, Vec& q, RigSpaceStep& report) {
  const bool linear = linearise(q);
  const Vec from = q;
  Summary summary = Newton(newton).solve(dynamics_, q, newton_);
  report.iterations += summary.iterations, ++report.solves;
  if (!linear || !q.allFinite()) return summary;
  Vec p;
  mapping_.controls_at(q, p);
  while (!lineariser_->check_linearisation(p, y_)) {
    lineariser_->renew();
    q = from;
    summary = Newton(newton).solve(dynamics_, q, newton_);
    report.iterations += summary.iterations, ++report.solves;
    if (!q.allFinite()) return summary;
    mapping_.controls_at(q, p);
  }
  if (lineariser_->still_misses())
    summary.termination = Termination::stalled, summary.reason = "the linear rig still misses the rig";
  return summary;
}

/// After a solve that is not finite: the free controls before the step, and the nodes there.
void RigSpaceSimulation::recover(In p_key, Vec& q, Vec& x) {
  q = start(p_key, 0);
  Vec p;
  mapping_.controls_at(q, p);
  if (lineariser_) lineariser_->linear().at(p, y_);
  ObjectiveState state = dynamics_.make_state();
  dynamics_.evaluate(state, q, x);
  if (lineariser_) mapping_.place(y_, x);
  if (x.allFinite()) return;
  x = x_;  // the rig itself gives no finite points there
}

int RigSpaceSimulation::inverted_elements(In x) const {
  int count = 0;
  for (const Tet& tet : body_.mesh.tets)
    count += tet_volume(point(x, tet[0]), point(x, tet[1]), point(x, tet[2]), point(x, tet[3])) <= 0 ? 1 : 0;
  return count;
}

bool RigSpaceSimulation::try_step(In p_key, double h, RigSpaceStep& report, int depth) {
  const bool last_try = depth >= options_.max_halvings;
  integrator_.begin(h);
  Vec target, drift = Vec::Zero(x_.size());
  if (options_.mass_damping > 0) {
    Vec to, p = p_key;  // velocity of the nodes by the keyed controls alone, to which damping is relative
    for (const int c : free()) p[c] = p_[c];
    carried_nodes(p, to);
    drift = (to - x_carried_) / h;
  }
  integrator_.momentum_target(options_.mass_damping, drift, target);
  momentum_.set_target(target, integrator_.momentum_scale(options_.mass_damping));
  set_key(p_key);
  if (predictor_ != nullptr) predictor_->set_step(h);
  Vec q = start(p_key, h_before_ > 0 && options_.predict ? h / h_before_ : 0);
  Summary summary = solve(newton_options(), q, report);
  const bool forced = options_.forced_iterations > 0;
  if (!summary.converged() && !forced && !last_try) {  // again, from the present state instead of the extrapolated one
    q = start(p_key, 0);
    NewtonOptions careful = newton_options();
    careful.hessian = HessianMode::projected, careful.keep_factor = 0;
    summary = solve(careful, q, report);
  }
  if (!summary.converged() && !forced && !last_try) return false;
  Vec x = newton_.x();
  const bool finite = q.allFinite() && x.allFinite();
  if (!finite)
    recover(p_key, q, x), report.recovered = true;
  else if (lineariser_)
    mapping_.place(y_, x);  // the integrator gets the nodes of the rig, not those of its linearisation
  const int inverted = std::max(0, inverted_elements(x) - inverted_elements(x_));
  if (inverted > 0 && !forced && depth < std::min(options_.inverted_halvings, options_.max_halvings)) return false;
  report.inverted += inverted;
  report.converged = report.converged && finite && (summary.converged() || forced);
  report.gradient = summary.gradient_norm;
  report.residual = summary.term_norms > 0 ? summary.gradient_norm / summary.term_norms : 0;
  accept(q, x);
  key_ = p_key;
  integrator_.accept(x_);
  h_before_ = h;
  return true;
}

void RigSpaceSimulation::advance(In p_from, In p_to, double h, RigSpaceStep& report, int depth) {
  if (try_step(p_to, h, report, depth)) return;
  report.halvings = std::max(report.halvings, depth + 1);
  const Vec middle = 0.5 * (p_from + p_to);
  advance(p_from, middle, h / 2, report, depth + 1);
  advance(middle, p_to, h / 2, report, depth + 1);
}

RigSpaceStep RigSpaceSimulation::step(In p_key) {
  RigSpaceStep report;
  const Vec from = key_, to = p_key;
  advance(from, to, options_.step, report, 0);
  return report;
}

Summary RigSpaceSimulation::settle(In p_key, const ProgressCallback& progress) {
  set_key(p_key);
  Vec q = start(p_key, 0);
  hold_->springs.set_target(q.tail(mapping_.control_size()));
  if (lineariser_) lineariser_->restart();
  Summary summary;
  for (int round = 0; round < 20; ++round) {  // with a linear rig: until a solve from the linearised point does nothing
    const bool linear = linearise(q);
    summary = Newton(newton_options()).solve(statics_, q, static_newton_, progress);
    // Strong pulls that end off their targets leave forces, and where the rig is bent J^T H J then lacks as much as it
    // has, so that Gauss-Newton hardly gets on: with second derivatives of the rig the end is near.
    if (options_.settle_with_curvature && summary.termination == Termination::out_of_iterations &&
        options_.curvature == RigCurvature::none) {
      const bool exact = body_.rig->traits().exact_jacobian && !linear;
      mapping_.set_curvature(exact ? RigCurvature::exact : RigCurvature::learned);
      NewtonOptions bent = newton_options();
      bent.projected_curvature = true;
      const int iterations = summary.iterations;
      summary = Newton(bent).solve(statics_, q, static_newton_, progress);
      summary.iterations += iterations;
      mapping_.set_curvature(options_.curvature);
    }
    if (!linear || summary.iterations == 0) break;
    lineariser_->restart();
  }
  mapping_.controls_at(q, p_);
  p_before_ = p_;
  key_ = p_key;
  x_ = static_newton_.x();
  carried_nodes(p_, x_carried_);
  integrator_.restart(x_, Vec::Zero(x_.size()));
  h_before_ = 0;
  return summary;
}

double RigSpaceSimulation::energy() const {
  const Vec& v = integrator_.v();
  double sum = solid_.value(*solid_.make_state(), x_) + gravity_.value(*gravity_.make_state(), x_);
  for (Eigen::Index i = 0; i < masses_.size(); ++i) sum += 0.5 * masses_[i] * v.segment<3>(3 * i).squaredNorm();
  return sum;
}

void keep_balance(RigBody& sampled, const std::vector<int>& free, RigSpaceOptions options, std::span<const Vec> poses) {
  options.linear = true, options.jacobian = {.use = JacobianUse::every_step};
  sampled.loaded.forces.resize(0, 0);
  RigSpaceSimulation few(sampled, free, options);
  Mat forces(std::ssize(free), std::ssize(poses));
  for (Eigen::Index k = 0; k < forces.cols(); ++k) forces.col(k) = -few.static_forces(poses[k]);
  sampled.loaded.forces = std::move(forces);
}

}  // namespace rigspace
