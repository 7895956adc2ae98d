#pragma once
// Bodies whose only unknowns are the controls of a rig (Thesis 4.2.5), with all elements or a sample of them.

#include "rigspace/body/interior_response.h"
#include "rigspace/body/rig_body.h"
#include "rigspace/reduce/body_cubature.h"
#include "rigspace/reduce/volumetric_skinning.h"

namespace rigspace {

/// The same mesh with every node tied to the rig: an interior node has the weighted sum of its carriers' ties.
///
/// In absolute form x_n = W x_s. The interior of the rest shape is replaced by X_n := W X_s, so that the rest shape has
/// no stress (docs/corrections.md, "weights that sum to one"). Nodes of elements whose volume this brings below a tenth
/// get harmonic weights instead.
/// In keyed form x_n = x_key_n + W (x_s - x_key_s), where x_key are the positions that RigBody::ties gives in the keyed
/// pose with the free controls at rest. `response`, a displacement per node and free control, is added to both forms
/// (interior_response.h); empty: none.
RigBody skinned_body(const RigBody& body, const CarrierWeights& interior, InteriorSkinForm form,
                     BlockJacobian response = {});
/// The absolute form plus a response about a state in balance under load. That state is reproduced exactly. The rest
/// shape is not changed.
RigBody skinned_body(const RigBody& body, const CarrierWeights& interior, const LoadedResponse& response);

/// The body reduced to the elements of a cubature, the nodes of cubature.nodes, and the rig restricted to the points
/// that these nodes are tied to. Every node of `body` must be tied to the rig (skinned_body). The result refers to the
/// body's rig.
RigBody sampled_body(const RigBody& body, const BodyCubature& cubature);

}  // namespace rigspace
