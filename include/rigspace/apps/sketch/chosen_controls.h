#pragma once
// Patterns of an artist for the controls that a drawing may turn.

#include "rigspace/rig/rig.h"

#include <span>
#include <string>
#include <vector>

namespace rigspace {

/// The controls, ascending, that `free` names and `keep` does not; without `free` all angles. Empty if neither is
/// given: all that move the abstraction (SketchControlOptions). Orientations that clips set are never among them.
/// Throws Error if no control is left.
std::vector<int> chosen_controls(const Rig& rig, std::span<const std::string> free, std::span<const std::string> keep);

}  // namespace rigspace
