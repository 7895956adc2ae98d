#pragma once
// What a garment must be before it can be simulated. Each throws Error in one sentence.

#include "rigspace/apps/clothing/simulate_cloth.h"

namespace rigspace {

/// Points and panels fit, no degenerate triangles, no duplicate points, no edge of more than two triangles.
void check_garment(const Garment& garment);

/// Near the body, and free of intersections with it (triangles marked `absent` aside) and, with `self`, with itself.
void check_start(const Garment& garment, const TriMesh& body, std::span<const char> absent, bool self);

}  // namespace rigspace
