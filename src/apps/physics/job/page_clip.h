#pragma once
// Private to physics: what the page of a result shows of a clip besides its curves.

#include "rigspace/apps/physics/recipe.h"
#include "rigspace/pages/soft_page.h"

#include <filesystem>
#include <string>

namespace rigspace {

/// The pair of a clip without its parts: names, loop or once and why, its gap, its largest deviation. `played` is a
/// character that can play both clips; the deviation is measured at the moments at which its parts deviate most, and is
/// left out where a clip is missing (null).
SoftPair page_pair(const RecipeClip& made, const Character& played, const Animation* base, const Animation* soft);

/// The amount of a part as it is set for a clip of the recipe.
SoftPageAmount page_amount(const RecipePart& part, const RecipeClip& made);

/// `rigspace rerun hero.soft.json`, to be run in the folder of the result; empty without a recipe.
std::string rerun_command(const Recipe& recipe, const std::filesystem::path& file);

}  // namespace rigspace
