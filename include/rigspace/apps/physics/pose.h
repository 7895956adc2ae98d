#pragma once
// Physics-based inverse kinematics (RSP 6, eq. 7): points of the surface are pulled to targets, and of all poses of the
// rig that bring them there the one is taken whose flesh is strained least. Any rig, black boxes included.

#include "rigspace/anim/character.h"
#include "rigspace/body/rig_space_simulation.h"
#include "rigspace/energy/pull.h"

#include <memory>
#include <span>
#include <vector>

namespace rigspace {

struct PoserOptions {
  std::vector<int> pulled;  ///< points of the rig; targets come in this order
  std::vector<int> held;    ///< points that stay where the first pose has them
  std::vector<int> free;    ///< controls, ascending; empty: see posable_controls
  double strength =
      0.1;              ///< of a pull, N/m, as a share of Young's modulus times the size of the body; holds: ten times
  double reach = 0.01;  ///< share of the size: a target this near is reached
  double cell = 0;  ///< edge of a lattice cube of the body, scene units; 0: 3 % of the diagonal, more for stout bodies
  bool use_cache = false;      ///< bodies from the cache, and into it
  bool keep_limits = true;     ///< free controls stay within their limits
  double tolerance = 1e-5;     ///< of forces out of balance, see NewtonOptions::gradient_tolerance
  double settled = 3e-5;       ///< share of the size: a full step that moves no node farther is the last
  int max_iterations = 300;    ///< of a solve
  double longest_walk = 0.15;  ///< share of the size: a target farther away is led there in steps
  /// With momentum alone; see RigSpaceOptions.
  double step = 1.0 / 120;
  Material material = {};
  double mass_damping = 4;  ///< 1/s
  double metres_per_unit = 1;
  Vec3 gravity = {0, 0, 0};  ///< m/s^2

  void validate() const;
};

/// How a pull or a hold came out.
struct PullReport {
  int point = 0;  ///< of the rig
  Vec3 target = Vec3::Zero(), position = Vec3::Zero();
  double distance = 0;  ///< scene units
  bool reached = false;
};

struct PoseReport {
  std::vector<PullReport> pulls, holds;
  bool converged = true;
  int solves = 0, iterations = 0;

  /// The largest distance of all pulls; scene units.
  double distance() const;
};

/// Controls that posing turns unless told otherwise, of those that lists show and that move a point at p: angles,
/// plain numbers, and lengths of what is no joint (points of lattices and curves, targets of IK). Joints keep their
/// lengths and sizes, and what sounds like flesh (bellies, chests, cheeks) is left to physics. What carries the whole
/// body (nodes that move four fifths of the points) would follow every pull as one piece: it stays, unless points are
/// held, and then only the last of these nodes goes along, the hips. Where nothing else is left, as for a ball, all
/// that carries it is free. Ascending.
std::vector<int> posable_controls(const Character& character, In p, bool points_are_held);

/// Keeps body, factorisations and the last pose between drags, so that small moves take few iterations.
class Poser {
 public:
  /// Starts in the pose p, which is also the shape that the flesh wants. Throws Error for points that are not there,
  /// controls that are not, a pose that is not finite, or a surface without an inside.
  Poser(const Character& character, In p, const PoserOptions& options);
  ~Poser();
  Poser(const Poser&) = delete;
  Poser& operator=(const Poser&) = delete;

  /// The pose in balance with pulls toward these targets, one for each pulled point, from the last pose. Pulls that
  /// end away from their targets are strengthened, by up to a hundred times; what is then not reached cannot be: too
  /// far, or limits are in the way. Throws Error if a target is not finite.
  PoseReport drag(std::span<const Vec3> targets, const ProgressCallback& = {});

  /// With momentum: one step of options().step toward these targets. Pulls are as strong as the last drag left them.
  PoseReport step(std::span<const Vec3> targets);

  /// Controls that are not free, of now on, and the shape that the flesh wants: those of p.
  void set_key(In p);
  /// Back to a pose, at rest.
  void restart(In p);

  const Vec& controls() const { return simulation_->controls(); }
  const std::vector<int>& free() const { return simulation_->free(); }
  const PoserOptions& options() const { return options_; }
  /// Of the body, scene units: what shares of the size refer to.
  double size() const { return size_; }
  /// Where the pulled points are.
  Vec3 position(int pull) const;
  const RigSpaceSimulation& simulation() const { return *simulation_; }

 private:
  bool settle(PoseReport& report, const ProgressCallback&);
  void check(std::span<const Vec3> targets) const;
  void describe(PoseReport& report) const;

  PoserOptions options_;
  double size_ = 1;
  int first_node_ = 0;  // of the pulled points, then the held ones
  Vec key_;
  std::unique_ptr<RigSpaceSimulation> simulation_;
  std::unique_ptr<Pulls> pulls_;
};

}  // namespace rigspace
