#include "shapes.h"

#include <cassert>

namespace rigspace::shapes {

std::vector<CurvePoint> smooth_line(std::span<const Vec3> joints, int pieces) {
  std::vector<CurvePoint> line;
  const int bones = static_cast<int>(joints.size()) - 1;
  const auto at = [&](int k) -> Vec3 {
    if (k < 0) return 2 * joints[0] - joints[1];
    if (k > bones) return 2 * joints[bones] - joints[bones - 1];
    return joints[k];
  };
  for (int k = 0; k < bones; ++k) {
    for (int i = k == 0 ? 0 : 1; i <= pieces; ++i) {
      const double t = static_cast<double>(i) / pieces, t2 = t * t, t3 = t2 * t;
      const Vec3 m0 = 0.5 * (at(k + 1) - at(k - 1)), m1 = 0.5 * (at(k + 2) - at(k));
      line.push_back(
          {(2 * t3 - 3 * t2 + 1) * at(k) + (t3 - 2 * t2 + t) * m0 + (3 * t2 - 2 * t3) * at(k + 1) + (t3 - t2) * m1,
           (k + t) / bones});
    }
  }
  return line;
}

Tube::Tube(std::span<const Vec3> joints, const std::function<double(double)>& radius, int pieces)
    : line_(smooth_line(joints, pieces)), center_(Vec3::Zero()), ball_(0) {
  for (const CurvePoint& c : line_) {
    radii_.push_back(radius(c.fraction));
    center_ += c.position / static_cast<double>(line_.size());
  }
  for (std::size_t k = 0; k < line_.size(); ++k)
    ball_ = std::max(ball_, (line_[k].position - center_).norm() + radii_[k]);
}

double Tube::operator()(const Vec3& p) const {
  const double ball = sphere(p, center_, ball_);
  if (ball > kFar) return ball;
  const double blend = 0.2 * radii_.back();  // enough to hide the joints of the pieces, too little to swell them
  double d = tapered_capsule(p, line_[0].position, line_[1].position, radii_[0], radii_[1]);
  for (std::size_t k = 1; k + 1 < line_.size(); ++k) {
    d = smooth_union(d, tapered_capsule(p, line_[k].position, line_[k + 1].position, radii_[k], radii_[k + 1]), blend);
  }
  return d;
}

double Tube::fraction(const Vec3& p) const {
  double nearest = 1e300, result = 0;
  for (std::size_t k = 0; k + 1 < line_.size(); ++k) {
    const double t = segment_parameter(p, line_[k].position, line_[k + 1].position);
    const double d = (p - line_[k].position - t * (line_[k + 1].position - line_[k].position)).squaredNorm();
    if (d >= nearest) continue;
    nearest = d;
    result = line_[k].fraction + t * (line_[k + 1].fraction - line_[k].fraction);
  }
  return result;
}

SkinPoint first_hit(const ScalarField& solid, const Vec3& from, const Vec3& direction) {
  constexpr double kStride = 0.005, kReach = 1;  // metres
  double outside = 0, inside = kReach;
  for (double s = 0; s < kReach; s += kStride) {
    if (solid(from + s * direction) < 0) {
      inside = s;
      break;
    }
    outside = s;
  }
  assert(inside < kReach);
  for (int round = 0; round < 40; ++round) {
    const double s = 0.5 * (outside + inside);
    (solid(from + s * direction) < 0 ? inside : outside) = s;
  }
  const Vec3 position = from + inside * direction;
  return {position, gradient(solid, position, 1e-4).normalized()};
}

SkinPoint front_skin(const ScalarField& solid, double x, double y) {
  return first_hit(solid, {x, y, 0.8}, -Vec3::UnitZ());
}

Mat3 facing(const Vec3& normal) {
  Mat3 axes;
  axes.col(2) = normal;
  axes.col(0) = Vec3::UnitY().cross(normal).normalized();
  axes.col(1) = normal.cross(axes.col(0));
  return axes;
}

}  // namespace rigspace::shapes
