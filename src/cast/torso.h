#pragma once
// The parts of a torso with arms, of any build: hips at the ground, spine and chest upward, arms down and aside, cut
// off at the neck and behind the fists.

#include "flesh.h"
#include "puppet.h"

namespace rigspace::torso {

/// Metres; half widths (x) and half depths (z).
struct Build {
  const char* name;
  Vec3 ribs, waist, hips;                ///< half axes
  double belly;                          ///< how far it hangs forward
  double breast;                         ///< half width of a breast muscle
  double shoulder;                       ///< of the joint, from the middle
  double upper, fore;                    ///< lengths of the arm
  double deltoid, biceps, elbow, wrist;  ///< radii along the arm
};

extern const Build kLean, kRound;

/// Places on the left.
Vec3 shoulder(const Build& build);
Vec3 elbow(const Build& build);
Vec3 wrist(const Build& build);

double trunk(const Build& build, const Vec3& p);
double arm(const Build& build, const Vec3& left);
double solid(const Build& build, const Vec3& p);

/// Where the tensed breast muscles move a point of the skin: they gather, rise and leave a furrow below and between.
Vec3 chest_flexed(const Build& build, const Vec3& p);
/// Of both arms.
Vec3 biceps_flexed(const Build& build, const Vec3& p);

}  // namespace rigspace::torso
