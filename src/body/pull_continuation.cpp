#include "rigspace/body/pull_continuation.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace rigspace {
namespace {

// Pulls are strengthened again only if the last time brought the largest distance below this share of what it was;
// otherwise limits or the body hold them back.
constexpr double kComesNearer = 0.7;
constexpr int kMostSteps = 40;  // in which targets are led to their ends

double farthest_from_targets(const Pulls& pulls, const PullPositions& position) {
  double most = 0;
  for (int k = 0; k < static_cast<int>(pulls.pulls().size()); ++k)
    most = std::max(most, (position(k) - pulls.pulls()[k].target).norm());
  return most;
}

/// Makes each pull that ended away from its target ten times as strong, up to options.strongest. True if any changed.
bool strengthen(Pulls& pulls, const PullContinuationOptions& options, const PullPositions& position) {
  bool changed = false;
  for (int k = 0; k < static_cast<int>(pulls.pulls().size()); ++k) {
    const Pull& pull = pulls.pulls()[k];
    if ((position(k) - pull.target).norm() <= options.reach || pull.stiffness >= options.strongest) continue;
    pulls.set_stiffness(k, std::min(10 * pull.stiffness, options.strongest));
    changed = true;
  }
  return changed;
}

}  // namespace

bool lead_pulls(Pulls& pulls, std::span<const Vec3> targets, const PullContinuationOptions& options,
                const PullPositions& position, const SettlePulls& settle) {
  std::vector<Vec3> from;
  double farthest = 0;
  for (int k = 0; k < static_cast<int>(targets.size()); ++k) {
    from.push_back(position(k));
    farthest = std::max(farthest, (targets[k] - from[k]).norm());
  }
  const int steps = std::clamp(static_cast<int>(std::ceil(farthest / options.longest_step - 1e-9)), 1, kMostSteps);
  bool converged = true;
  for (int step = 1; step <= steps; ++step) {
    for (int k = 0; k < static_cast<int>(targets.size()); ++k)
      pulls.set_target(k, step == steps ? targets[k] : Vec3(from[k] + (targets[k] - from[k]) * step / steps));
    converged = settle();
    // A point that lags its target by more than two steps cannot follow: go on with the last step.
    if (farthest_from_targets(pulls, position) > 2 * options.longest_step) step = std::max(step, steps - 1);
  }
  for (double before = farthest_from_targets(pulls, position); strengthen(pulls, options, position);
       before = farthest_from_targets(pulls, position)) {
    converged = settle();
    if (farthest_from_targets(pulls, position) > kComesNearer * before) break;
  }
  return converged;
}

}  // namespace rigspace
