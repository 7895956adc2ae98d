#pragma once
// `--collide`: what parts collide with, from words and files.

#include "rigspace/apps/physics/recipe.h"

#include <filesystem>
#include <string>
#include <vector>

namespace rigspace {

/// The words, with paths of files relative to `folder` rewritten relative to `other`. Throws Error for a file that does
/// not exist.
std::vector<std::string> colliders_seen_from(const std::vector<std::string>& words, const std::filesystem::path& folder,
                                             const std::filesystem::path& other);

/// The collisions of options.collide. Characters from files, with paths relative to `folder`, move along their clip of
/// this name; without such a clip they stand still.
Collisions collisions_of(const RecipeOptions& options, const std::string& clip, const std::filesystem::path& folder);

/// A hash of the content of the files among the words.
std::string colliders_stamp(const std::vector<std::string>& words, const std::filesystem::path& folder);

}  // namespace rigspace
