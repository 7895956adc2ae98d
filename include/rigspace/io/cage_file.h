#pragma once
// A character in an automatic cage, as a rig file: what `rigspace rig cage` and the studio's panel Cage make.

#include "rigspace/geometry/automatic_cage.h"
#include "rigspace/geometry/cage_coordinates.h"
#include "rigspace/io/rig_file.h"

#include <filesystem>
#include <string>
#include <vector>

namespace rigspace {

struct CageRequest {
  std::string name = "cage";             ///< its points are NAME_0, NAME_1 ..
  std::vector<std::string> pieces = {};  ///< patterns; empty: the most points that were bound in one space
  CageFamily coordinates = CageFamily::mean_value;
  AutomaticCageOptions cage = {};
};

struct CagedCharacter {
  RiggedCharacter rigged;             ///< with the cage in its plan: after shapes, before the skin
  AutomaticCage cage;                 ///< in the space in which the mesh was bound
  std::vector<int> pieces;            ///< of the plan, that it encloses
  std::vector<std::string> left_out;  ///< names of the others
};

/// A mesh (.glb, .gltf, .vrm) or rig file as a plan. Throws Error.
RiggedCharacter read_for_cage(const std::filesystem::path& file);
/// The surface to enclose, in bind space; `pieces`, unless null, gets its pieces. Throws Error where patterns meet
/// none.
TriMesh surface_for_cage(const RigPlan& plan, const CageRequest& request, std::vector<int>* pieces = nullptr);
/// In a cage that is known (automatic_cage of that surface). The rig is the one before: nothing is bound.
CagedCharacter planned_cage(RiggedCharacter rigged, AutomaticCage cage, const CageRequest& request);
/// The same with the rig built anew, which binds the points. Throws Error, Cancelled.
CagedCharacter in_cage(RiggedCharacter rigged, AutomaticCage cage, const CageRequest& request);
CagedCharacter in_automatic_cage(RiggedCharacter rigged, const CageRequest& request);

/// Beside the mesh that `file` is, a short rig file that names it; elsewhere, and for rig files, write_rig_file.
void write_cage_file(const std::filesystem::path& output, const std::filesystem::path& file,
                     const CagedCharacter& caged, const CageRequest& request);

}  // namespace rigspace
