#pragma once
// Open sheets on the surface of a solid: what a tailor cuts.

#include "rigspace/geometry/signed_distance.h"
#include "rigspace/geometry/tri_mesh.h"

namespace rigspace {

struct CutSheetPlan {
  ScalarField solid;  ///< the sheet lies on its zero level
  ScalarField cut;    ///< negative where the sheet is; smooth where it is zero, and no zero meets another
  Vec3 low, high;     ///< a box around the solid
  int points;         ///< exactly as many, at least 200
};

/// The sheet, facing as the solid does, its borders on the cut. Triangles of about the same size; the same bits every
/// time.
TriMesh cut_sheet(const CutSheetPlan& plan);

}  // namespace rigspace
