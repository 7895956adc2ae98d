#include "rigspace/geometry/view_plane.h"

#include <gtest/gtest.h>

namespace rigspace {
namespace {

Camera slanted(double height) {
  return {.eye = Vec3(1, 2, 4), .target = Vec3(0.2, 0.9, -0.1), .fov = 40 * kDegree, .height = height};
}

const Vec3 kPoint(0.4, 1.3, 0.6);

class EitherCamera : public ::testing::TestWithParam<double> {
 protected:
  Camera camera = slanted(GetParam());
  ViewPlane view{camera};
};

TEST_P(EitherCamera, DerivativesEqualDifferences) {
  const double h = 1e-5;
  const Vec2 g(0.7, -1.1);
  Eigen::Matrix<double, 2, 3> J;
  Mat3 H;
  for (int k = 0; k < 3; ++k) {
    const Vec3 e = h * Vec3::Unit(k);
    J.col(k) = (view.project(kPoint + e) - view.project(kPoint - e)) / (2 * h);
    H.col(k) = (view.jacobian(kPoint + e) - view.jacobian(kPoint - e)).transpose() * g / (2 * h);
  }
  EXPECT_LT((J - view.jacobian(kPoint)).norm(), 1e-8);
  EXPECT_LT((H - view.curvature(kPoint, g)).norm(), 1e-8);
}

TEST_P(EitherCamera, ARayGoesThroughThePointThatIsSeenThere) {
  const Vec2 z = view.project(kPoint);
  const Vec3 from = view.ray_origin(z), along = view.ray_direction(z);
  EXPECT_LT((kPoint - from).cross(along).norm(), 1e-12);
  EXPECT_LT(along.cross(view.direction(kPoint)).norm(), 1e-12);
}

INSTANTIATE_TEST_SUITE_P(, EitherCamera, ::testing::Values(0.0, 2.5));

TEST(ViewPlane, AgreesWithTheCameraInPixels) {
  const Camera camera = slanted(0);
  const Vec3 pixel = camera.project(kPoint, 640, 480);
  const Vec2 z = ViewPlane(camera).project(kPoint);
  EXPECT_LT((pixels_from_view(z, 640, 480) - pixel.head<2>()).norm(), 1e-9);
  EXPECT_LT((view_from_pixels(pixel.head<2>(), 640, 480) - z).norm(), 1e-12);
  EXPECT_NEAR(ViewPlane(camera).depth(kPoint), pixel.z(), 1e-12);
}

TEST(ViewPlane, AFarCameraShowsAnOrthographicPicture) {
  const Camera camera = slanted(2.5);
  EXPECT_LT((ViewPlane(camera.as_perspective()).project(kPoint) - ViewPlane(camera).project(kPoint)).norm(), 0.01);
}

}  // namespace
}  // namespace rigspace
