#pragma once
// The hound's joints and body at rest. Metres, Y up, facing +Z; its left is +X. Everything with a side is given for the
// left.

#include "shapes.h"

#include <array>

namespace rigspace::hound {

/// pelvis spine_01 .. spine_05 chest, end.
inline const std::array<Vec3, 8> kSpine{Vec3(0, 0.620, -0.38), Vec3(0, 0.640, -0.28), Vec3(0, 0.650, -0.18),
                                        Vec3(0, 0.650, -0.07), Vec3(0, 0.640, 0.04),  Vec3(0, 0.635, 0.14),
                                        Vec3(0, 0.640, 0.24),  Vec3(0, 0.660, 0.34)};
/// neck_01 .. neck_04 head, end.
inline const std::array<Vec3, 6> kNeck{Vec3(0, 0.68, 0.33), Vec3(0, 0.74, 0.38), Vec3(0, 0.80, 0.43),
                                       Vec3(0, 0.86, 0.47), Vec3(0, 0.91, 0.50), Vec3(0, 0.90, 0.78)};
inline const std::array<Vec3, 2> kJaw{Vec3(0, 0.865, 0.55), Vec3(0, 0.835, 0.74)};
inline const std::array<Vec3, 4> kTongue{Vec3(0, 0.868, 0.62), Vec3(0, 0.866, 0.67), Vec3(0, 0.862, 0.72),
                                         Vec3(0, 0.858, 0.76)};
inline const std::array<Vec3, 4> kEar{Vec3(0.070, 0.985, 0.50), Vec3(0.115, 0.965, 0.495), Vec3(0.138, 0.910, 0.505),
                                      Vec3(0.145, 0.845, 0.525)};
inline const std::array<Vec3, 11> kTail{Vec3(0, 0.650, -0.470), Vec3(0, 0.645, -0.525), Vec3(0, 0.638, -0.580),
                                        Vec3(0, 0.632, -0.635), Vec3(0, 0.630, -0.690), Vec3(0, 0.633, -0.745),
                                        Vec3(0, 0.640, -0.800), Vec3(0, 0.652, -0.853), Vec3(0, 0.670, -0.905),
                                        Vec3(0, 0.693, -0.955), Vec3(0, 0.720, -1.003)};
/// scapula humerus radius carpus paw toe claw, end.
inline const std::array<Vec3, 8> kFrontLeg{
    Vec3(0.085, 0.710, 0.240), Vec3(0.108, 0.560, 0.330), Vec3(0.115, 0.400, 0.220), Vec3(0.115, 0.150, 0.250),
    Vec3(0.115, 0.045, 0.275), Vec3(0.115, 0.030, 0.315), Vec3(0.115, 0.022, 0.350), Vec3(0.115, 0.018, 0.380)};
/// thigh shin hock paw toe claw, end.
inline const std::array<Vec3, 7> kHindLeg{
    Vec3(0.095, 0.590, -0.380), Vec3(0.128, 0.400, -0.270), Vec3(0.122, 0.200, -0.470), Vec3(0.122, 0.045, -0.420),
    Vec3(0.122, 0.030, -0.378), Vec3(0.122, 0.022, -0.342), Vec3(0.122, 0.018, -0.312)};
inline const Vec3 kEye(0.056, 0.945, 0.600), kBrow(0.050, 0.990, 0.590), kLip(0.058, 0.872, 0.680);
inline const Vec3 kNose(0, 0.905, 0.775), kThroat(0, 0.720, 0.445), kWithers(0, 0.745, 0.210), kRibs(0, 0.505, 0.120),
    kBelly(0, 0.530, -0.120);
inline constexpr double kEyeRadius = 0.022;

double torso(const Vec3& p);
double neck(const Vec3& p);
double head(const Vec3& p);
double jaw(const Vec3& p);
double ear(const Vec3& p);
double tail(const Vec3& p);
double front_leg(const Vec3& p);
double hind_leg(const Vec3& p);
double body(const Vec3& p);  ///< all of them

Eigen::Vector4f coat(const Vec3& p);  ///< linear: brown above, cream below and on the paws

}  // namespace rigspace::hound
