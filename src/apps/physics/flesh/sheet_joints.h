#pragma once
// Private to physics: the joints of a sheet that hangs on one bone. Columns of chains side by side run from its
// attached end to its free one; each takes smoothly from the bone's own weight.

#include "rigspace/anim/soft_joints.h"
#include "rigspace/parts/part.h"

#include <string>
#include <utility>
#include <vector>

namespace rigspace {

struct SheetJoints {
  std::vector<SoftJoint> joints;  ///< column by column, from the top; `above` counts within the list
  int columns = 0, rows = 0;
  /// Of each point of the part, in its order: pairs of joint and share of the bone's weight, at most four.
  std::vector<std::vector<std::pair<int, double>>> shares;
};

/// At most `most` joints, at least two in a column. Throws Error where the points do not follow one bone.
SheetJoints sheet_joints(const Character& character, const Part& part, int most);

}  // namespace rigspace
