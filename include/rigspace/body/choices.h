#pragma once
// Options that all simulations in rig space share.

#include <string_view>

namespace rigspace {

/// How the nodes inside a body move (RSP 6).
enum class Interior {
  dynamic,  ///< unknowns with masses of their own: waves run through the body
  still,    ///< unknowns without mass, in static balance at every step; their masses are added to the skin that carries
            ///< them
  carried,  ///< weighted sums of the skin: the controls are the only unknowns
};

/// How the second derivative of the rig enters H_pp: T : g with T = d^2x/dp^2, the last two lines of RSP (5). All but
/// `none` take effect only where Newton adds the curvature of the map (NewtonOptions::projected_curvature).
enum class RigCurvature {
  none,     ///< Gauss-Newton, J^T H J alone: no further evaluation of the rig
  learned,  ///< T : g from the Jacobians of successive iterates, by structured BFGS: no further evaluation, and
            ///< definite
  bfgs,     ///< all of H_pp from gradients, as in RSP 4, corrected (docs/corrections.md, "BFGS update")
  exact,    ///< differences of Jacobians; of a black box second differences, O(p^2) evaluations
};

/// "dynamic", "gauss-newton": as options and files spell them.
std::string_view name(Interior);
std::string_view name(RigCurvature);
/// Throw Error with the list of names.
Interior interior_named(std::string_view);
RigCurvature rig_curvature_named(std::string_view);

}  // namespace rigspace
