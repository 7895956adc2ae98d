#pragma once
// The files that characters are read from, as one table. A new format is a row of it in src/io/formats.cpp.

#include "rigspace/anim/character.h"

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rigspace {

struct CharacterFormat {
  std::vector<std::string_view> endings;  ///< of file names, lower case, with their dot: ".rig.json"
  std::string_view description;           ///< for lists: "a motion capture file"
  Character (*load)(const std::filesystem::path&);
};

/// In the order in which messages list them. No ending is the ending of another.
std::span<const CharacterFormat> character_formats();

/// The format that the file's name stands for, in capitals or not; nullptr if none does. Nothing is opened.
const CharacterFormat* format_of(const std::filesystem::path& path);
inline bool is_character_file(const std::filesystem::path& path) { return format_of(path) != nullptr; }

/// All endings for a message: ".glb, .gltf, .vrm, .bvh, .rig.json, .blend and .fbx", or with another last word.
std::string character_endings(std::string_view last_word = "and");

/// The same as format_of; throws Error, listing the endings, where there is none.
const CharacterFormat& require_format_of(const std::filesystem::path& path);

/// A character from any file that this program reads, by the ending of its name.
Character load_character(const std::filesystem::path& path);

}  // namespace rigspace
