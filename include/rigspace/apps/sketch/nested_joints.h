#pragma once
// Skins whose joints are all siblings (hands of head-mounted displays, captured motion): a joint there carries no
// other, so no chain can bend. The hierarchy is found from names and places, posed, and translated back.

#include "rigspace/anim/character.h"

#include <optional>
#include <vector>

namespace rigspace {

/// The same character with joints that carry each other: the same surface, bones in the same order and controls of the
/// same names, in another order. A pose of one is a pose of the other, unless joints are scaled.
struct NestedCharacter {
  Character character;
  std::vector<int> control_of;  ///< of each of the original's controls: that of the same name in `character`

  Vec to_nested(const Character& original, In p) const;
  Vec to_original(const Character& original, In p) const;
};

/// Of each bone the one that should carry it, -1 for one of them: bones whose names begin alike (index-finger-..,
/// thumb-..) make a chain from the member nearest to the root; without such names the nearest bone carries.
std::vector<int> likely_parents(const std::vector<std::string>& names, const std::vector<Vec3>& joints);

/// Empty unless at least four bones are all without a parent, and nodes and linear skins are all that the rig has.
std::optional<NestedCharacter> nest_joints(const Character& character);

}  // namespace rigspace
