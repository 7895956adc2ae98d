#pragma once
// Drawings of a part as people might make them, for training: its icon in other poses and shapes, seen from other
// places, with a hand that wobbles.

#include "rigspace/apps/sketch/part_descriptor.h"
#include "rigspace/rig/rig.h"

#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace rigspace {

/// A part and the curves that stand for it.
struct DrawnPart {
  struct Curve {
    int first_point = 0, point_count = 0;  ///< of the rig
    bool closed = false;
  };
  std::string name;
  std::shared_ptr<const Rig> rig;  ///< of the points of the curves
  std::vector<Curve> curves;
  std::vector<int> varied;  ///< controls of pose and shape, which have limits
};

/// The curves of a part in a pose, seen along -X (its left side) after a turn about Y, then about the level axis of the
/// picture; radians. Closed curves end where they began.
Drawing seen_drawing(const DrawnPart& part, In p, double turn, double tilt);

struct DrawingVariation {
  double pose = 0.75;    ///< of the way from rest to the limits, at most
  double turn = 0.40;    ///< radians to either side
  double tilt = 0.30;    ///< radians up and down
  double roll = 0.35;    ///< radians in the picture
  double wobble = 0.02;  ///< of the size, at most: root mean square
  double split = 0.3;    ///< probability that a stroke is drawn in two
  bool mirrored = true;  ///< half of them from the right side
};

/// The same seed gives the same drawings.
class DrawingGenerator {
 public:
  DrawingGenerator(const DrawnPart& part, std::uint32_t seed, const DrawingVariation& variation = {});
  Drawing next();

 private:
  double uniform(double low, double high);
  void wobble(double size, std::vector<Vec2>& stroke);

  const DrawnPart& part_;
  DrawingVariation variation_;
  std::mt19937 random_;
};

}  // namespace rigspace
