#pragma once
// The parts of an arm, of any build: upper arm along x from the shoulder, forearm, hand; the elbow bends upward.

#include "flesh.h"
#include "puppet.h"

namespace rigspace::arm {

/// Metres.
struct Build {
  const char* name;
  double upper, fore, hand;                      ///< lengths
  double shoulder, biceps, elbow, below, wrist;  ///< radii along the arm
  double knuckles, thickness;                    ///< half width and half thickness of the hand
  double bulge;                                  ///< how far the flexed biceps rises
};

extern const Build kSlender, kStout;

constexpr double kHeight = 0.4;  ///< of the arm's axis over the ground

double solid(const Build& build, const Vec3& p);
/// Where the flexed biceps moves a point of the skin.
Vec3 flexed(const Build& build, const Vec3& p);

}  // namespace rigspace::arm
