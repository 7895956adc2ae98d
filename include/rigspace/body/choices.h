#pragma once
// Choices that all simulations in rig space offer.

#include <string_view>

namespace rigspace {

/// What the nodes inside a body do (RSP 6).
enum class Interior {
  dynamic,  ///< move with masses of their own: waves run through the body
  still,    ///< are in balance at every moment; their masses count where the skin carries them
  carried,  ///< follow the skin: no unknowns but the controls
};

/// What H_pp says of the bending of the rig itself, T : g, the last two lines of RSP (5). All but `none` take effect
/// where Newton is asked for the curvature of the map.
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
