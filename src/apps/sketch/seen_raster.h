#pragma once
// Private to sketch: a surface drawn into a small picture of depths, and the lines in it where something stands out
// against what lies behind.

#include "rigspace/geometry/tri_mesh.h"
#include "rigspace/geometry/view_plane.h"

#include <algorithm>
#include <limits>
#include <span>
#include <vector>

namespace rigspace {

/// Depths of the nearest surface in square cells of the view plane. Cell (i, j) is number j * columns + i and covers
/// low + side * [i, i + 1] x [j, j + 1], j upwards.
struct SeenRaster {
  Vec2 low = Vec2::Zero();
  double side = 1;  ///< of a cell, view units
  int columns = 0, rows = 0;
  std::vector<float> depth;   ///< scene units from the eye along the view; infinite where nothing is seen
  std::vector<int> triangle;  ///< that is seen; -1: none

  Vec2 center(int cell) const {
    return low + side * Vec2(cell % columns + 0.5, static_cast<double>(cell / columns) + 0.5);
  }
};

/// A window around the surface as it is seen, whose longer side gets `cells` cells. `points`: flattened, scene.
SeenRaster framed_raster(In points, std::span<const Triangle> triangles, const ViewPlane& view, int cells);
/// Fills the depths of a window. Triangles that reach behind the eye are left out, and what lies beyond the window.
void draw_depths(In points, std::span<const Triangle> triangles, const ViewPlane& view, SeenRaster& raster);

/// Calls f(cell, side) for each side of a cell (0 to 3: right, up, left, down) beyond which nothing is seen, or
/// something that lies deeper by more than `step` (scene units) and by more than the surface's own slope explains.
template <class F>
void for_each_contour_side(const SeenRaster& raster, double step, F&& f) {
  constexpr float kNothing = std::numeric_limits<float>::infinity();
  constexpr float kSlope = 1.5f;  // times the slope on the near side: what a surface may fall behind by itself
  const int beside[4] = {1, raster.columns, -1, -raster.columns};
  for (int j = 1; j + 1 < raster.rows; ++j)
    for (int cell = j * raster.columns + 1; cell + 1 < (j + 1) * raster.columns; ++cell) {
      const float here = raster.depth[cell];
      if (here == kNothing) continue;
      for (int side = 0; side < 4; ++side) {
        const float there = raster.depth[cell + beside[side]], before = raster.depth[cell - beside[side]];
        if (there <= here + static_cast<float>(step)) continue;
        const float slope = before == kNothing ? 0 : std::max(0.0f, here - before);
        if (there == kNothing || there - here > static_cast<float>(step) + kSlope * slope) f(cell, side);
      }
    }
}

/// A line along which the cells to its left lie in front of those to its right.
struct RasterContour {
  std::vector<int> cells;  ///< to the left, in order, none twice in a row
  bool closed = false;
};

/// Lines along sides of cells (for_each_contour_side) that stand out by `high` at least somewhere and by `low`
/// everywhere, scene units. Where several go on, the one at the most similar depth does.
std::vector<RasterContour> raster_contours(const SeenRaster& raster, double low, double high);

}  // namespace rigspace
