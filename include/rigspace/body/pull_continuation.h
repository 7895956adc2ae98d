#pragma once
// Targets that are far away: pulls are led there in steps, and strengthened where they end short of them.

#include "rigspace/energy/pull.h"

#include <functional>
#include <span>

namespace rigspace {

struct PullContinuationOptions {
  double longest_step = 0.1;  ///< scene units: a target farther away is led there in steps of at most this, 40 at most
  double reach = 0.01;        ///< scene units: a target this near is reached
  double strongest = 1;       ///< N/m: to which pulls may be strengthened, by tens, while that brings them nearer
};

/// What a solver does with the present targets: solves from the last state and returns whether it converged.
using SettlePulls = std::function<bool()>;
/// Where the anchors of all pulls are, by the last state.
using PullPositions = std::function<Vec3(int pull)>;

/// Moves the first targets.size() pulls to these targets. In one leap a far target can be met by a knot, another
/// minimum: on the way there each state is near the one before. Whether the last solve converged.
bool lead_pulls(Pulls& pulls, std::span<const Vec3> targets, const PullContinuationOptions& options,
                const PullPositions& position, const SettlePulls& settle);

}  // namespace rigspace
