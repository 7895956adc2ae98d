// From a clip of another skeleton to places of the model's joints.

#include "foot_contacts.h"
#include "markers.h"
#include "name_carrier.h"
#include "rigspace/anim/bake.h"
#include "rigspace/anim/key_rate.h"
#include "rigspace/apps/inverse/map_motion.h"
#include "rigspace/base/decompositions.h"
#include "rigspace/base/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace rigspace {
namespace {

/// Features as points of bones: the bone, and where the point is beside it in the rest pose.
struct FeaturePoints {
  std::vector<int> bones;
  std::vector<Vec3> beside;

  FeaturePoints(const Character& own, const std::vector<std::string>& features) {
    double length = -1;
    for (const std::string& feature : features) {
      const Marker marker = read_marker(feature);
      if (!marker.axis.isZero() && length < 0) length = marker_length(own);
      bones.push_back(static_cast<int>(std::ranges::find(own.bones, marker.joint, &Bone::name) - own.bones.begin()));
      beside.push_back(marker.axis.isZero() ? Vec3(Vec3::Zero()) : Vec3(length * marker.axis));
    }
  }
};

/// Transforms of all bones, axes turned by R.
std::vector<std::vector<Affine>> source_poses(const Character& source, const Animation& clip,
                                              std::span<const double> times, const Mat3& R) {
  const Sampler sampler(clip, source.rig->controls());
  std::vector<std::vector<Affine>> poses;
  Vec p = source.rig->rest();
  for (const double time : times) {
    sampler.sample(time, p);
    poses.push_back(bone_transforms(source, p));
    for (std::size_t b = 0; b < poses.back().size(); ++b)
      if (!poses.back()[b].allFinite())
        throw Error({.file = source.name,
                     .element = "joint \"" + source.bones[b].name + "\"",
                     .value = std::to_string(time),
                     .problem = fmt::format("of clip \"{}\" is not finite at {:.3f} s", clip.name, time),
                     .remedy = "mend or cut that frame"});
    if (R.isIdentity(0)) continue;
    for (Affine& each : poses.back()) {
      linear(each) = R * linear(each);
      translation(each) = R * translation(each);
    }
  }
  return poses;
}

/// Whether the features rest in both skeletons at the same places.
bool same_skeleton(const Character& own, const Character& source, const JointMapping& mapping, double within) {
  const std::vector<Affine> mine = bone_transforms(own, own.rig->rest()),
                            theirs = bone_transforms(source, source.rig->rest());
  return std::ranges::all_of(mapping.matches, [&](const JointMatch& match) {
    return match.source >= 0 && (translation(mine[static_cast<std::size_t>(match.own)]) -
                                 translation(theirs[static_cast<std::size_t>(match.source)]))
                                        .norm() <= within;
  });
}

/// Whether one skeleton is the other, larger or smaller: all names are there, and bones between mapped joints have the
/// same directions (3 degrees) and one ratio of lengths (2 %). Then what joints move against their parents counts too.
bool similar_skeletons(const Character& own, const Character& source, const JointMapping& named) {
  const std::vector<Affine> mine = bone_transforms(own, own.rig->rest()),
                            theirs = bone_transforms(source, source.rig->rest());
  double least = INFINITY, most = 0, size = 0;
  std::vector<std::pair<double, double>> lengths;
  for (const JointMatch& match : named.matches) {
    int above = own.bones[static_cast<std::size_t>(match.own)].parent;
    while (above >= 0 && named.of(above) == nullptr) above = own.bones[static_cast<std::size_t>(above)].parent;
    if (match.source < 0) return false;
    if (above < 0) continue;
    const int source_above = named.of(above)->source;
    if (source_above < 0) return false;
    const Vec3 a = translation(mine[static_cast<std::size_t>(match.own)]) -
                   translation(mine[static_cast<std::size_t>(above)]),
               b = translation(theirs[static_cast<std::size_t>(match.source)]) -
                   translation(theirs[static_cast<std::size_t>(source_above)]);
    lengths.emplace_back(a.norm(), b.norm()), size = std::max(size, a.norm());
    if (a.norm() > 0.02 * size && b.norm() > 0 && a.dot(b) < std::cos(0.05) * a.norm() * b.norm()) return false;
  }
  for (const auto& [a, b] : lengths)
    if (a > 0.02 * size) least = std::min(least, b / a), most = std::max(most, b / a);
  return most > 0 && most < 1.02 * least;
}

std::vector<std::array<int, 2>> limbs_of(const BodyJoints& body) {
  using enum BodyRole;
  std::vector<std::array<int, 2>> limbs;
  for (const char side : {'l', 'r'})
    for (const auto& [from, to] : {std::pair{upper_arm, forearm}, {forearm, hand}, {thigh, shin}, {shin, foot}}) {
      const BodyJoint *a = body.find(from, side), *b = body.find(to, side);
      limbs.push_back({a != nullptr ? a->bone : -1, b != nullptr ? b->bone : -1});
    }
  return limbs;
}

/// What both bodies have: own limbs, and the directions of the source's.
void note_directions(BodyFacts& facts, const JointMapping& mapping, std::span<const std::vector<Affine>> source) {
  const auto mine = limbs_of(mapping.own_body), theirs = limbs_of(mapping.source.body);
  std::vector<std::array<int, 2>> common;
  for (std::size_t k = 0; k < mine.size(); ++k) {
    if (mine[k][0] < 0 || mine[k][1] < 0 || theirs[k][0] < 0 || theirs[k][1] < 0) continue;
    facts.limbs.push_back(mine[k]), common.push_back(theirs[k]);
  }
  facts.directions.resize(3 * static_cast<Eigen::Index>(common.size()), static_cast<Eigen::Index>(source.size()));
  for (std::size_t t = 0; t < source.size(); ++t)
    for (std::size_t k = 0; k < common.size(); ++k) {
      const Vec3 along = translation(source[t][static_cast<std::size_t>(common[k][1])]) -
                         translation(source[t][static_cast<std::size_t>(common[k][0])]);
      facts.directions.block<3, 1>(3 * static_cast<Eigen::Index>(k), static_cast<Eigen::Index>(t)) = along.normalized();
    }
}

/// Poses of the own body, feet planted; facts of the motion go into it.
std::vector<CarriedPose> carried_poses(const BodyCarrier& carrier, const JointMotionOptions& options,
                                       std::span<const std::vector<Affine>> source, JointMotion& motion) {
  const BodyJoints &mine = motion.mapping.own_body, &theirs = motion.mapping.source.body;
  const FootContacts contacts = find_contacts(carrier, theirs, motion.times, source);
  std::vector<CarriedPose> poses;
  for (const auto& each : source) poses.push_back(carrier.carry(each, contacts.floor));
  if (options.plant_feet) plant_feet(carrier, mine, motion.times, contacts, poses);
  motion.scale = carrier.scale();
  motion.body.stands = contacts.stands;
  motion.body.leg = carrier.own_leg();
  Mat toes(6, static_cast<Eigen::Index>(source.size()));
  for (const std::size_t side : {0, 1}) {
    motion.body.toes[side] = standing_joint(mine, "lr"[side]);
    const auto bone = static_cast<std::size_t>(standing_joint(theirs, "lr"[side]));
    for (std::size_t k = 0; k < source.size(); ++k)
      toes.block<3, 1>(3 * static_cast<Eigen::Index>(side), static_cast<Eigen::Index>(k)) =
          translation(source[k][bone]);
  }
  motion.body.source_sliding = sliding(contacts, motion.times, toes, carrier.source_leg());
  note_directions(motion.body, motion.mapping, source);
  return poses;
}

}  // namespace

int BodyFacts::standing_frames() const {
  return static_cast<int>(std::ranges::count(stands[0], true) + std::ranges::count(stands[1], true));
}

JointMotion joint_motion(const Character& own, const InverseModel& model, const Character& source,
                         const Animation& clip, const JointMotionOptions& options) {
  JointMotion motion{.name = clip.name, .joints = model.features().names()};
  motion.mapping = map_joints(own, motion.joints, source, options.given, &clip, options.reference_time);
  const SourceBody& body = motion.mapping.source;
  const bool as_filed = body.upright.isIdentity(0) && body.reference_time < 0;
  if (motion.mapping.by_body && as_filed && options.given.empty()) {
    JointMapping named = motion.mapping;
    for (JointMatch& match : named.matches) match.source = bone_by_name(source, own, match.own);
    if (similar_skeletons(own, source, named)) motion.mapping = map_joints_by_name(own, motion.joints, source);
  }
  motion.times = frame_times(clip.duration, options.rate > 0 ? options.rate : key_rate(clip));
  const Mat3 upright = motion.mapping.by_body ? body.upright : Mat3(Mat3::Identity());
  const auto poses = source_poses(source, clip, motion.times, upright);
  const FeaturePoints features(own, motion.joints);
  const std::vector<Affine> own_rest = bone_transforms(own, own.rig->rest());
  motion.X.resize(3 * static_cast<Eigen::Index>(features.bones.size()), static_cast<Eigen::Index>(poses.size()));
  motion.carried =
      (motion.mapping.by_body && !as_filed) || !same_skeleton(own, source, motion.mapping, options.same * model.size());
  // Places and turns from the own rest pose, of each bone that a feature needs.
  const auto write = [&](std::size_t frame, const auto& place) {
    for (std::size_t f = 0; f < features.bones.size(); ++f) {
      const auto& [at, turn] = place(features.bones[f]);
      motion.X.block<3, 1>(3 * static_cast<Eigen::Index>(f), static_cast<Eigen::Index>(frame)) =
          at + turn * features.beside[f];
    }
  };
  using Place = std::pair<Vec3, Mat3>;
  const auto turn_of = [](const Affine& each) { return nearest_rotation(linear(each)); };
  const auto reference = motion.mapping.by_body ? body.body.reference.world
                         : options.reference_time >= 0
                             ? source_poses(source, clip, std::array{options.reference_time}, upright).front()
                             : bone_transforms(source, source.rig->rest());
  if (!motion.carried) {
    const std::vector<Affine> rest = bone_transforms(source, source.rig->rest());
    for (std::size_t k = 0; k < poses.size(); ++k)
      write(k, [&](int bone) -> Place {
        const auto s = static_cast<std::size_t>(motion.mapping.of(bone)->source);
        return {translation(poses[k][s]), turn_of(poses[k][s]) * turn_of(rest[s]).transpose()};
      });
  } else if (motion.mapping.by_body) {
    const BodyCarrier carrier(own, source, motion.mapping, reference);
    const std::vector<CarriedPose> carried = carried_poses(carrier, options, poses, motion);
    const auto& own_reference = motion.mapping.own_body.reference.world;
    for (std::size_t k = 0; k < poses.size(); ++k)
      write(k, [&](int bone) -> Place {
        const auto b = static_cast<std::size_t>(bone);
        return {carried[k].at[b], carried[k].turn[b] * turn_of(own_reference[b]) * turn_of(own_rest[b]).transpose()};
      });
  } else {
    const NameCarrier carrier(own, source, motion.mapping.matches, reference);
    motion.scale = carrier.scale();
    for (std::size_t k = 0; k < poses.size(); ++k) {
      const NameCarrier::Placed placed = carrier.carry(poses[k]);
      write(k, [&](int bone) -> Place {
        const auto at = static_cast<std::size_t>(motion.mapping.of(bone) - motion.mapping.matches.data());
        return {placed.at[at], placed.turn[at]};
      });
    }
  }
  return motion;
}

JointMotion own_motion(const Character& own, const InverseModel& model, const Animation& clip, double rate) {
  JointMotion motion{.name = clip.name, .joints = model.features().names()};
  motion.times = frame_times(clip.duration, rate > 0 ? rate : key_rate(clip));
  motion.X.resize(3 * model.features().count(), static_cast<Eigen::Index>(motion.times.size()));
  const Sampler sampler(clip, own.rig->controls());
  Vec p = own.rig->rest(), x;
  for (std::size_t k = 0; k < motion.times.size(); ++k) {
    sampler.sample(motion.times[k], p);
    model.features().evaluate(p, x);
    motion.X.col(static_cast<Eigen::Index>(k)) = x;
  }
  return motion;
}

}  // namespace rigspace
