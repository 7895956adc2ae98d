#include "joint_tree.h"
#include "rigspace/base/parallel.h"
#include "rigspace/base/require.h"
#include "rigspace/geometry/mirror.h"
#include "rigspace/geometry/solid_voxels.h"
#include "rigspace/rig/skeleton_extraction.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace rigspace {
namespace {

constexpr double kShallow = 300;  // times the cost of a way through the deepest place
constexpr double kSteepness = 8;  // of that cost with depth
constexpr double kBump = 1.9;     // a branch is longer than so many times the depth where it leaves
constexpr double kBlunt = 0.6;    // of the depth along a way
constexpr double kCovered = 1.4;  // a way stands for what is within this many times its depth

/// Voxels that are connected one after the other, each new way by its voxels from the tip to the tree.
class Ways {
 public:
  Ways(const TriMesh& mesh, const SkeletonOptions& options)
      : mesh_(mesh), options_(options), voxels_(mesh, {.across = options.voxels}), depth_(voxel_depths(voxels_, mesh)) {
    box_ = bounding_box(mesh.points);
    axis_ = options.symmetric ? mirror_axis_of(mesh) : -1;
    // Of voxels on the surface, too, some way is needed: sheets have no others.
    depth_ = depth_.cwiseMax(0.25 * voxels_.cell());
    const double deepest = depth_.maxCoeff();
    for (int v = 0; v < voxels_.count(); ++v)
      cost_.push_back(1 + kShallow * std::pow(1 - depth_[v] / deepest, kSteepness));
  }

  JointTree run() {
    Eigen::Index deepest = 0;
    depth_.maxCoeff(&deepest);
    const int root = on_plane(static_cast<int>(deepest));
    covered_.assign(voxels_.count(), 0);
    node_.assign(voxels_.count(), -1);
    add_node(root, -1);
    cover(root);
    const Vec from_root = voxels_.distances(std::array{std::pair{root, 0.0}});
    std::vector<int> order(voxels_.count());
    for (int v = 0; v < voxels_.count(); ++v) order[v] = v;
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return from_root[a] > from_root[b]; });
    const double least = options_.least_branch * box_.diagonal();
    for (const int tip : order) {
      if (covered_[tip] != 0) continue;
      add_way(tip, least);
    }
    return std::move(tree_);
  }

  int mirror_axis() const { return axis_; }

 private:
  Vec3 mirrored(Vec3 x) const {
    x[axis_] = 2 * box_.center()[axis_] - x[axis_];
    return x;
  }
  double off_plane(int v) const { return std::abs(voxels_.center(v)[axis_] - box_.center()[axis_]); }
  int mirror_of(int v) const { return voxels_.nearest(mirrored(voxels_.center(v))); }
  /// The voxel in the plane of symmetry beside v, if there is one.
  int on_plane(int v) const {
    if (axis_ < 0) return v;
    Vec3 x = voxels_.center(v);
    x[axis_] = box_.center()[axis_] + 1e-9 * voxels_.cell();
    const int found = voxels_.at(x);
    return found < 0 ? v : found;
  }

  void add_node(int voxel, int parent) {
    node_[voxel] = tree_.count();
    Vec3 x = voxels_.center(voxel);
    if (axis_ >= 0 && off_plane(voxel) < 0.75 * voxels_.cell()) x[axis_] = box_.center()[axis_];
    tree_.add(x, depth_[voxel], parent);
  }

  void cover(int v) {
    const double reach = kCovered * depth_[v] + 1.5 * voxels_.cell();
    // A ball of voxels: from v outward along links, as far as it goes.
    std::vector<int> front = {v};
    const Vec3 middle = voxels_.center(v);
    seen_.resize(voxels_.count(), -1);
    seen_[v] = v, covered_[v] = 1;
    while (!front.empty()) {
      const int at = front.back();
      front.pop_back();
      for (const SolidVoxels::Link& link : voxels_.links(at))
        if (seen_[link.to] != v && (voxels_.center(link.to) - middle).norm() <= reach)
          seen_[link.to] = v, covered_[link.to] = 1, front.push_back(link.to);
    }
  }

  /// The cheapest way from the tree to a voxel, tip first, the tree's own voxel last.
  std::vector<int> way_to(int tip) const {
    std::vector<std::pair<int, double>> seeds;
    for (int v = 0; v < voxels_.count(); ++v)
      if (node_[v] >= 0) seeds.emplace_back(v, 0.0);
    std::vector<int> from;
    voxels_.distances(seeds, nullptr, &from, cost_);
    std::vector<int> way = {tip};
    while (from[way.back()] >= 0) way.push_back(from[way.back()]);
    return way;
  }

  void add_way(int tip, double least) {
    std::vector<int> way = way_to(tip);
    // A blunt end in the plane is farthest beside it: it is one branch, not two.
    double depth = 0;
    for (const int v : way) depth += depth_[v] / static_cast<double>(way.size());
    const bool central = axis_ >= 0 && off_plane(tip) < 1.5 * voxels_.cell() + kBlunt * depth;
    if (axis_ >= 0)  // near the plane both sides run together
      for (int& v : way)
        if (node_[v] < 0 && (central || off_plane(v) < 1.6 * voxels_.cell())) v = on_plane(v);
    // Up to the first voxel that the tree has.
    const auto met = std::find_if(way.begin(), way.end(), [&](int v) { return node_[v] >= 0; });
    way.erase(met == way.end() ? met : std::next(met), way.end());
    double length = 0;
    for (std::size_t k = 1; k < way.size(); ++k) length += (voxels_.center(way[k]) - voxels_.center(way[k - 1])).norm();
    const double thickness = depth_[way.back()];
    if (way.size() < 2 || length < std::max(least + thickness, kBump * thickness)) {
      covered_[tip] = 1;
      for (const int v : way) cover_beside(v);
      if (axis_ >= 0) cover_beside(mirror_of(tip));
      return;
    }
    lay(way);
    if (axis_ < 0 || central) return;
    for (int& v : way)
      if (node_[v] < 0 || off_plane(v) > 0.75 * voxels_.cell()) v = mirror_of(v);
    const auto other = std::find_if(way.begin(), way.end(), [&](int v) { return node_[v] >= 0; });
    if (other == way.begin()) return;
    way.erase(other == way.end() ? other : std::next(other), way.end());
    lay(way);
  }

  /// A bump that is no branch of its own.
  void cover_beside(int v) {
    if (node_[v] < 0) cover(v);
  }

  void lay(const std::vector<int>& way) {
    for (std::size_t k = way.size(); k-- > 0;) {
      if (node_[way[k]] < 0) add_node(way[k], k + 1 < way.size() ? node_[way[k + 1]] : 0);
      cover(way[k]);
    }
  }

  const TriMesh& mesh_;
  const SkeletonOptions& options_;
  SolidVoxels voxels_;
  Vec depth_;
  Box box_;
  int axis_ = -1;
  std::vector<double> cost_;
  std::vector<char> covered_;
  std::vector<int> node_, seen_;
  JointTree tree_;
};

}  // namespace

void SkeletonOptions::validate() const {
  require_option(voxels >= 16 && voxels <= 200, "number of voxels", voxels, "give 16 to 200 along the longest side");
  require_option(least_branch > 0 && least_branch < 1, "least_branch", least_branch, "give a share of the diagonal");
  require_option(longest_bone > 0.01 && longest_bone <= 1, "longest_bone", longest_bone, "give 0.01 to 1");
  require_option(bend > 0 && bend < 1, "bend", bend, "give a share of the diagonal");
}

ExtractedSkeleton extract_skeleton(const TriMesh& mesh, const SkeletonOptions& options) {
  options.validate();
  report(options.progress, "making voxels", 0);
  Ways ways(mesh, options);
  report(options.progress, "finding ways", 0.3);
  JointTree tree = ways.run();
  const double size = bounding_box(mesh.points).diagonal();
  tree.simplify({.bend = options.bend * size, .longest = options.longest_bone * size, .merge = 0.03 * size});
  ExtractedSkeleton result;
  result.mirror_axis = ways.mirror_axis();
  result.joints = tree.joints(result.mirror_axis, bounding_box(mesh.points).center(), result.branches);
  return result;
}

}  // namespace rigspace
