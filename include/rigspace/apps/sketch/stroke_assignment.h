#pragma once
// Which stroke stands for which curve, and in which direction, when strokes come in any order.

#include "rigspace/apps/sketch/stroke.h"

#include <span>
#include <vector>

namespace rigspace {

/// A curve of the abstraction as it is seen before the strokes.
struct SeenCurve {
  std::string name;
  std::vector<Vec2> points;  ///< view units
  bool closed = false;
  double longest = 0;  ///< view units: what it could measure at most, seen from the side
};

struct StrokeChoice {
  int curve = -1;  ///< -1: the stroke stands for none
  bool reversed = false;
};

struct RankedChoices {
  std::vector<StrokeChoice> choices;  ///< of each stroke
  double cost = 0;
};

/// The `most` cheapest ways to give strokes to curves, cheapest first; at least one. The first curve is the trunk.
/// Where a limb leaves the trunk, at which share of it and on which side, hardly depends on the pose; so for every
/// stroke that could be the trunk, in both directions, the others are assigned by where they begin relative to it, by
/// length (that of the bones is the most that a stroke can have) and by place. Strokes with a curve's name keep it.
/// Does not depend on the order of the strokes, nor on their direction. `size`: of the character, view units.
std::vector<RankedChoices> rank_assignments(std::span<const SeenCurve> curves, std::span<const Stroke> strokes,
                                            double size, int most);
/// The cheapest.
std::vector<StrokeChoice> assign_strokes(std::span<const SeenCurve> curves, std::span<const Stroke> strokes,
                                         double size);

/// Outlines whose strokes are the curves drawn anew, one for one: each stroke with the curve whose place and length are
/// most alike, in order along it. Empty where numbers, lengths or ends differ: drawn in other pieces.
std::vector<StrokePair> outline_pairs(std::span<const SeenCurve> curves, std::span<const Stroke> strokes, double size);

}  // namespace rigspace
