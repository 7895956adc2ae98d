#pragma once
// The few directions in which a garment may move in one iteration (Thesis 6.2.3, algorithm 5): the vectors of sites
// near the pose that are best aligned with the gradient, the gradient itself, and the way back to the skinned shape.

#include "rigspace/apps/clothing/pose_space_database.h"

#include <span>

namespace rigspace {

struct ClothBasisOptions {
  int size = 12;                ///< vectors of the database
  double radius = 0;            ///< in pose space, of the sites that are looked at; 0: the database's own
  bool gradient = true;         ///< add the gradient,
  bool undo = true;             ///< and the displacement that the garment has
  double least_distance = 0.1;  ///< of the radius: nearer sites count as if they were so far

  void validate() const;
};

struct ClothBasis {
  Mat A;               ///< one vector a column, before the skin; A^T A = I
  int from_sites = 0;  ///< the first so many are of the database,
  int sites = 0;       ///< from so many sites
  bool far = false;    ///< no site is near: the pose was not trained
};

/// Chooses by |a^T B^T g| / (|B a| max(d, least)): `B` the turn of each point by the skin, `g` the gradient in the
/// world, d the distance of the site. `descent`: what stands for the gradient among the vectors, before the skin, best
/// preconditioned (B^T g itself where empty). `u`: the displacement of the garment, before the skin. Vectors that the
/// others span to 1e-4 are left out, and others chosen for them.
ClothBasis choose_basis(const PoseSpaceDatabase& database, In place, std::span<const Mat3> B, In g, In descent, In u,
                        const ClothBasisOptions& options = {});

}  // namespace rigspace
