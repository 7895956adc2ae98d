#include "rigspace/rig/effector_ik.h"

#include "reach_tree.h"
#include "rigspace/base/error.h"
#include "rigspace/base/require.h"
#include "rigspace/rig/skeleton.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>

namespace rigspace {
namespace {

constexpr std::array<std::string_view, 4> kReachMethodNames = {"fabrik", "ccd", "damped", "graph"};
constexpr int kLastRounds = 200;  // for each priority alone, at the end
constexpr double kKick = 0.05;    // radians: how far a straight chain is bent that cannot bend by itself
constexpr int kCorrections = 4;
constexpr int kPatience = 12;                           // iterations without a step forward
constexpr double kMoreDamping = 4, kLessDamping = 0.5;  // after a step that made things worse, or better

double turn_about(const Mat3& R, const Vec3& axis) {
  const Quat q(R);
  return 2 * std::atan2(q.vec().dot(axis), q.w());
}

double wrapped(double angle) { return std::remainder(angle, 2 * std::numbers::pi); }

/// The least angle between a rotation and a limit that it has; infinite without limits.
double slack_of(const ChainJoint& limits, const Mat3& R) {
  double least = std::numeric_limits<double>::infinity();
  const auto within = [&](double low, double high, double value) {
    if (low > -std::numbers::pi) least = std::min(least, value - low);
    if (high < std::numbers::pi) least = std::min(least, high - value);
  };
  if (limits.hinge) {
    within(limits.min[0], limits.max[0], wrapped(turn_about(R, limits.axis.normalized())));
  } else {
    const Vec3 r = rotation_log(R);
    for (int k = 0; k < 3; ++k) within(limits.min[k], limits.max[k], r[k]);
  }
  return least;
}

class Reaching {
 public:
  Reaching(std::span<const ReachJoint> joints, std::span<const Effector> effectors, const ReachOptions& options,
           std::span<const Mat3> start)
      : effectors_(effectors), options_(options), tree_(joints, start) {
    std::map<int, std::vector<Effector>> by_priority;
    for (const Effector& each : effectors) by_priority[each.priority].push_back(each);
    for (auto& [priority, level] : by_priority) levels_.push_back(std::move(level));
    allowed_ = options.tolerance * tree_.longest();
    rests_.assign(joints.size(), 0);
    damping_ = options.damping;
  }

  ReachResult run() {
    const std::vector<char> all(tree_.count(), 1);
    keep_if_better();
    int since = 0;
    bool kicked = false;
    ReachResult result;
    const int limit = options_.method == ReachMethod::graph ? 0 : options_.max_iterations;  // posed already
    while (result.iterations < limit && !reached(levels_)) {
      ++result.iterations;
      step(all);
      since = accept() ? 0 : since + 1;
      if (since < kPatience) continue;
      if (kicked) break;
      kick();
      kicked = true, since = 0;
    }
    tree_.set_local(best_);
    if (levels_.size() > 1 && !reached(levels_)) settle_by_priority();
    return finish(std::move(result));
  }

 private:
  void step(const std::vector<char>& may_turn) {
    if (options_.method == ReachMethod::damped) {
      damped_round(tree_, levels_, damping_, rests_);
      // The null space of higher priorities holds to first order: they are put right.
      for (std::size_t l = levels_.size() - 1; l-- > 0;)
        for (int k = 0; k < kCorrections; ++k) round(levels_[l], may_turn);
      return;
    }
    // What matters most comes last, so that it has the last word of the round.
    for (std::size_t l = levels_.size(); l-- > 0;) round(levels_[l], may_turn);
  }

  /// Keeps the best pose. Damped steps that made things worse are taken back, and the next one is shorter: Gauss-Newton
  /// leaves out what bends the way of the tip, which is most of it near full extension.
  bool accept() {
    const bool better = keep_if_better();
    if (options_.method != ReachMethod::damped) return better;
    if (!better) tree_.set_local(best_);
    damping_ = better ? std::max(1e-3 * options_.damping, kLessDamping * damping_) : kMoreDamping * damping_;
    return better;
  }

  void round(std::span<const Effector> level, const std::vector<char>& may_turn) {
    if (options_.method == ReachMethod::damped) {
      for (std::size_t j = 0; j < may_turn.size(); ++j) rests_[j] = may_turn[j] == 0;
      const std::array alone = {std::vector<Effector>(level.begin(), level.end())};
      return damped_round(tree_, alone, options_.damping, rests_);
    }
    if (options_.method == ReachMethod::fabrik)
      fabrik_round(tree_, level, may_turn);
    else
      ccd_round(tree_, level, may_turn);
  }

  double off(std::span<const Effector> level) const {
    double most = 0;
    for (const Effector& each : level) most = std::max(most, (tree_.place(each.joint) - each.target).norm());
    return most;
  }
  bool reached(std::span<const std::vector<Effector>> levels) const {
    return std::all_of(levels.begin(), levels.end(), [&](const auto& level) { return off(level) <= allowed_; });
  }

  /// Poses are compared by priority: first what is off by the first, as far as it is more than allowed.
  bool keep_if_better() {
    std::vector<double> now;
    for (const auto& level : levels_) {
      double sum = 0;
      for (const Effector& each : level) sum += each.weight * (tree_.place(each.joint) - each.target).squaredNorm();
      now.push_back(std::max(std::sqrt(sum), 0.5 * allowed_));
    }
    const auto clearly_less = [&](const std::vector<double>& a, const std::vector<double>& b) {
      for (std::size_t k = 0; k < a.size(); ++k) {
        if (a[k] < b[k] - 1e-3 * allowed_) return true;
        if (a[k] > b[k] + 1e-3 * allowed_) return false;
      }
      return false;
    };
    if (!best_.empty() && !clearly_less(now, best_off_)) return false;
    best_ = tree_.locals();
    best_off_ = now;
    return true;
  }

  /// A straight chain with its target on its line, which no method bends.
  void kick() {
    tree_.set_local(best_);
    for (int j = 0; j < tree_.count(); ++j) {
      const Vec3 axis = tree_.joint(j).limits.hinge ? Vec3(tree_.world(j) * tree_.joint(j).limits.axis.normalized())
                                                    : Vec3(Vec3(0.6, 0.48, 0.64));
      tree_.turn(j, rotation_exp((j % 2 == 0 ? kKick : -2 * kKick) * axis));
    }
  }

  /// Each priority alone, the first with all joints, later ones with joints that carry no effector of those before.
  void settle_by_priority() {
    std::vector<char> may_turn(tree_.count(), 1);
    for (const auto& level : levels_) {
      for (int k = 0; k < kLastRounds && off(level) > allowed_; ++k) round(level, may_turn);
      for (const Effector& each : level)
        for (int j = 0; j < tree_.count(); ++j)
          if (tree_.is_above(j, each.joint)) may_turn[j] = 0;
    }
  }

  ReachResult finish(ReachResult result) const {
    result.rotation = tree_.locals();
    result.limit_slack = std::numeric_limits<double>::infinity();
    for (int j = 0; j < tree_.count(); ++j) {
      result.place.push_back(tree_.place(j));
      result.limit_slack = std::min(result.limit_slack, slack_of(tree_.joint(j).limits, tree_.local(j)));
    }
    for (const Effector& each : effectors_) result.distance.push_back((tree_.place(each.joint) - each.target).norm());
    result.reached =
        std::all_of(result.distance.begin(), result.distance.end(), [&](double d) { return d <= allowed_; });
    return result;
  }

  std::span<const Effector> effectors_;
  const ReachOptions& options_;
  ReachTree tree_;
  std::vector<std::vector<Effector>> levels_;
  std::vector<char> rests_;
  std::vector<Mat3> best_;
  std::vector<double> best_off_;
  double allowed_ = 0, damping_ = 0;
};

void check(std::span<const ReachJoint> joints, std::span<const Effector> effectors, std::span<const Mat3> start) {
  for (int j = 0; j < std::ssize(joints); ++j)
    if (joints[j].parent >= j || joints[j].parent < -1 || !joints[j].place.allFinite())
      throw Error({.code = ErrorCode::usage,
                   .element = "joint " + std::to_string(j),
                   .problem = "has a parent that does not come before it, or a place that is not finite",
                   .remedy = "list parents before their children"});
  for (const Effector& each : effectors)
    if (each.joint < 0 || each.joint >= std::ssize(joints) || !each.target.allFinite() || !(each.weight > 0))
      throw Error(
          {.code = ErrorCode::usage,
           .element = "effector of joint " + std::to_string(each.joint),
           .problem = "names no joint, or has a target or weight that is not usable",
           .remedy = "name one of " + std::to_string(joints.size()) + " joints, a finite target, a weight above 0"});
  if (effectors.empty() || joints.empty())
    throw Error(
        {.code = ErrorCode::usage, .element = "reach", .problem = "has no joint or no effector", .remedy = "give one"});
  if (!start.empty() && start.size() != joints.size())
    throw Error({.code = ErrorCode::usage,
                 .element = "the start",
                 .problem = "has " + std::to_string(start.size()) + " rotations for " + std::to_string(joints.size()) +
                            " joints",
                 .remedy = "give one for each"});
}

}  // namespace

std::string_view name(ReachMethod method) { return kReachMethodNames[static_cast<std::size_t>(method)]; }

void ReachOptions::validate() const {
  require_option(max_iterations >= 1, "number of iterations", max_iterations, "give 1 or more");
  require_option(tolerance > 0 && tolerance < 1, "tolerance", tolerance, "give a share of the tree's length");
  require_option(damping > 0, "damping", damping, "give a number above 0");
}

Mat3 within_limits(const ChainJoint& limits, const Mat3& R) {
  if (limits.hinge) {
    const Vec3 axis = limits.axis.normalized();
    return rotation_exp(std::clamp(wrapped(turn_about(R, axis)), limits.min[0], limits.max[0]) * axis);
  }
  if ((limits.min.array() <= -std::numbers::pi).all() && (limits.max.array() >= std::numbers::pi).all()) return R;
  return rotation_exp(rotation_log(R).cwiseMax(limits.min).cwiseMin(limits.max));
}

ReachResult reach(std::span<const ReachJoint> joints, std::span<const Effector> effectors, const ReachOptions& options,
                  std::span<const Mat3> start) {
  options.validate();
  check(joints, effectors, start);
  if (options.method != ReachMethod::graph) return Reaching(joints, effectors, options, start).run();
  if (effectors.size() > 1)
    throw Error({.code = ErrorCode::usage,
                 .element = "method graph",
                 .value = std::to_string(effectors.size()),
                 .problem = "takes one effector, not " + std::to_string(effectors.size()),
                 .remedy = "take fabrik, ccd or damped"});
  const ReachResult posed = reach_by_graph(joints, effectors[0], options);
  // Measured as the others are, without a further step.
  return Reaching(joints, effectors, options, posed.rotation).run();
}

}  // namespace rigspace
