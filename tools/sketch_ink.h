#pragma once
// Strokes in pictures.

#include "rigspace/geometry/view_plane.h"
#include "rigspace/render/picture.h"

#include <vector>

namespace rigspace::tools {

struct Ink {
  Color8 color;
  double width;  ///< pixels
};
constexpr Ink kDrawn{{200, 30, 30}, 3}, kSeen{{30, 90, 200}, 2};

/// A line with round ends, smooth at its edges; points in view units of the picture.
void draw_stroke(Picture& onto, const std::vector<Vec2>& points, bool closed, const Ink& ink);

}  // namespace rigspace::tools
