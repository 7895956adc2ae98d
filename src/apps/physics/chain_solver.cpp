#include "chain_solver.h"

#include "rigspace/apps/physics/rig_space.h"
#include "rigspace/base/error.h"
#include "rigspace/energy/limit.h"
#include "rigspace/energy/momentum.h"
#include "rigspace/energy/rods.h"
#include "rigspace/optimize/newton.h"
#include "rigspace/rig/built_in_rig.h"
#include "rigspace/rig/skeleton.h"

#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <numeric>
#include <set>

namespace rigspace {
namespace {

/// A third of the area of each triangle for each of its corners: the mass of skin, up to a factor that cancels.
Vec point_areas(const Character& character, In s) {
  Vec area = Vec::Zero(s.size() / 3);
  for (const Piece& piece : character.pieces)
    for (const auto& [a, b, c] : piece.triangles) {
      const Vec3 u = s.segment<3>(3 * b) - s.segment<3>(3 * a), v = s.segment<3>(3 * c) - s.segment<3>(3 * a);
      const double third = u.cross(v).norm() / 6;
      area[a] += third, area[b] += third, area[c] += third;
    }
  return area;
}

/// At most this many points carry a part's mass: its inertia is that of all its skin within a few percent, and its
/// rate, which is set with the same points, is exact.
constexpr int kSamples = 96;

/// Indices into `points` of samples that are far from each other, beginning at `first`; and for each point its nearest.
std::vector<int> far_samples(const std::vector<Vec3>& points, int first, std::vector<int>& nearest) {
  std::vector<int> samples{first};
  nearest.assign(points.size(), 0);
  std::vector<double> distance(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) distance[i] = (points[i] - points[first]).squaredNorm();
  while (samples.size() < std::min<std::size_t>(kSamples, points.size())) {
    const auto farthest = std::max_element(distance.begin(), distance.end());
    if (*farthest == 0) break;
    const int next = static_cast<int>(farthest - distance.begin());
    for (std::size_t i = 0; i < points.size(); ++i)
      if (const double d = (points[i] - points[next]).squaredNorm(); d < distance[i])
        distance[i] = d, nearest[i] = static_cast<int>(samples.size());
    samples.push_back(next);
  }
  return samples;
}

}  // namespace

void ChainSolver::collect_controls(std::span<const Part> parts) {
  const auto& graph = dynamic_cast<const BuiltInRig&>(*character_.rig).graph();
  for (const Part& part : parts)
    for (const int bone : part.bones) {
      const int tx = first_control(graph, character_.bones[bone].slot);
      for (int k = 7; k < 10; ++k) free_.push_back(tx + k);  // after t and q: see add_node
    }
  std::sort(free_.begin(), free_.end());
  free_.erase(std::unique(free_.begin(), free_.end()), free_.end());
}

std::vector<int> ChainSolver::columns_of(const Part& part) const {
  const auto& graph = dynamic_cast<const BuiltInRig&>(*character_.rig).graph();
  std::vector<int> columns;
  for (const int bone : part.bones) {
    const int tx = first_control(graph, character_.bones[bone].slot);
    for (int k = 7; k < 10; ++k)
      columns.push_back(static_cast<int>(std::lower_bound(free_.begin(), free_.end(), tx + k) - free_.begin()));
  }
  return columns;
}

/// The skin that each part moves, as a few points with masses.
void ChainSolver::collect_points(std::span<const Part> parts) {
  const auto& whole = dynamic_cast<const BuiltInRig&>(*character_.rig);
  const auto workspace = whole.make_workspace();
  Vec s, u;
  whole.evaluate(*workspace, whole.rest(), s);
  whole.evaluate_slots(*workspace, whole.rest(), u);
  const Vec areas = point_areas(character_, s);
  BlockJacobian J;
  whole.jacobian(*workspace, whole.rest(), free_, J);

  std::vector<std::map<int, double>> mass_of_point(parts.size());
  for (std::size_t c = 0; c < parts.size(); ++c) {
    const Part& part = parts[c];
    const std::vector<int> columns = columns_of(part);
    const std::set<int> own(columns.begin(), columns.end());
    const Vec3 root = translation(transform_at(u, whole.graph().slots()[character_.bones[part.bones.front()].slot]));
    std::vector<int> members;
    std::vector<Vec3> places;
    int tip = 0;
    for (int i = 0; i < J.points(); ++i) {
      double moved = 0;
      for (int e = J.start[i]; e < J.start[i + 1]; ++e)
        if (own.contains(J.column[e])) moved = std::max(moved, J.value.col(e).norm());
      if (moved == 0 || areas[i] == 0) continue;
      members.push_back(i);
      places.push_back(s.segment<3>(3 * i));
      if ((places.back() - root).norm() > (places[tip] - root).norm()) tip = static_cast<int>(places.size()) - 1;
    }
    if (members.empty())
      throw Error({.file = character_.name,
                   .element = "part \"" + part.name + "\"",
                   .problem = "moves no skin",
                   .remedy = "its joints carry no weight; name other joints"});
    std::vector<int> nearest;
    const std::vector<int> samples = far_samples(places, tip, nearest);
    for (std::size_t i = 0; i < members.size(); ++i)
      mass_of_point[c][members[samples[nearest[i]]]] += areas[members[i]];
    chains_.push_back({.part = &part,
                       .preset = &preset_named(part.preset),
                       .columns = columns,
                       .length = (places[tip] - root).norm(),
                       .look = part.look});
  }
  std::set<int> all;
  for (const auto& masses : mass_of_point)
    for (const auto& [point, mass] : masses) all.insert(point);
  points_.assign(all.begin(), all.end());
  for (std::size_t c = 0; c < parts.size(); ++c) {
    chains_[c].masses = Vec::Zero(static_cast<Eigen::Index>(points_.size()));
    for (const auto& [point, mass] : mass_of_point[c])
      chains_[c].masses[std::lower_bound(points_.begin(), points_.end(), point) - points_.begin()] = mass;
    set_depths(chains_[c]);
  }
  rig_ = whole.restricted(points_);
  workspace_ = rig_->make_workspace();
  rig_->jacobian(*workspace_, rig_->rest(), free_, J_rest_);
}

/// How far down the part each joint is.
void ChainSolver::set_depths(Chain& chain) const {
  const std::vector<int>& bones = chain.part->bones;
  std::vector<int> hops(bones.size(), 0);
  for (std::size_t b = 0; b < bones.size(); ++b) {
    const auto parent = std::find(bones.begin(), bones.end(), character_.bones[bones[b]].parent);
    if (parent != bones.end()) hops[b] = hops[parent - bones.begin()] + 1;
  }
  const int deepest = std::max(1, *std::max_element(hops.begin(), hops.end()));
  for (const int hop : hops) chain.depth.push_back(static_cast<double>(hop) / deepest);
}

/// 1 / omega^2 of the slowest mode: the largest eigenvalue of J^T M J v = mu K v over the chain's own controls.
double ChainSolver::slowest_period(const Chain& chain, const Vec& stiffness) const {
  const int n = static_cast<int>(chain.columns.size());
  std::vector<int> place(free_.size(), -1);
  for (int k = 0; k < n; ++k) place[chain.columns[k]] = k;
  Mat M = Mat::Zero(n, n), K = Mat::Zero(n, n);
  for (int i = 0; i < J_rest_.points(); ++i) {
    if (chain.masses[i] == 0) continue;
    for (int e = J_rest_.start[i]; e < J_rest_.start[i + 1]; ++e)
      for (int f = J_rest_.start[i]; f < J_rest_.start[i + 1]; ++f) {
        const int a = place[J_rest_.column[e]], b = place[J_rest_.column[f]];
        if (a >= 0 && b >= 0) M(a, b) += chain.masses[i] * J_rest_.value.col(e).dot(J_rest_.value.col(f));
      }
  }
  for (int k = 0; k < n; ++k) K(k, k) = stiffness[chain.columns[k]];
  M.diagonal().array() += 1e-9 * M.trace() / n;  // a twist that moves nothing
  return Eigen::GeneralizedSelfAdjointEigenSolver<Mat>(M, K, Eigen::EigenvaluesOnly).eigenvalues().maxCoeff();
}

/// Springs k_j = kappa I_j (1 - overlap t_j / 2)^2, I_j the inertia that hangs on joint j: every joint alone would
/// swing alike, slower toward the tip. kappa gives the slowest mode of the whole chain its rate.
void ChainSolver::set_stiffness() {
  stiffness_ = Vec::Zero(static_cast<Eigen::Index>(free_.size()));
  for (Chain& chain : chains_) {
    Vec inertia = Vec::Zero(stiffness_.size());
    for (int i = 0; i < J_rest_.points(); ++i)
      for (int e = J_rest_.start[i]; e < J_rest_.start[i + 1]; ++e)
        inertia[J_rest_.column[e]] += chain.masses[i] * J_rest_.value.col(e).squaredNorm();
    Vec shape = Vec::Zero(stiffness_.size());
    double largest = 0;
    for (std::size_t b = 0; b < chain.depth.size(); ++b)
      for (int k = 0; k < 3; ++k) largest = std::max(largest, inertia[chain.columns[3 * b + k]]);
    for (std::size_t b = 0; b < chain.depth.size(); ++b) {
      double most = 1e-6 * largest;  // a joint that carries no skin still needs a spring
      for (int k = 0; k < 3; ++k) most = std::max(most, inertia[chain.columns[3 * b + k]]);
      const double slower = 1 - 0.5 * chain.look.overlap * chain.depth[b];
      for (int k = 0; k < 3; ++k) shape[chain.columns[3 * b + k]] = most * slower * slower;
    }
    const double omega = 2 * std::numbers::pi * chain.look.rate;
    const double kappa = omega * omega * slowest_period(chain, shape);
    stiffness_ += kappa * shape;
    const double settle = chain.look.settle;
    chain.damping = 6 / settle;  // exp(-3) = 5 % after `settle`: zeta omega = 3 / settle, a = 2 zeta omega
    chain.drag = chain.look.lag * omega * omega;  // a steady velocity v trails by lag v: drag v = omega^2 lag v
  }
}

void ChainSolver::key_points(double time, Vec& p, Vec& s) {
  key_.controls(time, p);
  rig_->evaluate(*workspace_, p, s);
}

/// How the character as a whole moves: the mean over a second around now. Drag is measured against it, so that a walk
/// does not stream tails backwards.
Vec3 ChainSolver::travel_velocity(double time) {
  Vec p, early, late;
  key_points(time - 0.5, p, early);
  key_points(time + 0.5, p, late);
  const Vec moved = late - early;
  return Eigen::Map<const Eigen::Matrix3Xd>(moved.data(), 3, moved.size() / 3).rowwise().mean();
}

/// Radians that each joint may turn away: `limit` of a half turn.
std::vector<double> ChainSolver::turn_limits() const {
  std::vector<double> limits(free_.size() / 3, std::numbers::pi);
  for (const Chain& chain : chains_)
    for (std::size_t b = 0; b < chain.depth.size(); ++b)
      limits[chain.columns[3 * b] / 3] = std::min(0.95, chain.look.limit) * std::numbers::pi;
  return limits;
}

/// What is minimised in a step, and the history that it comes from.
struct ChainSolver::Problem {
  Problem(RigSpaceDescription body, std::vector<RodJoint> joints, const std::vector<double>& limits, double stiffness)
      : mapping(std::move(body)),
        springs(std::move(joints)),
        limit(numbers(limits.size()), limits, {.stiffness = stiffness}),
        objective(mapping) {
    q = q_before = Vec::Zero(mapping.control_size());
    limit.set_keys(q);
  }

  static std::vector<int> numbers(std::size_t count) {
    std::vector<int> list(count);
    std::iota(list.begin(), list.end(), 0);
    return list;
  }

  RigSpaceMapping mapping;
  std::vector<Momentum> momenta;  // one per chain: each has its own damping
  Rods springs;
  Limit limit;
  Objective objective;
  NewtonWorkspace workspace;
  Integrator integrator;
  Vec q, q_before;  // deviations, now and a step before
  Vec p_key, s_key, s_before, s_older;
  double lever = 0;  // the largest moment per metre that an error of all points at once makes
};

std::unique_ptr<ChainSolver::Problem> ChainSolver::make_problem() const {
  RigSpaceDescription body{.rig = rig_, .free = free_, .node_count = rig_->point_count()};
  body.bound = body.bind_point = Problem::numbers(points_.size());
  body.bind_weight.assign(points_.size(), 1.0);
  body.bind_start = Problem::numbers(points_.size() + 1);
  std::vector<RodJoint> joints;
  for (int c = 0; c < static_cast<int>(free_.size()); c += 3)
    joints.push_back({.first = c, .bend = stiffness_[c], .twist = stiffness_[c]});
  auto problem = std::make_unique<Problem>(std::move(body), std::move(joints), turn_limits(), stiffness_.maxCoeff());
  problem->momenta.reserve(chains_.size());
  for (const Chain& chain : chains_) {
    problem->momenta.emplace_back(chain.masses);
    problem->objective.add(chain.part->name, problem->momenta.back());
  }
  problem->objective.add("springs", problem->springs, 1, Space::coordinates);
  problem->objective.add("limit", problem->limit, 1, Space::coordinates);
  Vec levers = Vec::Zero(static_cast<Eigen::Index>(free_.size()));
  for (int i = 0; i < J_rest_.points(); ++i)
    for (int e = J_rest_.start[i]; e < J_rest_.start[i + 1]; ++e)
      for (const Chain& chain : chains_) levers[J_rest_.column[e]] += chain.masses[i] * J_rest_.value.col(e).norm();
  problem->lever = levers.maxCoeff();
  return problem;
}

/// Starts in the artist's motion: no deviation, its velocity. A clip that plays once is taken to have been under way:
/// what was before its start goes on smoothly from its first moments, s(-h) = 3 s(0) - 3 s(h) + s(2h).
void ChainSolver::start(Problem& problem, double h) {
  Vec s_next, s_later;
  key_points(h, problem.p_key, s_next);
  key_points(2 * h, problem.p_key, s_later);
  key_points(-h, problem.p_key, problem.s_before);
  key_points(0, problem.p_key, problem.s_key);
  if (!key_.cyclic()) problem.s_before = 3 * problem.s_key - 3 * s_next + s_later;
  problem.s_older = problem.s_before;
  problem.integrator = Integrator(options_.integrator);
  problem.integrator.restart(problem.s_key, (s_next - problem.s_before) / (2 * h));
}

/// One step, to `time`. Damping is relative to the animation's velocity, drag to that of the whole character's travel:
/// a (v - v_key) + b (v - v_travel) = (a + b) (v - v_mixed).
Summary ChainSolver::advance(Problem& problem, double time, double h) {
  problem.s_older.swap(problem.s_before);
  problem.s_before.swap(problem.s_key);
  key_points(time, problem.p_key, problem.s_key);
  problem.mapping.set_key(problem.p_key, problem.s_key);
  const Vec v_key = (1.5 * problem.s_key - 2 * problem.s_before + 0.5 * problem.s_older) / h;
  const bool dragged = std::any_of(chains_.begin(), chains_.end(), [](const Chain& chain) { return chain.drag > 0; });
  const Vec3 v_travel = dragged ? travel_velocity(time) : Vec3(Vec3::Zero());
  problem.integrator.begin(h);
  Vec v_mixed, target;
  for (std::size_t c = 0; c < chains_.size(); ++c) {
    const double a = chains_[c].damping, b = chains_[c].drag;
    v_mixed = (a * v_key + b * v_travel.replicate(v_key.size() / 3, 1)) / (a + b);
    problem.integrator.momentum_target(a + b, v_mixed, target);
    problem.momenta[c].set_target(target, problem.integrator.momentum_scale(a + b));
  }
  // Below what a billionth of a radian takes, or below rounding, there is nothing to be found.
  const double floor = 1e-9 * stiffness_.maxCoeff() + 1e-15 * problem.integrator.momentum_scale() *
                                                          problem.s_key.cwiseAbs().maxCoeff() * problem.lever;
  const Newton newton({.gradient_tolerance = 1e-6, .gradient_floor = floor, .max_iterations = 30});
  const Vec last = problem.q;
  problem.q = 2 * problem.q - problem.q_before;
  problem.q_before = last;
  Summary summary = newton.solve(problem.objective, problem.q, problem.workspace);
  if (!summary.converged()) {  // from the last state instead of the prediction
    problem.q = last;
    summary = newton.solve(problem.objective, problem.q, problem.workspace);
  }
  problem.integrator.accept(problem.workspace.x());
  return summary;
}

SoftMotion ChainSolver::run(const ProgressCallback& progress, double from, double to) {
  set_stiffness();
  const auto problem = make_problem();
  const double duration = key_.duration();
  const int grid = std::max(1, static_cast<int>(std::lround(duration / options_.step)));
  const double h = duration > 0 ? duration / grid : options_.step;
  start(*problem, h);
  SoftMotion motion{.controls = free_};
  motion.deviation = Mat::Zero(static_cast<Eigen::Index>(free_.size()), grid + 1);
  for (int k = 0; k <= grid; ++k) motion.times.push_back(k * h);
  const int cycles = key_.cyclic() ? options_.max_cycles : 1;
  for (int cycle = 0; cycle < cycles; ++cycle) {
    motion.deviation.col(0) = problem->q;
    for (int k = 1; k <= grid; ++k) {
      const Summary summary = advance(*problem, (cycle * grid + k) * h, h);
      motion.deviation.col(k) = problem->q;
      motion.iterations += summary.iterations;
      motion.failed_steps += summary.converged() ? 0 : 1;
      ++motion.steps;
      if (k % 8 == 0) report(progress, "simulating", from + (to - from) * (cycle * grid + k) / (cycles * grid));
    }
    if (!key_.cyclic()) break;
    const double largest = motion.deviation.cwiseAbs().maxCoeff();
    const double gap = (motion.deviation.col(grid) - motion.deviation.col(0)).cwiseAbs().maxCoeff();
    motion.seam = largest > 0 ? gap / largest : 0;
    motion.looped = motion.seam <= options_.loop_tolerance;
    if (motion.looped && cycle > 0) break;
  }
  return motion;
}

/// The tip's angle away from the artist's motion over time: the largest displacement of the part's points, seen from
/// its root.
std::vector<double> ChainSolver::swings(const SoftMotion& motion, const Chain& chain) {
  std::vector<double> angles;
  Vec p, s_key, s_soft;
  for (std::size_t k = 0; k < motion.times.size(); ++k) {
    key_points(motion.times[k], p, s_key);
    for (std::size_t c = 0; c < free_.size(); ++c)
      p[free_[c]] = motion.deviation(static_cast<Eigen::Index>(c), static_cast<Eigen::Index>(k));
    rig_->evaluate(*workspace_, p, s_soft);
    double farthest = 0;
    for (Eigen::Index i = 0; i < chain.masses.size(); ++i)
      if (chain.masses[i] > 0) farthest = std::max(farthest, (s_soft - s_key).segment<3>(3 * i).norm());
    angles.push_back(2 * std::asin(std::min(1.0, farthest / (2 * chain.length))));
  }
  return angles;
}

}  // namespace rigspace
