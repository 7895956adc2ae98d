#pragma once
// Which joints of two characters belong together, and how lattices of the same cells map onto each other.

#include "rigspace/apps/forces/force_body.h"

#include <map>
#include <string>

namespace rigspace {

using JointNames = std::map<std::string, std::string>;

/// -1: there is none. Empty names: the joint of the same name.
inline int counterpart(const JointNames& joints, const std::string& joint, const ForceSkeleton& to) {
  if (joints.empty()) return to.find(joint);
  const auto found = joints.find(joint);
  return found == joints.end() ? -1 : to.find(found->second);
}

/// At each vertex the linear map (29) that fits its edges best.
std::vector<Mat3> affine_maps(const HexLattice& from, const HexLattice& to);

/// The lattice's outside as triangles.
TriMesh outside_of(const HexLattice& lattice);

}  // namespace rigspace
