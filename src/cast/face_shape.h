#pragma once
// The face: a bust as solids, and the soft shapes that move its skin. Metres, Y up, facing +Z; its left is +X.
// Everything with a side is given for the left.

#include "shapes.h"

#include <array>
#include <string>
#include <vector>

namespace rigspace::face {

inline const Vec3 kNeck(0, 0.10, -0.05), kHead(0, 0.27, -0.025), kCrown(0, 0.65, -0.01), kJaw(0, 0.365, -0.005),
    kChin(0, 0.25, 0.16);
inline const Vec3 kEye(0.067, 0.438, 0.124);
inline constexpr double kEyeRadius = 0.044;
inline constexpr double kMouthHeight = 0.303, kMouthHalf = 0.058;  ///< metres

double skin(const Vec3& p);
double hair(const Vec3& p);

Eigen::Vector4f skin_color(const Vec3& p);  ///< linear

/// How far a point goes with the jaw instead of the head, 0 to 1.
double jaw_share(const Vec3& p);

/// A soft shape: at weight 1 a point moves by `move` where it is nearest to `center`, less farther off, not at all
/// beyond `reach` (an ellipsoid's half axes).
struct SoftShape {
  std::string control;
  Vec3 center, reach, move;
};
/// Of both sides; a control may have several.
std::vector<SoftShape> soft_shapes();

/// The sum over a control's shapes at p.
Vec3 offset(const std::vector<SoftShape>& shapes, const std::string& control, const Vec3& p);

}  // namespace rigspace::face
