#pragma once
// A drawing as a short list of numbers, so that drawings of one thing lie close together (after Eitz et al. 2012, who
// count orientations in cells; Thesis 5.3.2).

#include "rigspace/geometry/view_plane.h"

#include <vector>

namespace rigspace {

/// Strokes in any order and direction; any unit, y up.
using Drawing = std::vector<std::vector<Vec2>>;

/// How many numbers describe_drawing returns.
int drawing_descriptor_size();

/// Independent of position, size, order, direction and of where strokes are split; changes little with wobble, and
/// where lines are drawn over again:
///   - how much line lies in each cell of a grid around the middle, by orientation: 5 x 5 cells, 4 orientations;
///   - the same by distance and angle around the middle, as sizes of Fourier terms: independent of rotation;
///   - distances between pairs of points, by how their tangents are turned against each other;
///   - how far the line turns within a quarter and a half of the drawing's radius;
///   - how long the principal axes are, and how much line there is for the size.
/// Throws Error if there is no stroke with a length, or a coordinate is not finite.
Vec describe_drawing(const Drawing& drawing);

}  // namespace rigspace
