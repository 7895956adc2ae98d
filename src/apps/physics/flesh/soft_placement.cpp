#include "soft_placement.h"

#include "rigspace/energy/modes.h"
#include "rigspace/geometry/signed_distance.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace rigspace {
namespace {

constexpr int kModes = 16;

Vec3 node_at(const Region& region, int i) { return region.mesh.points.segment<3>(3 * static_cast<Eigen::Index>(i)); }

/// The chosen bone with the largest weight on a node; -1 if none has any.
int strongest_bone(const Region& region, int node, const std::vector<char>& chosen) {
  int best = -1;
  double most = 0;
  for (const auto& [bone, weight] : region.bones[node])
    if (chosen[bone] && weight > most) best = bone, most = weight;
  return best;
}

/// A point below a skin node, toward the nearest held node, so that a rotation of the joint rolls the flesh over the
/// bone.
Vec3 below_skin(const Region& region, int node) {
  const Vec3 x = node_at(region, node);
  Vec3 nearest = x;
  double distance = std::numeric_limits<double>::infinity();
  for (int j = 0; j < region.mesh.point_count(); ++j)
    if (region.nodes[j] == FleshNode::held && (node_at(region, j) - x).norm() < distance)
      nearest = node_at(region, j), distance = (nearest - x).norm();
  return x + 0.3 * (nearest - x);
}

}  // namespace

/// The compliance between two points is C(u, v) = sum_k phi_k(u) . phi_k(v) / omega_k^2. Joints are at the pivots of
/// its Cholesky factorisation: each where the compliance that earlier joints do not reproduce is largest.
Placement place_joints(const Region& region, const std::vector<char>& chosen, int most, double poisson) {
  Placement placement;
  const int n = region.mesh.point_count();
  std::vector<char> held(n);
  for (int i = 0; i < n; ++i) held[i] = region.nodes[i] == FleshNode::held;
  const Modes modes = slowest_modes(region.mesh, held, kModes, poisson);
  placement.softness = Vec::Zero(n);
  if (modes.omega_squared.size() == 0) return placement;
  Mat scaled = modes.shapes;
  for (Eigen::Index k = 0; k < scaled.cols(); ++k) scaled.col(k) /= std::sqrt(modes.omega_squared[k]);

  std::vector<int> skin;
  for (int i = 0; i < n; ++i)
    if (region.nodes[i] == FleshNode::skin) skin.push_back(i);
  Vec amplitude = Vec::Zero(n);
  for (int i = 0; i < n; ++i) amplitude[i] = scaled.middleRows<3>(3 * i).norm();
  double largest = 0;
  for (const int i : skin) largest = std::max(largest, amplitude[i]);
  if (!(largest > 0)) return placement;
  for (int i = 0; i < n; ++i) placement.softness[i] = smooth_step(0.05, 1, amplitude[i] / largest);

  // Rows of skin nodes as vectors of R^(3 modes); pivoted Cholesky is Gram-Schmidt on them.
  Mat rows(static_cast<Eigen::Index>(skin.size()), 3 * scaled.cols());
  for (std::size_t k = 0; k < skin.size(); ++k)
    rows.row(static_cast<Eigen::Index>(k)) = scaled.middleRows<3>(3 * skin[k]).reshaped().transpose();
  Box box;
  for (const int i : skin)
    if (placement.softness[i] > 0.5) box.include(node_at(region, i));
  const double apart = 0.18 * box.diagonal();
  std::vector<int> pivots;
  const double first = rows.rowwise().squaredNorm().maxCoeff();
  while (static_cast<int>(pivots.size()) < most) {
    int best = -1;
    double left = 0.05 * first;
    for (std::size_t k = 0; k < skin.size(); ++k) {
      const double value = rows.row(static_cast<Eigen::Index>(k)).squaredNorm();
      const bool free = std::all_of(pivots.begin(), pivots.end(), [&](int p) {
        return (node_at(region, skin[p]) - node_at(region, skin[k])).norm() > apart;
      });
      if (value > left && free && placement.softness[skin[k]] > 0.35) left = value, best = static_cast<int>(k);
    }
    if (best < 0) break;
    pivots.push_back(best);
    const Vec direction = rows.row(best).transpose().normalized();
    rows -= (rows * direction) * direction.transpose();
  }
  for (const int p : pivots)
    if (const int parent = strongest_bone(region, skin[p], chosen); parent >= 0)
      placement.joints.push_back({below_skin(region, skin[p]), parent});

  // A bone that holds over a tenth of the soft skin needs a joint of its own, since a joint takes weight only from its
  // parent.
  std::map<int, double> held_by;
  std::map<int, std::pair<double, int>> best_of;
  double all = 0;
  for (const int i : skin)
    for (const auto& [bone, weight] : region.bones[i]) {
      const double soft = placement.softness[i] * weight;
      all += soft;
      if (!chosen[bone]) continue;
      held_by[bone] += soft;
      best_of[bone] = std::max(best_of[bone], std::pair(soft, i));
    }
  for (const auto& [bone, soft] : held_by) {
    const bool has = std::any_of(placement.joints.begin(), placement.joints.end(),
                                 [&](const Placed& joint) { return joint.parent == bone; });
    if (has || soft < 0.1 * all) continue;
    if (static_cast<int>(placement.joints.size()) >= most) placement.joints.pop_back();
    placement.joints.push_back({below_skin(region, best_of[bone].second), bone});
  }
  double spacing = 0;
  for (std::size_t a = 0; a < placement.joints.size(); ++a) {
    double nearest = box.diagonal();
    for (std::size_t b = 0; b < placement.joints.size(); ++b)
      if (a != b) nearest = std::min(nearest, (placement.joints[a].center - placement.joints[b].center).norm());
    spacing += nearest / static_cast<double>(placement.joints.size());
  }
  placement.width = std::max(1.3 * spacing, 0.35 * box.diagonal());
  return placement;
}

namespace {

/// The weight of one bone on a point: the share that it keeps and the shares that its soft joints take.
struct Split {
  double weight, kept;
  std::vector<std::pair<int, double>> taken;  // joint, weight

  int count() const { return (kept > 0 ? 1 : 0) + static_cast<int>(taken.size()); }
};

/// Removes one entry, the one with the least weight: what a bone keeps goes to its strongest joint, or a joint's weight
/// goes to the bone or to another joint of that bone. With joints at rest the skin does not change by this.
bool shed_one(std::vector<Split>& splits) {
  double least = std::numeric_limits<double>::infinity();
  Split* where = nullptr;
  enum { keep_to_joint, joint_to_bone, joint_to_joint } what = joint_to_bone;
  for (Split& split : splits) {
    if (split.taken.empty()) continue;
    std::sort(split.taken.begin(), split.taken.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
    const double smallest = split.taken.back().second;
    if (split.kept > 0 && split.kept < least) least = split.kept, where = &split, what = keep_to_joint;
    if (split.kept > 0 && smallest < least) least = smallest, where = &split, what = joint_to_bone;
    if (split.taken.size() > 1 && 0.5 * smallest < least) least = 0.5 * smallest, where = &split, what = joint_to_joint;
  }
  if (where == nullptr) return false;
  if (what == keep_to_joint) {
    where->taken.front().second += where->kept;
    where->kept = 0;
  } else {
    (what == joint_to_bone ? where->kept : where->taken.front().second) += where->taken.back().second;
    where->taken.pop_back();
  }
  return true;
}

}  // namespace

std::vector<std::pair<int, double>> shares_at(const Placement& placement, const Vec3& x, double softness,
                                              const std::vector<std::pair<int, double>>& bones, int max_influences) {
  std::vector<Split> splits;
  const auto nearness = [&](int j) {
    const double d = (x - placement.joints[j].center).norm() / placement.width;
    return std::exp(-d * d);
  };
  for (const auto& [bone, weight] : bones) {
    Split split{.weight = weight, .kept = weight, .taken = {}};
    std::vector<std::pair<int, double>> near;
    for (int j = 0; j < static_cast<int>(placement.joints.size()); ++j)
      if (placement.joints[j].parent == bone) near.emplace_back(j, nearness(j));
    std::sort(near.begin(), near.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
    // The two nearest joints, minus the value of the third, so that shares are continuous where the order changes.
    const double third = near.size() > 2 ? near[2].second : 0;
    if (near.size() > 2) near.resize(2);
    double sum = 0;
    for (auto& [j, value] : near) value -= third, sum += value;
    for (const auto& [j, value] : near) {
      const double share = sum > 0 ? softness * value / sum : softness / static_cast<double>(near.size());
      if (share * weight < 2e-3) continue;
      split.taken.emplace_back(j, share * weight);
      split.kept -= share * weight;
    }
    if (split.kept < 1e-6) split.kept = 0;
    splits.push_back(std::move(split));
  }
  const int most = std::max(max_influences, static_cast<int>(bones.size()));
  const auto count = [&] {
    int sum = 0;
    for (const Split& split : splits) sum += split.count();
    return sum;
  };
  while (count() > most && shed_one(splits)) {
  }
  std::vector<std::pair<int, double>> shares;
  for (const Split& split : splits)
    for (const auto& [j, taken] : split.taken) shares.emplace_back(j, std::min(1.0, taken / split.weight));
  std::sort(shares.begin(), shares.end());
  return shares;
}

}  // namespace rigspace
