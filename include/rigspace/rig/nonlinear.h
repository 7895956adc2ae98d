#pragma once
// Global deformations along an axis (Barr 1984): bend, twist, taper, squash, flare, sine.

#include "rigspace/rig/control.h"
#include "rigspace/rig/deformed_points.h"
#include "rigspace/rig/deformer.h"

#include <optional>
#include <string_view>

namespace rigspace {

/// All act in the space of a handle, along its y axis between y = low and y = high, L = high - low. With s(y) the share
/// of the way, 0 up to low and 1 from high on, and b(y) = its slope, scaled to 1 in the middle:
///
///   bend    turns by angle (s(y) - s(0)) toward x (turned about y by direction); the axis keeps its length, the origin
///           its place. Exact where b is 1 or 0; where the corners are rounded the axis grows by terms of second order
///   twist   turns about y by start_angle below low, end_angle above high, linear in s between
///   taper   scales x and z by 1 + amount s(y)
///   squash  stretches y by factor in the middle (L becomes L (rounding + (1 - rounding) factor)), the origin staying,
///           and scales x and z so that volume is kept everywhere: the determinant of its derivative is 1
///   flare   scales x from start_x to end_x, z from start_z to end_z, plus 4 curve s (1 - s)
///   sine    moves along x by amplitude b(y) sin(2 pi waves (y - low) / L + phase)
///
/// Beyond the bounds all go on straight. b is a smooth step over `rounding` L inside each bound, so everything is C2;
/// rounding 0 gives Barr's corners: kinks, with squash and sine jumps.
enum class Nonlinear { bend, twist, taper, squash, flare, sine };

std::string_view name(Nonlinear);
std::optional<Nonlinear> find_nonlinear(std::string_view name);

/// One thing that can be turned; a table, so that controls can be made from it.
struct NonlinearParameter {
  std::string_view name;
  Unit unit;  ///< length: of the handle
  double rest;
  double min, max;
  double typical;
};

/// In the order that parameter_slots has.
std::span<const NonlinearParameter> parameters(Nonlinear);

struct NonlinearDescription {
  DeformedPoints points;  ///< weighted as x' = x + w (D(x) - x)
  Nonlinear kind = Nonlinear::bend;
  Affine frame = Affine::Identity();     ///< handle space to the scene, or to the space of handle_slot; invertible
  int handle_slot = -1;                  ///< a transform that carries the handle; -1: it stays
  double low = -1, high = 1;             ///< in handle units
  double rounding = 0.2;                 ///< of L, at each bound: 0 to 0.5
  std::vector<int> parameter_slots;      ///< scalar slots, one per parameter; -1, or a shorter list: constant
  std::vector<double> parameter_values;  ///< the constants; a shorter list: at rest

  void validate() const;
};

/// A handle that is moved while its parameters are at rest moves nothing; nor does one that is scaled to no volume.
std::unique_ptr<Deformer> make_nonlinear(const NonlinearDescription&);

/// What a deformer was made from, or nullptr if it is another kind (restricted ones keep none).
const NonlinearDescription* nonlinear_description(const Deformer&);

}  // namespace rigspace
