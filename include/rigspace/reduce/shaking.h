#pragma once
// Shaking (Thesis 4.2.3) makes the example shapes of a body for training. In each given pose the body gets impulses,
// one at a time; rig-space physics steps it for about a third of the period of its swing; the shapes on the way are
// recorded with the interior nodes in static balance.

#include "rigspace/base/progress.h"
#include "rigspace/body/interior_balance.h"
#include "rigspace/body/rig_body.h"
#include "rigspace/energy/solid.h"
#include "rigspace/optimize/summary.h"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace rigspace {

/// One shape of a body for training, and the keyed pose that it deviates from. Lengths in scene units.
struct ExamplePose {
  Vec p_key;  ///< all controls of the keyed pose, the free ones at the values around which they swing
  Vec p;      ///< all controls of the shape
  Vec x_key;  ///< all nodes as RigBody::ties gives them at p_key
  Vec x;      ///< all nodes of the shape: skin nodes from the ties at p, interior ones in static balance (Thesis 4.7)
};

struct ShakeOptions {
  /// Per pose. Impulses are counted over all poses, and their kind repeats every eight: velocities along and about each
  /// of the three axes, and two random linear velocity fields. Those along and about axes change sign every eight.
  int impulses = 4;
  int first = 0;           ///< the number of the first impulse: with another, the impulses are others
  int steps = 2;           ///< of each shake; together they cover 0.35 of the estimated period
  int record_every = 1;    ///< steps between recorded shapes
  double amplitude = 0.1;  ///< largest deviation of a shake, as a share of the diagonal of what free controls move
  Material material = {};  ///< kind and Poisson's ratio matter; Young's modulus only scales time
  /// true: the shape without stress is that of each pose, as when a body follows an animation. false: it is that of the
  /// rig's rest pose, as in the papers; shakes then start from the balance without gravity, which is an example too.
  bool rest_follows = true;
  /// Adds two examples for each free control: that control alone is moved up, and down, so far that by J the skin point
  /// that it moves most goes by half the amplitude. Each control uses one of the poses.
  bool probes = false;

  void validate() const;
};

/// Examples ordered by pose, impulse and time, then the probes; the same to the bit on any number of threads. `poses`
/// are whole control vectors, with the free controls at the values around which they swing; if empty, eight
/// random_poses are used. No example comes from an impulse of which the free controls can produce less than 2 % of the
/// velocity, nor from a shape whose interior does not converge to a balance. A free control stays within its limits if
/// the pose is within them.
std::vector<ExamplePose> shake(const RigBody& body, std::span<const int> free, std::span<const Vec> poses,
                               const ShakeOptions& options = {}, const ProgressCallback& progress = {});

struct RandomPoseOptions {
  int count = 8;
  double share = 0.3;  ///< 0..1: largest change, of the way from rest to a limit; of `typical` where there is no limit
  std::uint64_t seed = 1;

  void validate() const;
};

/// Poses for rigs without clips. The first is the rest pose. In the others each control that is not free is drawn
/// uniformly from its rest value plus `share` of the range between its limits. Quaternions stay at rest.
std::vector<Vec> random_poses(const Rig& rig, std::span<const int> free, const RandomPoseOptions& options = {});

}  // namespace rigspace
