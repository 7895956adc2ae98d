#pragma once
// Rows of `bench blender` that Blender itself measures, with the add-on and without.

#include "bench.h"
#include "blender_studio.h"

#include <vector>

namespace rigspace::bench {

/// Whether one of the scenes of these rows is wanted.
bool wanted_in_blender(const BenchOptions& options);

/// The add-on's live preview on the Rigify human and on a quadruped of 46 joints. A row is ok at 24 frames a second and
/// a difference from the result of 15 % of its motion, r.m.s.
std::vector<Row> preview_rows(const BlenderStudio& studio, const BenchOptions& options);

/// The human's shot played, with Blender's soft body, and with spring bones in Python. Empty where Blender fails.
std::vector<Row> peer_rows(const BlenderStudio& studio, const BenchOptions& options);

}  // namespace rigspace::bench
