#pragma once
// Bodies that have the controls of a rig as their only unknowns (Thesis 4.2.5), and then few elements.

#include "rigspace/body/interior_response.h"
#include "rigspace/body/rig_body.h"
#include "rigspace/reduce/body_cubature.h"
#include "rigspace/reduce/volumetric_skinning.h"

namespace rigspace {

/// The same mesh with every node tied to the rig, those inside by way of the skin that carries them.
///
/// In absolute form x_n = W x_s, and the rest shape is made so too, X_n := W X_s, so that it is without stress
/// (docs/corrections.md, "weights that sum to one"). Nodes of elements that this inverts get harmonic weights.
/// In keyed form x_n = x_key_n + W (x_s - x_key_s), x_key as the body carries its nodes with the free controls at rest.
/// `response`, per node, or none, is beside that (interior_response.h).
RigBody skinned_body(const RigBody& body, const CarrierWeights& interior, InteriorSkinForm form,
                     BlockJacobian response = {});
/// In absolute form beside the response about a state under load, which is reproduced exactly: the rest shape stays.
RigBody skinned_body(const RigBody& body, const CarrierWeights& interior, const LoadedResponse& response);

/// Of a body whose every node is tied to the rig, the elements of a cubature and the nodes that they and the masses
/// need; and of the rig, the points that those need.
RigBody sampled_body(const RigBody& body, const BodyCubature& cubature);

}  // namespace rigspace
