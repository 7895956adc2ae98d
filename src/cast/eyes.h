#pragma once
// Eyes that look and lids that close: balls with painted irises, and domes that turn about the ball's middle.

#include "flesh.h"

namespace rigspace::flesh {

struct EyeShape {
  Vec3 center;
  double radius;                           ///< metres
  Vec3 gaze = Vec3::UnitZ();               ///< unit, at rest
  double iris = 34, pupil = 19;            ///< degrees from the gaze to their rims
  Eigen::Vector4f iris_color{1, 1, 1, 1};  ///< linear
};
/// The ball, with two catch lights.
void add_eye(const EyeShape& shape, int joint, Flesh& flesh);

/// A dome over the half of the ball around `pole`; where it ends in front, there is a lash line.
struct LidShape {
  Vec3 center;
  double radius;  ///< of the dome, metres
  Vec3 pole;      ///< unit
};
void add_lid(const LidShape& shape, const Attachment& attachment, Flesh& flesh);

}  // namespace rigspace::flesh
