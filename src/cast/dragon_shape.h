#pragma once
// The dragon's six parts as solids, where they stand on the whole dragon. Metres, Y up, facing +Z; its left is +X.
// Everything with a side is given for the left.

#include "shapes.h"

#include <array>

namespace rigspace::dragon {

inline const std::array<Vec3, 4> kSpine{Vec3(0, 0.80, -0.40), Vec3(0, 0.79, -0.12), Vec3(0, 0.82, 0.15),
                                        Vec3(0, 0.90, 0.42)};
inline const std::array<Vec3, 5> kNeck{Vec3(0, 0.92, 0.36), Vec3(0, 1.09, 0.53), Vec3(0, 1.27, 0.60),
                                       Vec3(0, 1.44, 0.64), Vec3(0, 1.40, 1.02)};
inline const std::array<Vec3, 2> kJaw{Vec3(0, 1.375, 0.70), Vec3(0, 1.315, 0.99)};
inline const std::array<Vec3, 7> kTail{Vec3(0, 0.79, -0.47), Vec3(0, 0.73, -0.70), Vec3(0, 0.63, -0.92),
                                       Vec3(0, 0.52, -1.13), Vec3(0, 0.45, -1.35), Vec3(0, 0.44, -1.57),
                                       Vec3(0, 0.50, -1.78)};
inline const std::array<Vec3, 5> kFrontLeg{Vec3(0.17, 0.76, 0.27), Vec3(0.21, 0.46, 0.17), Vec3(0.21, 0.15, 0.26),
                                           Vec3(0.215, 0.03, 0.33), Vec3(0.22, 0.03, 0.45)};
inline const std::array<Vec3, 5> kHindLeg{Vec3(0.16, 0.76, -0.36), Vec3(0.24, 0.47, -0.20), Vec3(0.24, 0.22, -0.44),
                                          Vec3(0.245, 0.03, -0.35), Vec3(0.25, 0.03, -0.20)};
/// Shoulder, elbow, wrist; then the tips of the three fingers, and where the membrane ends on the flank.
inline const std::array<Vec3, 3> kWing{Vec3(0.11, 1.00, 0.14), Vec3(0.28, 1.33, -0.06), Vec3(0.40, 1.72, 0.10)};
inline const std::array<Vec3, 3> kFingers{Vec3(0.70, 2.02, -0.62), Vec3(0.70, 1.52, -0.92), Vec3(0.52, 1.12, -0.86)};
inline const Vec3 kFlank(0.13, 0.97, -0.32);
inline const Vec3 kEye(0.088, 1.475, 0.735);
inline constexpr double kEyeRadius = 0.034;

double torso(const Vec3& p);
double neck(const Vec3& p);   ///< with its spikes
double skull(const Vec3& p);  ///< head without jaw and horns
double jaw(const Vec3& p);
double tail(const Vec3& p);  ///< with spikes and spade
double front_leg(const Vec3& p);
double hind_leg(const Vec3& p);
double membrane(const Vec3& p);    ///< of a wing, between arm, fingers and flank
double wing_bones(const Vec3& p);  ///< arm and fingers alone

Eigen::Vector4f body_color(const Vec3& p);  ///< linear: green above, cream below
Eigen::Vector4f head_color(const Vec3& p);
Eigen::Vector4f tail_color(const Vec3& p);
Eigen::Vector4f leg_color(const Vec3& p);

}  // namespace rigspace::dragon
