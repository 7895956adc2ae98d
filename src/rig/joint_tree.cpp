#include "joint_tree.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace rigspace {
namespace {

constexpr int kSmoothing = 6;     // rounds over the places of a way, which lie on voxels
constexpr double kThinBone = 8;   // a long thin branch gets bones about this many times its depth long,
constexpr int kMostOfBranch = 6;  // but not more than so many

double to_segment(const Vec3& x, const Vec3& a, const Vec3& b) {
  const double length2 = (b - a).squaredNorm();
  const double t = length2 > 0 ? std::clamp((x - a).dot(b - a) / length2, 0.0, 1.0) : 0;
  return (a + t * (b - a) - x).norm();
}

}  // namespace

void JointTree::add(const Vec3& place, double depth, int parent) {
  place_.push_back(place);
  depth_.push_back(depth);
  next_.emplace_back();
  if (parent < 0) return;
  next_.back().push_back(parent);
  next_[parent].push_back(count() - 1);
}

/// Ways between branchings and tips.
std::vector<JointTree::Path> JointTree::paths() const {
  std::vector<Path> result;
  for (int start = 0; start < count(); ++start) {
    if (next_[start].size() == 2 || next_[start].empty()) continue;
    for (const int first : next_[start]) {
      Path path = {start, first};
      while (next_[path.back()].size() == 2) {
        const auto& both = next_[path.back()];
        path.push_back(both[0] == path[path.size() - 2] ? both[1] : both[0]);
      }
      if (path.back() > start) result.push_back(std::move(path));
    }
  }
  return result;
}

void JointTree::smooth(const Path& path) {
  for (int round = 0; round < kSmoothing; ++round) {
    std::vector<Vec3> moved;
    for (std::size_t k = 1; k + 1 < path.size(); ++k)
      moved.push_back(0.5 * place_[path[k]] + 0.25 * (place_[path[k - 1]] + place_[path[k + 1]]));
    for (std::size_t k = 1; k + 1 < path.size(); ++k) place_[path[k]] = moved[k - 1];
  }
}

/// Douglas and Peucker 1973.
void JointTree::divide(const Path& path, int begin, int end, double bend, std::vector<char>& keep) const {
  double most = bend;
  int farthest = -1;
  for (int k = begin + 1; k < end; ++k) {
    const double off = to_segment(place_[path[k]], place_[path[begin]], place_[path[end]]);
    if (off > most) most = off, farthest = k;
  }
  if (farthest < 0) return;
  keep[farthest] = 1;
  divide(path, begin, farthest, bend, keep);
  divide(path, farthest, end, bend, keep);
}

std::vector<int> JointTree::kept_of(const Path& path, const Thinning& thinning) const {
  std::vector<char> keep(path.size(), 0);
  keep.front() = keep.back() = 1;
  divide(path, 0, static_cast<int>(path.size()) - 1, thinning.bend, keep);
  std::vector<double> along(path.size(), 0);
  double depth = 0;
  for (std::size_t k = 0; k < path.size(); ++k) {
    if (k > 0) along[k] = along[k - 1] + (place_[path[k]] - place_[path[k - 1]]).norm();
    depth += depth_[path[k]] / static_cast<double>(path.size());
  }
  const int wanted = std::clamp(static_cast<int>(std::lround(along.back() / (kThinBone * depth))), 1, kMostOfBranch);
  const double longest = std::min(thinning.longest, std::max(along.back() / wanted, 0.35 * thinning.longest));
  std::vector<int> kept = {0};
  for (int end = 1; end < std::ssize(path); ++end) {
    if (keep[end] == 0) continue;
    const int begin = kept.back();
    const double length = along[end] - along[begin];
    const int pieces = std::max(1, static_cast<int>(std::ceil(length / longest - 0.15)));
    for (int piece = 1; piece < pieces; ++piece) {
      const double at = along[begin] + length * piece / pieces;
      const auto found = static_cast<int>(std::lower_bound(along.begin(), along.end(), at) - along.begin());
      if (found > kept.back() && found < end) kept.push_back(found);
    }
    kept.push_back(end);
  }
  std::vector<int> nodes;
  for (const int k : kept) nodes.push_back(path[k]);
  return nodes;
}

/// Branchings that are hardly apart become the deeper of both.
void JointTree::merge_branchings(double distance) {
  for (bool changed = true; changed;) {
    changed = false;
    for (int a = 0; a < count() && !changed; ++a)
      for (const int b : next_[a]) {
        const double reach = std::max(distance, 0.6 * std::max(depth_[a], depth_[b]));
        if (next_[a].size() < 3 || next_[b].size() < 2 || (place_[a] - place_[b]).norm() >= reach) continue;
        if (next_[b].size() == 2 && (place_[a] - place_[b]).norm() >= distance) continue;
        const int kept = next_[b].size() > 2 && depth_[b] > depth_[a] ? b : a, gone = kept == a ? b : a;
        std::erase(next_[kept], gone);
        for (const int other : next_[gone]) {
          if (other == kept) continue;
          std::replace(next_[other].begin(), next_[other].end(), gone, kept);
          next_[kept].push_back(other);
        }
        next_[gone].clear();
        changed = true;
        break;
      }
  }
}

void JointTree::simplify(const Thinning& thinning) {
  const std::vector<Path> ways = paths();
  for (const Path& path : ways) smooth(path);
  std::vector<std::vector<int>> kept(ways.size());
  for (std::size_t k = 0; k < ways.size(); ++k) kept[k] = kept_of(ways[k], thinning);
  for (auto& list : next_) list.clear();
  for (const auto& nodes : kept)
    for (std::size_t k = 1; k < nodes.size(); ++k) {
      next_[nodes[k - 1]].push_back(nodes[k]);
      next_[nodes[k]].push_back(nodes[k - 1]);
    }
  merge_branchings(thinning.merge);
}

Vec JointTree::lengths_from(int node) const {
  Vec length = Vec::Constant(count(), -1);
  length[node] = 0;
  std::vector<int> front = {node};
  while (!front.empty()) {
    const int at = front.back();
    front.pop_back();
    for (const int other : next_[at])
      if (length[other] < 0) length[other] = length[at] + (place_[at] - place_[other]).norm(), front.push_back(other);
  }
  return length;
}

int JointTree::root() const {
  int best = 0;
  double least = std::numeric_limits<double>::infinity();
  for (const bool branchings : {true, false}) {
    for (int node = 0; node < count(); ++node) {
      if (next_[node].size() < (branchings ? 3u : 1u)) continue;
      if (const double most = lengths_from(node).maxCoeff(); most < least) least = most, best = node;
    }
    if (std::isfinite(least)) break;  // without a branching, any joint will do
  }
  return best;
}

std::vector<JointPlace> JointTree::joints(int axis, const Vec3& middle, int& branches) const {
  std::vector<JointPlace> result = {{.name = "root", .parent = -1, .position = place_[root()]}};
  struct Open {
    int node, from, joint;
    std::string chain;
    int number;
  };
  std::vector<std::string> chains;
  const auto side_of = [&](int node) -> int {
    if (axis < 0) return 0;
    const double off = place_[node][axis] - middle[axis];
    return std::abs(off) < 1e-6 ? 0 : off > 0 ? 1 : -1;
  };
  // Chains are numbered along the plane, pairs alike: counted by side in the order in which they are found; children in
  // the order of how far from the plane, then by place, so that both sides are walked alike.
  std::vector<int> counts(3, 0);
  const auto new_chain = [&](int node) {
    ++branches;
    const int side = side_of(node);
    const int number = ++counts[side + 1];
    if (axis < 0) return "branch" + std::to_string(number);
    return (side == 0 ? "center" : side > 0 ? "left" : "right") + std::to_string(number);
  };
  const auto sorted_next = [&](int node, int from) {
    std::vector<int> list;
    for (const int other : next_[node])
      if (other != from) list.push_back(other);
    const auto key = [&](int other) {
      Vec3 x = place_[other];
      if (axis >= 0) x[axis] = std::abs(x[axis] - middle[axis]);
      return std::array<double, 3>{std::round(1e4 * x.y()), std::round(1e4 * x.z()), std::round(1e4 * x.x())};
    };
    std::stable_sort(list.begin(), list.end(), [&](int a, int b) { return key(a) < key(b); });
    return list;
  };
  std::vector<Open> open;
  branches = 0;
  const int start = root();
  for (const int other : sorted_next(start, -1)) open.push_back({other, start, 0, new_chain(other), 1});
  for (std::size_t k = 0; k < open.size(); ++k) {
    const Open own = open[k];
    const int joint = static_cast<int>(result.size());
    result.push_back({own.chain + "_" + std::to_string(own.number), own.joint, place_[own.node]});
    const std::vector<int> further = sorted_next(own.node, own.from);
    for (const int other : further)
      open.push_back({other, own.node, joint, further.size() == 1 ? own.chain : new_chain(other),
                      further.size() == 1 ? own.number + 1 : 1});
  }
  return result;
}

}  // namespace rigspace
