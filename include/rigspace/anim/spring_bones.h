#pragma once
// Chains of joints as springs of game engines (VRMC_springBone 1.0, as UniVRM and three-vrm play them), fitted to a
// simulation (Thesis 7.2, baking): what is left of it in an engine that has no physics of ours, under any blend of
// clips.

#include "rigspace/anim/character.h"

#include <span>
#include <string>
#include <vector>

namespace rigspace {

struct SpringSettings {
  double stiffness = 1;  ///< how strongly the joint is drawn back to its rest rotation, VRM's unit
  double drag = 0.4;     ///< share of the speed that is lost each frame, 0 to 1
  double gravity = 0;    ///< pull toward -Y, VRM's unit
};

/// Joints one below the other, root first, the first one's parent not among them.
struct SpringChain {
  std::string name;
  std::vector<int> bones;                ///< into Character::bones
  Vec3 end = Vec3::Zero();               ///< where the last bone ends, in its own axes
  std::vector<SpringSettings> settings;  ///< of each bone
};

/// Chains of the joints that `simulated` turns and `keyed` does not. Settings are the default ones.
std::vector<SpringChain> spring_chains(const Character& character, const Animation& keyed, const Animation& simulated);

/// Frames a second that springs are played at: VRM's formula depends on it, and engines mostly draw 60.
constexpr double kSpringRate = 60;

/// The clip with the joints of the chains turned by springs: per frame and joint, with dt = 1 / 60 s,
///   tail <- tail + (1 - drag) (tail - tail_before) + dt stiffness axis + dt gravity (0, -1, 0),
/// put back to the bone's length; axis is where the bone points at rest below its parent. A clip that loops has gone
/// round for six seconds before; others begin at rest in their first pose.
Animation play_springs(const Character& character, const Animation& keyed, std::span<const SpringChain> chains);

/// Two clips of one character, without and with a simulation.
struct SpringExample {
  const Animation* keyed;
  const Animation* simulated;
};

/// Sets stiffness, drag and gravity of each bone such that the ends of the chain's bones follow the examples best,
/// least squares over all frames, each clip in proportion to how far its simulation goes. Throws Error without
/// examples.
void fit_springs(const Character& character, std::span<const SpringExample> examples, std::vector<SpringChain>& chains);

/// How far a baked clip is from the simulated one, beside how far the keyed one is, over the points that the simulation
/// moves by a hundredth of the most; root mean square over points and frames, scene units.
struct BakeError {
  double unbaked = 0, baked = 0;

  double share() const { return unbaked > 0 ? baked / unbaked : 0; }
};
BakeError bake_error(const Character& character, const SpringExample& example, const Animation& baked);

/// The same, frame by frame.
class BakeErrorSum {
 public:
  explicit BakeErrorSum(int points);
  void add(In simulated, In unbaked, In baked);
  BakeError error() const;

 private:
  Vec unbaked_, baked_;  // sums of squared distances, per point
  int frames_ = 0;
};

}  // namespace rigspace
