#pragma once
// How the motion of flesh is written: on soft joints, or on morph targets. "Muted" is the character with its soft
// joints at rest; it should equal the original, but splitting skin weights to four influences may change it a little.

#include "rigspace/apps/physics/flesh.h"
#include "rigspace/apps/physics/simulation.h"

namespace rigspace {

enum class SoftForm {
  automatic,  ///< joints if the muted skin equals the original up to muted_tolerance, otherwise morphs for all flesh
  joints,     ///< soft joints, which translate and rotate
  morphs,     ///< morph targets, which only translate
};

/// The largest distance of a point between the original and the muted softened character, at rest and over the
/// character's clips, as a share of the character's largest extent at rest.
double muted_share(const Character& character, const Softened& softened);

/// soften for this form; `options.morphs` is ignored. `automatic` chooses morphs if muted_share exceeds
/// `options.muted_tolerance`, and adds a note about it.
Softened soften_as(SoftForm form, const Character& character, const std::vector<Part>& parts, SoftenOptions options);

/// soft_clip for `morphs`, the character that with_soft_morphs(.., softened.joints) makes. Chains are keyed on their
/// joints. The translation dt of a soft joint, in its parent's frame, becomes weights w of its three targets on all
/// mesh nodes, at the same times:
///
///     w = linear(world_P at rest) dt,  along x, y, z of the scene, scene units,  P the joint's parent.
///
/// A point held by one bone then moves exactly as with the joint, in every pose. A point held by several bones does so
/// in the rest pose; in other poses its displacement turns with the blend of these bones. Throws Error if the motion
/// rotates a soft joint.
Animation morph_clip(const Softened& softened, const Character& morphs, const Animation* clip, const SoftMotion& motion,
                     double rate);

/// The names of the morph controls that stand for this soft joint: x, y, z on each mesh node whose points it moves.
std::vector<std::string> morph_controls(const Character& morphs, const SoftJoint& joint);

}  // namespace rigspace
