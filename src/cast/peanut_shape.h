#pragma once
// Peanut's flesh: where the joints are, which solids surround them, and what colour the skin has. Metres, Y up, facing
// +Z; the character's left is +X. Everything with a side is given for the left.

#include "biped.h"
#include "shapes.h"

#include <array>

namespace rigspace::peanut {

inline const biped::Plan kPlan{
    .spine = {Vec3(0, 0.34, -0.03), Vec3(0, 0.435, -0.03), Vec3(0, 0.53, -0.025), Vec3(0, 0.62, -0.02),
              Vec3(0, 0.745, -0.01), Vec3(0, 0.815, 0.0), Vec3(0, 1.20, 0.02)},
    .arm = {Vec3(0.05, 0.70, -0.01), Vec3(0.158, 0.69, -0.005), Vec3(0.285, 0.625, -0.005), Vec3(0.395, 0.565, 0.02),
            Vec3(0.465, 0.53, 0.035)},
    .leg = {Vec3(0.13, 0.31, -0.005), Vec3(0.143, 0.20, 0.025), Vec3(0.15, 0.09, -0.005), Vec3(0.155, 0, 0.105),
            Vec3(0.157, 0, 0.18)},
    .heel = -0.085,
};
inline const std::array<Vec3, 7> kTrunk{Vec3(0, 0.955, 0.165), Vec3(0, 0.905, 0.285), Vec3(0, 0.805, 0.365),
                                        Vec3(0, 0.695, 0.395), Vec3(0, 0.595, 0.405), Vec3(0, 0.525, 0.46),
                                        Vec3(0, 0.535, 0.555)};
inline const std::array<Vec3, 5> kTail{Vec3(0, 0.40, -0.24), Vec3(0, 0.375, -0.325), Vec3(0, 0.305, -0.385),
                                       Vec3(0, 0.225, -0.40), Vec3(0, 0.15, -0.425)};
inline const std::array<Vec3, 4> kEar{Vec3(0.165, 1.01, 0.0), Vec3(0.30, 1.03, -0.055), Vec3(0.415, 0.955, -0.085),
                                      Vec3(0.425, 0.80, -0.06)};
inline const Vec3 kEye(0.09, 1.026, 0.155);
inline constexpr double kEyeRadius = 0.064;

/// Parts of the body, each as if it were alone. The display and its proxy differ in thin parts only: what is thinner
/// than the proxy's cells is `thicker`, in metres.
double torso(const Vec3& p);
double head(const Vec3& p);
double trunk(const Vec3& p, double thicker = 0);
double tail(const Vec3& p, double thicker = 0);
double ear(const Vec3& p, double thicker = 0);  ///< the left one
double arm(const Vec3& p);                      ///< the left one
double leg(const Vec3& p);                      ///< the left one

/// The whole body: the parts, smoothly joined.
double body(const Vec3& p, double thicker = 0);

/// Linear colour of the skin at a point of the surface.
Eigen::Vector4f skin_color(const Vec3& p);

}  // namespace rigspace::peanut
