#pragma once
// Peanut's rig, as RSP's artists had theirs: 36 controls in the belly, 13 in the trunk, 12 in the tail, 3 for the
// shoulders, 2 for the ears, on top of a skeleton with IK.

#include "assembly.h"

#include <span>

namespace rigspace::peanut {

/// Deformers of the skins, to act before the skeleton's, their controls, drivers, IK. `parts` in the order below.
void add_rig(std::span<const flesh::Flesh> skins, std::span<const flesh::Part> parts, RigPlan& plan);

/// Order of the parts of the body.
enum PartIndex {
  kTorsoPart,
  kHeadPart,
  kTrunkPart,
  kTailPart,
  kArmLeft,
  kLegLeft,
  kEarLeft,
  kArmRight,
  kLegRight,
  kEarRight
};

}  // namespace rigspace::peanut
