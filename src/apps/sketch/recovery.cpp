#include "rigspace/apps/sketch/recovery.h"

#include "rigspace/body/joint_points.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <random>

namespace rigspace {
namespace {
constexpr double kHandSpacing = 0.0075;  // of the height, between two points that a pen gives
constexpr double kSeenBone = 0.08;       // of the height

double height_of(const Character& character) {
  Vec s;
  character.rig->evaluate(*character.rig->make_workspace(), character.rig->rest(), s);
  return bounding_box(s).size().y();
}
}  // namespace

Vec random_sketch_pose(const SketchPoser& poser, std::span<const Control> controls, In p, double range,
                       std::uint32_t seed) {
  std::mt19937 random(seed);
  Vec pose = p;
  const SketchControls& limits = poser.limits();
  for (std::size_t k = 0; k < limits.free.size(); ++k) {
    const int c = limits.free[k];
    const double share = std::uniform_real_distribution<double>(0, 1)(random);
    if (controls[c].unit == Unit::length || controls[c].unit == Unit::scale) continue;
    if (controls[c].unit == Unit::angle && std::isinf(limits.lower[static_cast<Eigen::Index>(k)]))
      continue;  // the root
    double low = limits.lower[static_cast<Eigen::Index>(k)], high = limits.upper[static_cast<Eigen::Index>(k)];
    if (controls[c].unit == Unit::angle || !std::isfinite(low)) low = std::max(low, p[c] - range);
    if (controls[c].unit == Unit::angle || !std::isfinite(high)) high = std::min(high, p[c] + range);
    pose[c] = low + share * (high - low);
  }
  return pose;
}

namespace {

std::vector<Stroke> wobbled(std::span<const Stroke> strokes, double jitter, double spacing, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  std::vector<Stroke> result;
  for (const Stroke& stroke : strokes) {
    const int samples = std::clamp(static_cast<int>(stroke.length() / spacing), 24, 256);
    Stroke drawn{
        .points = resampled(stroke.points, stroke.closed, samples), .closed = stroke.closed, .name = stroke.name};
    std::vector<Vec2> noise(drawn.points.size() + 2);
    for (Vec2& each : noise) each = Vec2(normal(random), normal(random));
    // Weights 1/4, 1/2, 1/4 keep 3/8 of the variance; two coordinates share the rest.
    const double factor = jitter / std::sqrt(2 * 0.375);
    for (std::size_t k = 0; k < drawn.points.size(); ++k)
      drawn.points[k] += factor * (0.25 * noise[k] + 0.5 * noise[k + 1] + 0.25 * noise[k + 2]);
    result.push_back(std::move(drawn));
  }
  return result;
}

void shuffle(std::vector<Stroke>& strokes, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::shuffle(strokes.begin(), strokes.end(), random);
  for (Stroke& stroke : strokes)
    if (random() % 2 == 0) std::reverse(stroke.points.begin(), stroke.points.end());
}

double distance_to(const Vec2& z, const std::vector<Vec2>& line) {
  double best = (z - line[0]).norm();
  for (std::size_t k = 1; k < line.size(); ++k) {
    const Vec2 d = line[k] - line[k - 1];
    const double t = d.squaredNorm() > 0 ? std::clamp(d.dot(z - line[k - 1]) / d.squaredNorm(), 0.0, 1.0) : 0;
    best = std::min(best, (line[k - 1] + t * d - z).norm());
  }
  return best;
}

/// Root mean square distance from points of `from`, evenly by length, to the nearest line of `to`, and back, the
/// larger.
double distance_between(std::span<const Stroke> from, std::span<const Stroke> to) {
  double sums[2] = {0, 0};
  for (int way = 0; way < 2; ++way) {
    const auto& a = way == 0 ? from : to;
    const auto& b = way == 0 ? to : from;
    double whole = 0;
    for (const Stroke& stroke : a)
      for (const Vec2& z : resampled(stroke.points, stroke.closed, 48)) {
        double best = 1e300;
        for (const Stroke& other : b) best = std::min(best, distance_to(z, other.points));
        sums[way] += stroke.length() * best * best, whole += stroke.length();
      }
    sums[way] = whole > 0 ? std::sqrt(sums[way] / whole) : 0;
  }
  return std::max(sums[0], sums[1]);
}

}  // namespace

std::vector<Stroke> hand_drawn(std::span<const Stroke> strokes, double jitter, double spacing, std::uint32_t seed) {
  std::vector<Stroke> drawn = wobbled(strokes, jitter, spacing, seed);
  shuffle(drawn, seed + 1);
  return drawn;
}

std::map<std::string, std::vector<SeenAngle>> seen_joint_angles(const Character& character, const Camera& camera,
                                                                In p) {
  const auto& rig = dynamic_cast<const BuiltInRig&>(*character.rig);
  const std::vector<StickChain> chains = stick_chains(character);
  std::vector<JointPoint> joints;
  for (const StickChain& chain : chains)
    for (std::size_t k = 0; k < chain.joints.size(); ++k)
      joints.push_back(
          {character.bones[static_cast<std::size_t>(chain.bones[std::min(k, chain.bones.size() - 1)])].slot,
           chain.joints[k]});
  const auto extended = with_joint_points(rig, joints);
  std::vector<int> all(joints.size());
  std::iota(all.begin(), all.end(), rig.point_count());
  const auto only = extended->restricted(all);
  Vec s;
  only->evaluate(*only->make_workspace(), p, s);
  const ViewPlane view(camera);
  const double least = kSeenBone * height_of(character) * view.scale(point(s, 0));
  const auto seen_well = [&](const Vec2& bone, double length) {
    return bone.norm() > 0.5 * length && bone.norm() > least;
  };
  std::map<std::string, std::vector<SeenAngle>> angles;
  int first = 0;
  for (const StickChain& chain : chains) {
    std::vector<SeenAngle>& of_chain = angles[chain.name];
    for (std::size_t k = 1; k + 1 < chain.joints.size(); ++k) {
      const Vec3 a = point(s, first + static_cast<int>(k) - 1), b = point(s, first + static_cast<int>(k)),
                 c = point(s, first + static_cast<int>(k) + 1);
      const Vec2 ab = view.project(b) - view.project(a), bc = view.project(c) - view.project(b);
      const double scale = view.scale(b);
      of_chain.push_back({.angle = std::atan2(ab.x() * bc.y() - ab.y() * bc.x(), ab.dot(bc)),
                          .in_plane = seen_well(ab, scale * (b - a).norm()) && seen_well(bc, scale * (c - b).norm())});
    }
    first += static_cast<int>(chain.joints.size());
  }
  return angles;
}

Recovery recover(SketchPoser& poser, const Character& character, const Camera& camera, In p,
                 const RecoveryOptions& options) {
  const double height = height_of(character) / poser.size() * poser.view_size();
  const Vec truth = random_sketch_pose(poser, character.rig->controls(), p, options.range, options.seed);
  poser.set_pose(truth);
  const std::vector<Stroke> exact = poser.seen();
  std::vector<Stroke> drawn = wobbled(exact, options.jitter * height, kHandSpacing * height, options.seed + 7919);
  const std::vector<Stroke> in_order = drawn;
  shuffle(drawn, options.order);
  if (!options.from_truth) poser.set_pose(p);
  Recovery result;
  result.unposed = distance_between(poser.seen(), exact) / height;
  if (options.named)
    for (Stroke& stroke : drawn) stroke.curve = stroke.name;
  result.report = poser.solve(drawn);
  for (const StrokeReport& each : result.report.strokes)
    result.mistaken += each.curve != each.stroke && !poser.abstraction().pooled;
  result.p = poser.controls();
  const std::vector<Stroke> found = poser.seen();
  result.residual = distance_between(found, exact) / height;
  result.fit = distance_between(found, in_order) / height;
  const SketchControls& limits = poser.limits();
  for (std::size_t k = 0; k < limits.free.size(); ++k) {
    const double value = result.p[limits.free[k]];
    result.within_limits = result.within_limits && value >= limits.lower[static_cast<Eigen::Index>(k)] - 1e-12 &&
                           value <= limits.upper[static_cast<Eigen::Index>(k)] + 1e-12;
  }
  const auto wanted = seen_joint_angles(character, camera, truth), got = seen_joint_angles(character, camera, result.p);
  for (const StrokeReport& each : result.report.strokes) {
    if (!wanted.contains(each.stroke)) continue;
    const auto& drawn_angles = wanted.at(each.stroke);
    const auto found_chain = got.find(each.curve);
    const bool alike = found_chain != got.end() && found_chain->second.size() == drawn_angles.size();
    for (std::size_t k = 0; k < drawn_angles.size(); ++k) {
      if (!drawn_angles[k].in_plane) continue;
      result.angles.push_back(
          alike ? std::abs(std::remainder(found_chain->second[k].angle - drawn_angles[k].angle, 2 * std::numbers::pi))
                : std::numbers::pi);
    }
  }
  std::vector<double> sorted = result.angles;
  std::sort(sorted.begin(), sorted.end());
  result.angle = sorted.empty() ? 0 : sorted[sorted.size() / 2];
  poser.set_pose(p);
  return result;
}

}  // namespace rigspace
