#pragma once
// A chain of joints that hangs down and swings, and how far it does.

#include "rigspace/apps/physics/simulation.h"
#include "support/rods.h"

#include <algorithm>
#include <vector>

namespace rigspace::testing {

inline constexpr int kSwing = 2;  // rz of the first joint: what hangs down swings in x
inline const SimulationOptions kOnce{.looping = Looping::never};
inline const SimulationOptions kFine{.step = 1.0 / 480, .looping = Looping::never};

inline std::vector<Part> tail(const Character& rod, double rate = 2, double settle = 1.5) {
  std::vector<Part> parts = parts_from_pattern(rod, "tail*=tail");
  parts[0].settings.rate = rate;
  parts[0].settings.settle = settle;
  parts[0].settings.lag = 0;
  return parts;
}

/// Radians: the largest deviation of any control between two times.
inline double largest(const SoftMotion& motion, double from, double to) {
  double most = 0;
  for (std::size_t k = 0; k < motion.times.size(); ++k)
    if (motion.times[k] >= from && motion.times[k] <= to)
      most = std::max(most, motion.deviation.col(static_cast<Eigen::Index>(k)).cwiseAbs().maxCoeff());
  return most;
}

}  // namespace rigspace::testing
