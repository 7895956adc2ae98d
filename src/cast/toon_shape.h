#pragma once
// The cartoon man's flesh: solids that are worn over each other, one colour each, so that few points draw crisp
// borders. Metres, Y up, facing +Z; the character's left is +X. Everything with a side is given for the left.

#include "biped.h"
#include "shapes.h"

namespace rigspace::toon {

inline const biped::Plan kPlan{
    .spine = {Vec3(0, 0.55, -0.01), Vec3(0, 0.63, -0.012), Vec3(0, 0.71, -0.012), Vec3(0, 0.79, -0.01),
              Vec3(0, 0.945, -0.005), Vec3(0, 1.0, 0.0), Vec3(0, 1.47, 0.02)},
    .arm = {Vec3(0.035, 0.905, -0.005), Vec3(0.135, 0.885, -0.005), Vec3(0.305, 0.755, -0.012), Vec3(0.465, 0.635, 0.0),
            Vec3(0.617, 0.521, 0.012)},
    .leg = {Vec3(0.082, 0.53, -0.005), Vec3(0.092, 0.305, 0.01), Vec3(0.098, 0.085, -0.012), Vec3(0.112, 0, 0.125),
            Vec3(0.118, 0, 0.22)},
    .heel = -0.095,
};
inline const Vec3 kKnuckles(0.537, 0.581, 0.006);
inline const Vec3 kThumb(0.495, 0.605, 0.055), kThumbTip(0.560, 0.580, 0.130);
inline const Vec3 kEye(0.083, 1.245, 0.158);
inline const Vec3 kEyeHalf(0.066, 0.084, 0.062);

double trunk(const Vec3& p);  ///< chest, belly and hips, unclothed
double head(const Vec3& p);   ///< with neck, nose and ears
double hair(const Vec3& p);
double shirt(const Vec3& p);
double trousers(const Vec3& p);
double arm(const Vec3& p);    ///< the left one, with its hand but for the thumb
double thumb(const Vec3& p);  ///< the left one
double leg(const Vec3& p);    ///< the left one, without its shoe
double shoe(const Vec3& p);   ///< the left one

Eigen::Vector4f face_color(const Vec3& p);  ///< linear
Eigen::Vector4f shirt_color(const Vec3& p);
Eigen::Vector4f shoe_color(const Vec3& p);

}  // namespace rigspace::toon
