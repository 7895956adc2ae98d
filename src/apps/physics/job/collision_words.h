#pragma once
// `--collide`: what parts run into, from words and files.

#include "rigspace/apps/physics/recipe.h"

#include <filesystem>
#include <string>
#include <vector>

namespace rigspace {

/// Names of files among the words, which stand in one folder, as seen from another. Throws Error for a file that does
/// not exist.
std::vector<std::string> colliders_seen_from(const std::vector<std::string>& words, const std::filesystem::path& folder,
                                             const std::filesystem::path& other);

/// All of them, along a clip of this name; the files are looked for from the folder. A file without such a clip stands
/// still.
Collisions collisions_of(const RecipeOptions& options, const std::string& clip, const std::filesystem::path& folder);

/// The content of the files, as a word.
std::string colliders_stamp(const std::vector<std::string>& words, const std::filesystem::path& folder);

}  // namespace rigspace
