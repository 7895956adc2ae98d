#include "rigspace/apps/physics/pose.h"

#include "posable.h"
#include "rigspace/base/error.h"
#include "rigspace/base/require.h"
#include "rigspace/body/pull_continuation.h"

#include <algorithm>
#include <cmath>

namespace rigspace {
namespace {

constexpr double kHoldStrength = 10;  // stiffness of a hold, in multiples of that of a pull

}  // namespace

void PoserOptions::validate() const {
  require_option(strength > 0 && std::isfinite(strength), "strength of pulls", strength, "expected a number above 0");
  require_option(reach > 0 && reach < 1, "reach", reach, "expected a share of the size, between 0 and 1");
  require_option(longest_walk > 0, "longest walk", longest_walk, "expected a share of the size above 0");
  require_option(stiffening >= 1, "stiffening of pulls", stiffening, "expected a factor of at least 1");
}

double PoseReport::distance() const {
  double most = 0;
  for (const PullReport& pull : pulls) most = std::max(most, pull.distance);
  return most;
}

Poser::Poser(const Character& character, In p, const PoserOptions& options)
    : Poser(PullBody(character, {.cell = options.cell, .use_cache = options.use_cache}), p, options) {}

Poser::Poser(const PullBody& flesh, In p, const PoserOptions& options) : options_(options), key_(p) {
  options.validate();
  const Character& character = flesh.character();
  const Rig& rig = *character.rig;
  if (p.size() != static_cast<Eigen::Index>(rig.controls().size()) || !p.allFinite())
    throw Error({.code = ErrorCode::usage,
                 .file = character.name,
                 .element = "first pose",
                 .problem = "is not one finite number for each control",
                 .remedy = "expected " + std::to_string(rig.controls().size())});
  std::vector<int> points = options.pulled;
  points.insert(points.end(), options.held.begin(), options.held.end());
  RigBody body = flesh.with_points(points);
  const int nodes = body.node_count(), ends = static_cast<int>(points.size());
  first_node_ = nodes - ends;
  size_ = bounding_box(body.mesh.points).diagonal();
  std::vector<int> free = options.free.empty() ? flesh.posable(p, !options.held.empty(), points) : options.free;
  free = effective(*body.rig, p, free);
  if (free.empty())
    throw Error({.code = ErrorCode::usage,
                 .file = character.name,
                 .problem = "has no free control that moves anything in this pose",
                 .remedy = "name others; `rigspace info --controls` lists them"});
  const double settled = options.settled * size_;
  // If no point is pulled, all forces are rounding errors and the relative tolerance is never met: an absolute floor.
  const double floor = 1e-9 * options.material.young * options.metres_per_unit * size_ * size_;
  simulation_ = std::make_unique<RigSpaceSimulation>(std::move(body), std::move(free),
                                                     RigSpaceOptions{.step = options.step,
                                                                     .material = options.material,
                                                                     .gravity = options.gravity,
                                                                     .metres_per_unit = options.metres_per_unit,
                                                                     .mass_damping = options.mass_damping,
                                                                     .interior = Interior::still,
                                                                     .settle_with_curvature = options.curved,
                                                                     .gradient_tolerance = options.tolerance,
                                                                     .gradient_floor = floor,
                                                                     .step_tolerance = settled,
                                                                     .max_iterations = options.max_iterations,
                                                                     .max_halvings = options.max_halvings,
                                                                     .keep_limits = options.keep_limits});
  restart(p);
  set_key(p);
  std::vector<Pull> pulls(static_cast<std::size_t>(ends));
  const double stiffness = options.strength * simulation_->solid().material().young * size_;
  for (int k = 0; k < ends; ++k) {
    pulls[k].anchor.points.fill(first_node_ + k);
    pulls[k].target = point(simulation_->nodes(), first_node_ + k);
    pulls[k].stiffness = k < static_cast<int>(options.pulled.size()) ? stiffness : kHoldStrength * stiffness;
  }
  pulls_ = std::make_unique<Pulls>(nodes, std::move(pulls));
  simulation_->add("pulls", *pulls_);
}

Poser::~Poser() = default;

void Poser::set_key(In p) {
  key_ = p;
  simulation_->set_rest_pose(p);
}

void Poser::restart(In p) { simulation_->restart(p); }

Vec3 Poser::position(int pull) const { return pulls_->position(simulation_->nodes(), pull); }

void Poser::require_targets(std::span<const Vec3> targets) const {
  if (targets.size() != options_.pulled.size())
    throw Error(
        {.code = ErrorCode::usage,
         .element = "targets",
         .value = std::to_string(targets.size()),
         .problem = "are " + std::to_string(targets.size()),
         .remedy = "expected one for each of the " + std::to_string(options_.pulled.size()) + " pulled points"});
  for (std::size_t k = 0; k < targets.size(); ++k)
    if (!targets[k].allFinite())
      throw Error({.code = ErrorCode::usage,
                   .element = "target of vertex " + std::to_string(options_.pulled[k]),
                   .problem = "is not finite",
                   .remedy = "expected three numbers"});
}

bool Poser::settle(PoseReport& report, const ProgressCallback& progress) {
  const Summary summary = simulation_->settle(key_, progress);
  if (summary.termination == Termination::cancelled) throw Cancelled();
  report.iterations += summary.iterations, ++report.solves;
  return summary.converged();
}

void Poser::describe(PoseReport& report) const {
  const int pulled = static_cast<int>(options_.pulled.size());
  for (int k = 0; k < static_cast<int>(pulls_->pulls().size()); ++k) {
    PullReport each{.point = k < pulled ? options_.pulled[k] : options_.held[k - pulled],
                    .target = pulls_->pulls()[k].target,
                    .position = position(k)};
    each.distance = (each.position - each.target).norm();
    each.reached = each.distance <= options_.reach * size_;
    (k < pulled ? report.pulls : report.holds).push_back(each);
  }
}

PoseReport Poser::drag(std::span<const Vec3> targets, const ProgressCallback& progress) {
  require_targets(targets);
  PoseReport report;
  report.converged = lead_pulls(
      *pulls_, targets,
      {.longest_step = options_.longest_walk * size_, .reach = options_.reach * size_, .strongest = strongest()},
      [this](int k) { return position(k); }, [&] { return settle(report, progress); });
  describe(report);
  return report;
}

double Poser::strongest() const {
  return options_.stiffening * options_.strength * simulation_->solid().material().young * size_;
}

PoseReport Poser::approach(std::span<const Vec3> targets, const ProgressCallback& progress) {
  require_targets(targets);
  const double longest = options_.longest_walk * size_;
  bool led = false;  // whether a target is too far for one solve
  for (int k = 0; k < static_cast<int>(targets.size()); ++k) {
    const Vec3 way = targets[k] - position(k);
    led = led || way.norm() > longest;
    pulls_->set_target(k, way.norm() > longest ? Vec3(position(k) + longest / way.norm() * way) : targets[k]);
  }
  PoseReport report;
  report.converged = settle(report, progress) && !led;
  for (int k = 0; k < static_cast<int>(targets.size()); ++k) pulls_->set_target(k, targets[k]);
  describe(report);
  for (int k = 0; report.converged && k < static_cast<int>(targets.size()); ++k) {
    const double stiffness = pulls_->pulls()[k].stiffness;
    if (report.pulls[k].reached || stiffness == 0 || stiffness >= strongest()) continue;
    pulls_->set_stiffness(k, std::min(10 * stiffness, strongest()));
    report.converged = false;
  }
  return report;
}

void Poser::let_go() {
  for (int k = 0; k < static_cast<int>(options_.pulled.size()); ++k) pulls_->set_stiffness(k, 0);
}

PoseReport Poser::step(std::span<const Vec3> targets) {
  require_targets(targets);
  for (int k = 0; k < static_cast<int>(targets.size()); ++k) pulls_->set_target(k, targets[k]);
  const RigSpaceStep taken = simulation_->step(key_);
  PoseReport report{.converged = taken.converged, .solves = taken.solves, .iterations = taken.iterations};
  describe(report);
  return report;
}

}  // namespace rigspace
