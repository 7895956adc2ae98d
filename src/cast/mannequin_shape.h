#pragma once
// The mannequin's flesh: a plain human figure to dress. Metres, Y up, facing +Z; the character's left is +X. Everything
// with a side is given for the left.

#include "biped.h"
#include "shapes.h"

namespace rigspace::mannequin {

inline const biped::Plan kPlan{
    .spine = {Vec3(0, 0.95, -0.015), Vec3(0, 1.05, -0.015), Vec3(0, 1.16, -0.012), Vec3(0, 1.27, -0.015),
              Vec3(0, 1.455, -0.02), Vec3(0, 1.545, 0.0), Vec3(0, 1.76, 0.02)},
    .arm = {Vec3(0.035, 1.415, -0.012), Vec3(0.168, 1.395, -0.02), Vec3(0.383, 1.215, -0.03),
            Vec3(0.573, 1.056, -0.005), Vec3(0.700, 0.950, 0.012)},
    .leg = {Vec3(0.092, 0.91, -0.01), Vec3(0.104, 0.50, 0.008), Vec3(0.110, 0.085, -0.025), Vec3(0.122, 0, 0.085),
            Vec3(0.127, 0, 0.165)},
    .heel = -0.085,
};

double trunk(const Vec3& p);  ///< chest, belly, hips and shoulders, no neck
double neck(const Vec3& p);
double head(const Vec3& p);
double sleeve(const Vec3& p);       ///< the left arm to a little beyond the wrist: what a sleeve is drawn over
double arm(const Vec3& p);          ///< the same with its hand
double trouser_leg(const Vec3& p);  ///< the left leg to below the ankle
double leg(const Vec3& p);          ///< the same with its foot
double body(const Vec3& p);         ///< all parts, smoothly joined

/// What tops and trousers are drawn over: the body without head and hands, or without trunk above the waist and feet.
/// Equal to `body` where the garment is.
double upper_body(const Vec3& p);
double lower_body(const Vec3& p);

Eigen::Vector4f skin_color(const Vec3& p);  ///< linear

}  // namespace rigspace::mannequin
