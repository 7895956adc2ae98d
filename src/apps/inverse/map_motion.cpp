#include "rigspace/apps/inverse/map_motion.h"

#include "rigspace/anim/bake.h"
#include "rigspace/base/error.h"

#include <algorithm>
#include <cmath>

namespace rigspace {
namespace {

/// How the mapped clip differs from the source in what BodyFacts hold.
void judge_body(const Character& own, const JointMotion& motion, const Mat& P, MappedMotion& result) {
  const BodyFacts& facts = motion.body;
  if (facts.leg <= 0) return;
  double way = 0, span = 0, angles = 0;
  std::array<Vec3, 2> before;
  for (Eigen::Index k = 0; k < P.cols(); ++k) {
    const std::vector<Affine> world = bone_transforms(own, P.col(k));
    const auto t = static_cast<std::size_t>(k);
    for (const std::size_t side : {0, 1}) {
      const Vec3 at = translation(world[static_cast<std::size_t>(facts.toes[side])]);
      if (k > 0 && facts.stands[side][t] && facts.stands[side][t - 1])
        way += std::hypot(at.x() - before[side].x(), at.z() - before[side].z()),
            span += motion.times[t] - motion.times[t - 1];
      before[side] = at;
    }
    for (std::size_t l = 0; l < facts.limbs.size(); ++l) {
      const Vec3 along = translation(world[static_cast<std::size_t>(facts.limbs[l][1])]) -
                         translation(world[static_cast<std::size_t>(facts.limbs[l][0])]);
      const Vec3 wanted = facts.directions.block<3, 1>(3 * static_cast<Eigen::Index>(l), k);
      const double angle = std::atan2(along.cross(wanted).norm(), along.dot(wanted));
      angles += angle * angle / static_cast<double>(facts.limbs.size());
    }
  }
  if (span > 0) result.sliding = way / span / facts.leg;
  result.direction_error = std::sqrt(angles / static_cast<double>(std::max<Eigen::Index>(1, P.cols())));
}

}  // namespace

MappedMotion map_motion(const Character& own, const InverseModel& model, const JointMotion& motion,
                        const RefineOptions& options, const ProgressCallback& progress, const KeepApart* apart) {
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
    InversePose& pose = result.frames[static_cast<std::size_t>(k)];
    if (apart != nullptr) {
      result.depth_before = std::max(result.depth_before, apart->depth(pose.p));
      result.parted += apart->refine(model, motion.X.col(k), options, pose);
      result.depth = std::max(result.depth, apart->depth(pose.p));
    }
    P.col(k) = pose.p;
    sum += pose.joint_error * pose.joint_error;
    if (pose.joint_error > result.worst_error)
      result.worst_error = pose.joint_error, result.worst_time = motion.times[static_cast<std::size_t>(k)];
    result.guessed += pose.guessed, result.unconverged += !pose.converged;
  }
  result.joint_error = std::sqrt(sum / static_cast<double>(motion.X.cols()));
  judge_body(own, motion, P, result);
  const Vec rest = own.rig->rest();
  std::vector<int> moved;
  for (int c = 0; c < static_cast<int>(rest.size()); ++c)
    if ((P.row(c).array() != rest[c]).any()) moved.push_back(c);
  result.clip = keys_from_poses(own.rig->controls(), moved, motion.times, P);
  result.clip.name = motion.name;
  return result;
}

}  // namespace rigspace
