#pragma once
// Private to physics: nodes of flesh as weighted sums of points of a rig.

#include "rigspace/anim/character.h"
#include "rigspace/body/choices.h"
#include "rigspace/body/stepped_body.h"
#include "rigspace/parts/flesh.h"

namespace rigspace {

/// Sets rig, ties, roles and tetrahedra of the body, whose free controls are set: nodes on the surface are tied to its
/// points; each other node is a point of its own that is added to the rig, skinned by its bones. The rig is restricted
/// to these points. For a rig without exact derivatives also sets rest_jacobian.
void tie_nodes(const Character& character, const Flesh& flesh, SteppedBody& body);

/// Interior::still: the masses of interior nodes go to the held and bound nodes around them, by harmonic weights.
/// Interior::carried: interior nodes are tied as these weights say and are no unknowns (RSP 6). `body` has one group.
void calm_interior(const TetMesh& mesh, Interior interior, SteppedBody& body);

}  // namespace rigspace
