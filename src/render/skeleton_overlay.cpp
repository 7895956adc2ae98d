#include "skeleton_overlay.h"

#include <algorithm>
#include <cmath>

namespace rigspace {
namespace {

using PixelPoint = Eigen::Vector2d;

constexpr Color8 kBoneLight{250, 176, 66}, kBoneDark{196, 108, 22}, kOutline{92, 48, 10}, kJoint{255, 246, 228};
constexpr float kOpacity = 0.78f;

struct Drawn {
  PixelPoint head, tail;
  double depth;
};

// Signed distance to a triangle given counterclockwise or clockwise: the largest of its half-planes'.
double outside(const PixelPoint& x, const PixelPoint (&corner)[3]) {
  const auto cross = [](const PixelPoint& a, const PixelPoint& b) { return a.x() * b.y() - a.y() * b.x(); };
  const double turn = cross(corner[1] - corner[0], corner[2] - corner[0]) < 0 ? -1 : 1;
  double distance = -1e300;
  for (int k = 0; k < 3; ++k) {
    const PixelPoint edge = corner[(k + 1) % 3] - corner[k];
    distance = std::max(distance, -turn * cross(edge, x - corner[k]) / std::max(edge.norm(), 1e-9));
  }
  return distance;
}

template <class Coverage>
void fill(Picture& onto, const PixelPoint& low, const PixelPoint& high, Color8 color, float opacity, Coverage&& coverage) {
  const auto clamp = [](double v, int limit) {
    return static_cast<int>(std::clamp(v, 0.0, static_cast<double>(limit)));
  };
  for (int y = clamp(low.y() - 2, onto.height()); y < clamp(high.y() + 3, onto.height()); ++y)
    for (int x = clamp(low.x() - 2, onto.width()); x < clamp(high.x() + 3, onto.width()); ++x)
      onto.blend(x, y, color, opacity * static_cast<float>(std::clamp(coverage(PixelPoint(x + 0.5, y + 0.5)), 0.0, 1.0)));
}

void fill_triangle(Picture& onto, const PixelPoint (&corner)[3], Color8 color) {
  const PixelPoint low = corner[0].cwiseMin(corner[1]).cwiseMin(corner[2]),
              high = corner[0].cwiseMax(corner[1]).cwiseMax(corner[2]);
  fill(onto, low, high, color, kOpacity, [&](const PixelPoint& x) { return 0.5 - outside(x, corner); });
}

void draw_line(Picture& onto, const PixelPoint& a, const PixelPoint& b, double width, Color8 color) {
  const PixelPoint along = b - a;
  const double length2 = std::max(along.squaredNorm(), 1e-12);
  fill(onto, a.cwiseMin(b), a.cwiseMax(b), color, 0.9f, [&](const PixelPoint& x) {
    const double t = std::clamp((x - a).dot(along) / length2, 0.0, 1.0);
    return 0.5 * width + 0.5 - (x - a - t * along).norm();
  });
}

void draw_dot(Picture& onto, const PixelPoint& at, double radius, Color8 color) {
  const PixelPoint reach = PixelPoint::Constant(radius);
  fill(onto, at - reach, at + reach, color, 1.0f, [&](const PixelPoint& x) { return radius + 0.5 - (x - at).norm(); });
}

// Seen from the side an octahedron is four triangles around a waist near its head.
void draw_bone(Picture& onto, const Drawn& bone, double unit) {
  const PixelPoint along = bone.tail - bone.head;
  const double length = along.norm();
  if (length < 1.5) return;
  const PixelPoint side = PixelPoint(-along.y(), along.x()) / length * std::clamp(0.09 * length, 1.2 * unit, 6 * unit);
  const PixelPoint waist = bone.head + std::min(0.18, 10 * unit / length) * along;
  const PixelPoint left = waist + side, right = waist - side;
  fill_triangle(onto, {bone.head, left, waist}, kBoneLight);
  fill_triangle(onto, {left, bone.tail, waist}, kBoneLight);
  fill_triangle(onto, {bone.head, right, waist}, kBoneDark);
  fill_triangle(onto, {right, bone.tail, waist}, kBoneDark);
  for (const auto& [a, b] : {std::pair(bone.head, left), std::pair(left, bone.tail), std::pair(bone.head, right),
                             std::pair(right, bone.tail)})
    draw_line(onto, a, b, 0.6 * unit, kOutline);
}

}  // namespace

void draw_skeleton(Picture& onto, const Character& character, const Snapshot& snapshot, const Camera& camera) {
  if (snapshot.joints.size() != character.bones.size()) return;
  std::vector<Drawn> bones;
  std::vector<Vec3> seen;
  for (const Vec3& joint : snapshot.joints) seen.push_back(camera.project(joint, onto.width(), onto.height()));
  for (std::size_t k = 0; k < seen.size(); ++k) {
    const int parent = character.bones[k].parent;
    if (parent < 0 || seen[parent].z() <= 0 || seen[k].z() <= 0) continue;
    bones.push_back({seen[parent].head<2>(), seen[k].head<2>(), 0.5 * (seen[parent].z() + seen[k].z())});
  }
  std::stable_sort(bones.begin(), bones.end(), [](const Drawn& a, const Drawn& b) { return a.depth > b.depth; });
  const double unit = std::max(0.8, std::min(onto.width(), onto.height()) / 640.0);  // line widths follow the picture
  for (const Drawn& bone : bones) draw_bone(onto, bone, unit);
  for (const Vec3& joint : seen)
    if (joint.z() > 0) {
      draw_dot(onto, joint.head<2>(), 2.2 * unit, kOutline);
      draw_dot(onto, joint.head<2>(), 1.5 * unit, kJoint);
    }
}

}  // namespace rigspace
