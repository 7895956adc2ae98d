#pragma once
// Physics-based inverse kinematics (RSP 6, eq. 7): points of the surface are pulled to targets; of all poses of the rig
// that bring them there, the result is the one with the least elastic energy of the flesh. For any rig, black boxes
// included.

#include "rigspace/anim/character.h"
#include "rigspace/apps/physics/pull_body.h"
#include "rigspace/body/rig_space_simulation.h"
#include "rigspace/energy/pull.h"

#include <memory>
#include <span>
#include <vector>

namespace rigspace {

struct PoserOptions {
  std::vector<int> pulled;  ///< points of the rig; targets come in this order
  std::vector<int> held;    ///< points that stay where the first pose has them
  std::vector<int> free;    ///< controls, ascending; empty: posable_controls on the chains of pulled and held points
  double strength =
      0.1;  ///< of a pull, N/m, as a share of Young's modulus times the size of the body; holds: ten times
  double stiffening = 100;  ///< up to which factor pulls that end away from their targets are strengthened
  double reach = 0.01;      ///< share of the size: a target this near is reached
  double cell = 0;  ///< edge of a lattice cube of the body, scene units; 0: 3 % of the diagonal, more for stout bodies
  bool use_cache = false;      ///< bodies from the cache, and into it
  bool keep_limits = true;     ///< free controls stay within their limits
  double tolerance = 1e-5;     ///< relative force out of balance that ends a solve: NewtonOptions::gradient_tolerance
  double settled = 3e-5;       ///< share of the size: a solve also ends with a full step that moves no node farther
  int max_iterations = 300;    ///< of a solve
  bool curved = true;          ///< what runs out of these goes on with second derivatives of the rig
  int max_halvings = 4;        ///< of a step that does not converge
  double longest_walk = 0.15;  ///< share of the size: a target farther away is moved there in steps of at most this
  /// The rest is for Poser::step, which has momentum; see RigSpaceOptions.
  double step = 1.0 / 120;
  Material material = {};
  double mass_damping = 4;  ///< 1/s
  double metres_per_unit = 1;
  Vec3 gravity = {0, 0, 0};  ///< m/s^2

  void validate() const;
};

/// Where one pulled or held point ended. Scene units.
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

/// The controls that posing changes by default, ascending. Of the listed controls that move a point at p these are:
/// angles, plain numbers, and lengths of nodes that are no joints (points of lattices and curves, targets of IK).
/// Translations and scales of joints stay, and so do controls named like flesh (bellies, chests, cheeks). Nodes that
/// carry the whole body (they move four fifths of the points) would follow every pull as one piece, so they stay; if
/// points are held, the last of these nodes, the hips, is free. Where nothing else is left, as for a ball, all nodes
/// that carry it are free.
///
/// `points`: those that are pulled and held. Then joints off their chains stay as well; the chain of a point is the
/// joint with the largest weight on it and all joints above. (The cells of the body are coarse: they tie thin limbs to
/// their neighbours, and do not resist a joint that moves less than a cell, so that other joints would turn without a
/// visible cause.) Pieces that hang on a bone by a node of their own (helmets, swords) stay on it. If a chain consists
/// only of nodes that carry the body, these are free.
std::vector<int> posable_controls(const Character& character, In p, bool points_are_held,
                                  std::span<const int> points = {});

/// Poses a character by pulls. Keeps the body, factorisations and the last pose between drags, so that small moves take
/// few iterations.
class Poser {
 public:
  /// Starts in the pose p, in which the flesh has no stress. Throws Error for points or controls that do not exist, a
  /// pose that is not finite, or a surface that encloses no volume.
  Poser(const Character& character, In p, const PoserOptions& options);
  /// The same of a body that is meshed already, which is not referred to; its character is. PoserOptions::cell and
  /// use_cache do not count.
  Poser(const PullBody& flesh, In p, const PoserOptions& options);
  ~Poser();
  Poser(const Poser&) = delete;
  Poser& operator=(const Poser&) = delete;

  /// Solves for the pose in balance with pulls toward these targets, one for each pulled point, from the last pose.
  /// Pulls that end away from their targets are made up to options().stiffening times as strong; a target that is still
  /// not reached is too far away, or limits of controls prevent it. Throws Error if a target is not finite.
  PoseReport drag(std::span<const Vec3> targets, const ProgressCallback& = {});

  /// A part of a drag, for frames: one solve toward these targets, or as far as options().longest_walk. What is left,
  /// iterations or pulls to strengthen, is for the next call, until PoseReport::converged. Throws Error as `drag`, and
  /// Cancelled; the pose is then the best so far.
  PoseReport approach(std::span<const Vec3> targets, const ProgressCallback& = {});
  /// Throws Error unless there is one finite target for each pulled point.
  void require_targets(std::span<const Vec3> targets) const;
  /// From now on nothing is pulled; what is held stays so.
  void let_go();

  /// One step of options().step with momentum toward these targets. Pulls keep the strength that the last drag left.
  PoseReport step(std::span<const Vec3> targets);

  /// From now on the controls that are not free have their values in p, and the flesh has no stress in the shape of p.
  void set_key(In p);
  /// Sets the pose, with zero velocity.
  void restart(In p);

  const Vec& controls() const { return simulation_->controls(); }
  const std::vector<int>& free() const { return simulation_->free(); }
  const PoserOptions& options() const { return options_; }
  /// Size of the body, scene units, to which all shares of the size refer.
  double size() const { return size_; }
  /// Position of pulled point `pull`, scene units.
  Vec3 position(int pull) const;
  const RigSpaceSimulation& simulation() const { return *simulation_; }

 private:
  bool settle(PoseReport& report, const ProgressCallback&);
  double strongest() const;
  void describe(PoseReport& report) const;

  PoserOptions options_;
  double size_ = 1;
  int first_node_ = 0;  // node of the first pulled point; the other pulled points and the held ones follow
  Vec key_;             // see set_key
  std::unique_ptr<RigSpaceSimulation> simulation_;
  std::unique_ptr<Pulls> pulls_;
};

}  // namespace rigspace
