#include "rigspace/apps/inverse/full_body_ik.h"

#include "markers.h"
#include "rigspace/base/decompositions.h"
#include "rigspace/base/error.h"
#include "rigspace/base/require.h"
#include "rigspace/parts/body_joints.h"
#include "rigspace/rig/skeleton.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace rigspace {

void FullBodyIkOptions::validate() const {
  require_option(iterations >= 1, "number of iterations", iterations, "expected at least 1");
  require_option(reach > 0 && posture > 0 && smoothness >= 0, "weight", std::min({reach, posture, smoothness}),
                 "expected weights above 0");
  refine.validate();
}

FullBodyIk::FullBodyIk(const Character& character, const InverseModel& model, std::span<const std::string> effectors,
                       const FullBodyIkOptions& options)
    : character_(character), model_(model), options_(options) {
  options.validate();
  const auto bone_of = [&](const std::string& name) {
    const auto at = std::ranges::find(character.bones, name, &Bone::name);
    if (at == character.bones.end())
      throw Error({.code = ErrorCode::usage,
                   .file = character.name,
                   .element = "effector \"" + name + "\"",
                   .value = name,
                   .problem = "is no bone of this character",
                   .remedy = "train the model on joints, and name bones among them"});
    return static_cast<int>(at - character.bones.begin());
  };
  // The bones of features, with all between them and the first that they have in common.
  std::vector<int> named;
  for (const std::string& feature : model.features().names()) named.push_back(bone_of(read_marker(feature).joint));
  const std::vector<int> parents = [&] {
    const BodyJoints body = find_body_joints(character);
    return body.parent;  // feet that hang elsewhere are below their shins
  }();
  std::set<int> needed(named.begin(), named.end());
  const auto is_above = [&](int ancestor, int bone) {
    for (; bone >= 0; bone = parents[static_cast<std::size_t>(bone)])
      if (bone == ancestor) return true;
    return false;
  };
  int root = named.front();
  while (root >= 0 && !std::ranges::all_of(named, [&](int bone) { return is_above(root, bone); }))
    root = parents[static_cast<std::size_t>(root)];
  for (const int bone : named)
    for (int above = bone; above >= 0; above = parents[static_cast<std::size_t>(above)]) {
      needed.insert(above);
      if (above == root) break;
    }
  const auto joint_of = [&](int bone) {
    const auto at = std::ranges::find(joints_, bone, &Joint::bone);
    return at == joints_.end() ? -1 : static_cast<int>(at - joints_.begin());
  };
  while (joints_.size() < needed.size()) {  // parents first
    const std::size_t before = joints_.size();
    for (const int bone : needed) {
      const int parent = bone == root ? -1 : parents[static_cast<std::size_t>(bone)];
      if (joint_of(bone) >= 0 || (parent >= 0 && needed.contains(parent) && joint_of(parent) < 0)) continue;
      joints_.push_back({.bone = bone, .parent = parent < 0 ? -1 : joint_of(parent)});
    }
    if (joints_.size() == before) break;
  }
  const std::vector<Affine> rest = bone_transforms(character, character.rig->rest());
  const double length = marker_length(character);
  for (std::size_t f = 0; f < named.size(); ++f) {
    feature_joint_.push_back(joint_of(named[f]));
    const Mat3 axes = nearest_rotation(linear(rest[static_cast<std::size_t>(named[f])]));
    feature_beside_.emplace_back(axes.transpose() * (length * read_marker(model.features().names()[f]).axis));
  }
  for (const std::string& name : effectors) {
    const int joint = joint_of(bone_of(name));
    if (joint < 0)
      throw Error({.code = ErrorCode::usage,
                   .file = character.name,
                   .element = "effector \"" + name + "\"",
                   .value = name,
                   .problem = "is not among the joints that the model was trained on",
                   .remedy = "train the model on it too"});
    effectors_.push_back({.joint = joint, .target = Vec3::Zero()});
  }
  x_.resize(3 * model.features().count());
  set_pose(character.rig->rest());
}

void FullBodyIk::set_pose(In p) {
  const std::vector<Affine> world = bone_transforms(character_, p);
  for (Joint& joint : joints_) {
    joint.turn = nearest_rotation(linear(world[static_cast<std::size_t>(joint.bone)]));
    joint.posture = joint.before = joint.turn;
    joint.at = translation(world[static_cast<std::size_t>(joint.bone)]);
    if (joint.parent >= 0) {
      const Joint& above = joints_[static_cast<std::size_t>(joint.parent)];
      joint.offset = above.turn.transpose() * (joint.at - above.at);
    }
  }
  for (Effector& each : effectors_) each.target = joints_[static_cast<std::size_t>(each.joint)].at, each.held = true;
  place_features();
  options_.refine.offset = model_.coordinates_of(p) - model_.solve(x_, {.max_iterations = 0, .keep_limits = false}).y;
  posed_ = false;
}

void FullBodyIk::drag(int effector, const Vec3& target) {
  Effector& each = effectors_.at(static_cast<std::size_t>(effector));
  if (!target.allFinite())
    throw Error(
        {.code = ErrorCode::usage,
         .element =
             "effector \"" +
             character_.bones[static_cast<std::size_t>(joints_[static_cast<std::size_t>(each.joint)].bone)].name + "\"",
         .problem = "has a target that is not finite",
         .remedy = "give a place in the scene"});
  each.target = target, each.held = true;
}

void FullBodyIk::release(int effector) { effectors_.at(static_cast<std::size_t>(effector)).held = false; }

void FullBodyIk::hold(int effector) {
  if (!held(effector)) drag(effector, place(effector));
}

bool FullBodyIk::held(int effector) const { return effectors_.at(static_cast<std::size_t>(effector)).held; }

Vec3 FullBodyIk::place(int effector) const {
  return joints_[static_cast<std::size_t>(effectors_.at(static_cast<std::size_t>(effector)).joint)].at;
}

double FullBodyIk::residual() const {
  double most = 0;
  for (const Effector& each : effectors_)
    if (each.held) most = std::max(most, (joints_[static_cast<std::size_t>(each.joint)].at - each.target).norm());
  return most / model_.size();
}

void FullBodyIk::place_joints() {
  for (Joint& joint : joints_) {
    if (joint.parent < 0) continue;
    const Joint& above = joints_[static_cast<std::size_t>(joint.parent)];
    joint.at = above.at + above.turn * joint.offset;
  }
}

void FullBodyIk::place_features() {
  for (std::size_t f = 0; f < feature_joint_.size(); ++f) {
    const Joint& joint = joints_[static_cast<std::size_t>(feature_joint_[f])];
    point(x_, static_cast<int>(f)) = joint.at + joint.turn * feature_beside_[f];
  }
}

/// One Gauss-Newton step. Joint k turns by d_k about its own place, with all below it; d_0 of three more moves the
/// first.
void FullBodyIk::step() {
  const auto n = static_cast<Eigen::Index>(joints_.size());
  const double size = model_.size();
  Mat H = Mat::Zero(3 * n + 3, 3 * n + 3);
  Vec g = Vec::Zero(3 * n + 3);
  Mat J(3, 3 * n + 3);
  for (const Effector& each : effectors_) {
    if (!each.held) continue;
    J.setZero();
    J.rightCols<3>().setIdentity();
    const Vec3 at = joints_[static_cast<std::size_t>(each.joint)].at;
    for (int k = joints_[static_cast<std::size_t>(each.joint)].parent; k >= 0;
         k = joints_[static_cast<std::size_t>(k)].parent) {
      const Vec3 arm = at - joints_[static_cast<std::size_t>(k)].at;  // d x = d_k cross arm
      J.middleCols<3>(3 * k) << 0, arm.z(), -arm.y(), -arm.z(), 0, arm.x(), arm.y(), -arm.x(), 0;
    }
    const double weight = options_.reach / (size * size);
    H += weight * J.transpose() * J;
    g += weight * J.transpose() * (at - each.target);
  }
  // Turns against the parent: those of the whole body cost nothing.
  const auto relative = [&](const Joint& joint, Mat3 Joint::*from) -> Vec3 {
    if (joint.parent < 0) return Vec3::Zero();
    const Joint& above = joints_[static_cast<std::size_t>(joint.parent)];
    const Mat3 then = (above.*from).transpose() * (joint.*from), now = above.turn.transpose() * joint.turn;
    return above.turn * rotation_log(now * then.transpose());
  };
  for (Eigen::Index k = 0; k < n; ++k) {
    const Joint& joint = joints_[static_cast<std::size_t>(k)];
    H.block<3, 3>(3 * k, 3 * k).diagonal().array() += options_.posture + options_.smoothness;
    g.segment<3>(3 * k) +=
        options_.posture * relative(joint, &Joint::posture) + options_.smoothness * relative(joint, &Joint::before);
  }
  H.bottomRightCorner<3, 3>().diagonal().array() += 1e-3 * options_.reach / (size * size);
  Vec d = -solve_ldlt(H, g);
  const double largest = d.head(3 * n).cwiseAbs().maxCoeff();
  if (largest > 0.5) d *= 0.5 / largest;  // beyond that the linear model of a turn is wrong
  joints_.front().at += d.tail<3>();
  // A turn of a joint carries all below: turns of the joints above come first.
  std::vector<Mat3> carried(joints_.size());
  for (std::size_t k = 0; k < joints_.size(); ++k) {
    const Mat3 own = rotation_exp(d.segment<3>(3 * static_cast<Eigen::Index>(k)));
    carried[k] = joints_[k].parent < 0 ? own : Mat3(carried[static_cast<std::size_t>(joints_[k].parent)] * own);
    joints_[k].turn = carried[k] * joints_[k].turn;
  }
  place_joints();
}

const InversePose& FullBodyIk::update() {
  for (Joint& joint : joints_) joint.before = joint.turn;
  for (int iteration = 0; iteration < options_.iterations; ++iteration) {
    const double before = residual();
    step();
    if (std::abs(before - residual()) < 1e-6) break;
  }
  place_features();
  pose_ = model_.solve(x_, options_.refine, posed_ ? &pose_ : nullptr);
  posed_ = true;
  return pose_;
}

std::vector<std::string> body_effectors(const Character& character) {
  using enum BodyRole;
  const BodyJoints body = find_body_joints(character);
  std::vector<std::string> names;
  const auto add = [&](const BodyJoint* joint) {
    if (joint != nullptr) names.push_back(character.bones[static_cast<std::size_t>(joint->bone)].name);
  };
  add(body.find(hips)), add(body.find(spine, 0, body.count(spine) - 1)), add(body.find(head));
  for (const BodyRole role : {hand, foot})
    for (const char side : {'l', 'r'}) add(body.find(role, side));
  return names;
}

}  // namespace rigspace
