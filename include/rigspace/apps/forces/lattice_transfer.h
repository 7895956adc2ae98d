#pragma once
// Force rigs for another character (PBR 4.4): the lattice is mapped onto it, and forces go along as displacements.

#include "rigspace/apps/forces/adaptive_body.h"
#include "rigspace/apps/forces/template_drag.h"
#include "rigspace/base/progress.h"

#include <map>
#include <string>

namespace rigspace {

struct LatticeMapOptions {
  double skeleton = 100;  ///< weight of (26), distances in sizes of the character
  double surface = 30;    ///< weight of the surface's mean squared distance, in the same unit
  double features = 30;   ///< weight of chosen points, in the same unit
  double flat = 0.02;     ///< least determinant at a cell's corner, as a share of what the cell had: none folds
  int iterations = 150;   ///< of a stage
  /// Points of the first character's skin, and where they belong on the second, at rest: the optional third stage.
  std::vector<DragTarget> chosen = {};
  /// Joints of the second character by names of the first one's; empty: those of the same names. See match_joints.
  std::map<std::string, std::string> joints = {};

  /// A lattice that cannot be pulled over all of the skin is given back as it is, in place of an Error.
  bool may_lack = false;

  void validate() const;
};

/// Joints of the second skeleton by names of the first one's: as given (an empty name leaves a joint out), of the same
/// name, or, where both are bodies on two legs, of the same part of the body; each once. Throws Error for given names
/// that are not there.
std::map<std::string, std::string> match_joints(const Character& from, const Character& to,
                                                const std::map<std::string, std::string>& given = {});

struct LatticeMap {
  GivenLattice lattice;                          ///< of the second character
  std::vector<Mat3> affine;                      ///< J_i at each vertex (29)
  double skeleton_error = 0, surface_error = 0;  ///< root mean square, shares of the second character's size
  double least_volume = 0;   ///< least determinant at a corner, as a share of what a similar cell would have
  int contained_rounds = 0;  ///< in which lattice was pulled over points of the skin that lay outside
  int lacking = 0;           ///< points of the skin that are outside nevertheless
};

/// Four stages: a similarity from joints of the same names (24), bones with the least distortion of the angles of
/// cells (25 to 28), chosen points, the surface; then the lattice is pulled over what of the skin is still outside.
/// Cells never fold. Throws Error if the skeletons have fewer than three joints in common, or the lattice cannot be
/// pulled over the skin.
LatticeMap map_lattice(const ForceBody& from, const Character& to, const LatticeMapOptions& options = {},
                       const ProgressCallback& progress = {});

/// Q of the second body that displaces its vertices by J_i R_i^T d_i, what Q displaces those of the first. Both are
/// in their own poses of the same meaning; `affine` are the J_i (29) of all vertices.
Vec transfer_force(PosedLattice& from, PosedLattice& to, std::span<const Mat3> affine, In Q);

/// Rigs of `from` for the body `to`, whose lattice is a map of the first one's: each sample's force, transferred in the
/// pose that its control gives where it is one of the character's. Templates become generalised forces. What a rig has
/// split is split there too. Of a joint with another name the control is the one that turns it about nearly the same
/// axis (within 30 degrees); without one the rig gets a control of its own, its name.
std::vector<ForceRigPart> transfer_rigs(const AdaptiveBody& from, std::span<const ForceRigPart> parts,
                                        const AdaptiveBody& to, const std::map<std::string, std::string>& joints = {});

/// The same for a body with a lattice of its own, for which the map's did not contain the skin:
/// displacements are interpolated in the mapped lattice, or at the nearest place of its outside. Nothing is split.
std::vector<ForceRigPart> transfer_rigs(const AdaptiveBody& from, std::span<const ForceRigPart> parts,
                                        const AdaptiveBody& to, const std::map<std::string, std::string>& joints,
                                        const LatticeMap& map);

}  // namespace rigspace
