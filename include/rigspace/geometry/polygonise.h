#pragma once
// From a solid given as a function of space to a surface of well-shaped triangles.

#include "rigspace/geometry/signed_distance.h"
#include "rigspace/geometry/tri_mesh.h"

namespace rigspace {

struct PolygoniseOptions {
  Vec3 low = Vec3::Constant(-1);  ///< a box around the solid, scene units; its cells are laid out from its middle,
  Vec3 high = Vec3::Constant(1);  ///< so that a solid and a box symmetric about a plane give a symmetric grid
  double cell = 0.05;             ///< edge of a grid cell, scene units; features thinner than it may be lost
  int smoothing = 12;             ///< rounds of even spreading of the vertices over the surface

  void validate() const;
};

/// The zero level of `field` as a closed, manifold mesh, triangles counter-clockwise seen from outside, vertices on the
/// level. By surface nets (one vertex per patch of surface in a cell), then spreading along the surface, then edge
/// flips that raise the smallest angles. `field` may be called from several threads; the same bits for any number.
/// Throws Error if the solid is empty, leaves the box, or is so thin that no manifold comes of this grid.
TriMesh polygonise(const ScalarField& field, const PolygoniseOptions& options);

}  // namespace rigspace
