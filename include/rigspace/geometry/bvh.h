#pragma once
// A tree of axis-aligned boxes over anything that has a box: triangles, tetrahedra, points. Built once, refitted when
// things move. Items are numbers; a query takes a function that measures one.

#include "rigspace/base/types.h"
#include "rigspace/geometry/tri_mesh.h"

#include <array>
#include <span>
#include <utility>
#include <vector>

namespace rigspace {

/// Squared distance from a point to a box; zero inside.
inline double squared_distance(const Vec3& x, const Vec3& low, const Vec3& high) {
  return (low - x).cwiseMax(x - high).cwiseMax(0).squaredNorm();
}

class Bvh {
 public:
  /// Nodes lie in preorder: the first child of node i is i + 1, the second `right`. A leaf has count > 0 items, from
  /// items()[first].
  struct Node {
    Vec3 low, high;
    int first = 0, right = 0, count = 0;

    bool leaf() const { return count > 0; }
  };

  Bvh() = default;
  /// Split at the median of the longest side of the boxes' middles; the same tree for the same boxes.
  explicit Bvh(std::span<const Box> boxes);

  /// New boxes for the same items; the tree keeps its shape.
  void refit(std::span<const Box> boxes);

  bool empty() const { return nodes_.empty(); }
  std::span<const Node> nodes() const { return nodes_; }
  std::span<const int> items() const { return items_; }

  /// The item with the smallest `squared(item)`, a squared distance to x at least that to the item's box. Only items
  /// nearer than sqrt(best) count; best becomes the smallest. -1 if there is none.
  template <class Squared>
  int nearest(const Vec3& x, double& best, Squared&& squared) const {
    int found = -1;
    if (nodes_.empty()) return found;
    std::array<std::pair<double, int>, kStack> stack;
    int top = 0;
    stack[top++] = {squared_distance(x, nodes_[0].low, nodes_[0].high), 0};
    while (top > 0) {
      const auto [distance, index] = stack[--top];
      if (distance >= best) continue;
      const Node& node = nodes_[index];
      for (int k = 0; k < node.count; ++k) {
        const double d = squared(items_[node.first + k]);
        if (d < best) best = d, found = items_[node.first + k];
      }
      if (node.leaf()) continue;
      const int left = index + 1, right = node.right;
      const double to_left = squared_distance(x, nodes_[left].low, nodes_[left].high);
      const double to_right = squared_distance(x, nodes_[right].low, nodes_[right].high);
      stack[top++] = to_left < to_right ? std::pair{to_right, right} : std::pair{to_left, left};
      stack[top++] = to_left < to_right ? std::pair{to_left, left} : std::pair{to_right, right};
    }
    return found;
  }

  /// Calls visit(item) for all items of leaves that enter(node) lets through, from the root down.
  template <class Enter, class Visit>
  void traverse(Enter&& enter, Visit&& visit) const {
    if (nodes_.empty()) return;
    std::array<int, kStack> stack;
    int top = 0;
    stack[top++] = 0;
    while (top > 0) {
      const int index = stack[--top];
      const Node& node = nodes_[index];
      if (!enter(node)) continue;
      for (int k = 0; k < node.count; ++k) visit(items_[node.first + k]);
      if (!node.leaf()) stack[top++] = node.right, stack[top++] = index + 1;
    }
  }

 private:
  static constexpr int kStack = 72;  // median splits: depth is at most log2 of the count, and each level adds one

  int build(std::span<const Box> boxes, int begin, int end);

  std::vector<Node> nodes_;
  std::vector<int> items_;
};

}  // namespace rigspace
