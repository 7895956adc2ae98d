#pragma once
// Private to inverse: a pose of one body on the skeleton of another, by rotations.

#include "rigspace/apps/inverse/joint_mapping.h"

#include <array>
#include <span>
#include <vector>

namespace rigspace {

/// All bones of the character.
struct CarriedPose {
  std::vector<Mat3> turn;  ///< from the reference pose, scene axes
  std::vector<Vec3> at;
};

/// A bone turns as its counterpart did from the source's reference pose, after reference poses were aligned:
///
///   E_k(t) = D_s(t) A_k,   D_s(t) = R_s(t) R_s(ref)^T
///
/// A_k turns the body to where the source's faces; in arms, legs and fingers it also turns the bone's direction into
/// that of the source's bone (a T pose into an A pose; forearm, hand and shin from A of the bone above), in feet and
/// toes only about the vertical, since soles are flat in both. Spine, neck, head and clavicles keep their own shape.
/// Bones without counterpart follow their parent. The hips' path is scaled by the length of the legs.
class BodyCarrier {
 public:
  /// `source_reference`: transforms of all bones of the source. Throws Error for limbs without length.
  BodyCarrier(const Character& own, const Character& source, const JointMapping& mapping,
              std::vector<Affine> source_reference);

  double scale() const { return scale_; }  ///< own leg / source's leg
  double source_leg() const { return source_leg_; }
  double own_leg() const { return scale_ * source_leg_; }
  const std::vector<Affine>& source_reference() const { return source_reference_; }
  Vec3 own_reference(int bone) const { return own_reference_[static_cast<std::size_t>(bone)]; }

  /// `floor`: where the source's floor is in the motion, above that of its reference pose.
  CarriedPose carry(std::span<const Affine> source, double floor) const;
  /// Places of bones from turns and the place of the hips.
  void place(CarriedPose& pose) const;

 private:
  struct Carried {
    int own = -1;
    std::array<int, 2> source{-1, -1};
    double share = 0;  // of the second
    Mat3 aligned = Mat3::Identity();
  };
  Mat3 alignment(const BodyJoint& joint) const;
  Mat3 facing(const BodyJoint& joint) const;  // from where the own body faces to where the source's does

  const Character& own_;
  const Character& source_;
  const JointMapping& mapping_;
  std::vector<Vec3> own_reference_;
  std::vector<Affine> source_reference_;
  std::vector<int> order_;  // bones, parents first
  std::vector<Carried> carried_;
  std::vector<bool> has_counterpart_;  // of each own bone
  Mat3 facing_ = Mat3::Identity(), hips_facing_ = facing_, chest_facing_ = facing_;
  int hips_ = 0, source_hips_ = 0;
  double scale_ = 1, source_leg_ = 1;
};

}  // namespace rigspace
