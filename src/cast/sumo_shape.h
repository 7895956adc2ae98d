#pragma once
// The sumo wrestler's flesh. Metres, Y up, facing +Z; the character's left is +X. Everything with a side is given for
// the left.

#include "biped.h"
#include "shapes.h"

namespace rigspace::sumo {

inline const biped::Plan kPlan{
    .spine = {Vec3(0, 0.60, -0.03), Vec3(0, 0.73, -0.03), Vec3(0, 0.86, -0.03), Vec3(0, 1.0, -0.03),
              Vec3(0, 1.20, -0.015), Vec3(0, 1.275, 0.005), Vec3(0, 1.62, 0.03)},
    .arm = {Vec3(0.08, 1.135, -0.02), Vec3(0.275, 1.115, -0.02), Vec3(0.465, 0.955, -0.025), Vec3(0.625, 0.81, 0.02),
            Vec3(0.72, 0.72, 0.045)},
    .leg = {Vec3(0.19, 0.56, -0.01), Vec3(0.235, 0.32, 0.045), Vec3(0.255, 0.09, -0.015), Vec3(0.275, 0, 0.13),
            Vec3(0.285, 0, 0.23)},
    .heel = -0.105,
};
inline const Vec3 kEye(0.073, 1.425, 0.165);
inline constexpr double kEyeRadius = 0.034;

double torso(const Vec3& p);
double head(const Vec3& p);  ///< with the hair
double hair(const Vec3& p);  ///< cap and top-knot alone
double arm(const Vec3& p);   ///< the left one
double leg(const Vec3& p);   ///< the left one

/// The whole body: the parts, smoothly joined.
double body(const Vec3& p);

/// The belt, worn low in front under the belly: a solid that shows only where it lies outside the body.
double mawashi(const Vec3& p);

/// Linear colour of the skin at a point of the surface.
Eigen::Vector4f skin_color(const Vec3& p);
Eigen::Vector4f mawashi_color(const Vec3& p);

}  // namespace rigspace::sumo
