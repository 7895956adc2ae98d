#pragma once
// Force rigs for another character (PBR 4.4): the lattice is mapped onto it, and forces go along as displacements.

#include "rigspace/apps/forces/force_rig.h"
#include "rigspace/apps/forces/template_drag.h"
#include "rigspace/base/progress.h"

namespace rigspace {

struct LatticeMapOptions {
  double skeleton = 100;  ///< weight of (26), distances in sizes of the character
  double surface = 30;    ///< weight of the surface's mean squared distance, in the same unit
  double features = 30;   ///< weight of chosen points, in the same unit
  double flat = 0.02;     ///< least determinant at a cell's corner, as a share of what the cell had: none folds
  int iterations = 150;   ///< of a stage
  /// Points of the first character's skin, and where they belong on the second, at rest: the optional third stage.
  std::vector<DragTarget> chosen = {};

  void validate() const;
};

struct LatticeMap {
  GivenLattice lattice;                          ///< of the second character
  std::vector<Mat3> affine;                      ///< J_i at each vertex (29)
  double skeleton_error = 0, surface_error = 0;  ///< root mean square, shares of the second character's size
  double least_volume = 0;   ///< least determinant at a corner, as a share of what a similar cell would have
  int contained_rounds = 0;  ///< in which lattice was pulled over points of the skin that lay outside
};

/// Four stages: a similarity from joints of the same names (24), bones with the least distortion of the angles of
/// cells (25 to 28), chosen points, the surface; then the lattice is pulled over what of the skin is still outside.
/// Cells never fold. Throws Error if the skeletons have fewer than three joints in common, or the lattice cannot be
/// pulled over the skin.
LatticeMap map_lattice(const ForceBody& from, const Character& to, const LatticeMapOptions& options = {},
                       const ProgressCallback& progress = {});

/// Q of the second body that displaces its vertices by J_i R_i^T d_i, what Q displaces those of the first. Both are
/// in their own poses of the same meaning.
Vec transfer_force(PosedLattice& from, PosedLattice& to, const LatticeMap& map, In Q);

/// All rigs of `from` for the body of `to`: each sample's force, transferred in the pose that its control gives where
/// it is one of the character's. Templates become generalised forces.
std::vector<ForceRigPart> transfer_rigs(const ForceRig& from, const ForceRig& to, const LatticeMap& map);

}  // namespace rigspace
