#pragma once
// Bobbin's flesh: where the joints are, which solids surround them, and what colour the skin has. Metres, Y up, facing
// +Z; the character's left is +X. Everything with a side is given for the left.

#include "rigspace/geometry/signed_distance.h"

#include <array>

namespace rigspace::bobbin {

inline Vec3 mirrored(const Vec3& p) { return {-p.x(), p.y(), p.z()}; }

// Joints, root to tip; the last point of a chain is where its last bone ends.
inline const std::array<Vec3, 7> kTrunk{Vec3(0, 0.33, -0.02),  Vec3(0, 0.415, -0.02), Vec3(0, 0.505, -0.015),
                                        Vec3(0, 0.595, -0.01), Vec3(0, 0.70, 0),      Vec3(0, 0.755, 0.01),
                                        Vec3(0, 1.12, 0.02)};  // pelvis spine_01 spine_02 chest neck head, crown
inline const std::array<Vec3, 5> kArm{Vec3(0.05, 0.655, -0.005), Vec3(0.155, 0.645, 0.005), Vec3(0.280, 0.604, 0.0),
                                      Vec3(0.388, 0.566, 0.02), Vec3(0.452, 0.543, 0.04)};
inline const std::array<Vec3, 5> kLeg{Vec3(0.12, 0.30, 0.0), Vec3(0.135, 0.19, 0.03), Vec3(0.142, 0.085, -0.005),
                                      Vec3(0.148, 0, 0.115), Vec3(0.15, 0, 0.20)};
inline const std::array<Vec3, 6> kTail{Vec3(0, 0.30, -0.19),  Vec3(0, 0.235, -0.32), Vec3(0, 0.21, -0.45),
                                       Vec3(0, 0.245, -0.57), Vec3(0, 0.335, -0.65), Vec3(0, 0.445, -0.665)};
inline const std::array<Vec3, 4> kEar{Vec3(0.20, 1.03, -0.03), Vec3(0.315, 1.045, -0.045), Vec3(0.415, 0.955, -0.04),
                                      Vec3(0.445, 0.80, -0.01)};

/// Distances of a point to the parts of the body, each as if it were alone.
struct Parts {
  double trunk, head, arm_l, arm_r, leg_l, leg_r, tail, ear_l, ear_r;
};

Parts parts(const Vec3& p);

/// The whole body: the parts, smoothly joined.
double body(const Vec3& p);

/// The foremost point of the body over (x, y), and the direction in which the skin faces there.
struct SkinPoint {
  Vec3 position, normal;
};
SkinPoint front_skin(double x, double y);

/// Linear colour of the skin at a point of the surface.
Eigen::Vector4f skin_color(const Vec3& p);

}  // namespace rigspace::bobbin
