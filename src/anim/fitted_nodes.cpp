#include "fitted_nodes.h"

#include "rigspace/base/decompositions.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace rigspace {
namespace {

constexpr double kTwin = 0.03;      // of the size: a joint's mirror image has another joint so near
constexpr double kTwins = 0.8;      // share of joints for which it is so in a symmetric skeleton
constexpr double kOnPlane = 0.02;   // of the size: a joint in the middle
constexpr double kClavicle = 0.55;  // of the next bone
constexpr double kDepth = 0.5;      // of the template's depth below the skin

class NodeFit {
 public:
  NodeFit(std::span<const TemplateNode> nodes, const BodyRegistration& registration, const TriMesh& from,
          const TriMesh& to, const NodeFitOptions& options)
      : nodes_(nodes), registration_(registration), from_(from), to_(to), options_(options) {
    size_ = bounding_box(from.points).size().maxCoeff();
    leads_.assign(nodes.size(), 0);
    for (std::size_t j = nodes.size(); j-- > 0;) {
      all_ += nodes[j].carries;
      leads_[j] += nodes[j].carries;
      if (nodes[j].parent >= 0) leads_[nodes[j].parent] += leads_[j];
    }
    find_twins();
    fitted_.resize(nodes.size());
  }

  std::vector<FittedNode> run() {
    for (std::size_t j = 0; j < nodes_.size(); ++j)
      if (is_inside(j)) fitted_[j].place = registration_(nodes_[j].place);
    mirror();
    deepen();
    for (std::size_t j = 0; j < nodes_.size(); ++j)
      if (const auto given = options_.places.find(nodes_[j].name); given != options_.places.end())
        fitted_[j].place = given->second;
    for (std::size_t j = 0; j < nodes_.size(); ++j) turn(static_cast<int>(j));
    for (std::size_t j = 0; j < nodes_.size(); ++j)
      if (!is_inside(j) && !options_.places.contains(nodes_[j].name)) place_beside(static_cast<int>(j));
    return std::move(fitted_);
  }

 private:
  bool is_inside(std::size_t j) const {
    return nodes_[j].carries || registration_.from_voxels().at(nodes_[j].place) >= 0;
  }

  /// Pairs of joints on both sides of the template, the plane through the middle of all.
  void find_twins() {
    twin_.assign(nodes_.size(), -1);
    double best = kTwins;
    for (const int axis : {0, 2}) {
      double middle = 0;
      for (const TemplateNode& node : nodes_)
        if (node.carries) middle += node.place[axis] / std::max(1, all_);
      std::vector<int> twin(nodes_.size(), -1);
      int paired = 0;
      for (std::size_t j = 0; j < nodes_.size(); ++j) {
        if (!nodes_[j].carries) continue;
        Vec3 x = nodes_[j].place;
        x[axis] = 2 * middle - x[axis];
        double least = kTwin * size_;
        for (std::size_t k = 0; k < nodes_.size(); ++k)
          if (nodes_[k].carries && (nodes_[k].place - x).norm() < least)
            least = (nodes_[k].place - x).norm(), twin[j] = static_cast<int>(k);
        paired += twin[j] >= 0;
      }
      if (paired <= best * all_) continue;
      best = static_cast<double>(paired) / std::max(1, all_) + 0.02;
      axis_ = axis, middle_ = middle, twin_ = twin;
    }
    for (std::size_t j = 0; j < nodes_.size(); ++j)  // both ways, or not at all
      if (twin_[j] >= 0 && twin_[twin_[j]] != static_cast<int>(j)) twin_[j] = -1;
  }

  bool is_central(int j) const { return axis_ >= 0 && std::abs(nodes_[j].place[axis_] - middle_) < kOnPlane * size_; }

  void mirror() {
    if (options_.mirror_axis < 0 || axis_ < 0) return;
    Vec3 across = registration_.facing() * Vec3::Unit(axis_);
    if (std::abs(across[options_.mirror_axis]) < 0.9) return;
    const int axis = options_.mirror_axis;
    const std::vector<FittedNode> before = fitted_;
    for (std::size_t j = 0; j < nodes_.size(); ++j) {
      if (twin_[j] < 0) continue;
      Vec3 other = before[twin_[j]].place;
      other[axis] = 2 * options_.mirror_middle - other[axis];
      fitted_[j].place = 0.5 * (before[j].place + other);
    }
  }

  /// Joints too near the skin, or outside, go to the nearest place that is deep enough.
  void deepen() {
    const SolidVoxels &own = registration_.from_voxels(), &other = registration_.to_voxels();
    const Vec depth = voxel_depths(own, from_), other_depth = voxel_depths(other, to_);
    for (std::size_t j = 0; j < nodes_.size(); ++j) {
      const int voxel = own.at(nodes_[j].place);
      if (!nodes_[j].carries || voxel < 0) continue;
      const double wanted = kDepth * registration_.scale() * depth[voxel];
      const int at = other.at(fitted_[j].place);
      if (at >= 0 && other_depth[at] >= wanted) continue;
      double least = std::numeric_limits<double>::infinity();
      Vec3 best = fitted_[j].place;
      for (int v = 0; v < other.count(); ++v) {
        const double apart = (other.center(v) - fitted_[j].place).norm() + std::max(0.0, wanted - other_depth[v]);
        if (apart < least) least = apart, best = other.center(v);
      }
      if (other.at(fitted_[j].place) < 0 || least < wanted) fitted_[j].place = best;
    }
  }

  /// The joints below j that lead to skin.
  std::vector<int> next(int j) const {
    std::vector<int> found;
    for (int k = j + 1; k < std::ssize(nodes_); ++k)
      if (nodes_[k].parent == j && leads_[k] > 0 && (nodes_[k].place - nodes_[j].place).norm() > 1e-4 * size_)
        found.push_back(k);
    return found;
  }

  Vec3 bone(int from, int to) const { return nodes_[to].place - nodes_[from].place; }
  Vec3 new_bone(int from, int to) const { return fitted_[to].place - fitted_[from].place; }

  void turn(int j) {
    const Mat3& facing = registration_.facing();
    const TemplateNode& node = nodes_[j];
    const int above = node.parent;
    fitted_[j].turn = above >= 0 && leads_[above] > 0 ? fitted_[above].turn : facing;
    if (leads_[j] == 0) return;
    if (is_central(j)) {
      fitted_[j].turn = facing;
      return;
    }
    const std::vector<int> below = next(j);
    if (above >= 0 && nodes_[above].on_floor && node.on_floor) return;
    if (node.on_floor) {
      fitted_[j].turn = facing;
      if (below.size() == 1) {
        Vec3 a = facing * bone(j, below[0]), b = new_bone(j, below[0]);
        a.y() = 0, b.y() = 0;
        if (a.norm() > 0.02 * size_ * registration_.scale() && b.norm() > 0)
          fitted_[j].turn = turn_between(a, b) * facing;
      }
      return;
    }
    const Mat3 before = fitted_[j].turn;
    if (below.size() == 1) {
      const std::vector<int> further = next(below[0]);
      const bool root = above < 0 || is_central(above) || leads_[above] == all_;
      const bool is_clavicle =
          root && further.size() == 1 && bone(j, below[0]).norm() < kClavicle * bone(below[0], further[0]).norm();
      const Vec3 a = before * bone(j, below[0]), b = new_bone(j, below[0]);
      if (!is_clavicle && b.norm() > 1e-6 * registration_.size()) fitted_[j].turn = turn_between(a, b) * before;
    } else if (below.size() > 1) {
      // The rotation that turns all bones best; across them it stays as it was.
      Mat3 M = 0.5 * before;
      for (const int k : below) M += new_bone(j, k).normalized() * bone(j, k).normalized().transpose();
      fitted_[j].turn = nearest_rotation(M);
    }
  }

  void place_beside(int j) {
    if (2 * leads_[j] > all_) {
      fitted_[j].place = registration_.aligned(nodes_[j].place);
      return;
    }
    double least = std::numeric_limits<double>::infinity();
    int nearest = -1;
    for (int k = 0; k < std::ssize(nodes_); ++k)
      if (nodes_[k].carries && (nodes_[k].place - nodes_[j].place).norm() < least)
        least = (nodes_[k].place - nodes_[j].place).norm(), nearest = k;
    if (nearest < 0) return;
    fitted_[j].place = fitted_[nearest].place + registration_.scale() * (fitted_[nearest].turn * bone(nearest, j));
  }

  std::span<const TemplateNode> nodes_;
  const BodyRegistration& registration_;
  const TriMesh &from_, &to_;
  const NodeFitOptions& options_;
  double size_ = 1;
  int all_ = 0;             // joints that carry skin
  std::vector<int> leads_;  // of them, at a node or below it
  std::vector<int> twin_;
  int axis_ = -1;
  double middle_ = 0;
  std::vector<FittedNode> fitted_;
};

}  // namespace

std::vector<FittedNode> fit_nodes(std::span<const TemplateNode> nodes, const BodyRegistration& registration,
                                  const TriMesh& from, const TriMesh& to, const NodeFitOptions& options) {
  return NodeFit(nodes, registration, from, to, options).run();
}

}  // namespace rigspace
