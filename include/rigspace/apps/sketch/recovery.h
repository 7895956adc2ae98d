#pragma once
// How well poses are recovered from drawings of them: random poses, drawn with an unsteady hand in any order, posed
// again and compared. For tests and benchmarks.

#include "rigspace/apps/sketch/sketch_poser.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace rigspace {

/// All free controls uniformly within their limits, and within `range` (radians, for angles) of where they are;
/// lengths, scales and the root, which has no limits, stay.
Vec random_sketch_pose(const SketchPoser& poser, std::span<const Control> controls, In p, double range,
                       std::uint32_t seed);

/// The strokes as a hand draws them: sampled anew at `spacing` (view units), every point off by a random distance of
/// root mean square `jitter` (view units) that is alike for neighbours, without curves; shuffled and some of them
/// backwards.
std::vector<Stroke> hand_drawn(std::span<const Stroke> strokes, double jitter, double spacing, std::uint32_t seed);

/// Angles between neighbouring bones of the stick figure as the camera sees them, radians, at a pose, by the names of
/// its chains; and whether both bones are seen at half their length or more, and no shorter than 8 % of the character's
/// height: a jitter of 1 % of the height turns shorter lines by more than 5 degrees by itself.
struct SeenAngle {
  double angle = 0;
  bool in_plane = false;
};
std::map<std::string, std::vector<SeenAngle>> seen_joint_angles(const Character& character, const Camera& camera, In p);

struct Recovery {
  double residual =
      0;           ///< root mean square distance of the strokes without jitter from the pose found, share of the height
  double fit = 0;  ///< the same of the strokes as they were drawn
  double unposed = 0;  ///< of the strokes without jitter from the pose before the solve: what doing nothing leaves
  /// Errors of in-plane joint angles, radians, stroke by stroke: those of the chain that a stroke was drawn from
  /// against those of the chain that it was given to. A drawing of lines does not tell a left arm from a right one seen
  /// from behind; `mistaken` counts such strokes.
  std::vector<double> angles;
  double angle = 0;  ///< their median
  bool within_limits = true;
  int mistaken = 0;  ///< strokes that were given to another curve than the one that they were drawn from
  Vec p;             ///< found
  SketchReport report;
};

struct RecoveryOptions {
  double jitter = 0.01;  ///< share of the height
  double range = 60 * kDegree;
  std::uint32_t seed = 1;
  bool named = false;       ///< strokes say which curve they are
  bool from_truth = false;  ///< starts at the pose that was drawn, and priors hold to it: what the jitter alone costs
  std::uint32_t order = 1;  ///< another number: the same strokes in another order and direction
};

/// From the pose of set_pose `p`.
Recovery recover(SketchPoser& poser, const Character& character, const Camera& camera, In p,
                 const RecoveryOptions& options);

}  // namespace rigspace
