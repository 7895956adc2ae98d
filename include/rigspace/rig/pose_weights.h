#pragma once
// How near a pose is to each of several example poses: with blend shapes, pose-space deformation (Lewis et al. 2000).

#include "rigspace/rig/graph.h"
#include "rigspace/rig/source.h"

#include <string>
#include <vector>

namespace rigspace {

enum class PoseKernel {
  linear,        ///< r, rounded at 0: no parameter, no overshoot between two examples
  gaussian,      ///< exp(-(r / radius)^2): local
  multiquadric,  ///< sqrt(r^2 + radius^2): smooth
};

/// Radial basis functions of the distance r between rows, with a constant: the weight of example j is 1 at its own pose
/// and 0 at the others', and all weights sum to 1 everywhere. Give the rest pose as an example.
struct PoseWeights {
  std::string name;
  std::vector<Source> inputs;                 ///< scaled so that equal differences mean equally different poses
  std::vector<std::vector<double>> examples;  ///< one row per example, one number per input, scaled likewise
  PoseKernel kernel = PoseKernel::multiquadric;
  double radius = 0;  ///< in scaled inputs; 0: the examples' mean distance to the nearest other
};

/// One scalar slot per example. Throws Error if two examples coincide, or the kernel is too wide for the solve to hold.
std::vector<int> add_pose_weights(ControlGraph&, const PoseWeights&);

}  // namespace rigspace
