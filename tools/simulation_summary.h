#pragma once
// A run in words, and in JSON.

#include "rigspace/apps/physics/recipe.h"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace rigspace::tools {

/// Each part with its joints and what its preset means.
/// "1.8 Hz, settles in 1.1 s, amount 1: moves by 5.2 % of its size, most 5.3 % of its size".
std::string report_in_words(const PartReport& report);

std::string parts_in_words(const Recipe& recipe);

/// Loop and seam, and each part's rate, settling time and swing, the largest with its frame.
std::string clip_in_words(const Recipe& recipe, const RecipeClip& clip);

/// What to add if it is too much, or too little.
std::string advice(const Recipe& recipe, const std::filesystem::path& file);

nlohmann::ordered_json clip_json(const Recipe& recipe, const RecipeClip& clip);

}  // namespace rigspace::tools
