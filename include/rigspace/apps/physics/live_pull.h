#pragma once
// Interactive pulls: points of a character follow the user's pointer, frame by frame. The physics is that of Poser
// (pose.h) on coarser flesh, with a bounded amount of work a call: what is not done in one frame is done in the next
// ones.
//
// A character is meshed once. `begin` takes hold of points in any pose; then either `move`, the pose in balance with
// the pulls, or `step`, which has momentum, is called every frame. For the pose of a drag in full, give controls() and
// the targets to a Poser.

#include "rigspace/apps/physics/pose.h"

#include <memory>
#include <span>
#include <vector>

namespace rigspace {

struct LivePullOptions {
  double cell = 0;  ///< edge of a lattice cube of the body, scene units; 0: 5 % of the diagonal, more for stout bodies
  bool use_cache = true;        ///< bodies from the cache, and into it
  double strength = 1;          ///< of a pull, N/m, as a share of Young's modulus times the size; up to ten times that
  double reach = 0.01;          ///< share of the size: a target this near is reached
  double settled = 5e-4;        ///< share of the size: a solve ends with a step that moves no node farther
  int iterations = 6;           ///< most of a call of `move`, and of each step
  double longest_walk = 0.1;    ///< share of the size: the farthest that a call of `move` leads a point
  bool keep_limits = true;      ///< free controls stay within their limits
  double time_step = 1.0 / 60;  ///< s: of `step`
  int max_steps = 2;            ///< most of a call; the rest of a longer time is dropped
  Material material = {};       ///< of `step`
  double mass_damping = 4;      ///< 1/s, of `step`
  double metres_per_unit = 1;   ///< of the scene

  void validate() const;
};

/// Not to be used by two threads at a time.
class LivePull {
 public:
  /// Meshes the character, which is referred to. Takes seconds for large ones, unless the cache has the body. Throws
  /// Error if its surface encloses no volume, and Cancelled.
  explicit LivePull(const Character& character, const LivePullOptions& options = {}, const ProgressCallback& = {});
  ~LivePull();
  LivePull(LivePull&&) noexcept;
  LivePull& operator=(LivePull&&) noexcept;

  /// Takes hold of points of the rig in the pose p, all controls, in which the flesh has no stress. `held`: points that
  /// stay where they are. Throws Error as Poser does; what was under way is then as before.
  void begin(In p, std::vector<int> pulled, std::vector<int> held = {});
  /// Whether `begin` was called.
  bool begun() const;

  /// Poses toward these targets, scene units, one for each pulled point: at most options().iterations iterations. Call
  /// it again with the same targets, in the next frames, until PoseReport::converged. Throws Error before `begin`,
  /// after let_go and for targets that are not finite, and Cancelled: the pose is then the best so far.
  PoseReport move(std::span<const Vec3> targets, const ProgressCallback& = {});
  /// Advances by dt seconds with momentum, in whole steps; what is left of dt counts for the next call. A step that has
  /// not converged counts (PoseReport::converged). After let_go there are no targets. Throws Error as `move`, and if dt
  /// is negative or not finite.
  PoseReport step(double dt, std::span<const Vec3> targets = {});
  /// From now on nothing is pulled: steps swing back to the pose of `begin`, or of set_key.
  void let_go();

  /// From now on the controls that are not free have their values in p, and the flesh has no stress in the shape of p:
  /// for characters that are animated meanwhile.
  void set_key(In p);

  const Vec& controls() const;           ///< all, as posed
  const std::vector<int>& free() const;  ///< the controls that pulls turn, ascending
  double size() const;                   ///< scene units: of the body, to which all shares of the size refer
  const LivePullOptions& options() const;

 private:
  struct Data;
  std::unique_ptr<Data> data_;
};

}  // namespace rigspace
