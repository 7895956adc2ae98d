#include "rigspace/parts/footing.h"

#include "body_plan.h"
#include "rigspace/parts/part.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <span>

namespace rigspace {
namespace {

constexpr double kFootprint = 0.03;   // of the height: points so low may be what it stands on
constexpr double kSameHeight = 0.01;  // of the height
constexpr double kMostOfThem = 0.75;  // of the moments that are looked at
constexpr double kBesideFoot = 0.02;  // of the size: the middle may be so far outside of its footprint
constexpr int kSupportMoments = 12;

using Point2 = Eigen::Vector2d;

bool any_word(std::string_view name, std::span<const std::string_view> words) {
  return std::any_of(words.begin(), words.end(), [&](std::string_view word) { return has_word(name, word); });
}
bool says_off_ground(std::string_view clip) {
  static constexpr std::string_view kWords[] = {"swim", "swimming", "fly", "flying", "hover", "float"};
  return any_word(clip, kWords);
}
bool has_legs(const Character& character) {
  return std::any_of(character.bones.begin(), character.bones.end(), [](const Bone& bone) {
    const JointName name = read_joint_name(bone.name);
    return name.role == Role::limb && name.word->part == "leg";
  });
}

struct Extent {
  double low = 0, height = 0, size = 0;

  bool near_floor() const { return is_near_floor(low, height, size); }
};
Extent extent_of(const Vec& s) {
  const Eigen::Map<const Eigen::Matrix3Xd> x(s.data(), 3, s.size() / 3);
  const Vec3 low = x.rowwise().minCoeff(), extent = x.rowwise().maxCoeff() - low;
  return {low.y(), std::max(1e-12, extent.y()), extent.maxCoeff()};
}

/// How far a point is outside of the convex hull of others, for the hull's worst side; negative inside. The support of
/// the hull along a direction u is  max u . x;  enough directions replace its edges.
double outside_of(const Point2& point, const std::vector<Point2>& others) {
  constexpr int kDirections = 64;
  double most = -std::numeric_limits<double>::infinity();
  for (int k = 0; k < kDirections; ++k) {
    const double angle = 2 * std::numbers::pi * k / kDirections;
    const Point2 u(std::cos(angle), std::sin(angle));
    double support = -std::numeric_limits<double>::infinity();
    for (const Point2& other : others) support = std::max(support, u.dot(other));
    most = std::max(most, u.dot(point) - support);
  }
  return most;
}

bool above_its_footprint(const Vec& s, const Extent& extent) {
  Point2 middle = Point2::Zero();
  std::vector<Point2> low;
  for (Eigen::Index i = 0; i < s.size(); i += 3) {
    const Point2 flat(s[i], s[i + 2]);
    middle += flat;
    if (s[i + 1] < extent.low + kFootprint * extent.height) low.push_back(flat);
  }
  middle /= static_cast<double>(s.size() / 3);
  return outside_of(middle, low) < kBesideFoot * extent.size;
}

}  // namespace

Footing footing_of(const Character& character, const KeyedMotion& motion) {
  if (motion.play().off_ground) return {false, "the clip's name says that it swims or flies"};
  bool off = false, on = false;
  for (const Animation& each : character.clips)
    off |= says_off_ground(each.name), on |= has_walk_word(words_of(each.name));
  const bool legs = has_legs(character);
  if (off && !on && !legs) return {false, "other clips swim or fly, none walks, and no joint is called a leg"};
  const auto workspace = character.rig->make_workspace();
  Vec p, s;
  motion.controls(0, p);
  character.rig->evaluate(*workspace, p, s);
  if (s.size() == 0 || !s.allFinite()) return {true, "nothing is known of it"};
  const Extent first = extent_of(s);
  if (off && !on && !first.near_floor())
    return {false, "other clips swim or fly, none walks, and the clip begins away from y = 0"};
  Vec rest;
  character.rig->evaluate(*workspace, character.rig->rest(), rest);
  if (extent_of(rest).near_floor()) return {true, "its lowest point is at y = 0"};
  if (legs) return {true, "it has legs by name"};
  const bool held_up = above_its_footprint(s, first);
  std::vector<double> lows;
  for (int k = 0; held_up && k < kSupportMoments; ++k) {
    motion.controls(motion.duration() * k / kSupportMoments, p);
    character.rig->evaluate(*workspace, p, s);
    lows.push_back(extent_of(s).low);
  }
  std::vector<double> sorted = lows;
  std::sort(sorted.begin(), sorted.end());
  const auto same = std::count_if(lows.begin(), lows.end(), [&](double low) {
    return std::abs(low - sorted[sorted.size() / 2]) <= kSameHeight * first.height;
  });
  if (held_up && same >= kMostOfThem * kSupportMoments)
    return {true, "its middle is above what is lowest, which stays at one height"};
  return {false, "it is away from y = 0, and nothing holds it up"};
}

}  // namespace rigspace
