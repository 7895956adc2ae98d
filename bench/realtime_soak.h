#pragma once
// A long play with random input: frames of any length, other clips, cuts, snaps, levels, numbers that no clip has.

#include "bench.h"
#include "realtime_play.h"

namespace rigspace::bench {

inline constexpr std::string_view kSoakScene = "soak: random input";

/// `seconds`: of the game, divided among the characters.
Row soak_row(const std::vector<const RealtimePlay*>& plays, double seconds);

}  // namespace rigspace::bench
