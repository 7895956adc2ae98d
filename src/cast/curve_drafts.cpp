#include "curve_drafts.h"

#include "shapes.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace rigspace {
namespace {

// From inside the solid to its surface along a unit direction, metres.
double exit_distance(const ScalarField& solid, const Vec3& from, const Vec3& direction) {
  constexpr double kStride = 0.004, kReach = 1.5;  // metres
  double inside = 0;
  while (inside < kReach && solid(from + (inside + kStride) * direction) < 0) inside += kStride;
  double outside = inside + kStride;
  for (int round = 0; round < 20; ++round) {
    const double middle = 0.5 * (inside + outside);
    (solid(from + middle * direction) < 0 ? inside : outside) = middle;
  }
  return inside;
}

}  // namespace

std::vector<Vec3> resampled(std::span<const Vec3> line, int count) {
  std::vector<double> length{0};
  for (std::size_t k = 1; k < line.size(); ++k) length.push_back(length.back() + (line[k] - line[k - 1]).norm());
  std::vector<Vec3> points;
  std::size_t k = 1;
  for (int i = 0; i < count; ++i) {
    const double at = length.back() * i / (count - 1);
    while (k + 1 < line.size() && length[k] < at) ++k;
    const double span = std::max(length[k] - length[k - 1], 1e-12);
    points.push_back(line[k - 1] + std::clamp((at - length[k - 1]) / span, 0.0, 1.0) * (line[k] - line[k - 1]));
  }
  return points;
}

CurveDraft along_bones(const puppet::Skeleton& skeleton, const BoneCurve& curve) {
  std::vector<Vec3> line;
  std::vector<int> joints;
  for (const std::string& name : curve.joints) {
    joints.push_back(skeleton.find(name));
    line.push_back(skeleton[joints.back()].position);
  }
  line.push_back(curve.end);
  CurveDraft draft{.name = curve.name, .points = resampled(line, curve.points), .influences = {}};
  std::size_t bone = 0;
  for (const Vec3& p : draft.points) {
    const auto off = [&](std::size_t k) {
      return (p - line[k] - segment_parameter(p, line[k], line[k + 1]) * (line[k + 1] - line[k])).norm();
    };
    while (bone + 1 < joints.size() && off(bone) > off(bone + 1) + 1e-9) ++bone;
    draft.influences.push_back({{joints[bone], 1.0}});
  }
  return draft;
}

CurveDraft on_skin(std::string name, std::vector<Vec3> points, std::span<const flesh::Part> parts, int joints) {
  Mat weights(static_cast<Eigen::Index>(points.size()), joints);
  for (std::size_t k = 0; k < points.size(); ++k) flesh::weigh(parts, points[k], weights.row(static_cast<int>(k)));
  return {.name = std::move(name), .points = std::move(points), .influences = flesh::strongest(weights, 4, 0.02)};
}

std::vector<Vec3> outline_of(const LimbOutline& limb) {
  constexpr int kSteps = 60;
  const std::vector<Vec3> axis = resampled(limb.chain, kSteps);
  const int first = static_cast<int>(limb.from * (kSteps - 1)), last = static_cast<int>(limb.to * (kSteps - 1));
  std::vector<Vec3> out, back;
  for (int k = first; k <= last; ++k) {
    const Vec3 along = axis[std::min(k + 1, kSteps - 1)] - axis[std::max(k - 1, 0)];
    const Vec3 aside = along.cross(limb.view).normalized();
    out.push_back(axis[k] + exit_distance(limb.solid, axis[k], aside) * aside);
    back.push_back(axis[k] - exit_distance(limb.solid, axis[k], -aside) * aside);
  }
  // Around the end, by rays over half a turn.
  const Vec3 end = axis[last], aside = (out.back() - end).normalized();
  const Vec3 along = (axis[last] - axis[std::max(last - 1, 0)]).normalized();
  for (int k = 1; k < 8; ++k) {
    const double turn = std::numbers::pi * k / 8;
    const Vec3 direction = (std::cos(turn) * aside + std::sin(turn) * along).normalized();
    out.push_back(end + exit_distance(limb.solid, end, direction) * direction);
  }
  out.insert(out.end(), back.rbegin(), back.rend());
  return resampled(out, limb.count);
}

std::vector<Vec3> outline_around(const ScalarField& solid, const Vec3& center, const Vec3& view, int count) {
  const Mat3 axes = shapes::facing(view);
  std::vector<Vec3> line;
  constexpr int kRays = 180;
  for (int k = 0; k <= kRays; ++k) {
    const double turn = 2 * std::numbers::pi * (k % kRays) / kRays;
    const Vec3 direction = std::sin(turn) * axes.col(0) + std::cos(turn) * axes.col(1);
    line.push_back(center + exit_distance(solid, center, direction) * direction);
  }
  std::vector<Vec3> points = resampled(line, count + 1);
  points.pop_back();  // the first again
  return points;
}

}  // namespace rigspace
