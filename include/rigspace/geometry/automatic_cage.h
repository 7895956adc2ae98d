#pragma once
// A cage for a shape, made from it: coarse, closed, around all of it, apart from itself.

#include "rigspace/base/progress.h"
#include "rigspace/geometry/tri_mesh.h"

namespace rigspace {

struct AutomaticCageOptions {
  int faces = 300;    ///< at most, where that can be reached without touching the shape or itself
  double offset = 0;  ///< scene units: how far around the shape it starts; 0: 2.5 % of the diagonal of the shape's box
  double cell = 0;    ///< scene units: of the grid that the offset surface is made on; 0: 0.8 of the offset
  ProgressCallback progress;

  void validate() const;
};

struct AutomaticCage {
  TriMesh mesh;          ///< faces outward
  double offset = 0;     ///< scene units, as used
  int grid_faces = 0;    ///< of the offset surface, before it was made coarse
  double clearance = 0;  ///< scene units: the least distance of a point of the shape from the cage; positive
  double volume = 0;     ///< of the cage, cubic scene units
  bool reached = true;   ///< false: more than the faces asked for are left, and none can go
};

/// The surface at `offset` around the shape, as a grid shows it; then a progressive hull (Sander et al. 2000): edges
/// are collapsed to places outside of the planes of all faces around them, so that the cage only grows and what it
/// encloses it goes on enclosing; a collapse that makes faces cross is not done. Any soup of triangles is fine: parts
/// are turned outward, sheets are enclosed too. The same bits for any number of threads. Throws Error if the shape has
/// no inside at all, or the grid is too coarse for it.
AutomaticCage automatic_cage(const TriMesh& shape, const AutomaticCageOptions& options = {});

}  // namespace rigspace
