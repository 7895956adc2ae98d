#pragma once
// Clips made by moving targets of pulls (RSP 7, fig. 8): at each time a pose in balance, or a step with momentum.

#include "rigspace/anim/animation.h"
#include "rigspace/apps/physics/pose.h"

#include <array>
#include <span>
#include <vector>

namespace rigspace {

/// The position of a target over time: a smooth curve through its keys, constant before the first and after the last.
class PullPath {
 public:
  /// Times in seconds, strictly increasing; positions in scene space. Throws Error otherwise, or if there are none.
  PullPath(std::vector<double> times, std::span<const Vec3> positions);
  /// One position for all times.
  explicit PullPath(const Vec3& position) : PullPath({0}, std::span(&position, 1)) {}

  Vec3 operator()(double time) const;
  double end() const { return end_; }  ///< s

 private:
  std::array<CompiledCurve, 3> curves_;
  double end_;
};

struct PosePathOptions {
  double fps = 24;                  ///< keys a second
  double duration = 0;              ///< s; 0: until the last path ends
  bool dynamic = false;             ///< steps with momentum, started from the balance with the first targets
  const Animation* clip = nullptr;  ///< moves the controls that are not free and the stress-free shape; null: the start
  ProgressCallback progress = {};

  void validate() const;
};

struct PosedClip {
  Animation clip;             ///< linear keys of the free controls and of those that the clip moves
  Mat poses;                  ///< all controls, a column for each time
  std::vector<double> times;  ///< s
  std::vector<PoseReport> reports;

  /// The largest distance from a target over all times, and when that was; scene units, s.
  double distance() const;
  double worst_time() const;
  int unreached() const;      ///< times at which a target was not reached
  int not_converged() const;  ///< times whose solve did not converge
};

/// `paths`: one for each pulled point of the poser, which is left in the last pose. With momentum a frame must last a
/// whole number of PoserOptions::step; throws Error otherwise.
PosedClip pose_along(Poser& poser, const Character& character, std::span<const PullPath> paths,
                     const PosePathOptions& options = {});

}  // namespace rigspace
