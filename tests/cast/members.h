#pragma once
// A member of the cast under test: made once, posed by its clips.

#include "rigspace/cast/cast.h"
#include "rigspace/rig/built_in_rig.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

namespace rigspace::testing {

/// Made at the first call, kept for all tests of the program.
inline const Character& member(const std::string& name, Version version = Version::rig) {
  static std::map<std::pair<std::string, Version>, Character> made;
  const auto key = std::pair(name, version);
  const auto found = made.find(key);
  return found != made.end() ? found->second : made.emplace(key, make_character(name, version)).first->second;
}

inline const BuiltInRig& built_in(const Character& character) {
  return dynamic_cast<const BuiltInRig&>(*character.rig);
}

inline Vec points_of(const Character& character, In p) {
  const auto workspace = character.rig->make_workspace();
  Vec s;
  character.rig->evaluate(*workspace, p, s);
  return s;
}

inline Vec points_at(const Character& character, const std::string& clip, double time) {
  return points_of(character, pose_at(character, character.clip(clip), time));
}

/// The rest pose with some controls moved by an amount; fails the test where a name is unknown.
inline Vec posed(const Character& character, const std::map<std::string, double>& moves) {
  Vec p = built_in(character).rest();
  for (const auto& [name, by] : moves) {
    const int control = built_in(character).find(name);
    EXPECT_GE(control, 0) << name;
    if (control >= 0) p[control] += by;
  }
  return p;
}

inline constexpr double kGrid = 1.0 / 120;  ///< seconds, the physics grid: between keys as well as on them

/// The longest way, in metres, that a point of the soles of `piece` moves over the ground while lower than `touch`.
inline double longest_slide(const Character& character, const std::string& clip, const Piece& piece, double touch) {
  std::vector<int> soles;
  const Vec& rest = built_in(character).points_rest();
  for (int v = piece.first_point; v < piece.first_point + piece.point_count; ++v) {
    if (rest[3 * v + 1] < 1e-4) soles.push_back(v);
  }
  EXPECT_GT(soles.size(), 40u);
  std::vector<Vec3> first(soles.size());
  std::vector<char> down(soles.size(), 0);
  double longest = 0;
  const double duration = character.clip(clip)->duration;
  for (int k = 0; k * kGrid <= duration; ++k) {
    const Vec s = points_at(character, clip, k * kGrid);
    for (std::size_t i = 0; i < soles.size(); ++i) {
      const Vec3 x = point(s, soles[i]);
      const bool touches = x.y() < touch;
      if (touches && !down[i]) first[i] = x;
      if (touches) longest = std::max(longest, std::hypot(x.x() - first[i].x(), x.z() - first[i].z()));
      down[i] = touches;
    }
  }
  return longest;
}

/// Lowest point of the drawn character over a clip, metres.
inline double lowest_point(const Character& character, const std::string& clip) {
  double lowest = 1e9;
  for (int k = 0; k * kGrid <= character.clip(clip)->duration; ++k) {
    const Vec s = points_at(character, clip, k * kGrid);
    for (Eigen::Index v = 0; 3 * v < s.size(); ++v) lowest = std::min(lowest, s[3 * v + 1]);
  }
  return lowest;
}

/// The largest difference of a control between first and last key, those named in `travels` left out.
inline double seam(const Character& character, const std::string& clip, const std::vector<std::string>& travels = {}) {
  const Animation* animation = character.clip(clip);
  const Vec first = pose_at(character, animation, 0), last = pose_at(character, animation, animation->duration);
  double worst = 0;
  for (int c = 0; c < first.size(); ++c) {
    const std::string& name = character.rig->controls()[c].name;
    if (std::find(travels.begin(), travels.end(), name) == travels.end())
      worst = std::max(worst, std::abs(first[c] - last[c]));
  }
  return worst;
}

/// Controls whose group is `group`.
inline int grouped(const Character& character, const std::string& group) {
  int count = 0;
  for (const Control& control : character.rig->controls()) count += control.group == group;
  return count;
}

}  // namespace rigspace::testing
