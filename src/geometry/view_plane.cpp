#include "rigspace/geometry/view_plane.h"

#include <cmath>

namespace rigspace {

ViewPlane::ViewPlane(const Camera& camera) : eye_(camera.eye), perspective_(camera.height <= 0) {
  const Mat3 axes = camera.axes();
  right_ = axes.col(0), up_ = axes.col(1), forward_ = -axes.col(2);
  factor_ = perspective_ ? 1 / std::tan(0.5 * camera.fov) : 2 / camera.height;
}

Vec2 ViewPlane::project(const Vec3& x) const {
  const Vec3 d = x - eye_;
  return Vec2(right_.dot(d), up_.dot(d)) * scale(x);
}

// With a = r.(x - eye), d = depth:  u = f a / d,  du/dx = f/d (r - a/d w),  w the forward direction.
Eigen::Matrix<double, 2, 3> ViewPlane::jacobian(const Vec3& x) const {
  Eigen::Matrix<double, 2, 3> J;
  J << right_.transpose(), up_.transpose();
  if (perspective_) {
    const Vec3 d = x - eye_;
    const double depth = forward_.dot(d);
    J -= Vec2(right_.dot(d), up_.dot(d)) / depth * forward_.transpose();
  }
  return scale(x) * J;
}

// d2u/dx2 = f ( -(r w^T + w r^T) / d^2 + 2 a w w^T / d^3 ), and likewise for v.
Mat3 ViewPlane::curvature(const Vec3& x, const Vec2& g) const {
  if (!perspective_) return Mat3::Zero();
  const Vec3 d = x - eye_;
  const double depth = forward_.dot(d);
  const Vec3 s = g.x() * right_ + g.y() * up_;
  const Mat3 sw = s * forward_.transpose();
  return factor_ / (depth * depth) * (-sw - sw.transpose() + 2 * s.dot(d) / depth * forward_ * forward_.transpose());
}

Vec3 ViewPlane::direction(const Vec3& x) const { return perspective_ ? Vec3((x - eye_).normalized()) : forward_; }

Vec3 ViewPlane::ray_origin(const Vec2& z) const {
  return perspective_ ? eye_ : Vec3(eye_ + (z.x() * right_ + z.y() * up_) / factor_);
}

Vec3 ViewPlane::ray_direction(const Vec2& z) const {
  return perspective_ ? Vec3((forward_ + (z.x() * right_ + z.y() * up_) / factor_).normalized()) : forward_;
}

Vec2 view_from_pixels(const Vec2& pixel, int width, int height) {
  return Vec2(2 * pixel.x() - width, height - 2 * pixel.y()) / height;
}

Vec2 pixels_from_view(const Vec2& z, int width, int height) {
  return Vec2(0.5 * (width + height * z.x()), 0.5 * height * (1 - z.y()));
}

}  // namespace rigspace
