#pragma once
// How flesh is written: as soft joints, or, where those would spoil the muted skin, as morph targets.

#include "rigspace/apps/physics/flesh.h"
#include "rigspace/apps/physics/simulation.h"

namespace rigspace {

enum class SoftForm {
  automatic,  ///< joints where they leave the muted skin alone, otherwise morphs for all flesh
  joints,     ///< soft joints, which shift and turn
  morphs,     ///< morph targets, which shift
};

/// How far the soft joints, muted, take a point from where it was, at rest and over the character's clips: the largest
/// distance, of the character's largest extent at rest.
double muted_share(const Character& character, const Softened& softened);

/// soften for this form, whatever `options.morphs` says. `automatic` comes to morphs where muted_share is above
/// `options.muted_tolerance`, and then a note says so.
Softened soften_as(SoftForm form, const Character& character, const std::vector<Part>& parts, SoftenOptions options);

/// soft_clip for the character that with_soft_morphs(.., softened.joints) made, `morphs`. Chains are keyed as there; a
/// soft joint's shift dt, in its parent's space, becomes weights of its targets on all mesh nodes, at the same times:
///
///     w = linear(world_P at rest) dt,  components of the scene, in its units.
///
/// Where one bone holds a point that is the joint's own shift, in every pose; where several do, at the rest pose, and
/// elsewhere it turns with their blend. Throws Error if the motion turns a soft joint.
Animation morph_clip(const Softened& softened, const Character& morphs, const Animation* clip, const SoftMotion& motion,
                     double rate);

/// The controls of the morph character that move this soft joint, x y z of each mesh node that it has a share in.
std::vector<std::string> morph_controls(const Character& morphs, const SoftJoint& joint);

}  // namespace rigspace
