#pragma once
// The places of a character that targets are given for: joints by name, or points of its surface.

#include "rigspace/anim/character.h"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace rigspace {

/// x(p): the chosen places, flattened, scene units. One thread at a time.
class FeatureRig {
 public:
  /// Bones of the character by name, in this order; "head|y" is a point above the bone "head" (|x, |y, |z of the rest
  /// pose), which shows how it is turned. Rigs in other processes have joints where these tell them (PointJoints), as
  /// Blender's do. Throws Error, naming the nearest, for a name that the character lacks, and for rigs without joints:
  /// those have points.
  FeatureRig(const Character& character, std::span<const std::string> joints);
  /// Points of the rig, ascending.
  FeatureRig(const Character& character, std::span<const int> points);

  int count() const { return rig_->point_count(); }
  const std::vector<std::string>& names() const { return names_; }  ///< of joints; "point 12" of points
  void evaluate(In p, Vec& x) const { rig_->evaluate(*workspace_, p, x); }
  /// dx/dp of these controls, ascending: 3 count() rows.
  Mat jacobian(In p, std::span<const int> free) const;
  /// The same, without blocks that are zero.
  void jacobian(In p, std::span<const int> free, BlockJacobian& J) const { rig_->jacobian(*workspace_, p, free, J); }
  /// The same by forward differences: one evaluation of the rig a control, one more for p itself.
  Mat jacobian_by_differences(In p, std::span<const int> free) const;
  const Rig& rig() const { return *rig_; }

 private:
  std::shared_ptr<const Rig> whole_, rig_;
  std::unique_ptr<Workspace> workspace_;
  std::vector<std::string> names_;
};

/// Names of the bones that match any pattern (* and ?), in the character's order, and points beside bones ("head|y") as
/// they are; all bones without patterns. Throws Error
/// for a pattern that matches none.
std::vector<std::string> joints_matching(const Character& character, std::span<const std::string> patterns);

}  // namespace rigspace
