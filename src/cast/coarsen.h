#pragma once
// Coarse surfaces of solids for simulation: the detail goes, thin parts stay.

#include "rigspace/geometry/polygonise.h"

namespace rigspace {

/// Collapses the shortest edges of a closed manifold on the zero level of `solid` until `points` are left; the point in
/// their place is put back on the level. No collapse closes a hole, joins what was apart or turns a triangle over, so a
/// tail of three edges around remains a tail. Stops early where none is left that may go. The same bits every time.
/// `spacing`: how long edges may be at a point, against each other (no unit); empty: the same everywhere.
TriMesh coarsened(const TriMesh& mesh, const ScalarField& solid, int points, const ScalarField& spacing = {});

/// The surface of a solid, coarsened to `points`; 0: as the grid gives it.
TriMesh surface_of(const ScalarField& solid, const PolygoniseOptions& grid, int points);

}  // namespace rigspace
