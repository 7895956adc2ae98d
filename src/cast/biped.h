#pragma once
// What characters on two legs share: joints, weights of legs, and a puppeteer for whom left and right are a sign.

#include "flesh.h"
#include "puppet.h"

#include <array>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rigspace::biped {

/// Joints at rest, root to tip, in metres, Y up, facing +Z; limbs of the left side, +X. The last point of a chain is
/// where its last bone ends.
struct Plan {
  std::array<Vec3, 7> spine;  ///< pelvis spine_01 spine_02 chest neck head, crown
  std::array<Vec3, 5> arm;    ///< clavicle upper_arm lower_arm hand, end
  std::array<Vec3, 5> leg;    ///< thigh shin foot toe, end
  double heel;                ///< where the flat of the sole ends behind, metres along z
};

/// "_l" for +1, "_r" for -1.
std::string suffix(double side);
/// stem_01 for k = 0.
std::string numbered(std::string_view stem, int k);

/// A chain of joints below `parent`; `forward` is square to the hinges.
struct ChainPlan {
  std::vector<std::string> names;
  std::string parent;
  std::vector<Vec3> points;  ///< one more than names
  Vec3 forward = Vec3::UnitZ();
};
void add_chain(const ChainPlan& chain, puppet::Skeleton& skeleton);

/// The points of the left chain, or their mirror images for side = -1.
std::vector<Vec3> on_side(std::span<const Vec3> left, double side);

/// root, and below it the spine.
puppet::Skeleton make_spine(const Plan& plan);
/// Arm and leg of one side.
void add_limbs(const Plan& plan, double side, puppet::Skeleton& skeleton);
/// The spine and the limbs of both sides.
puppet::Skeleton make_skeleton(const Plan& plan);

/// One joint takes all.
flesh::ShareOut held_by(int joint);
/// How spine, arms and legs share out their skin; `width`: half that of the change from bone to bone, metres.
flesh::ChainWeights spine_weights(const Plan& plan, const puppet::Skeleton& skeleton, double width);
flesh::ChainWeights arm_weights(const Plan& plan, const puppet::Skeleton& skeleton, double side, double width);
/// By height and length instead of along the bones: the heel lies behind the ankle, and must not follow the shin.
flesh::ShareOut leg_weights(const Plan& plan, const puppet::Skeleton& skeleton, double side);

struct Key {
  double time, value;
};
/// Pose to pose: slow out of every key, slow into the next; held before the first and after the last.
double eased(std::initializer_list<Key> keys, double time);

/// How a foot stands: sole shifted from rest, pitched by degrees (heel up positive) about the toe joint when the heel
/// is up and about the heel when the toes are, so that what touches the ground stays where it is.
struct Step {
  Vec3 shift = Vec3::Zero();
  double pitch = 0;
};
puppet::Placement ankle_of(const Plan& plan, const Step& step, double side);

/// Where a foot is, and how far its toes are bent up, in degrees.
struct Foot {
  puppet::Placement ankle;
  double toe = 0;
};

/// A walk: the body travels along +Z, each foot is down for `stance` of the cycle.
struct Gait {
  double stride = 0.40;  ///< metres a cycle
  double stance = 0.60;  ///< of the cycle
  double toe_up = 20;    ///< degrees at heel strike
  double heel_up = 42;   ///< degrees at toe-off
  double lift = 0.018;   ///< metres, in mid-swing
  double aside = 0.012;  ///< metres around the other leg
};
/// The foot `phase` of a cycle (0 to 1) after its heel struck, relative to a root that travels.
Foot walking_foot(const Plan& plan, const Gait& gait, double phase, double side);

/// How an arm is held, in degrees: `lower` lets it sink from its rest to the flank, `swing` brings it forward, `bend`
/// flexes the elbow, `twist` turns the upper arm about its own length, palms to the front positive.
struct ArmPose {
  double lower = 0, swing = 0, bend = 0, twist = 0;
};

/// Poses by joint name, with a sign for the side: +1 left, -1 right.
class Puppeteer {
 public:
  Puppeteer(const Plan& plan, const puppet::Skeleton& skeleton) : pose(skeleton), plan_(plan), skeleton_(skeleton) {}

  puppet::Pose pose;

  void turn(std::string_view joint, const Quat& by) { pose.turn[skeleton_.find(joint)] = by; }
  void shift(std::string_view joint, const Vec3& by) { pose.shift[skeleton_.find(joint)] = by; }
  void arm(double side, const ArmPose& arm);
  /// Puts the foot down by bending the leg; the pelvis must be placed before.
  void foot(double side, const Foot& foot);

 private:
  const Plan& plan_;
  const puppet::Skeleton& skeleton_;
};

}  // namespace rigspace::biped
