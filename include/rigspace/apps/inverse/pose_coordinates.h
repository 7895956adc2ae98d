#pragma once
// Poses of a rig as numbers that a regression can average.

#include "rigspace/anim/character.h"
#include "rigspace/rig/control.h"

#include <array>
#include <span>
#include <string>
#include <vector>

namespace rigspace {

/// y_k = (p_c - rest_c) / typical_c of chosen controls c. A keyed orientation of a glTF node, R(q) exp(r), counts as
/// the rotation vector from its rest orientation, on the controls rx ry rz of the node: components of quaternions
/// cannot be averaged, their signs least of all.
class PoseCoordinates {
 public:
  /// `chosen`: controls, ascending, none of them a component of a quaternion.
  PoseCoordinates(std::span<const Control> controls, std::vector<int> chosen);

  /// Rotations of these nodes stay on their controls rx ry rz: an animator turns them there, and drivers may read them.
  void keep_turns(std::span<const Control> controls, std::span<const std::string> nodes);

  /// The controls that differ anywhere among these poses (columns: all controls) by more than a share `least` of their
  /// typical change, ascending; for a quaternion the node's rx ry rz.
  static std::vector<int> used(std::span<const Control> controls, const Mat& poses, double least = 1e-6);

  int size() const { return static_cast<int>(chosen_.size()); }
  const std::vector<int>& chosen() const { return chosen_; }
  const Vec& typical() const { return typical_; }  ///< of the chosen controls, in their units

  /// y of a pose, all controls. Angles are those that are nearest to `near`: one turn more or less is the same pose.
  Vec coordinates(In p, In near) const;
  /// All controls: y, with orientations at rest below their rotation vectors, and all other controls at rest.
  Vec pose(In y) const;
  /// The same pose with rotation vectors of chosen nodes turned into orientations, as clips of files keep them, but for
  /// those of keep_turns.
  Vec with_orientations(In p) const;
  /// The chosen controls of `p`, an orientation as a rotation vector on top of the keyed orientation of `base`; all
  /// other controls as in `base`. Differences to `base` are then what a layer of keys on top of it adds.
  Vec on_top_of(In base, In p) const;
  /// Limits of y.
  const Vec& lower() const { return lower_; }
  const Vec& upper() const { return upper_; }

 private:
  struct Orientation {
    std::array<int, 4> keyed;  // controls qx qy qz qw
    std::array<int, 3> turn;   // controls rx ry rz
    std::array<int, 3> place;  // of these in y; -1: not chosen
    bool kept = false;         // see keep_turns
  };
  std::vector<int> chosen_;
  Vec rest_, typical_, lower_, upper_;
  Vec period_;  // of each y: that of an Euler angle, 0 of all else
  std::vector<Orientation> orientations_;
};

/// Nodes that some clip of the character turns by rx, ry or rz, and none by orientations.
std::vector<std::string> turned_nodes(const Character& character);

/// The controls rx ry rz of these bones, and of the bones between them, added to `controls`, which stay ascending.
void add_rotations(const Character& character, std::span<const std::string> joints, std::vector<int>& controls);

/// Examples of a rig without clips: columns of all controls, the rest pose and each rotation of these bones by 0.5
/// radians both ways, alone; and the place of the first bone moved.
Mat joint_swings(const Character& character, std::span<const std::string> joints);

}  // namespace rigspace
