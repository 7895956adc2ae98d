#pragma once
// A cage as a deformer: a coarse closed surface whose points move what is inside (geometry/cage_coordinates.h).

#include "rigspace/geometry/cage_coordinates.h"
#include "rigspace/rig/deformed_points.h"
#include "rigspace/rig/deformer.h"

#include <memory>
#include <vector>

namespace rigspace {

/// A point bound at X, which earlier deformers took to x, goes to
///   y = x + w sum_j (w_j + dw_j/dX . (x - X)) (c_j - c_j0) + w sum_t (psi_t + dpsi_t/dX . (x - X)) (s_t n_t - n_t0),
/// the second sum of Green coordinates alone. That is the cage's map and, around X, its slope: an affine motion of the
/// whole cage moves x by the same motion wherever earlier deformers left it, if the family reproduces places. At rest
/// the deformer is the identity. Derivatives by x and by the points of the cage are exact, those of Green's stretches
/// s_t and normals n_t among them.
struct CageDescription {
  DeformedPoints points;                     ///< `rest` is needed: there they are bound
  TriMesh cage;                              ///< at rest, scene units
  std::vector<int> point_slots;              ///< one per point of the cage, scene space; -1: it stays
  bool transforms = false;                   ///< the slots are transforms, whose origins count
  CageOptions coordinates;                   ///< gradients are found whatever it says
  std::shared_ptr<const CageSolver> solver;  ///< of this cage with gradients, where there is one already; else nullptr
};

/// Throws Error as CageSolver does.
std::unique_ptr<Deformer> make_cage(const CageDescription&);

}  // namespace rigspace
