#pragma once
// Free-form deformation (Sederberg and Parry 1986): a box of points that a shape is embedded in.

#include "rigspace/rig/deformed_points.h"
#include "rigspace/rig/deformer.h"

#include <array>

namespace rigspace {

enum class LatticeBasis {
  bezier,    ///< Bernstein polynomials of degree size - 1: every lattice point moves everything inside
  b_spline,  ///< uniform, clamped, cubic (of degree size - 1 where size < 4): a lattice point moves what is near it
};

/// What happens to points outside the box at rest. Inside, all three are the same.
enum class LatticeOutside {
  still,   ///< they stay: the shape tears at the faces unless the outermost lattice points stay too
  fade,    ///< the deformation goes on straight from the faces and fades within `margin`, C1
  extend,  ///< it goes on straight for ever
};

/// x' = x + w f(l) sum_ijk B_ijk(l) (P_ijk - P0_ijk),  l = inverse(frame) x: the box at rest is 0 <= l <= 1. At rest
/// the deformer is the identity, and since B has linear precision, an affine motion of all lattice points moves the
/// inside by the same motion. The box itself does not follow the lattice points: put the lattice before the skin, in
/// bind space.
struct LatticeDescription {
  DeformedPoints points;
  std::array<int, 3> size{3, 3, 3};   ///< lattice points along each axis, 2 to kMaxLatticeSize
  Affine frame = Affine::Identity();  ///< from the unit box to the scene, at rest: three edges and a corner
  LatticeBasis basis = LatticeBasis::bezier;
  LatticeOutside outside = LatticeOutside::fade;
  Vec3 margin = Vec3::Constant(0.5);  ///< for `fade`, along each axis, as a share of the box's edge; positive
  std::vector<int> point_slots;       ///< scene-space positions P, the first axis fastest
  std::vector<Vec3> points_rest;      ///< P0, scene space. Empty: lattice_points(*this)

  void validate() const;
};

constexpr int kMaxLatticeSize = 16;

/// Where the lattice points rest, the first axis fastest: evenly spaced for Bezier; for B-splines at the Greville
/// abscissae (the outermost two intervals are shorter), as linear precision needs. Uses size, frame and basis.
std::vector<Vec3> lattice_points(const LatticeDescription&);

std::unique_ptr<Deformer> make_lattice(const LatticeDescription&);

/// What a deformer was made from, or nullptr if it is another kind (restricted ones keep none).
const LatticeDescription* lattice_description(const Deformer&);

}  // namespace rigspace
