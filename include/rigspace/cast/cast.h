#pragma once
// Characters that come with the library, made in code: no files, no downloads, the same bits every time.

#include "rigspace/anim/character.h"

#include <span>
#include <string_view>

namespace rigspace {

struct CastMember {
  std::string_view name;         ///< what make_character takes
  std::string_view description;  ///< one line, for lists
};

std::span<const CastMember> cast();

/// A character in metres, Y up, facing +Z, feet on y = 0; its rig is a BuiltInRig of glTF nodes. Throws Error, naming
/// the cast, if there is none of this name.
Character make_character(std::string_view name);

}  // namespace rigspace
