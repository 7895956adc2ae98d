#pragma once
// The hound's motions, keyed on the controls that an animator would take: 218 of 642.

#include "rigspace/anim/animation.h"
#include "rigspace/base/types.h"

#include <array>
#include <functional>
#include <span>
#include <vector>

namespace rigspace::hound {

/// A paw in the space of the root: metres and degrees from rest.
struct Paw {
  Vec3 shift = Vec3::Zero();
  double pitch = 0, yaw = 0, roll = 0, bank = 0, toe = 0, stretch = 0;
};

/// What happens at one moment, before it is spread over controls. Metres, degrees, shares.
struct Moment {
  Vec3 travel = Vec3::Zero(), shift = Vec3::Zero();  ///< of the root; of the body against it
  double heading = 0;                                ///< of the root
  double pitch = 0, roll = 0, yaw = 0;               ///< of the body
  double bend = 0, side = 0, twist = 0, sway = 0;    ///< of the spine and hips
  double lift = 0, turn = 0, tilt = 0, nod = 0;      ///< of neck and head
  double jaw = 0, chew = 0, tongue = 0, brow = 0, smile = 0, sniff = 0, blink = 0, gaze = 0, gaze_up = 0;
  double flop = 0, perk = 0;                            ///< ears: swung by the body, turned
  double tail_lift = 0, tail_curl = 0, tail_swing = 0;  ///< tail
  double breath = 0, squash = 0;
  std::array<Paw, 4> paws;  ///< in the order of kLegs
};

/// A motion over time, seconds.
using Act = std::function<Moment(double)>;

/// A key for each thirtieth of a second on 218 controls.
Animation keyed(const std::string& name, double duration, const Act& act, std::span<const Control> controls);

/// Eight to learn from and three, wilder, to be tried on (IRM 5.1: jumping and playing, galloping with sharp turns,
/// begging).
std::vector<Animation> clips(std::span<const Control> controls);
Act random_act(unsigned seed);

}  // namespace rigspace::hound
