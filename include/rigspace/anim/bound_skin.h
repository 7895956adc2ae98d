#pragma once
// The skin of a rig in another process (docs/process-rigs.md), where the process gives it: for finding parts.

#include "rigspace/anim/character.h"

#include <map>
#include <memory>
#include <string>

namespace rigspace {

/// Kept with a character whose rig is known by its points alone: the same surface bound to joints, with a few moments
/// of its clips. It is never simulated.
struct BoundSkin final : CharacterExtension {
  std::shared_ptr<const Character> character;
  std::map<std::string, std::string> held;  ///< joints that the rig itself turns, and by what: "is turned by .."
};

inline constexpr const char* kBoundSkin = "skin of another process";

/// Null for all other characters.
inline const BoundSkin* bound_skin(const Character& character) {
  const auto found = character.extensions.find(kBoundSkin);
  return found == character.extensions.end() ? nullptr : dynamic_cast<const BoundSkin*>(found->second.get());
}

}  // namespace rigspace
