#pragma once
// Private to physics: a cheap stand-in for a body, on the same controls.

#include "rigspace/body/stepped_body.h"
#include "rigspace/energy/material.h"

namespace rigspace {

/// A body without elements: its elastic energy is quadratic in the free controls, with the Hessian that the elements
/// have in the rest pose, and its mass lies on a few nodes of the skin, weighted so that J^T M J and J^T M 1 at rest
/// are those of all nodes. Rods, springs and limits on the controls stay. It differs where the flesh turns or bends
/// far, where the energy is not quadratic.
struct LightBody {
  SteppedBody body;
  Mat stiffness;          ///< of elements and coupling, with their Young's modulus 1; empty for rods
  double mass_error = 0;  ///< relative, of J^T M J and J^T M 1
};

/// `step`: s, of the grid. A coupling of `whole` is one that damps (damp_coupling).
LightBody light_body(const SteppedBody& whole, MaterialKind material, double step);

/// The settings of the light body for those of the whole one.
SteppedBody light_settings(const LightBody& light, const SteppedBody& settings, double step);

/// The share of a body's coupling that is damping: its target lies so far from the animation toward the drift.
double coupling_damping(const SteppedBody& settings, double step);
/// Sets a coupling that is elastic to the one that damps as well, for steps of equal length.
void damp_coupling(SteppedBody& settings, double step);
/// Whether these are settings of a body whose coupling is that of flesh, elastic and damped. (That of a sheet is
/// neither: its rods are damped by springs.)
inline bool dampens_coupling(const SteppedBody& settings) {
  return settings.stiffness_damping > 0 && settings.coupling.size() > 0 &&
         (settings.rods.empty() || settings.springs.size() == 0);
}

}  // namespace rigspace
