#pragma once
// The body in the skeleton of a motion, as it stands upright: files have other axes, and rest poses that are none.

#include "rigspace/parts/body_joints.h"

namespace rigspace {

struct SourceBody {
  BodyJoints body;                  ///< its reference pose is upright, +y up; empty: no body on two legs was found
  Mat3 upright = Mat3::Identity();  ///< from the file's axes to these
  /// Seconds: the reference pose is the clip's then, moved to stand above the origin; -1: that of the file.
  double reference_time = -1;
  double standing = -1;  ///< of the reference pose, at most 1: legs and back straight up, arms straight, feet flat
};

/// The reference pose of the file, with +y or else +z up, if a body stands in it. Where none does (joints whose
/// channels are all zero in no pose at all, or in mid stride, as captured data often has them), the pose of the clip in
/// which the body stands best, if that is better, with each foot as it is at its lowest and the head as it is in the
/// mean. `reference_time` (seconds, at least 0): the clip's pose then, whatever it is. Throws Error as find_body_joints
/// does.
SourceBody find_source_body(const Character& source, const Animation* clip = nullptr, double reference_time = -1);

/// Level, unit length: from the right thigh, or upper arm, to the left one in the reference pose.
Vec3 body_line(const BodyJoints& body, BodyRole role);

}  // namespace rigspace
