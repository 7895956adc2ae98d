#pragma once
// A character as an elastic body in a lattice that its skeleton carries (PBR 3).

#include "rigspace/anim/character.h"
#include "rigspace/apps/forces/belt.h"
#include "rigspace/apps/forces/blended_frames.h"
#include "rigspace/apps/forces/lattice_levels.h"
#include "rigspace/energy/lattice_solid.h"
#include "rigspace/geometry/cover_lattice.h"
#include "rigspace/rig/graph.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace rigspace {

/// The joints that hold a character's skin, and lines for its bones.
struct ForceSkeleton {
  struct Bone {
    int joint;
    BoneLine line;  ///< what of it is inside the body, at rest
  };
  std::shared_ptr<const ControlGraph> graph;
  std::vector<int> slots;                    ///< of each joint's transform in the graph
  std::vector<Affine> inverse_rest;          ///< of each joint
  std::vector<std::string> names;            ///< of joints
  std::vector<Bone> bones;                   ///< by joint, those with a child for each child; none for joints outside
  std::vector<std::vector<Influence>> skin;  ///< of each point of the rig; empty where no joint holds it

  int joint_count() const { return static_cast<int>(slots.size()); }
  int find(std::string_view joint) const;  ///< -1: none of this name
  /// C_k = world_k(u) world_k(rest)^-1 from the graph's slots.
  void transforms(In u, std::vector<Affine>& C) const;
};

/// Throws Error for a rig that no joints carry, and where more than half of the length of the bones lies outside.
ForceSkeleton force_skeleton(const Character& character, const WindingTree& winding);

/// Their names, in the skeleton's order.
std::vector<std::string> joints_of_skin(const Character& character);

struct ForceBodyOptions {
  CoverOptions cover;
  SampleOptions samples;
  Material material{.young = 3e4, .poisson = 0.4};  ///< young matters in motion only: forces are given relative to it
  double density = 1000;                            ///< kg/m^3
  double twist = 1;           ///< stiffness of flesh toward its bone, in young / radius^2; 0: bones are lines
  double twist_radius = 1.0;  ///< in which bones hold flesh, in edges of a cell
  double unit = 0;            ///< metres per scene unit; 0: guessed
  std::vector<BeltPlan> belts = {};

  void validate() const;
};

struct ForceBody {
  ForceBodyOptions options;
  ForceSkeleton skeleton;
  LatticeElements elements;                                    ///< in scene units
  HexEmbedding surface;                                        ///< all points of the rig
  Vec points_rest;                                             ///< of the rig, flattened
  std::vector<Triangle> triangles;                             ///< of all drawn pieces
  std::vector<HeldVertex> held;                                ///< vertices that move with a joint (`bone`), ascending
  std::vector<std::vector<Influence>> vertex_rows, cell_rows;  ///< joints of vertices, and of cells
  double cell = 0;                                             ///< edge of a cell of level 0, scene units
  LatticeLevels levels;                                        ///< empty where no cell is split
  std::vector<Belt> belts;

  int vertex_count() const { return elements.vertex_count(); }
  /// Vertices that neither a bone holds nor others: a third of the unknowns.
  int free_count() const { return vertex_count() - static_cast<int>(held.size() + levels.hanging.size()); }
  /// Density for which masses go with scene units as `material` does: kg / m^3 * (m / unit)^2.
  double scaled_density() const { return options.density * options.unit * options.unit; }
  /// 1 for the three coordinates of vertices that are held, and of those that hang on others.
  std::vector<char> held_mask() const;
  std::vector<LatticeTwist::Bone> twist_bones() const;
};

/// A lattice of its own: vertices, cells, and which vertices a joint holds (`bone` counts the skeleton's joints).
struct GivenLattice {
  HexLattice lattice;
  std::vector<HeldVertex> held;
  double cell = 0;  ///< edge of a cell, scene units: what radii are counted in; 0: the mean of all edges
};

/// Covers the character at rest with a lattice, or takes the given one, which must contain the surface. Throws Error.
ForceBody make_force_body(const Character& character, ForceBodyOptions options = {},
                          const std::optional<GivenLattice>& given = {});

}  // namespace rigspace
