#pragma once
// A sunflower in a pot: where its stem and leaves run, which solids surround them, and its colours. Metres, Y up, the
// face to +Z.

#include "shapes.h"

#include <array>

namespace rigspace::flower {

/// Nearly straight: a wire follows it, and must be nearest to the leaves' tips where they grow.
inline const std::array<Vec3, 4> kStem{Vec3(0, 0.17, 0), Vec3(0.006, 0.31, -0.006), Vec3(-0.004, 0.46, -0.004),
                                       Vec3(0, 0.60, 0.014)};
/// Leaves, from the stem to the tip: one to the left, low; one to the right, higher.
inline const std::array<std::array<Vec3, 4>, 2> kLeaves{
    {{Vec3(0.02, 0.27, -0.01), Vec3(0.11, 0.345, 0.03), Vec3(0.215, 0.36, 0.065), Vec3(0.30, 0.31, 0.09)},
     {Vec3(0.0, 0.38, -0.012), Vec3(-0.085, 0.45, 0.015), Vec3(-0.175, 0.455, 0.045), Vec3(-0.25, 0.405, 0.07)}}};
inline const Vec3 kFace(0, 0.665, 0.055);                   ///< the middle of the blossom
inline const Vec3 kFacing = Vec3(0, 0.22, 1).normalized();  ///< where it looks
inline constexpr double kDisc = 0.082, kPetals = 0.185;     ///< radii, metres
inline constexpr double kRim = 0.165;                       ///< height of the pot, metres

/// Parts, each as if it were alone; `thicker`, in metres, for the proxy, whose petals are one disc.
double pot(const Vec3& p);
double stem(const Vec3& p, double thicker = 0);
double leaf(int which, const Vec3& p, double thicker = 0);
double blossom(const Vec3& p, double thicker = 0);
double plant(const Vec3& p, double thicker = 0);

/// Linear.
Eigen::Vector4f color(const Vec3& p);

}  // namespace rigspace::flower
