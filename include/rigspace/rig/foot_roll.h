#pragma once
// The reverse foot: one control rolls a foot over heel, ball and tip of the toes.

#include "rigspace/rig/graph.h"
#include "rigspace/rig/source.h"

#include <numbers>
#include <string>

namespace rigspace {

/// Pivots in the space of the foot's control, at rest. Forward is from heel to toe; roll turns about up x forward.
struct FootRoll {
  std::string name;
  int foot_slot = -1;                                                 ///< the transform of the foot's control
  Vec3 heel = Vec3::Zero(), ball = Vec3::Zero(), toe = Vec3::Zero();  ///< on the sole; toe: the tip
  Vec3 inner = Vec3::Zero(), outer = Vec3::Zero();                    ///< edges of the sole beside the ball
  Vec3 ankle = Vec3::Zero();
  Vec3 up = Vec3::UnitY();
  Source roll;        ///< radians: below 0 onto the heel, above 0 onto the ball and then the toe
  Source bank;        ///< radians: above 0 onto the outer edge, below 0 onto the inner
  Source heel_twist;  ///< radians about up, at the heel
  Source toe_twist;   ///< radians about up, at the tip of the toes
  Source ball_break = Source::constant(std::numbers::pi / 6);    ///< radians of roll up to which the ball alone bends
  Source toe_straight = Source::constant(std::numbers::pi / 3);  ///< radians of roll from which the toe alone turns
  /// Roll and bank start at 0 with zero slope and turn into themselves over this angle, radians: no kink at rest.
  double ease = std::numbers::pi / 36;
};

struct FootRollSlots {
  int ankle = -1;  ///< a transform at the ankle, turned as the foot: the target of a leg's IK
  int toe = -1;    ///< a transform at the ball, turned as the toes: the toe joint's target
};
FootRollSlots add_foot_roll(ControlGraph&, const FootRoll&);

}  // namespace rigspace
