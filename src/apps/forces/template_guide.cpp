#include "rigspace/apps/forces/template_guide.h"

#include "rigspace/base/error.h"
#include "rigspace/base/suggestion.h"
#include "rigspace/geometry/closest_point.h"
#include "rigspace/rig/skeleton.h"

#include <algorithm>
#include <array>

namespace rigspace {
namespace {

using namespace std::string_view_literals;
constexpr std::array kOfBone{"along"sv, "out"sv, "angle"sv, "spin"sv};
constexpr std::array kOfSkin{"depth"sv, "spin"sv};
constexpr std::array kFree{"x"sv, "y"sv, "z"sv, "rx"sv, "ry"sv, "rz"sv};

/// A unit vector across `along`: as near as can be to the scene's up, or forward where `along` is upright.
Vec3 across(const Vec3& along) {
  const Vec3 up = std::abs(along.y()) < 0.8 ? Vec3(Vec3::UnitY()) : Vec3(Vec3::UnitZ());
  return (up - up.dot(along) * along).normalized();
}

Mat3 turn_about(const Vec3& axis, double angle) { return Eigen::AngleAxisd(angle, axis).toRotationMatrix(); }

/// z along `z`, x as near to `x` as can be.
Mat3 axes_of(const Vec3& z, const Vec3& x) {
  Mat3 axes;
  axes.col(2) = z;
  axes.col(0) = (x - x.dot(z) * z).normalized();
  axes.col(1) = axes.col(2).cross(axes.col(0));
  return axes;
}

GuidedFrame on_bone(const TemplateGuide& guide, std::span<const double> g) {
  const Vec3 along = guide.line.to - guide.line.from, axis = along.normalized();
  const Vec3 out = turn_about(axis, g[2]) * across(axis);
  GuidedFrame frame;
  frame.origin = guide.line.from + g[0] * along + g[1] * out;
  const Mat3 axes = guide.outward ? axes_of(out, axis) : axes_of(axis, out);
  frame.axes = turn_about(axes.col(2), g[3]) * axes;
  frame.d_origin.setZero(3, 4), frame.d_turn.setZero(3, 4);
  frame.d_origin.col(0) = along;
  frame.d_origin.col(1) = out;
  frame.d_origin.col(2) = g[1] * axis.cross(out);
  frame.d_turn.col(2) = axis;
  frame.d_turn.col(3) = axes.col(2);
  return frame;
}

GuidedFrame on_skin(const TemplateGuide& guide, std::span<const double> g) {
  const Vec3& n = guide.normal;
  const Vec3 lines = guide.line.to - guide.line.from;
  const Vec3 flat = lines - lines.dot(n) * n;
  const Vec3 tangent = flat.norm() > 1e-3 * lines.norm() && lines.norm() > 0 ? flat.normalized() : across(n);
  GuidedFrame frame;
  frame.origin = guide.place - g[0] * n;
  frame.axes = turn_about(n, g[1]) * (guide.outward ? axes_of(n, tangent) : axes_of(tangent, n));
  frame.d_origin.setZero(3, 2), frame.d_turn.setZero(3, 2);
  frame.d_origin.col(0) = -n;
  frame.d_turn.col(1) = n;
  return frame;
}

GuidedFrame free_frame(std::span<const double> g) {
  const Vec3 r(g[3], g[4], g[5]);
  GuidedFrame frame{.origin = Vec3(g[0], g[1], g[2]), .axes = rotation_exp(r)};
  frame.d_origin.setZero(3, 6), frame.d_turn.setZero(3, 6);
  frame.d_origin.leftCols<3>().setIdentity();
  for (int k = 0; k < 3; ++k) {
    const Mat3 W = rotation_exp_derivative(r, k) * frame.axes.transpose();
    frame.d_turn.col(3 + k) = Vec3(W(2, 1), W(0, 2), W(1, 0));
  }
  return frame;
}

}  // namespace

TemplateGuide bone_guide(const ForceBody& body, std::string_view joint, bool outward) {
  const ForceSkeleton& skeleton = body.skeleton;
  const int j = skeleton.find(joint);
  const ForceSkeleton::Bone* longest = nullptr;
  for (const ForceSkeleton::Bone& bone : skeleton.bones)
    if (bone.joint == j &&
        (longest == nullptr || (bone.line.to - bone.line.from).norm() > (longest->line.to - longest->line.from).norm()))
      longest = &bone;
  if (longest == nullptr || longest->line.from == longest->line.to)
    throw Error({.element = "bone \"" + std::string(joint) + "\"",
                 .value = std::string(joint),
                 .problem = j < 0 ? "is not a joint of the skin" : "has no length inside the body",
                 .remedy = suggestion(std::string(joint), skeleton.names, "`rigspace info` lists joints")});
  return {.kind = GuideKind::bone, .outward = outward, .bone = std::string(joint), .line = longest->line};
}

TemplateGuide skin_guide(const ForceBody& body, const Vec3& near, bool outward) {
  const TriangleTree tree({.points = body.points_rest, .triangles = body.triangles});
  const SurfacePoint at = tree.closest(near);
  const Vec normals = vertex_normals(TriMesh{.points = body.points_rest, .triangles = body.triangles});
  Vec3 normal = Vec3::Zero();  // of all corners: continuous where triangles meet
  for (int k = 0; k < 3; ++k) normal += at.barycentric[k] * point(normals, body.triangles[at.triangle][k]);
  TemplateGuide guide{.kind = GuideKind::skin, .outward = outward, .place = at.position, .normal = normal.normalized()};
  double best = std::numeric_limits<double>::infinity();
  for (const ForceSkeleton::Bone& bone : body.skeleton.bones) {
    const Vec3 along = bone.line.to - bone.line.from;
    const double t = std::clamp((at.position - bone.line.from).dot(along) / along.squaredNorm(), 0.0, 1.0);
    const double d = (at.position - bone.line.from - t * along).norm();
    if (d < best) best = d, guide.line = bone.line;
  }
  return guide;
}

std::span<const std::string_view> parameters(GuideKind kind) {
  if (kind == GuideKind::bone) return kOfBone;
  if (kind == GuideKind::skin) return kOfSkin;
  return kFree;
}

bool is_angle(std::string_view parameter) {
  return parameter == "angle" || parameter == "spin" || (parameter.starts_with('r') && parameter.size() == 2);
}

GuidedFrame guided_frame(const TemplateGuide& guide, std::span<const double> parameters) {
  if (guide.kind == GuideKind::bone) return on_bone(guide, parameters);
  if (guide.kind == GuideKind::skin) return on_skin(guide, parameters);
  return free_frame(parameters);
}

}  // namespace rigspace
