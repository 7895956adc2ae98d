#pragma once
// Wires (Singh and Fiume 1998): a curve that pulls, turns and swells what lies around it.

#include "rigspace/rig/deformed_points.h"
#include "rigspace/rig/deformer.h"

#include <limits>

namespace rigspace {

/// Curves over control points, parameter 0 to 1.
enum class WireCurve {
  quadratic,    ///< clamped uniform B-spline, C1; ends at its outermost points
  cubic,        ///< the same, C2; of degree size - 1 where there are fewer points
  catmull_rom,  ///< through all points, C1; end tangents along the outermost intervals
};

/// W is the wire, R the same curve at rest, t the parameter of the point of R that is nearest to x (the nearest of all;
/// at equal distance the smaller t). With q = x - R(t), F = f(|q| / radius), f(d) = (1 - d^2)^2 within 1 and 0 beyond:
///
///   x' = x + w * strength * ( turn(q) - q + F (thickness * stretched - 1) turn(q) + F (W(t) - R(t)) )
///
/// turn(q) rolls q about R'(t) by F * roll(t), then turns it by the share F of the least rotation that takes R'(t) to
/// W'(t). `stretched` is (|W'| / |R'|)^-thinning. At rest the deformer is the identity. Exact derivatives, save where
/// they do not exist: at equal distances to two parts of R, on the normal planes of its ends (kinks), and where W'
/// points against R'.
///
/// A rigid motion of the whole wire is followed rigidly as far as the least rotation is that motion's: translations
/// always, rotations in the plane of a plane curve. Put wires before the skin, in bind space. Several wires stack: each
/// acts on what the one before gave.
struct WireDescription {
  DeformedPoints points;
  WireCurve curve = WireCurve::cubic;
  std::vector<int> point_slots;   ///< scene-space positions along W, at least 2, at most kMaxWirePoints
  std::vector<Vec3> points_rest;  ///< of R, as many
  double radius = std::numeric_limits<double>::infinity();  ///< scene units; infinite: F = 1 everywhere
  double thinning = 0;  ///< 0: the cross-section ignores how W is stretched; 0.5: volume is kept
  // Scalar slots, -1 where there is none.
  int roll_start_slot = -1;  ///< roll at t = 0, radians; linear in t between both
  int roll_end_slot = -1;    ///< roll at t = 1
  int thickness_slot = -1;   ///< a factor of the cross-section, resting at 1
  int strength_slot = -1;    ///< 0: no effect; 1 where there is no slot

  void validate() const;
};

constexpr int kMaxWirePoints = 64;

std::unique_ptr<Deformer> make_wire(const WireDescription&);

/// What a deformer was made from, or nullptr if it is another kind (restricted ones keep none).
const WireDescription* wire_description(const Deformer&);

/// The wire's curve through or along `points` at t in [0, 1]: for pictures, and to lay points along it.
Vec3 wire_point(WireCurve curve, std::span<const Vec3> points, double t);

}  // namespace rigspace
