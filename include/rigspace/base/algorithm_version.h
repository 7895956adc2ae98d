#pragma once
// The version of what is computed, as against that of the program.

namespace rigspace {

/// Part of every key of the cache, beside the inputs: a copy or another build of the program reads what this one kept.
/// To be raised with every change after which the same inputs give another result (training, tuning, meshing), and with
/// every change of what an entry holds.
inline constexpr int kAlgorithmVersion = 3;

}  // namespace rigspace
