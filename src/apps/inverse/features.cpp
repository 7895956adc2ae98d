#include "rigspace/apps/inverse/features.h"

#include "markers.h"
#include "measured_joints.h"
#include "rigspace/base/error.h"
#include "rigspace/base/suggestion.h"
#include "rigspace/body/joint_points.h"

#include <algorithm>
#include <numeric>

namespace rigspace {
namespace {

std::vector<std::string> bone_names(const Character& character) {
  std::vector<std::string> names;
  for (const Bone& bone : character.bones) names.push_back(bone.name);
  return names;
}

[[noreturn]] void refuse_joint(const Character& character, const std::string& joint, const std::string& problem) {
  throw Error({.code = ErrorCode::usage,
               .file = character.name,
               .element = "joint \"" + joint + "\"",
               .value = joint,
               .problem = problem,
               .remedy = suggestion(joint, bone_names(character), "`rigspace info --joints` lists their names")});
}

}  // namespace

FeatureRig::FeatureRig(const Character& character, std::span<const std::string> joints)
    : names_(joints.begin(), joints.end()) {
  const auto* built_in = dynamic_cast<const BuiltInRig*>(character.rig.get());
  const PointJoints* measured = point_joints(character);
  if ((built_in == nullptr && measured == nullptr) || character.bones.empty() || joints.empty())
    throw Error({.file = character.name,
                 .element = "rig",
                 .problem = "has no joints that could follow a motion",
                 .remedy = "name points of its surface instead"});
  const auto bone_of = [&](const std::string& joint, const Marker& marker) -> const Bone& {
    const auto bone = std::ranges::find(character.bones, marker.joint, &Bone::name);
    if (bone == character.bones.end()) refuse_joint(character, joint, "is not one of this character's");
    return *bone;
  };
  const double beside = marker_length(character);
  if (measured != nullptr) {
    Vec s;
    character.rig->evaluate(*character.rig->make_workspace(), character.rig->rest(), s);
    std::vector<CarriedPoint> carried;
    for (const std::string& joint : joints) {
      const Marker marker = read_marker(joint);
      const auto number = static_cast<std::size_t>(&bone_of(joint, marker) - character.bones.data());
      carried.push_back(carried_point(measured->first[number], s, beside * marker.axis));
    }
    whole_ = character.rig;
    rig_ = carried_points(whole_, std::move(carried));
    workspace_ = rig_->make_workspace();
    return;
  }
  Vec slots;
  built_in->evaluate_slots(*built_in->make_workspace(), built_in->rest(), slots);
  std::vector<JointPoint> points;
  for (const std::string& joint : joints) {
    const Marker marker = read_marker(joint);
    const Bone& bone = bone_of(joint, marker);
    points.push_back({bone.slot, translation(slot_transform(*built_in, slots, bone.slot)) + beside * marker.axis});
  }
  whole_ = with_joint_points(*built_in, points);
  std::vector<int> last(points.size());
  std::iota(last.begin(), last.end(), built_in->point_count());
  rig_ = whole_->restricted(last);
  workspace_ = rig_->make_workspace();
}

FeatureRig::FeatureRig(const Character& character, std::span<const int> points) : whole_(character.rig) {
  for (const int each : points)
    if (each < 0 || each >= whole_->point_count())
      throw Error({.code = ErrorCode::usage,
                   .file = character.name,
                   .element = "point " + std::to_string(each),
                   .problem = "is not on this character, which has " + std::to_string(whole_->point_count()),
                   .remedy = "count from 0 in the order of the file"});
  rig_ = whole_->restricted(points);
  workspace_ = rig_->make_workspace();
  for (const int each : points) names_.push_back("point " + std::to_string(each));
}

Mat FeatureRig::jacobian(In p, std::span<const int> free) const {
  BlockJacobian J;
  rig_->jacobian(*workspace_, p, free, J);
  return J.dense();
}

Mat FeatureRig::jacobian_by_differences(In p, std::span<const int> free) const {
  constexpr double kStep = 1e-4;  // of a typical change
  Mat J(3 * count(), static_cast<Eigen::Index>(free.size()));
  Vec here, there, moved = p;
  evaluate(p, here);
  for (std::size_t k = 0; k < free.size(); ++k) {
    const double step = kStep * rig_->controls()[free[k]].typical;
    moved[free[k]] = p[free[k]] + step;
    evaluate(moved, there);
    moved[free[k]] = p[free[k]];
    J.col(static_cast<Eigen::Index>(k)) = (there - here) / step;
  }
  return J;
}

std::vector<std::string> joints_matching(const Character& character, std::span<const std::string> patterns) {
  for (const std::string& pattern : patterns)
    if (std::ranges::none_of(character.bones,
                             [&](const Bone& bone) { return matches_pattern(bone.name, read_marker(pattern).joint); }))
      refuse_joint(character, pattern, "matches none of this character's");
  std::vector<std::string> names;
  for (const Bone& bone : character.bones)
    if (patterns.empty() ||
        std::ranges::any_of(patterns, [&](const std::string& each) { return matches_pattern(bone.name, each); }))
      names.push_back(bone.name);
  for (const std::string& pattern : patterns)
    if (!read_marker(pattern).axis.isZero()) names.push_back(pattern);
  return names;
}

}  // namespace rigspace
