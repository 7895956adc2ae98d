// What a rig can do that its clips do not show.

#include "markers.h"
#include "rigspace/apps/inverse/pose_coordinates.h"

#include <algorithm>
#include <set>

namespace rigspace {
namespace {

constexpr double kSwing = 0.5;  // radians

/// Bones of these names, and those between them on the way to the root.
std::vector<int> body_bones(const Character& character, std::span<const std::string> joints) {
  std::set<int> named, all;
  for (const std::string& joint : joints) {
    const auto bone = std::ranges::find(character.bones, read_marker(joint).joint, &Bone::name);
    if (bone != character.bones.end()) named.insert(static_cast<int>(bone - character.bones.begin()));
  }
  for (const int bone : named) {
    std::vector<int> way;
    for (int above = bone; above >= 0; above = character.bones[static_cast<std::size_t>(above)].parent) {
      way.push_back(above);
      if (named.contains(above)) all.insert(way.begin(), way.end());
    }
  }
  return {all.begin(), all.end()};
}

/// Bones apart from the most (feet that an exporter put below the root): they are placed, not turned.
std::vector<int> detached_of(const Character& character, const std::vector<int>& bones) {
  std::vector<int> below(character.bones.size(), 0), depth(character.bones.size(), 0);
  for (const int bone : bones)
    for (int above = bone; above >= 0; above = character.bones[static_cast<std::size_t>(above)].parent)
      ++below[static_cast<std::size_t>(above)], ++depth[static_cast<std::size_t>(bone)];
  int main = -1;  // the deepest bone that most hang on
  for (const int bone : bones)
    if (5 * below[static_cast<std::size_t>(bone)] > 3 * static_cast<int>(bones.size()) &&
        (main < 0 || depth[static_cast<std::size_t>(bone)] > depth[static_cast<std::size_t>(main)]))
      main = bone;
  std::vector<int> detached;
  for (const int bone : bones) {
    int above = bone;
    while (above >= 0 && above != main) above = character.bones[static_cast<std::size_t>(above)].parent;
    const int parent = character.bones[static_cast<std::size_t>(bone)].parent;
    if (main >= 0 && above < 0 && std::ranges::find(bones, parent) == bones.end()) detached.push_back(bone);
  }
  return detached;
}

std::vector<int> rotations_of(const Character& character, std::span<const std::string> joints) {
  std::vector<int> controls;
  for (const int bone : body_bones(character, joints))
    for (const char* axis : {".rx", ".ry", ".rz"})
      if (const int c = character.rig->find(character.bones[static_cast<std::size_t>(bone)].name + axis); c >= 0)
        controls.push_back(c);
  return controls;
}

}  // namespace

void add_rotations(const Character& character, std::span<const std::string> joints, std::vector<int>& controls) {
  std::set<int> all(controls.begin(), controls.end());
  for (const int c : rotations_of(character, joints)) all.insert(c);
  const std::vector<int> bones = body_bones(character, joints);
  for (const int bone : detached_of(character, bones))
    for (const char* axis : {".tx", ".ty", ".tz"})
      if (const int c = character.rig->find(character.bones[static_cast<std::size_t>(bone)].name + axis); c >= 0)
        all.insert(c);
  controls.assign(all.begin(), all.end());
}

Mat joint_swings(const Character& character, std::span<const std::string> joints) {
  const Vec rest = character.rig->rest();
  std::vector<Vec> poses{rest};
  for (const int c : rotations_of(character, joints))
    for (const double way : {-1.0, 1.0}) {
      const Control& control = character.rig->controls()[c];
      poses.push_back(rest);
      poses.back()[c] = std::clamp(rest[c] + way * kSwing, control.min, control.max);
    }
  const std::vector<int> bones = body_bones(character, joints);
  if (!bones.empty())
    for (const char* axis : {".tx", ".ty", ".tz"}) {
      const int c = character.rig->find(character.bones[static_cast<std::size_t>(bones.front())].name + axis);
      if (c < 0) continue;
      poses.push_back(rest);
      poses.back()[c] += character.rig->controls()[c].typical;
    }
  Mat P(rest.size(), static_cast<Eigen::Index>(poses.size()));
  for (std::size_t k = 0; k < poses.size(); ++k) P.col(static_cast<Eigen::Index>(k)) = poses[k];
  return P;
}

}  // namespace rigspace
