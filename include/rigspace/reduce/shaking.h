#pragma once
// Shaking (Thesis 4.2.3) makes the shapes of a body that training uses: from each pose the body gets impulses, is
// stepped by rig-space physics for a fraction of a swing, and its shapes are recorded with the inside in static
// balance.

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

/// One shape of a body in training: where the keyed pose carries the nodes, and where they are.
struct ExamplePose {
  Vec p_key;  ///< all controls, the free ones at the values around which they move
  Vec p;      ///< all controls
  Vec x_key;  ///< all nodes, as p_key carries them (RigBody::ties)
  Vec x;      ///< all nodes: skin where p carries it, inside in static balance (Thesis 4.7)
};

struct ShakeOptions {
  int impulses = 4;        ///< per pose: along axes, about axes, then linear fields, with alternating signs
  int steps = 2;           ///< of each shake; together a quarter to half a swing
  int record_every = 1;    ///< steps
  double amplitude = 0.1;  ///< largest deviation of a shake, as a share of the diagonal of what free controls move
  Material material = {};  ///< kind and Poisson's ratio are used; Young's modulus only scales time
  /// The shape without stress is that of the pose, as in the animator's setting; else that of the rig's rest pose, the
  /// papers' setting, where shakes start from the balance without gravity, which is an example itself.
  bool rest_follows = true;
  /// Adds examples with one free control moved, in both directions, until the skin moves by half the amplitude; at one
  /// pose each.
  bool probes = false;

  void validate() const;
};

/// Examples in the order of poses, then of impulses, then of time, then the probes; the same bits on any number of
/// threads. `poses` are whole control vectors, the free controls at the values around which they move; if there are
/// none, eight random_poses are taken. Impulses that no free control can follow give no example, nor do shapes whose
/// inside does not converge to a balance. Free controls stay within their limits where the pose is within them.
std::vector<ExamplePose> shake(const RigBody& body, std::span<const int> free, std::span<const Vec> poses,
                               const ShakeOptions& options = {}, const ProgressCallback& progress = {});

struct RandomPoseOptions {
  int count = 8;
  double share = 0.3;  ///< of the way from rest to a limit, or of the typical change where there is none
  std::uint64_t seed = 1;

  void validate() const;
};

/// For rigs without clips to take poses from: rest first, then each control that is not free drawn between `share` of
/// the way to its one limit and to its other. Components of quaternions stay at rest.
std::vector<Vec> random_poses(const Rig& rig, std::span<const int> free, const RandomPoseOptions& options = {});

}  // namespace rigspace
