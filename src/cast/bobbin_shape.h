#pragma once
// Bobbin's flesh: where the joints are, which solids surround them, and what colour the skin has. Metres, Y up, facing
// +Z; the character's left is +X. Everything with a side is given for the left.

#include "biped.h"
#include "shapes.h"

#include <array>

namespace rigspace::bobbin {

inline const biped::Plan kPlan{
    .spine = {Vec3(0, 0.33, -0.02), Vec3(0, 0.415, -0.02), Vec3(0, 0.505, -0.015), Vec3(0, 0.595, -0.01),
              Vec3(0, 0.70, 0), Vec3(0, 0.755, 0.01), Vec3(0, 1.12, 0.02)},
    .arm = {Vec3(0.05, 0.655, -0.005), Vec3(0.155, 0.645, 0.005), Vec3(0.280, 0.604, 0.0), Vec3(0.388, 0.566, 0.02),
            Vec3(0.452, 0.543, 0.04)},
    .leg = {Vec3(0.12, 0.30, 0.0), Vec3(0.135, 0.19, 0.03), Vec3(0.142, 0.085, -0.005), Vec3(0.148, 0, 0.115),
            Vec3(0.15, 0, 0.20)},
    .heel = -0.062,
};
inline const std::array<Vec3, 6> kTail{Vec3(0, 0.30, -0.19),  Vec3(0, 0.235, -0.32), Vec3(0, 0.21, -0.45),
                                       Vec3(0, 0.245, -0.57), Vec3(0, 0.335, -0.65), Vec3(0, 0.445, -0.665)};
inline const std::array<Vec3, 4> kEar{Vec3(0.20, 1.03, -0.03), Vec3(0.315, 1.045, -0.045), Vec3(0.415, 0.955, -0.04),
                                      Vec3(0.445, 0.80, -0.01)};

/// Parts of the body, each as if it were alone.
double trunk(const Vec3& p);
double head(const Vec3& p);
double tail(const Vec3& p);
double arm(const Vec3& p);  ///< the left one
double leg(const Vec3& p);  ///< the left one
double ear(const Vec3& p);  ///< the left one

/// The whole body: the parts, smoothly joined.
double body(const Vec3& p);

/// Linear colour of the skin at a point of the surface.
Eigen::Vector4f skin_color(const Vec3& p);

}  // namespace rigspace::bobbin
