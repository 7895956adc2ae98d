#pragma once
// Private to parts: a skeleton as the search for limbs sees it.

#include "rigspace/parts/body_joints.h"

#include <array>
#include <vector>

namespace rigspace {

constexpr std::size_t kBodyRoles = static_cast<std::size_t>(BodyRole::little) + 1;

struct BodySearch {
  const Character& character;
  ReferencePose reference;
  std::vector<int> parent;
  std::vector<Vec3> at;    ///< of each bone, reference pose
  std::vector<char> side;  ///< as the name says; 0: nothing
  std::vector<bool> helper;
  std::vector<double> evidence;  ///< of names: bones by roles; 0 of helpers
  Vec3 left = Vec3::UnitX(), middle = Vec3::Zero();
  bool sides_named = false;
  double floor = 0, height = 1;

  BodySearch(const Character& character, ReferencePose pose);

  double across(int bone) const { return left.dot(at[static_cast<std::size_t>(bone)] - middle) / height; }
  double up(int bone) const { return (at[static_cast<std::size_t>(bone)].y() - floor) / height; }
  double apart(int a, int b) const {
    return (at[static_cast<std::size_t>(a)] - at[static_cast<std::size_t>(b)]).norm() / height;
  }
  double named(int bone, BodyRole role) const {
    return evidence[static_cast<std::size_t>(bone) * kBodyRoles + static_cast<std::size_t>(role)];
  }
  bool is_above(int ancestor, int bone) const;
  /// From the root to the bone.
  std::vector<int> path_to(int bone) const;
  int common_ancestor(int a, int b) const;
};

/// Three joints of a limb, from the body outwards, with their places in a path.
struct Limb {
  std::array<int, 3> bones{-1, -1, -1};
  double place = 0, score = 0;

  bool found() const { return bones[0] >= 0; }
};

Limb find_leg(const BodySearch& search, char side);
Limb find_arm(const BodySearch& search, char side);

}  // namespace rigspace
