#pragma once
// Polylines in a picture: what was drawn, and places on it by shares of its length.

#include "rigspace/geometry/view_plane.h"

#include <vector>

namespace rigspace {

/// What was drawn: a polyline in view units. `nearest` pairs its points themselves, so they should lie densely.
struct DrawnCurve {
  std::vector<Vec2> points;
  bool closed = false;

  double length() const;
};

/// Shares of the length of a polyline up to each of its points, 0 to 1; evenly spread if it has no length. A closed one
/// has one entry more, 1.
std::vector<double> length_shares(const std::vector<Vec2>& points, bool closed);
/// The place at a share of the length, given length_shares.
Vec2 at_share(const std::vector<Vec2>& points, const std::vector<double>& shares, double share);
/// Unit tangents, zero where a polyline does not move.
std::vector<Vec2> tangents(const std::vector<Vec2>& points, bool closed);

}  // namespace rigspace
