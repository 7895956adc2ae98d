#include "rigspace/geometry/scene_unit.h"

#include <gtest/gtest.h>

namespace rigspace {
namespace {

/// Two points, so far apart along an axis.
Vec apart(double size, int axis) {
  Vec points = Vec::Zero(6);
  points[3 + axis] = size;
  return points;
}

TEST(SceneUnit, IsAMetreForSizesThatCharactersHave) {
  for (const double size : {0.2, 1.7, 10.0})
    for (int axis = 0; axis < 3; ++axis) {
      const SceneUnit unit = guess_metres_per_unit(apart(size, axis));
      EXPECT_EQ(unit.metres, 1);
      EXPECT_FALSE(unit.guessed);
      EXPECT_EQ(unit.size, size);
    }
}

TEST(SceneUnit, TakesOtherSizesForAPersons) {
  for (const double size : {1e-3, 0.19, 10.1, 170.0})
    for (int axis = 0; axis < 3; ++axis) {
      const SceneUnit unit = guess_metres_per_unit(apart(size, axis));
      EXPECT_DOUBLE_EQ(unit.metres * size, 1.7);
      EXPECT_TRUE(unit.guessed);
    }
}

TEST(SceneUnit, OfNothingIsAMetre) {
  EXPECT_EQ(guess_metres_per_unit(Vec()).metres, 1);
  EXPECT_EQ(guess_metres_per_unit(Vec::Zero(9)).metres, 1);
  EXPECT_TRUE(guess_metres_per_unit(Vec::Zero(9)).guessed);
}

}  // namespace
}  // namespace rigspace
