// Arms and legs: of all ways to choose three joints along a path from the root to a leaf, the one that names and places
// speak for most.

#include "body_limbs.h"
#include "part_words.h"

#include <algorithm>
#include <cmath>

namespace rigspace {
namespace {

using enum BodyRole;

constexpr double kPlace = 2;     // weight of the place of a limb beside the names of its three joints
constexpr double kEnough = 1.2;  // the least score of a limb

double ramp(double x, double none, double full) { return std::clamp((x - none) / (full - none), 0.0, 1.0); }
double bell(double x, double centre, double width) { return std::exp(-std::pow((x - centre) / width, 2)); }

/// Shares of the height: thigh and shin alike long, the foot below the hip and near the floor.
double leg_place(const BodySearch& s, int a, int b, int c) {
  const double first = s.apart(a, b), second = s.apart(b, c);
  if (std::min(first, second) < 0.03) return 0;
  return ramp((s.up(a) - s.up(c)) / (first + second), 0.3, 0.8) * bell(std::log(first / second), 0, 0.7) *
         ramp(s.up(c), 0.35, 0.12) * ramp(s.up(a), 0.12, 0.28);
}

/// Upper arm and forearm alike long, beginning a shoulder's width from the middle, stretched out, high up.
double arm_place(const BodySearch& s, int a, int b, int c) {
  const double first = s.apart(a, b), second = s.apart(b, c);
  if (std::min(first, second) < 0.03) return 0;
  return bell(std::log(first / second), 0.1, 0.6) * bell(std::abs(s.across(a)), 0.11, 0.1) *
         bell(first + second, 0.33, 0.2) * ramp(s.apart(a, c) / (first + second), 0.4, 0.8) * ramp(s.up(a), 0.35, 0.5);
}

/// The side of a path: the first that a name on it has; without names, that of its last joint.
char side_of(const BodySearch& s, const std::vector<int>& path) {
  for (const int bone : path)
    if (s.side[static_cast<std::size_t>(bone)] != 0) return s.side[static_cast<std::size_t>(bone)];
  const double across = s.across(path.back());
  return std::abs(across) < 0.02 ? 0 : across > 0 ? 'l' : 'r';
}

template <class Place>
Limb find_limb(const BodySearch& s, char side, const std::array<BodyRole, 3>& roles, const Place& place) {
  Limb best;
  const int count = static_cast<int>(s.at.size());
  for (int leaf = 0; leaf < count; ++leaf) {
    if (std::ranges::find(s.parent, leaf) != s.parent.end()) continue;
    std::vector<int> path = s.path_to(leaf);
    if (side_of(s, path) != side) continue;
    std::erase_if(path, [&](int bone) { return s.helper[static_cast<std::size_t>(bone)]; });
    const auto n = path.size();
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = i + 1; j < n; ++j)
        for (std::size_t k = j + 1; k < n; ++k) {
          const double at = place(s, path[i], path[j], path[k]);
          // A joint that is left out between two is a twist or a second joint: unlikely, but there are such. Where its
          // name is that of the bone above (DEF-thigh.L.001), it is a segment of that bone.
          int left_out = 0;
          for (std::size_t between = i + 1; between < k; ++between)
            left_out += between != j && s.named(path[between], roles[between < j ? 0 : 1]) < 0.9;
          const double whole = std::pow(0.85, left_out);
          const double named = s.named(path[i], roles[0]) + s.named(path[j], roles[1]) + s.named(path[k], roles[2]);
          const double score = (named + kPlace * at) * whole;
          if (score > best.score + 1e-9) best = {{path[i], path[j], path[k]}, at * whole, score};
        }
  }
  return best.score >= kEnough ? best : Limb{};
}

}  // namespace

BodySearch::BodySearch(const Character& whose, ReferencePose pose) : character(whose), reference(std::move(pose)) {
  double low = INFINITY, high = -INFINITY;
  Vec3 lefts = Vec3::Zero(), rights = Vec3::Zero();
  int left_count = 0, right_count = 0;
  for (std::size_t b = 0; b < whose.bones.size(); ++b) {
    const Bone& bone = whose.bones[b];
    parent.push_back(bone.parent);
    at.emplace_back(translation(reference.world[b]));
    side.push_back(read_joint_name(bone.name).side);
    helper.push_back(is_helper_joint(bone.name));
    for (std::size_t role = 0; role < kBodyRoles; ++role)
      evidence.push_back(helper.back() ? 0 : name_evidence(bone.name, static_cast<BodyRole>(role)));
    if (helper.back() && !is_end_marker(bone.name)) continue;
    low = std::min(low, at.back().y()), high = std::max(high, at.back().y());
    if (side.back() == 'l') lefts += at.back(), ++left_count;
    if (side.back() == 'r') rights += at.back(), ++right_count;
  }
  floor = low, height = std::max(1e-12, high - low);
  if (left_count > 0 && right_count > 0) {
    Vec3 across_body = lefts / left_count - rights / right_count;
    middle = 0.5 * (lefts / left_count + rights / right_count);
    across_body.y() = 0;
    if ((sides_named = across_body.norm() > 0.01 * height)) left = across_body.normalized();
  } else {
    for (const Vec3& each : at) middle += each / static_cast<double>(at.size());
  }
  // A foot that hangs elsewhere (as the target of an IK that an exporter baked) is below the shin of its side.
  for (std::size_t b = 0; b < at.size(); ++b) {
    if (helper[b] || name_evidence(whose.bones[b].name, foot) < 0.9) continue;
    const auto of_leg = [&](int bone, BodyRole role) {
      return side[static_cast<std::size_t>(bone)] == side[b] && named(bone, role) > 0.6;
    };
    const std::vector<int> path = path_to(static_cast<int>(b));
    if (std::ranges::any_of(path, [&](int bone) { return of_leg(bone, shin) || of_leg(bone, thigh); })) continue;
    for (int shin_bone = 0; shin_bone < static_cast<int>(at.size()); ++shin_bone) {
      if (helper[static_cast<std::size_t>(shin_bone)] || !of_leg(shin_bone, shin)) continue;
      const bool has_foot = std::ranges::any_of(path_to(shin_bone), [&](int bone) { return of_leg(bone, foot); }) ||
                            std::ranges::find(parent, shin_bone) != parent.end();
      if (!has_foot) {
        parent[b] = shin_bone;
        break;
      }
    }
  }
}

bool BodySearch::is_above(int ancestor, int bone) const {
  for (; bone >= 0; bone = parent[static_cast<std::size_t>(bone)])
    if (bone == ancestor) return true;
  return false;
}

std::vector<int> BodySearch::path_to(int bone) const {
  std::vector<int> path;
  for (; bone >= 0; bone = parent[static_cast<std::size_t>(bone)]) path.push_back(bone);
  std::ranges::reverse(path);
  return path;
}

int BodySearch::common_ancestor(int a, int b) const {
  while (a >= 0 && !is_above(a, b)) a = parent[static_cast<std::size_t>(a)];
  return a;
}

Limb find_leg(const BodySearch& search, char side) { return find_limb(search, side, {thigh, shin, foot}, leg_place); }
Limb find_arm(const BodySearch& search, char side) {
  return find_limb(search, side, {upper_arm, forearm, hand}, arm_place);
}

}  // namespace rigspace
