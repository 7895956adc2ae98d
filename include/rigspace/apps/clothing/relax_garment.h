#pragma once
// Brings a garment out of a body that it starts in: real garments are often modelled partly inside.

#include "rigspace/apps/clothing/simulate_cloth.h"

namespace rigspace {

struct RelaxOptions {
  double clearance = 0.003;  ///< m: how far from the body its points are brought at least
  double reach = 0.1;        ///< m: points deeper than this are not found inside
  int max_rounds = 40;

  void validate() const;
};

struct RelaxReport {
  int rounds = 0;
  int inside = 0;            ///< points that were nearer than the clearance, or inside, at the start
  int crossings_before = 0;  ///< edges of garment or body through the other
  int crossings = 0;         ///< of these, left
  int own_crossings = 0;     ///< edges of the garment through itself, left
  double farthest = 0;       ///< m: the longest way that a point was moved

  bool free() const { return crossings == 0; }
};

/// Moves garment.mesh.points; garment.rest becomes the shape given, unless there is one, so that the cloth has the size
/// it was made with. Rounds of: every point that is inside the body, or nearer than its clearance, is pulled out along
/// the body's normal at its nearest place; the cloth gives way as little as its stretch and bending allow; where body
/// and garment still cross, the clearance of the points there grows. The garment's crossings with itself are counted,
/// not resolved. Does nothing where nothing is too near.
RelaxReport relax_garment(Garment& garment, const TriMesh& body, const ClothMaterial& material = {},
                          const RelaxOptions& options = {}, const ProgressCallback& callback = {});

}  // namespace rigspace
