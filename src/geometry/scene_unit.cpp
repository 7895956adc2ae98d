#include "rigspace/geometry/scene_unit.h"

#include "rigspace/geometry/tri_mesh.h"

#include <cmath>

namespace rigspace {

SceneUnit guess_metres_per_unit(In points) {
  return guess_metres_per_unit(bounding_box(points).size().maxCoeff());
}

SceneUnit guess_metres_per_unit(double size) {
  constexpr double kSmallest = 0.2, kLargest = 10, kPerson = 1.7;  // m
  SceneUnit unit{.size = size};
  unit.guessed = !(unit.size >= kSmallest && unit.size <= kLargest);
  if (unit.guessed && unit.size > 0 && std::isfinite(kPerson / unit.size)) unit.metres = kPerson / unit.size;
  return unit;
}

}  // namespace rigspace
