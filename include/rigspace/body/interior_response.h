#pragma once
// What weights alone cannot tell of the inside of a body: how it gives way, to first order, to each control.

#include "rigspace/body/rig_body.h"
#include "rigspace/energy/material.h"
#include "rigspace/geometry/harmonic.h"

#include <span>

namespace rigspace {

/// Per node and free control, in the frame of the rest pose: the static balance of the inside beside what carries it,
///   C = -K_nn^-1 K_nb J_b - W J_b,
/// so that x_n = W x_s + C (p - p_rest) has at rest the stiffness of a body whose inside is in balance (Guyan 1965),
/// where weights of skinning, one number for all three axes, are up to three times too stiff along the softest motions.
/// Rows of the skin are empty; what is below `least` of the largest in a row is left out. `stiffness`: factors, one a
/// tetrahedron, or none.
BlockJacobian interior_response(const RigBody& body, std::span<const int> free, const CarrierWeights& interior,
                                const Material& material, std::span<const double> stiffness = {}, double least = 0.01);

/// A keyed pose in balance under load.
struct LoadedPose {
  Vec p;  ///< all controls
  Vec x;  ///< all nodes
};

/// The same about states in balance under load, where a body hangs that sags far from its rest shape:
///   x_n = W x_s + F (o(p_key) + C (p - p*)),   F the turn of the flesh from rest to now,
/// o mixed of x_n - W x_s in the poses, less what C tells of them, by how near the keyed pose is to each. C and p* are
/// those of the first pose, the rest shape stays that of the body.
struct LoadedResponse {
  BlockJacobian C;        ///< per node, in the frame of the rest pose
  LoadedOffsets offsets;  ///< likewise
};
LoadedResponse loaded_response(const RigBody& body, std::span<const int> free, const CarrierWeights& interior,
                               const Material& material, std::span<const LoadedPose> poses);

/// Rows of some nodes.
BlockJacobian rows_of(const BlockJacobian& J, std::span<const int> nodes);

}  // namespace rigspace
