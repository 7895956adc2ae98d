#pragma once
// Private to physics: one system of parts is tuned on one clip of a character, with an eye on its other loops.

#include "run/part_system.h"

namespace rigspace {

/// Finds the settings of a system's parts on `motion`, a clip of the character. Its other loops count in two
/// things: chains of what swims are quicker than its usual stroke, since a slower one would swing against the stroke;
/// and TunedPart::gain is lowered where the wildest loops swing less than it expects. A rig in another process is tuned
/// on `motion` alone. Throws Cancelled.
void tune_system(PartSystem& system, const Character& character, const KeyedMotion& motion,
                 const SimulationOptions& options, const ProgressCallback& progress);

}  // namespace rigspace
