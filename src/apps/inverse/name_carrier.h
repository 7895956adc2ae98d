#pragma once
// Private to inverse: a pose on a skeleton of the same names and other proportions, whatever creature it is.

#include "rigspace/apps/inverse/joint_mapping.h"

#include <span>
#include <vector>

namespace rigspace {

/// Each bone turns as its counterpart turned from its rest pose; rest poses of bones with one child are aligned in the
/// direction of that child. What a joint of the source moves against its parent is scaled and comes on top.
class NameCarrier {
 public:
  /// Matches in the character's order, parents first. Throws Error for a skeleton without any length.
  NameCarrier(const Character& own, const Character& source, std::span<const JointMatch> matches,
              std::span<const Affine> source_rest);

  double scale() const { return scale_; }  ///< of the lengths of all bones
  struct Placed {
    std::vector<Vec3> at;
    std::vector<Mat3> turn;  ///< from the own rest pose
  };
  /// `source`: transforms of all its bones. One place for each match.
  Placed carry(std::span<const Affine> source) const;

 private:
  std::vector<int> source_bone_;  // of each match; -1: it follows its parent
  std::vector<int> parent_;       // among the matches; -1: none
  std::vector<Mat3> aligned_;     // turns the own rest pose of a joint into the source's
  std::vector<Vec3> own_rest_;
  std::vector<Affine> source_rest_;
  double scale_ = 1;
};

}  // namespace rigspace
