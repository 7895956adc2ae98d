#pragma once
// Flesh: parts without joints of their own (bellies, cheeks) get soft joints, where the volume around the held skeleton
// gives way most easily: at the places that explain its lowest vibrations.

#include "rigspace/anim/soft_joints.h"
#include "rigspace/base/progress.h"
#include "rigspace/geometry/tet_mesh.h"
#include "rigspace/parts/part.h"

#include <string>
#include <vector>

namespace rigspace {

/// A node of flesh: how it is tied to the character.
enum class FleshNode : char {
  held,      ///< at the skeleton, or where the part ends: follows the animation
  interior,  ///< free
  skin,      ///< on the surface: b = B s(p), or skinned itself where the body departs from the surface
};

/// The solid of one part, at the rest pose, in scene space.
struct Flesh {
  TetMesh mesh;
  std::vector<FleshNode> nodes;
  /// Of nodes on the surface, its points and their weights; empty lists for all others.
  std::vector<std::vector<std::pair<int, double>>> on_surface;
  /// Of each node, the bones of the softened character that hold it, and their weights, which sum to 1.
  std::vector<std::vector<std::pair<int, double>>> bones;
  std::vector<int> joints;           ///< soft ones, into the softened character's bones
  std::vector<int> controls = {};    ///< of the rig, in place of soft joints: those that move the skin themselves
  std::vector<double> factors = {};  ///< on the stiffness of each tet; 1 if empty (part_stiffness.h)
  bool turns = true;                 ///< the joints turn as well as shift
  double size = 0;                   ///< scene units: the largest extent of what is soft
  double thickness = 0;              ///< scene units: how far its skin is from what is held
  /// Of a chain of joints with flesh on them: `joints` and `controls` are its own.
  double chain_length = 0;          ///< scene units, from root to tip; 0: no chain
  std::vector<double> depths = {};  ///< per tet: 0 at the chain's root, 1 at its tip
};

/// What chains of joints are simulated as.
enum class ChainForm : char {
  rods,       ///< springs on their joints, mass from the skin
  solids,     ///< the volume of their skin, where it has any inside
  automatic,  ///< solids where they are round and thick, an eighth of their length or more; rods elsewhere
};

struct SoftenOptions {
  int max_joints = 24;  ///< of all parts together
  int max_per_part = 8;
  int max_influences = 4;         ///< of a point
  bool morphs = false;            ///< for morph targets: joints only shift, and a point may follow any number of them
  double muted_tolerance = 5e-4;  ///< of the size: how far soft joints, muted, may take a point (soft_form.h)
  double hold_ratio = 0.45;       ///< flesh nearer to a bone than this part of its way to the skin is held
  double least_thickness = 0.02;  ///< of the character's size: what is thinner has no flesh
  std::vector<std::string> protect;  ///< patterns of joints whose skin never moves, beside feet, hands, props
  ChainForm chains = ChainForm::rods;
  bool use_cache = false;  ///< bodies from the cache, and into it
  ProgressCallback progress;

  void validate() const;
};

struct Softened {
  Character character;             ///< with the soft joints
  SoftJoints joints;               ///< what was added, for files
  bool morphs = false;             ///< see SoftenOptions
  std::vector<Part> parts;         ///< with their flesh; found parts without room for any are left out
  std::vector<std::string> notes;  ///< one sentence each
};

/// Gives every part with a flesh preset its solid and its soft joints, sheets their chains of joints, and chains their
/// solids where that is asked for. Throws Error for a named part that has no room.
Softened soften(const Character& character, std::vector<Part> parts, const SoftenOptions& options = {});

/// The character with a bone for every joint that a skin or a rigid piece follows: solids are held by bones.
Character with_all_bones(Character character);

/// The part with a solid: what its controls move of the character's proxy, or of its surface where it has none, filled,
/// and held where they do not reach. Throws Error if they move nothing, or nothing that has an inside.
Part with_solid(const Character& character, Part part, const SoftenOptions& options = {});

}  // namespace rigspace
