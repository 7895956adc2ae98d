#pragma once
// Paths of cameras as people write them:
//
//   {"spline": "catmull_rom", "speed": "keys", "keys": [{"time": 0, "eye": [0, 1, 4], "target": [0, 1, 0], "fov": 28}]}
//
// `spline`: linear, catmull_rom (if left out), kochanek_bartels, natural or bspline; `speed`: keys (if left out) or
// constant. Angles in degrees; `fov` is 28 if left out; keys of kochanek_bartels may have tension, continuity, bias.

#include "rigspace/anim/view_path.h"

#include <filesystem>
#include <string>

namespace rigspace {

/// Throws Error naming file, line and field.
ViewPath read_view_path(const std::filesystem::path& path);
/// The same from memory; `name` stands for the file in messages.
ViewPath parse_view_path(std::string text, const std::string& name);

}  // namespace rigspace
