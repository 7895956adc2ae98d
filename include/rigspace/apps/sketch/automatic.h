#pragma once
// Abstractions that nobody has to prepare: a stick figure and a line of action from the skeleton, the outline from the
// view.

#include "rigspace/apps/sketch/abstraction.h"

#include <vector>

namespace rigspace {

struct StickOptions {
  int places = 190;              ///< of all curves together
  double shortest_limb = 0.08;   ///< share of the size: shorter side branches (fingers, toes, faces) are left out
  double shortest_bone = 0.015;  ///< share of the size: joints nearer to the one before count as one with it
};

/// A chain of bones as it is drawn: joint by joint, then the tip of the last one.
struct StickChain {
  std::string name;          ///< of its first bone
  std::vector<int> bones;    ///< into Character::bones
  std::vector<Vec3> joints;  ///< rest pose, scene: where each bone begins, and the tip; one more than bones
};

/// The chains of a stick figure: the trunk first, from the root along the bones that come once, then each limb from
/// where it leaves. Bones that move no point are left out, unless none moves any. Throws Error for a rig whose joints
/// are not known.
std::vector<StickChain> stick_chains(const Character& character, const StickOptions& options = {});

/// One curve a chain; the places between two joints are carried by the bone between them.
SketchAbstraction stick_figure(const Character& character, const StickOptions& options = {});

/// One curve from the tip of the trunk down to its root and on between the two legs, or along the tail: the middle of
/// the pair of limbs, equal in length, that reaches lowest.
SketchAbstraction line_of_action(const Character& character, const StickOptions& options = {});

struct OutlineOptions {
  int places = 353;              ///< of all curves together
  double shortest_curve = 0.04;  ///< share of the size, as seen
};

/// The contour of the posed surface as the camera sees it: lines between what faces the eye and what does not, where
/// nothing lies in front of them. Places are on edges of the surface, so they hold for poses nearby. Curves run with
/// the body to their left.
SketchAbstraction outline(const Character& character, In p, const Camera& camera, const OutlineOptions& options = {});

}  // namespace rigspace
