#include "reach_tree.h"

#include "rigspace/base/decompositions.h"
#include "rigspace/rig/skeleton.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace rigspace {
namespace {

/// The rotation that brings directions `from` nearest to `to`, weighted; of several that do the smallest.
Mat3 aligning(std::span<const Vec3> from, std::span<const Vec3> to, std::span<const double> weights) {
  if (from.size() == 1) {
    if (!(from[0].norm() > 0) || !(to[0].norm() > 0)) return Mat3::Identity();
    return turn_between(from[0], to[0]).toRotationMatrix();
  }
  Mat3 M = Mat3::Zero();
  for (std::size_t k = 0; k < from.size(); ++k) M += weights[k] * to[k] * from[k].transpose();
  return nearest_rotation(M + 1e-9 * std::max(M.norm(), 1e-300) * Mat3::Identity());
}

}  // namespace

ReachTree::ReachTree(std::span<const ReachJoint> joints, std::span<const Mat3> start)
    : joints_(joints),
      local_(joints.size(), Mat3::Identity()),
      world_(joints.size(), Mat3::Identity()),
      place_(joints.size(), Vec3::Zero()) {
  std::vector<double> along(joints.size(), 0);
  for (std::size_t j = 0; j < joints.size(); ++j) {
    local_[j] = within_limits(joints[j].limits, start.empty() ? Mat3(Mat3::Identity()) : start[j]);
    if (joints[j].parent < 0) continue;
    along[j] = along[joints[j].parent] + (joints[j].place - joints[joints[j].parent].place).norm();
    longest_ = std::max(longest_, along[j]);
  }
  update(0);
}

bool ReachTree::is_above(int joint, int other) const {
  for (int at = joints_[other].parent; at >= 0; at = joints_[at].parent)
    if (at == joint) return true;
  return false;
}

void ReachTree::update(int first) {
  for (int j = first; j < count(); ++j) {
    const int above = joints_[j].parent;
    world_[j] = above < 0 ? local_[j] : Mat3(world_[above] * local_[j]);
    place_[j] =
        above < 0 ? joints_[j].place : Vec3(place_[above] + world_[above] * (joints_[j].place - joints_[above].place));
  }
}

bool ReachTree::turn(int joint, const Mat3& D) {
  const int above = joints_[joint].parent;
  const Mat3 parent = above < 0 ? Mat3(Mat3::Identity()) : world_[above];
  const Mat3 wanted = parent.transpose() * D * world_[joint];
  local_[joint] = within_limits(joints_[joint].limits, wanted);
  const bool held = (local_[joint] - wanted).norm() > 1e-9;
  update(joint);
  return held;
}

void ReachTree::set_local(const std::vector<Mat3>& local) {
  local_ = local;
  update(0);
}

void fabrik_round(ReachTree& tree, std::span<const Effector> effectors, const std::vector<char>& may_turn) {
  const int count = tree.count();
  std::vector<Vec3> wanted(count, Vec3::Zero());
  std::vector<double> share(count, 0);
  for (const Effector& each : effectors)
    wanted[each.joint] += each.weight * each.target, share[each.joint] += each.weight;
  // Backward, tips first: where a bone's end wants to be, its beginning wants to be a bone's length away.
  const auto length = [&](int j) { return (tree.joint(j).place - tree.joint(tree.joint(j).parent).place).norm(); };
  for (int j = count - 1; j >= 0; --j) {
    if (share[j] == 0) continue;
    wanted[j] /= share[j];
    const int above = tree.joint(j).parent;
    if (above < 0) continue;
    const Vec3 way = tree.place(above) - wanted[j];
    const double norm = std::max(way.norm(), 1e-300);
    wanted[above] += share[j] * (wanted[j] + length(j) / norm * way);
    share[above] += share[j];
  }
  // Forward: directions of the bones from where their beginnings can be, as rotations within the limits.
  std::vector<Vec3> from, to;
  std::vector<double> weights;
  for (int j = 0; j < count; ++j) {
    if (may_turn[j] == 0) continue;
    from.clear(), to.clear(), weights.clear();
    for (int child = j + 1; child < count; ++child)
      if (tree.joint(child).parent == j && share[child] > 0 && length(child) > 0) {
        from.push_back(tree.place(child) - tree.place(j));
        to.push_back(wanted[child] - tree.place(j));
        weights.push_back(share[child]);
      }
    if (!from.empty()) tree.turn(j, aligning(from, to, weights));
  }
}

void ccd_round(ReachTree& tree, std::span<const Effector> effectors, const std::vector<char>& may_turn) {
  std::vector<Vec3> from, to;
  std::vector<double> weights;
  for (int j = tree.count() - 1; j >= 0; --j) {
    if (may_turn[j] == 0) continue;
    from.clear(), to.clear(), weights.clear();
    for (const Effector& each : effectors)
      if (tree.is_above(j, each.joint)) {
        from.push_back(tree.place(each.joint) - tree.place(j));
        to.push_back(each.target - tree.place(j));
        weights.push_back(each.weight);
      }
    if (from.empty()) continue;
    const ChainJoint& limits = tree.joint(j).limits;
    if (!limits.hinge) {
      tree.turn(j, aligning(from, to, weights));
      continue;
    }
    // About the axis alone: the angle that brings the effectors nearest, tan a = sum w a.(f x t) / sum w (f.t - ..).
    const Vec3 axis = tree.world(j) * limits.axis.normalized();
    double sine = 0, cosine = 0;
    for (std::size_t k = 0; k < from.size(); ++k) {
      const Vec3 f = from[k] - axis.dot(from[k]) * axis, t = to[k] - axis.dot(to[k]) * axis;
      sine += weights[k] * axis.dot(f.cross(t)), cosine += weights[k] * f.dot(t);
    }
    if (std::hypot(sine, cosine) > 0) tree.turn(j, rotation_exp(std::atan2(sine, cosine) * axis));
  }
}

void damped_round(ReachTree& tree, std::span<const std::vector<Effector>> levels, double damping,
                  std::vector<char>& rests) {
  struct Freedom {
    int joint;
    Vec3 axis;  // in the scene
  };
  std::vector<Freedom> freedoms;
  for (int j = 0; j < tree.count(); ++j) {
    if (rests[j] != 0) continue;
    const ChainJoint& limits = tree.joint(j).limits;
    const double ease = 1 / std::max(limits.stiffness, 1e-6);
    if (limits.hinge)
      freedoms.push_back({j, ease * (tree.world(j) * limits.axis.normalized())});
    else
      for (int k = 0; k < 3; ++k) freedoms.push_back({j, ease * Vec3::Unit(k)});
  }
  const Eigen::Index n = std::ssize(freedoms);
  Vec q = Vec::Zero(n);
  Mat N = Mat::Identity(n, n);
  for (const std::vector<Effector>& level : levels) {
    Mat J = Mat::Zero(3 * std::ssize(level), n);
    Vec e(J.rows());
    for (Eigen::Index k = 0; k < std::ssize(level); ++k) {
      const double root = std::sqrt(level[k].weight);
      Vec3 way = level[k].target - tree.place(level[k].joint);
      // A step goes no farther than a third of the tree: the linearisation does not hold beyond.
      way *= std::min(1.0, tree.longest() / 3 / std::max(way.norm(), 1e-300));
      e.segment<3>(3 * k) = root * way;
      for (Eigen::Index c = 0; c < n; ++c)
        if (tree.is_above(freedoms[c].joint, level[k].joint))
          J.block<3, 1>(3 * k, c) =
              root * freedoms[c].axis.cross(tree.place(level[k].joint) - tree.place(freedoms[c].joint));
    }
    const Mat A = J * N;
    const auto [U, s, V] = thin_svd(A);
    const double lambda2 = damping * tree.longest() * e.norm() + 1e-12 * tree.longest() * tree.longest();
    const Vec gain = (s.array() / (s.array().square() + lambda2)).matrix();
    q += N * (V * gain.cwiseProduct(U.transpose() * (e - J * q)));
    for (Eigen::Index k = 0; k < s.size(); ++k)
      if (s[k] > 1e-4 * tree.longest()) N -= V.col(k) * V.col(k).transpose();
  }
  std::vector<Vec3> turn(tree.count(), Vec3::Zero());
  for (Eigen::Index c = 0; c < n; ++c) turn[freedoms[c].joint] += q[c] * freedoms[c].axis;
  // From the tips: what is below a joint turns with it, so its own turn must come first.
  for (int j = tree.count() - 1; j >= 0; --j) {
    const bool rested = rests[j] != 0;
    rests[j] = 0;
    if (!rested && tree.turn(j, rotation_exp(turn[j]))) rests[j] = 1;
  }
}

}  // namespace rigspace
