#pragma once
// What the bodies of built-in characters are modelled with: curves through joints, tubes around them, places on a skin,
// colours.

#include "rigspace/geometry/signed_distance.h"

#include <span>
#include <vector>

namespace rigspace::shapes {

inline Vec3 mirrored(const Vec3& p) { return {-p.x(), p.y(), p.z()}; }
inline Vec3 to_left(const Vec3& p) { return {std::abs(p.x()), p.y(), p.z()}; }

struct CurvePoint {
  Vec3 position;
  double fraction;  ///< 0 at the first joint, 1 at the end; even from joint to joint
};

/// The Catmull-Rom curve through the joints of a chain, `pieces` to a bone.
std::vector<CurvePoint> smooth_line(std::span<const Vec3> joints, int pieces);

/// A solid around a curve, its radius a function of the fraction. Far off (beyond `kFar`) the distance to a ball
/// around it stands in for its own.
class Tube {
 public:
  Tube(std::span<const Vec3> joints, const std::function<double(double)>& radius, int pieces = 3);
  double operator()(const Vec3& p) const;
  /// Fraction of the curve's point nearest to p.
  double fraction(const Vec3& p) const;

  static constexpr double kFar = 0.15;  ///< metres

 private:
  std::vector<CurvePoint> line_;
  std::vector<double> radii_;
  Vec3 center_;
  double ball_;
};

/// A place on a skin, and where the skin faces there.
struct SkinPoint {
  Vec3 position, normal;
};

/// The first point of the skin of a solid on the way from `from` (outside) along the unit vector `direction`, at most
/// a metre. Asserts that there is one.
SkinPoint first_hit(const ScalarField& solid, const Vec3& from, const Vec3& direction);

/// The foremost point of the skin over (x, y).
SkinPoint front_skin(const ScalarField& solid, double x, double y);

/// Columns: level, upward, `normal`.
Mat3 facing(const Vec3& normal);

/// From a (t = 0) to b (t = 1).
inline Eigen::Vector3f mix(const Eigen::Vector3f& a, const Eigen::Vector3f& b, double t) {
  return a + static_cast<float>(t) * (b - a);
}

}  // namespace rigspace::shapes
