#include "puppet.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numbers>
#include <utility>

namespace rigspace::puppet {
namespace {

// Columns: hinge, bone, hinge x bone; the bone is exact, the hinge as near as can be.
Mat3 frame(const Vec3& bone, const Vec3& hinge) {
  Mat3 F;
  F.col(1) = bone.normalized();
  F.col(0) = (hinge - hinge.dot(F.col(1)) * F.col(1)).normalized();
  F.col(2) = F.col(0).cross(F.col(1));
  return F;
}

Quat degrees_about(const Vec3& axis, double degrees) {
  return Quat(Eigen::AngleAxisd(degrees * std::numbers::pi / 180, axis));
}

std::vector<double> key_times(const ClipPlan& plan) {
  const int last = static_cast<int>(std::lround(plan.duration * plan.rate));
  std::vector<double> times(last + 1);
  for (int k = 0; k <= last; ++k) times[k] = k == last ? plan.duration : k / plan.rate;
  return times;
}

}  // namespace

int Skeleton::add(std::string name, std::string_view parent, const Vec3& position, const Vec3& end, const Vec3& hinge) {
  const int parent_index = parent.empty() ? -1 : find(parent);
  joints_.push_back({std::move(name), parent_index, position, Quat(frame(end - position, hinge)).normalized()});
  return size() - 1;
}

int Skeleton::find(std::string_view name) const {
  const auto it = std::find_if(joints_.begin(), joints_.end(), [&](const Joint& joint) { return joint.name == name; });
  assert(it != joints_.end());
  return static_cast<int>(it - joints_.begin());
}

Vec3 Skeleton::local_translation(int j, const Vec3& shift) const {
  const Joint& joint = joints_[j];
  if (joint.parent < 0) return joint.position + shift;
  const Joint& parent = joints_[joint.parent];
  return parent.axes.conjugate() * (joint.position - parent.position + shift);
}

Quat Skeleton::local_rotation(int j, const Quat& turn) const {
  const Joint& joint = joints_[j];
  const Quat rotation = turn * joint.axes;
  return (joint.parent < 0 ? rotation : joints_[joint.parent].axes.conjugate() * rotation).normalized();
}

Placement placement(const Skeleton& skeleton, const Pose& pose, int joint) {
  const int parent = skeleton[joint].parent;
  if (parent < 0) return {pose.turn[joint], skeleton[joint].position + pose.shift[joint]};
  const Placement above = placement(skeleton, pose, parent);
  const Vec3 offset = skeleton[joint].position - skeleton[parent].position + pose.shift[joint];
  return {above.turn * pose.turn[joint], above.position + above.turn * offset};
}

void reach(const Skeleton& skeleton, const Limb& limb, const Placement& target, const Vec3& pole, Pose& pose) {
  const Vec3 upper_rest = skeleton[limb.lower].position - skeleton[limb.upper].position;
  const Vec3 lower_rest = skeleton[limb.end].position - skeleton[limb.lower].position;
  const double a = upper_rest.norm(), b = lower_rest.norm();
  const Placement base = placement(skeleton, pose, limb.upper);

  const Vec3 to_target = target.position - base.position;
  const double c = std::clamp(to_target.norm(), std::abs(a - b) + 1e-4, (a + b) * (1 - 1e-6));
  const Vec3 along = to_target.normalized();
  const Vec3 aside = (pole - pole.dot(along) * along).normalized();
  // Law of cosines: how far along and aside of the line to the target the middle joint lies.
  const double x = (a * a - b * b + c * c) / (2 * c);
  const double y = std::sqrt(std::max(0.0, a * a - x * x));
  const Vec3 middle = base.position + x * along + y * aside;
  const Vec3 end = base.position + c * along;

  // The hinge is normal to the plane of the limb, at rest and now.
  const Vec3 hinge_rest = upper_rest.cross(lower_rest), hinge = (middle - base.position).cross(end - middle);
  const Quat upper(Mat3(frame(middle - base.position, hinge) * frame(upper_rest, hinge_rest).transpose()));
  const Quat lower(Mat3(frame(end - middle, hinge) * frame(lower_rest, hinge_rest).transpose()));
  const int parent = skeleton[limb.upper].parent;
  const Quat above = parent < 0 ? Quat::Identity() : placement(skeleton, pose, parent).turn;
  pose.turn[limb.upper] = above.conjugate() * upper;
  pose.turn[limb.lower] = upper.conjugate() * lower;
  pose.turn[limb.end] = lower.conjugate() * target.turn;
}

Quat about_x(double degrees) { return degrees_about(Vec3::UnitX(), degrees); }
Quat about_y(double degrees) { return degrees_about(Vec3::UnitY(), degrees); }
Quat about_z(double degrees) { return degrees_about(Vec3::UnitZ(), degrees); }

namespace {

Animation baked(const Skeleton& skeleton, const ClipPlan& plan) {
  Animation clip{.name = plan.name, .duration = plan.duration, .tracks = {}, .rotations = {}};
  const std::vector<double> times = key_times(plan);
  std::vector<Pose> poses;
  for (const double time : times) poses.push_back(plan.pose(skeleton, time));

  constexpr double kStill = 1e-9;  // radians and metres
  for (int j = 0; j < skeleton.size(); ++j) {
    const auto turns = [&](const Pose& pose) { return pose.turn[j].vec().norm() > kStill; };
    const auto shifts = [&](const Pose& pose) { return pose.shift[j].norm() > kStill; };
    if (std::any_of(poses.begin(), poses.end(), turns)) {
      RotationTrack track{.node = skeleton[j].name,
                          .interpolation = Interpolation::linear,
                          .times = times,
                          .values = {},
                          .in_tangents = {},
                          .out_tangents = {}};
      for (const Pose& pose : poses) {
        Vec4 q = skeleton.local_rotation(j, pose.turn[j]).coeffs();
        if (!track.values.empty() && q.dot(track.values.back()) < 0) q = -q;
        track.values.push_back(q);
      }
      clip.rotations.push_back(std::move(track));
    }
    if (std::any_of(poses.begin(), poses.end(), shifts)) {
      for (int axis = 0; axis < 3; ++axis) {
        Track track{.control = skeleton[j].name + ".t" + "xyz"[axis], .curve = {}};
        track.curve.times = times;
        for (const Pose& pose : poses) {
          track.curve.values.push_back(skeleton.local_translation(j, pose.shift[j])[axis]);
        }
        clip.tracks.push_back(std::move(track));
      }
    }
  }
  for (const ScalarKeys& scalar : plan.scalars) {
    Track track{.control = scalar.control, .curve = {}};
    track.curve.times = times;
    for (const double time : times) track.curve.values.push_back(scalar.value(time));
    clip.tracks.push_back(std::move(track));
  }
  return clip;
}

}  // namespace

std::vector<Animation> bake(const Skeleton& skeleton, std::initializer_list<ClipPlan> plans) {
  std::vector<Animation> clips;
  for (const ClipPlan& plan : plans) clips.push_back(baked(skeleton, plan));
  return clips;
}

}  // namespace rigspace::puppet
