#pragma once
// How nodes inside a body deviate, to first order in each control, from what the skin's weights make of them.

#include "rigspace/body/rig_body.h"
#include "rigspace/energy/material.h"
#include "rigspace/geometry/harmonic.h"

#include <span>

namespace rigspace {

/// What the inside of a body is taken to do while the controls move.
enum class InsideMotion {
  balanced,  ///< it is in static balance, as if it had no mass of its own
  swinging,  ///< it lags behind that as it does where the body swings near its own rate (swinging_inside.h)
};

/// Per node and free control, in the frame of the rest pose: the balance of the inside beside what carries it,
///   C = -K_nn^-1 K_nb J_b + D - W J_b,
/// so that x_n = W x_s + C (p - p_rest). With D = 0 (balanced) this has at rest the stiffness of a body whose inside is
/// in balance (Guyan 1965), where weights of skinning, one number for all three axes, are up to three times too stiff
/// along the softest motions. It still swings up to some percent too fast, since the inside has mass of its own: D is
/// fitted to how it lags behind its balance (swinging). Rows of skin nodes are empty; entries below `least` times the
/// largest of their row are left out. `stiffness`: factors on the material, one a tetrahedron; empty: 1.
BlockJacobian interior_response(const RigBody& body, std::span<const int> free, const CarrierWeights& interior,
                                const Material& material, std::span<const double> stiffness = {},
                                InsideMotion motion = InsideMotion::balanced, double least = 0.01);

/// A keyed pose in balance under load.
struct LoadedPose {
  Vec p;  ///< all controls
  Vec x;  ///< all nodes
};

/// The same linearised about states in balance under load, for bodies that sag far from their rest shape:
///   x_n = W x_s + F (o(p_key) + C (p - p*)),   F the turn of the flesh from rest to now,
/// o blended from x_n - W x_s - F C (p - p*) of the poses by how near the keyed pose is to each (PoseBlend). C and p*
/// are those of the first pose; the rest shape stays that of the body.
struct LoadedResponse {
  BlockJacobian C;        ///< per node and free control, in the frame of the rest pose
  LoadedOffsets offsets;  ///< o, per node, in the same frame
};
LoadedResponse loaded_response(const RigBody& body, std::span<const int> free, const CarrierWeights& interior,
                               const Material& material, std::span<const LoadedPose> poses);

/// The rows of `nodes`, in their order.
BlockJacobian rows_of(const BlockJacobian& J, std::span<const int> nodes);

}  // namespace rigspace
