#pragma once
// What weights alone cannot tell of the inside of a body: how it gives way, to first order, to each control.

#include "rigspace/apps/physics/rig_body.h"
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

/// Rows of some nodes.
BlockJacobian rows_of(const BlockJacobian& J, std::span<const int> nodes);

}  // namespace rigspace
