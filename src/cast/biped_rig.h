#pragma once
// Inverse kinematics of characters on two legs, as their animators expect it.

#include "biped.h"
#include "rigspace/rig/rig_plan.h"

namespace rigspace::biped {

/// For either side: `foot_ctrl` and `hand_ctrl` (nodes below the root), the points `knee` and `elbow` that the limbs
/// bend to, `foot_roll` and `foot_bank` (angles), and the blends `leg_ik` and `arm_ik`, which rest at 0: the joints'
/// own controls hold until the animator switches IK on. Groups the controls of the body too.
void add_ik(const Plan& plan, RigPlan& rig);

}  // namespace rigspace::biped
