#pragma once
// Makes the solids and soft joints of a character's parts. Parts without joints of their own (bellies, cheeks) get soft
// joints at the places of the volume around the skeleton that explain its lowest vibration modes.

#include "rigspace/anim/soft_joints.h"
#include "rigspace/base/progress.h"
#include "rigspace/parts/flesh.h"
#include "rigspace/parts/part.h"

#include <string>
#include <vector>

namespace rigspace {

/// What chains of joints are simulated as.
enum class ChainForm : char {
  rods,       ///< springs on their joints, mass from the skin
  solids,     ///< the volume of their skin, where it has any inside
  automatic,  ///< solids where they are round and thick, an eighth of their length or more; rods elsewhere
};

struct SoftenOptions {
  int max_joints = 24;  ///< of all parts together
  int max_per_part = 8;
  int max_influences = 4;  ///< of a point
  bool morphs = false;     ///< for morph targets: joints only shift, and a point may follow any number of them
  double muted_tolerance =
      5e-4;  ///< share of the size: largest displacement of a point by soft joints at rest (soft_form.h)
  double hold_ratio = 0.45;          ///< nodes nearer to a bone than this share of the way from bone to skin are held
  double least_thickness = 0.02;     ///< share of the character's size: thinner regions get no flesh
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
  std::vector<Part> parts;         ///< with their flesh; found parts that are too thin for any are left out
  std::vector<std::string> notes;  ///< one sentence each
};

/// Makes the solid and the soft joints of every part with a flesh preset, the chains of joints of sheets, and the
/// solids of chains as options.chains selects. Throws Error for a named part that is too thin.
Softened soften(const Character& character, std::vector<Part> parts, const SoftenOptions& options = {});

/// The character with a bone for every joint that a skin or a rigid piece follows: solids are held by bones.
Character with_all_bones(Character character);

/// The part with a solid: the region of the character's proxy (or, without one, of its surface) that its controls move,
/// filled with tetrahedra; nodes that the controls do not move are held. Throws Error if the controls move nothing, or
/// nothing that encloses a volume.
Part with_solid(const Character& character, Part part, const SoftenOptions& options = {});

}  // namespace rigspace
