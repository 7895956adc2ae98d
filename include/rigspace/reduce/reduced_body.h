#pragma once
// Bodies whose only unknowns are the controls of a rig (Thesis 4.2.5), with all elements or a sample of them.

#include "rigspace/body/interior_response.h"
#include "rigspace/body/rig_body.h"
#include "rigspace/reduce/body_cubature.h"
#include "rigspace/reduce/volumetric_skinning.h"

namespace rigspace {

/// The same mesh with every node tied to the rig, those inside by way of the skin that carries them.
///
/// In absolute form x_n = W x_s, and the rest shape is made so too, X_n := W X_s, so that it is without stress
/// (docs/corrections.md, "weights that sum to one"). Nodes of elements that this inverts get harmonic weights.
/// In keyed form x_n = x_key_n + W (x_s - x_key_s), x_key where the ties carry the nodes with the free controls at
/// rest. `response`, per node and free control, is added to that (interior_response.h); empty: none.
RigBody skinned_body(const RigBody& body, const CarrierWeights& interior, InteriorSkinForm form,
                     BlockJacobian response = {});
/// In absolute form plus the response about a state under load, which is reproduced exactly; the rest shape stays.
RigBody skinned_body(const RigBody& body, const CarrierWeights& interior, const LoadedResponse& response);

/// The elements of a cubature, the nodes that those and the masses need, and the rig restricted to the points of those
/// nodes. Every node of the body must be tied to the rig (skinned_body). The result refers to the body's rig.
RigBody sampled_body(const RigBody& body, const BodyCubature& cubature);

}  // namespace rigspace
