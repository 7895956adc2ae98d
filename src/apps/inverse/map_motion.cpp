#include "rigspace/apps/inverse/map_motion.h"

#include "rigspace/anim/bake.h"
#include "rigspace/anim/key_rate.h"
#include "rigspace/base/decompositions.h"
#include "rigspace/base/error.h"
#include "rigspace/base/suggestion.h"
#include "rigspace/body/joint_points.h"

#include <algorithm>
#include <cctype>
#include <cmath>

namespace rigspace {
namespace {

/// Lower case, without what stands before a colon, without separators: "mixamorig:LeftArm" and "left_arm" are one.
std::string plain_name(const std::string& name) {
  std::string plain;
  for (const char c : name.substr(name.rfind(':') == std::string::npos ? 0 : name.rfind(':') + 1))
    if (std::isalnum(static_cast<unsigned char>(c)))
      plain += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return plain;
}

const BuiltInRig& jointed_rig(const Character& character) {
  const auto* rig = dynamic_cast<const BuiltInRig*>(character.rig.get());
  if (rig == nullptr || character.bones.empty())
    throw Error({.file = character.name,
                 .element = "motion",
                 .problem = "has no joints",
                 .remedy = "give a file with a skeleton: .bvh, .glb, .gltf, .rig.json"});
  return *rig;
}

/// For each name the bone of the source that is meant.
std::vector<int> matching_bones(const Character& source, const std::vector<std::string>& joints) {
  std::vector<std::string> plain, names;
  for (const Bone& bone : source.bones) plain.push_back(plain_name(bone.name)), names.push_back(bone.name);
  std::vector<int> bones;
  for (const std::string& joint : joints) {
    auto found = std::ranges::find(names, joint);
    if (found == names.end()) found = names.begin() + (std::ranges::find(plain, plain_name(joint)) - plain.begin());
    if (found == names.end())
      throw Error({.file = source.name,
                   .element = "joint \"" + joint + "\"",
                   .value = joint,
                   .problem = "is missing in this motion",
                   .remedy = suggestion(joint, names, "train a model with --joints that the motion has")});
    bones.push_back(static_cast<int>(found - names.begin()));
  }
  return bones;
}

/// Transforms of bones of a character at a pose.
std::vector<Affine> transforms(const Character& character, In p, const std::vector<int>& bones) {
  const BuiltInRig& rig = jointed_rig(character);
  Vec slots;
  rig.evaluate_slots(*rig.make_workspace(), p, slots);
  std::vector<Affine> result;
  for (const int bone : bones)
    result.push_back(slot_transform(rig, slots, character.bones[static_cast<std::size_t>(bone)].slot));
  return result;
}

/// How places of own joints follow from transforms of the source's.
struct Carrying {
  std::vector<int> parent;    // among the joints; -1: none
  std::vector<Mat3> aligned;  // turns the own rest pose of a joint into the source's
  std::vector<Vec3> own_rest, source_rest;
  std::vector<Mat3> source_turn_rest;
  double scale = 1;

  Carrying(const Character& own, const std::vector<int>& own_bones, const Character& source,
           const std::vector<int>& source_bones) {
    for (const Affine& each : transforms(own, own.rig->rest(), own_bones)) own_rest.push_back(translation(each));
    for (const Affine& each : transforms(source, source.rig->rest(), source_bones)) {
      source_rest.push_back(translation(each));
      source_turn_rest.push_back(nearest_rotation(linear(each)));
    }
    std::vector<int> children(own_bones.size(), 0), child(own_bones.size(), -1);
    for (std::size_t k = 0; k < own_bones.size(); ++k) {
      int above = own.bones[static_cast<std::size_t>(own_bones[k])].parent;
      while (above >= 0 && std::ranges::find(own_bones, above) == own_bones.end())
        above = own.bones[static_cast<std::size_t>(above)].parent;
      parent.push_back(above < 0 ? -1 : static_cast<int>(std::ranges::find(own_bones, above) - own_bones.begin()));
      if (parent.back() >= 0)
        ++children[static_cast<std::size_t>(parent.back())],
            child[static_cast<std::size_t>(parent.back())] = static_cast<int>(k);
    }
    aligned.assign(own_bones.size(), Mat3::Identity());
    double own_length = 0, source_length = 0;
    for (std::size_t k = 0; k < own_bones.size(); ++k) {
      if (parent[k] >= 0) {
        const auto above = static_cast<std::size_t>(parent[k]);
        own_length += (own_rest[k] - own_rest[above]).norm();
        source_length += (source_rest[k] - source_rest[above]).norm();
      }
      if (children[k] != 1) continue;
      const auto below = static_cast<std::size_t>(child[k]);
      const Vec3 a = own_rest[below] - own_rest[k], b = source_rest[below] - source_rest[k];
      if (a.norm() > 1e-9 && b.norm() > 1e-9) aligned[k] = Quat::FromTwoVectors(a, b).toRotationMatrix();
    }
    if (!(own_length > 0 && source_length > 0))
      throw Error({.file = source.name,
                   .element = "skeleton",
                   .problem = "has no bone with a length",
                   .remedy = "give a motion whose joints are apart"});
    scale = own_length / source_length;
  }

  /// Joints in the character's order come parents first.
  Vec places(const std::vector<Affine>& at) const {
    Vec x(3 * static_cast<Eigen::Index>(at.size()));
    for (std::size_t k = 0; k < at.size(); ++k) {
      const int j = static_cast<int>(k);
      if (parent[k] < 0) {
        point(x, j) = own_rest[k] + scale * (Vec3(translation(at[k])) - source_rest[k]);
        continue;
      }
      const auto above = static_cast<std::size_t>(parent[k]);
      const Mat3 turned = nearest_rotation(linear(at[above])) * source_turn_rest[above].transpose();
      // What the source's joint moves against its parent (a pelvis that bobs, a limb that is stretched) comes on top.
      const Vec3 moved =
          Vec3(translation(at[k]) - translation(at[above])) - turned * (source_rest[k] - source_rest[above]);
      point(x, j) = point(x, parent[k]) + turned * aligned[above] * (own_rest[k] - own_rest[above]) + scale * moved;
    }
    return x;
  }
};

}  // namespace

JointMotion joint_motion(const Character& own, const InverseModel& model, const Character& source,
                         const Animation& clip, const JointMotionOptions& options) {
  JointMotion motion{.name = clip.name, .joints = model.features().names()};
  jointed_rig(source);
  const std::vector<int> own_bones = matching_bones(own, motion.joints),
                         source_bones = matching_bones(source, motion.joints);
  motion.times = frame_times(clip.duration, options.rate > 0 ? options.rate : key_rate(clip));
  const Carrying carrying(own, own_bones, source, source_bones);
  double apart = 0;
  for (std::size_t k = 0; k < own_bones.size(); ++k)
    apart = std::max(apart, (carrying.own_rest[k] - carrying.source_rest[k]).norm());
  motion.carried = apart > options.same * model.size();
  motion.X.resize(3 * static_cast<Eigen::Index>(own_bones.size()), static_cast<Eigen::Index>(motion.times.size()));
  const Sampler sampler(clip, source.rig->controls());
  Vec p = source.rig->rest();
  for (std::size_t k = 0; k < motion.times.size(); ++k) {
    sampler.sample(motion.times[k], p);
    const std::vector<Affine> at = transforms(source, p, source_bones);
    auto x = motion.X.col(static_cast<Eigen::Index>(k));
    if (motion.carried)
      x = carrying.places(at);
    else
      for (std::size_t j = 0; j < at.size(); ++j) x.segment<3>(3 * static_cast<Eigen::Index>(j)) = translation(at[j]);
  }
  return motion;
}

MappedMotion map_motion(const Character& own, const InverseModel& model, const JointMotion& motion,
                        const RefineOptions& options, const ProgressCallback& progress) {
  if (motion.joints != model.features().names() || motion.times.empty())
    throw Error({.element = "motion",
                 .value = motion.name,
                 .problem = "is not of the joints that the model was trained on",
                 .remedy = "make it with joint_motion, of this model"});
  MappedMotion result;
  Mat P(own.rig->controls().size(), motion.X.cols());
  double sum = 0;
  for (Eigen::Index k = 0; k < motion.X.cols(); ++k)
    if (!motion.X.col(k).allFinite())
      throw Error({.element = "motion \"" + motion.name + "\"",
                   .value = std::to_string(motion.times[static_cast<std::size_t>(k)]) + " s",
                   .problem = "has a frame that is not finite",
                   .remedy = "mend or cut that frame"});
  result.frames = model.solve_motion(motion.X, options, progress);
  for (Eigen::Index k = 0; k < motion.X.cols(); ++k) {
    const InversePose& pose = result.frames[static_cast<std::size_t>(k)];
    P.col(k) = pose.p;
    sum += pose.joint_error * pose.joint_error;
    if (pose.joint_error > result.worst_error)
      result.worst_error = pose.joint_error, result.worst_time = motion.times[static_cast<std::size_t>(k)];
    result.guessed += pose.guessed, result.unconverged += !pose.converged;
  }
  result.joint_error = std::sqrt(sum / static_cast<double>(motion.X.cols()));
  const Vec rest = own.rig->rest();
  std::vector<int> moved;
  for (int c = 0; c < static_cast<int>(rest.size()); ++c)
    if ((P.row(c).array() != rest[c]).any()) moved.push_back(c);
  result.clip = keys_from_poses(own.rig->controls(), moved, motion.times, P);
  result.clip.name = motion.name;
  return result;
}

}  // namespace rigspace
