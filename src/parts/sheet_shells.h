#pragma once
// Private to parts: the connected shells of a character's surface, and the bones that they follow.

#include "rigspace/anim/character.h"
#include "rigspace/rig/built_in_rig.h"

#include <map>
#include <vector>

namespace rigspace {

/// Points of the surface, what carries them and how they hang together.
struct Shells {
  TriMesh mesh;             ///< at rest, welded
  std::vector<int> welded;  ///< of each point of the rig, its point of the mesh
  Components components;
  std::vector<int> bone;    ///< of each point of the rig: the bone that holds it most; -1: none, or clips move it
  std::vector<char> rigid;  ///< of each point of the rig: that bone has nearly all its weight in a linear skin
  std::vector<int> piece;   ///< of each point of the rig
  std::vector<int> bone_of_triangle;  ///< of the mesh: the bone that holds all corners most, -1: several
  double height = 0;                  ///< scene units
  double hard_share = 0;              ///< of the area: in shells that follow one bone each
};

Shells shells_of(const Character& character, const BuiltInRig& rig);

/// Shells that follow one bone, all of them, as lists of the rig's points.
std::map<int, std::vector<int>> rigid_shells(const Shells& shells);

/// The mesh without points that no triangle uses.
TriMesh without_unused_points(const TriMesh& mesh);

}  // namespace rigspace
