#include "rigspace/geometry/camera.h"

#include "rigspace/base/error.h"
#include "rigspace/base/require.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

namespace rigspace {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Mat3 view_axes(const Vec3& backward_any) {
  const Vec3 backward = backward_any.normalized();
  Vec3 right = Vec3::UnitY().cross(backward);
  // Straight up or down: the horizon gives no direction; +X stays to the right.
  right = right.norm() > 1e-9 ? right.normalized() : Vec3::UnitX();
  Mat3 axes;
  axes << right, backward.cross(right), backward;
  return axes;
}

Mat3 turn(double angle) { return Eigen::AngleAxisd(angle, Vec3::UnitY()).toRotationMatrix(); }

}  // namespace

Mat3 Camera::axes() const { return view_axes(eye - target); }

Vec3 Camera::ray(double x, double y, int columns, int rows) const {
  const double tan_half = std::tan(0.5 * fov);
  const Vec3 view((2 * x - columns) / rows * tan_half, (rows - 2 * y) / rows * tan_half, -1);
  return (axes() * view).normalized();
}

Vec3 Camera::project(const Vec3& point, int columns, int rows) const {
  const Vec3 view = axes().transpose() * (point - eye);
  const double distance = -view.z(), scale = 0.5 * rows / (std::tan(0.5 * fov) * distance);
  return {0.5 * columns + scale * view.x(), 0.5 * rows - scale * view.y(), distance};
}

Camera Camera::as_perspective() const {
  if (height <= 0) return *this;
  Camera camera = *this;
  camera.fov = 1 * kDegree;
  camera.height = 0;
  camera.eye = target + (eye - target).normalized() * (0.5 * height / std::tan(0.5 * camera.fov));
  return camera;
}

Camera Camera::moved(const Vec3& by) const {
  Camera camera = *this;
  camera.eye += by;
  camera.target += by;
  return camera;
}

Camera Camera::turned(double angle, const Vec3& centre) const {
  Camera camera = *this;
  camera.eye = centre + turn(angle) * (eye - centre);
  camera.target = centre + turn(angle) * (target - centre);
  return camera;
}

void FramingOptions::validate() const {
  require_option(std::isfinite(azimuth), "camera azimuth", azimuth, "expected a finite angle");
  require_option(std::abs(elevation) <= 90 * kDegree, "camera elevation", elevation, "expected -90 to 90 degrees");
  require_option(fov >= 1 * kDegree && fov <= 120 * kDegree, "field of view", fov, "expected 1 to 120 degrees");
  require_option(margin >= 0 && margin < 0.45, "margin", margin, "expected 0 to 0.45 of the picture");
  require_option(zoom > 0 && zoom <= 1000, "zoom", zoom, "expected more than 0 and at most 1000");
}

Framing::Framing(const FramingOptions& options, double aspect)
    : options_(options), support_(Eigen::Vector4d::Constant(-kInfinity)), nearest_(-kInfinity), lowest_(kInfinity) {
  options_.validate();
  const double framed = 1 - 2 * options_.margin;
  tan_y_ = std::tan(0.5 * options_.fov) * framed;
  tan_x_ = tan_y_ * aspect;
  axes_ = view_axes(turn(options_.azimuth) * Vec3(0, std::sin(options_.elevation), std::cos(options_.elevation)));
}

void Framing::add_view(const Vec3& point) {
  if (empty()) first_ = point;
  const Vec3 view = axes_.transpose() * point;
  support_ = support_.cwiseMax(Eigen::Vector4d(view.x() + tan_x_ * view.z(), -view.x() + tan_x_ * view.z(),
                                               view.y() + tan_y_ * view.z(), -view.y() + tan_y_ * view.z()));
  nearest_ = std::max(nearest_, view.z());
  lowest_ = std::min(lowest_, point.y());
  radius_ = std::max(radius_, (point - first_).cwiseAbs().maxCoeff());
}

void Framing::add(In points, const Vec3& shift) {
  for (int i = 0; i < points.size() / 3; ++i) {
    const Vec3 x = point(points, i) + shift;
    if (!x.allFinite())
      throw Error({.element = "point " + std::to_string(i),
                   .problem = "is not finite",
                   .remedy = "check the pose that was evaluated"});
    add_view(x);
  }
}

void Framing::add_turned(In points, const Vec3& centre) {
  constexpr int kSides = 24;
  const Vec3 axis(centre.x(), 0, centre.z());
  for (int i = 0; i < points.size() / 3; ++i)
    if (!point(points, i).allFinite()) add(points);  // throws, with the point's number
  for (int i = 0; i < points.size() / 3; ++i) {
    const Vec3 arm = point(points, i) - axis;
    for (int k = 0; k < kSides; ++k) add_view(axis + turn(2 * std::numbers::pi * k / kSides) * arm);
  }
}

// In view coordinates, a point (x, y, z) is inside the right side of the frustum of an eye (ex, ey, ez) if
//   x - ex <= tan_x (ez - z),  that is  ex + tan_x ez >= max(x + tan_x z),
// and likewise for the other three. Each opposite pair bounds ez from below and centres the eye between them.
Camera Framing::camera() const {
  if (empty())
    throw Error({.element = "camera", .problem = "has nothing to frame", .remedy = "give it at least one point"});
  const Vec3 centre((support_[0] - support_[1]) / 2, (support_[2] - support_[3]) / 2, 0);
  const double fit = std::max((support_[0] + support_[1]) / (2 * tan_x_), (support_[2] + support_[3]) / (2 * tan_y_));
  // The nearest point must be in front of the eye with room to spare; a single point needs a distance of its own.
  const double size = radius_ > 0 ? radius_ : 1;
  const double depth = std::max(fit - nearest_, 0.05 * size);
  Camera camera;
  camera.fov = options_.fov;
  const double eye_z = nearest_ + depth, target_z = nearest_ - 0.5 * size;
  camera.target = axes_ * Vec3(centre.x(), centre.y(), target_z);
  camera.eye = camera.target + axes_.col(2) * ((eye_z - target_z) / options_.zoom);
  return camera;
}

Camera frame(In points, double aspect, const FramingOptions& options) {
  Framing framing(options, aspect);
  framing.add(points);
  return framing.camera();
}

}  // namespace rigspace
