#pragma once
// The volume of a part: tetrahedra, and how their nodes are tied to the surface and the bones of a character.

#include "rigspace/geometry/tet_mesh.h"

#include <utility>
#include <vector>

namespace rigspace {

/// How a node of flesh moves.
enum class FleshNode : char {
  held,      ///< near the skeleton, or where the part ends: follows the animation
  interior,  ///< free
  skin,      ///< a weighted sum of points of the surface (Flesh::on_surface), or of bones where it lies off the surface
};

/// The solid of one part, at the rest pose, in scene space. Plain data: an application makes it (`soften` and
/// with_solid of physics) and simulates it.
struct Flesh {
  TetMesh mesh;
  std::vector<FleshNode> nodes;  ///< one per node of the mesh
  /// Per node: pairs of a point of the rig and its weight, for nodes on the surface; empty for all others.
  std::vector<std::vector<std::pair<int, double>>> on_surface;
  /// Per node: pairs of a bone, into the bones of the character with soft joints, and its weight. The weights sum to 1.
  std::vector<std::vector<std::pair<int, double>>> bones;
  std::vector<int> joints;           ///< that move the skin: into the bones of the character with soft joints
  std::vector<int> controls = {};    ///< of the rig, that move the skin in place of soft joints
  std::vector<double> factors = {};  ///< on the stiffness, one per tetrahedron; empty: 1
  bool turns = true;                 ///< whether the joints rotate; they always translate
  double size = 0;                   ///< scene units: the largest extent of the nodes that are not held
  double thickness = 0;              ///< scene units: the largest distance of a skin node from the nearest held node
  double chain_length = 0;           ///< scene units, from root to tip, of a chain of joints; 0: no chain
  std::vector<double> depths = {};   ///< of a chain, one per tetrahedron: 0 at its root, 1 at its tip
};

}  // namespace rigspace
