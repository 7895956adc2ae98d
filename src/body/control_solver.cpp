#include "rigspace/body/control_solver.h"

#include "rigspace/base/error.h"
#include "rigspace/base/require.h"
#include "rigspace/body/pull_continuation.h"

#include <numeric>

namespace rigspace {
namespace {

double diagonal_at_rest(const Rig& rig) {
  Vec s;
  rig.evaluate(*rig.make_workspace(), rig.rest(), s);
  const Eigen::Map<const Eigen::Matrix3Xd> points(s.data(), 3, s.size() / 3);
  return points.cols() == 0 ? 1 : std::max(1e-12, (points.rowwise().maxCoeff() - points.rowwise().minCoeff()).norm());
}

std::vector<int> first_numbers(std::size_t count) {
  std::vector<int> list(count);
  std::iota(list.begin(), list.end(), 0);
  return list;
}

}  // namespace

void ControlSolverOptions::validate() const {
  require_option(prior >= 0 && std::isfinite(prior), "prior", prior, "expected at least 0");
  require_option(longest_step > 0, "longest step", longest_step, "expected a share of the size above 0");
  require_option(reach > 0, "reach", reach, "expected a share of the size above 0");
  require_option(max_iterations >= 1, "number of iterations", max_iterations, "expected at least 1");
}

ControlSolver::ControlSolver(std::shared_ptr<const Rig> rig, In p, const ControlSolverOptions& options)
    : options_(options),
      size_(diagonal_at_rest(*rig)),
      mapping_(rig, options.free, options.points),
      p_(p),
      objective_(mapping_),
      newton_({.gradient_tolerance = options.tolerance, .max_iterations = options.max_iterations}) {
  options.validate();
  mapping_.set_key(p_);
  mapping_.evaluate(*mapping_.make_state(), mapping_.coordinates(p_), x_);
  std::vector<Pull> pulls(options.points.size());
  for (std::size_t k = 0; k < pulls.size(); ++k) {
    pulls[k].anchor.points.fill(static_cast<int>(k));
    pulls[k].target = point(x_, static_cast<int>(k));
    pulls[k].stiffness = 1 / (size_ * size_);
  }
  pulls_ = std::make_unique<Pulls>(mapping_.point_count(), std::move(pulls));
  objective_.add("targets", *pulls_);
  Vec springs(mapping_.size_q()), lower(mapping_.size_q()), upper(mapping_.size_q());
  for (std::size_t k = 0; k < options.free.size(); ++k) {
    const Control& control = rig->controls()[options.free[k]];
    const auto c = static_cast<Eigen::Index>(k);
    springs[c] = options.prior / std::pow(std::max(1e-12, control.typical), 2);
    lower[c] = control.min, upper[c] = control.max;
  }
  prior_ = std::make_unique<CoordinatePrior>(first_numbers(options.free.size()), springs, mapping_.coordinates(p_));
  objective_.add("prior", *prior_, 1, Space::coordinates);
  if (options.keep_limits) objective_.set_bounds(std::move(lower), std::move(upper));
}

ControlSolver::~ControlSolver() = default;

void ControlSolver::set_prior(In p) {
  const Vec q = mapping_.coordinates(p_);
  mapping_.set_key(p);
  prior_->set_target(mapping_.coordinates(p));
  mapping_.controls_at(q, p_);
}

void ControlSolver::restart(In p) {
  const Vec q = mapping_.coordinates(p);
  mapping_.controls_at(q, p_);
  mapping_.evaluate(*mapping_.make_state(), q, x_);
}

void ControlSolver::add(std::string name, const Energy& energy, double weight) {
  objective_.add(std::move(name), energy, weight);
}

Vec3 ControlSolver::position(int k) const { return point(x_, k); }

bool ControlSolver::reached(int k) const {
  return (position(k) - pulls_->pulls()[static_cast<std::size_t>(k)].target).norm() <= options_.reach * size_;
}

bool ControlSolver::settle(const ProgressCallback& progress) {
  Vec q = mapping_.coordinates(p_);
  summary_ = newton_.solve(objective_, q, workspace_, progress);
  if (summary_.termination == Termination::cancelled) throw Cancelled();
  mapping_.controls_at(q, p_);
  x_ = workspace_.x();
  return summary_.converged();
}

Summary ControlSolver::solve(std::span<const Vec3> targets, const ProgressCallback& progress) {
  if (targets.size() != options_.points.size())
    throw Error({.code = ErrorCode::usage,
                 .element = "targets",
                 .value = std::to_string(targets.size()),
                 .problem = "are " + std::to_string(targets.size()),
                 .remedy = "expected one for each of the " + std::to_string(options_.points.size()) + " points"});
  for (const Vec3& target : targets)
    if (!target.allFinite())
      throw Error(
          {.code = ErrorCode::usage, .element = "target", .problem = "is not finite", .remedy = "give numbers"});
  for (int k = 0; k < mapping_.point_count(); ++k) pulls_->set_stiffness(k, 1 / (size_ * size_));
  lead_pulls(
      *pulls_, targets,
      {.longest_step = options_.longest_step * size_,
       .reach = options_.reach * size_,
       .strongest = options_.strengthening / (size_ * size_)},
      [this](int k) { return position(k); }, [&] { return settle(progress); });
  return summary_;
}

}  // namespace rigspace
