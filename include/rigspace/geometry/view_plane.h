#pragma once
// From scene space to the plane of a picture, with derivatives, and back along rays.

#include "rigspace/base/types.h"
#include "rigspace/geometry/camera.h"

namespace rigspace {

using Vec2 = Eigen::Vector2d;
using Mat2 = Eigen::Matrix2d;

/// View units: (0, 0) is the centre of the picture, v = 1 its upper and v = -1 its lower edge, u to the right. They do
/// not depend on the number of pixels.
class ViewPlane {
 public:
  explicit ViewPlane(const Camera& camera);

  /// z(x). Of a perspective view only where depth(x) > 0.
  Vec2 project(const Vec3& x) const;
  /// Distance from the eye along the view, scene units.
  double depth(const Vec3& x) const { return forward_.dot(x - eye_); }
  /// dz/dx.
  Eigen::Matrix<double, 2, 3> jacobian(const Vec3& x) const;
  /// sum_k g_k d2 z_k / dx2.
  Mat3 curvature(const Vec3& x, const Vec2& g) const;

  bool perspective() const { return perspective_; }
  /// View units per scene unit for what lies across the view at x.
  double scale(const Vec3& x) const { return perspective_ ? factor_ / depth(x) : factor_; }
  /// Unit vector along the view at x: away from the eye.
  Vec3 direction(const Vec3& x) const;
  /// The ray of a place in view units. The origin of a perspective ray is the eye; others start in the eye's plane.
  Vec3 ray_origin(const Vec2& z) const;
  Vec3 ray_direction(const Vec2& z) const;

 private:
  Vec3 eye_, right_, up_, forward_;
  bool perspective_;
  double factor_;  // perspective: 1 / tan(fov / 2); orthographic: 2 / height
};

/// Between view units and pixels from the top left corner of a picture.
Vec2 view_from_pixels(const Vec2& pixel, int width, int height);
Vec2 pixels_from_view(const Vec2& z, int width, int height);

}  // namespace rigspace
