#pragma once
// Private to posing: which bones hold points, and which controls a pull may turn.

#include "rigspace/anim/character.h"

#include <functional>
#include <span>
#include <vector>

namespace rigspace {

/// Throws Error for a point that the rig does not have. `name`: of the character.
void require_points(std::span<const int> points, const Rig& rig, const std::string& name);

/// Of each point the bone that holds it most; -1 for points that no skin holds; none for rigs without a known skin.
std::vector<int> main_bones(const Character& character);

/// RigBodyOptions::apart of a character with a skeleton; none of others. `bones`: main_bones.
std::function<bool(int, int)> apart_in(const Character& character, std::vector<int> bones);

/// posable_controls (pose.h) with main_bones given.
std::vector<int> posable_with(const Character& character, std::span<const int> bones, In p, bool points_are_held,
                              std::span<const int> points);

/// The controls that move a point of the rig at p. Others would be determined only by the solver's weak springs.
std::vector<int> effective(const Rig& rig, In p, const std::vector<int>& controls);

}  // namespace rigspace
