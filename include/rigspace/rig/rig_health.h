#pragma once
// Faults of a rig: controls that do nothing, doubles, IK that does not reach, poses that break.

#include "rigspace/rig/rig.h"

#include <string>
#include <vector>

namespace rigspace {

struct HealthOptions {
  int poses = 8;           ///< random ones, within limits
  double spread = 0.7;     ///< of each control's typical change, or of its limits if it has both
  std::uint32_t seed = 1;  ///< of the poses
  bool internal = false;   ///< also controls without a group, where the rig has groups

  void validate() const;
};

struct RigHealth {
  std::vector<std::string> without_effect;                   ///< controls that move no point in any pose
  std::vector<std::pair<std::string, std::string>> doubles;  ///< pairs that move all points alike in all poses
  std::vector<std::string>
      noisy;  ///< whose derivatives by two steps differ by more than 5 %; of rigs without exact ones
  std::vector<std::string> unreached;  ///< sentences about IK at the rest pose
  std::vector<std::string> broken;     ///< sentences about poses that are not finite
  double jacobian_error = 0;           ///< largest difference to central differences, relative to the largest entry
  double noise = 0;                    ///< of the rig's points, scene units
  int redundant = 0;  ///< dimensions that the controls have in common, at a random pose: doubles and the like
};

/// Controls that lists show: all but quaternions; where any has a group, those with one.
std::vector<int> shown_controls(std::span<const Control> controls);

/// Where a control goes in pictures and checks: its limits, or its rest plus and minus its typical change.
std::pair<double, double> extremes(const Control& control);

RigHealth check_health(const Rig& rig, const HealthOptions& options = {});

}  // namespace rigspace
