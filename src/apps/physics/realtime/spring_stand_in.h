#pragma once
// Private to physics: parts as spring bones, the cheapest level of detail. The formula is that of VRMC_springBone 1.0
// (anim/spring_bones.h), about the animated pose in place of the rest pose; a soft joint of flesh is a point on a
// spring.

#include "rigspace/anim/character.h"
#include "rigspace/anim/spring_bones.h"
#include "rigspace/rig/built_in_rig.h"

#include <array>
#include <span>
#include <string>
#include <vector>

namespace rigspace {

/// A joint with free controls. A glTF node: turns are rotation vectors after the keyed orientation.
struct StandInJoint {
  int bone = -1;                            ///< into Character::bones
  int slot = -1, parent_slot = -1;          ///< of its world transform and its parent's; -1: the scene
  int above = -1;                           ///< the joint of the list that is its parent; -1: none
  int group = 0;                            ///< part
  std::array<int, 3> controls{-1, -1, -1};  ///< of the rig: rx ry rz, or tx ty tz
  std::array<int, 3> places{-1, -1, -1};    ///< of these among the free ones
  bool moves = false;                       ///< it is moved, not turned
  Vec3 tail = Vec3::Zero();                 ///< what turns, in its own axes
  double weight = 0;                        ///< scene units a radian, or 1: how far its deviation moves the part
};

/// How a part's springs are set: per tick of 1/60 s, whatever the size.
struct StandInGroup {
  double pull = 0;   ///< share of the way back to the animation: (2 pi rate / 60)^2
  double drag = 0;   ///< share of the velocity that is lost
  double error = 1;  ///< r.m.s. of the deviation from that of the part, of the part's; 1 where nothing was fitted
};

/// Data that all players share.
struct SpringStandIn {
  std::shared_ptr<const BuiltInRig> rig;  ///< kept alive
  std::vector<StandInJoint> joints;       ///< parents first
  std::vector<StandInGroup> groups;
  std::vector<int> needed;  ///< slots that the joints' transforms are computed from, ascending
  int free_count = 0;
  double snap_speed = 0;  ///< scene units / s
};

/// The joints of some free controls. `group_of`: the part of each free control. Groups have no springs yet. Joints that
/// are no glTF nodes stay with the animation.
SpringStandIn stand_in_joints(const Character& character, std::span<const int> free, std::span<const int> group_of,
                              int groups);

/// Poses and deviations at 1/60 s; those before `counted` are played but not compared.
struct StandInExample {
  std::vector<Vec> keys;        ///< all controls
  std::vector<Vec> deviations;  ///< of the free controls: of the part, at the same time of the animation
  std::size_t counted = 0;
};
/// Sets pull, drag and error of each group, beginning with those it has.
void fit_stand_in(const StandInExample& example, SpringStandIn& stand_in);

/// The turning joints as chains for VRMC_springBone.
std::vector<SpringChain> stand_in_chains(const SpringStandIn& stand_in, const Character& character,
                                         std::span<const std::string> group_names);

/// One character. Nothing is allocated after the constructor. `stand_in` is referred to.
class SpringPlayer {
 public:
  explicit SpringPlayer(const SpringStandIn& stand_in);

  /// Starts in a state: keyed poses and deviations of now and of 1/60 s before.
  void start(In p_key, In deviation, In p_key_before, In deviation_before);
  /// Starts in a pose with this deviation; the velocity to the next pose is taken to have held before.
  void start(In p_key, In deviation);
  /// Advances by 1/60 s to this keyed pose.
  void step(In p_key);

  const Vec& deviation() const { return now_; }
  const Vec& deviation_before() const { return before_; }  ///< 1/60 s earlier

 private:
  void place(In p_key);
  Affine still(const StandInJoint& joint) const;
  void tips(In p_key, In deviation, std::vector<Vec3>& tips);

  const SpringStandIn& shared_;
  Vec u_;
  std::vector<const double*> inputs_;
  std::vector<Affine> local_, world_;  // per joint: in its parent's space as keyed, and in the scene as it deviates
  std::vector<Vec3> heads_, heads_before_, steps_;  // per joint: keyed places, and the last way
  std::vector<Vec3> tips_, tips_before_;
  Vec now_, before_;
  bool fresh_ = true;
  int snapping_ = 0;  // ticks that the present snap has taken
};

}  // namespace rigspace
