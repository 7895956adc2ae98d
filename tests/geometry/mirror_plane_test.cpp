#include "rigspace/geometry/mirror_plane.h"

#include <gtest/gtest.h>

#include <random>

namespace rigspace::mirror_plane_test {
namespace {

/// Random points on the side x > 2 and their images, a little off.
Vec twins(int pairs, double off) {
  std::mt19937 random(24);
  std::uniform_real_distribution<double> unit(0, 1);
  Vec points(6 * pairs);
  for (int k = 0; k < pairs; ++k) {
    const Vec3 x(2 + unit(random), 2 * unit(random), unit(random) * unit(random));
    points.segment<3>(6 * k) = x;
    points.segment<3>(6 * k + 3) = Vec3(4 - x.x(), x.y(), x.z()) + off * Vec3(unit(random), unit(random), unit(random));
  }
  points.segment<3>(0) = Vec3(3, 1, 0.5), points.segment<3>(3) = Vec3(1, 1, 0.5);  // the ends of the box
  return points;
}

TEST(MirrorPlane, IsFoundAcrossTheMiddle) {
  const auto plane = find_mirror_plane(twins(300, 0.002));
  ASSERT_TRUE(plane);
  EXPECT_EQ(plane->axis, 0);
  EXPECT_NEAR(plane->at, 2, 0.005);
}

TEST(MirrorPlane, IsNotFoundWhereThereIsNone) { EXPECT_FALSE(find_mirror_plane(twins(300, 0.3))); }

TEST(MirrorPlane, LeadsToThePointAcross) {
  const Vec points = twins(300, 0.002);
  const MirrorPlane plane{0, 2};
  for (const int k : {0, 7, 100}) {
    EXPECT_EQ(nearest_to_image(points, plane, point(points, 2 * k)), 2 * k + 1);
    EXPECT_EQ(nearest_to_image(points, plane, point(points, 2 * k + 1)), 2 * k);
  }
  EXPECT_EQ(nearest_to_image(points, plane, Vec3(9, 9, 9)), -1);
}

}  // namespace
}  // namespace rigspace::mirror_plane_test
