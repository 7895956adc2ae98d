#include "rigspace/geometry/bvh.h"

#include <algorithm>
#include <numeric>

namespace rigspace {
namespace {

constexpr int kLeaf = 4;

}  // namespace

Bvh::Bvh(std::span<const Box> boxes) : items_(boxes.size()) {
  std::iota(items_.begin(), items_.end(), 0);
  if (items_.empty()) return;
  nodes_.reserve(boxes.size());
  build(boxes, 0, static_cast<int>(boxes.size()));
  refit(boxes);
}

int Bvh::build(std::span<const Box> boxes, int begin, int end) {
  const int index = static_cast<int>(nodes_.size());
  nodes_.emplace_back();
  if (end - begin <= kLeaf) {
    nodes_[index].first = begin;
    nodes_[index].count = end - begin;
    return index;
  }
  Box middles;
  for (int k = begin; k < end; ++k) middles.include(boxes[items_[k]].center());
  int axis = 0;
  middles.size().maxCoeff(&axis);
  const int half = begin + (end - begin) / 2;
  std::nth_element(items_.begin() + begin, items_.begin() + half, items_.begin() + end, [&](int a, int b) {
    const double at_a = boxes[a].low[axis] + boxes[a].high[axis], at_b = boxes[b].low[axis] + boxes[b].high[axis];
    return at_a != at_b ? at_a < at_b : a < b;
  });
  // Both halves become nodes even when one item is left: Thesis algorithm 1 would lose it.
  build(boxes, begin, half);
  const int right = build(boxes, half, end);
  nodes_[index].right = right;
  return index;
}

void Bvh::refit(std::span<const Box> boxes) {
  for (int i = static_cast<int>(nodes_.size()) - 1; i >= 0; --i) {
    Node& node = nodes_[i];
    if (node.leaf()) {
      Box box;
      for (int k = 0; k < node.count; ++k) {
        box.low = box.low.cwiseMin(boxes[items_[node.first + k]].low);
        box.high = box.high.cwiseMax(boxes[items_[node.first + k]].high);
      }
      node.low = box.low, node.high = box.high;
    } else {
      node.low = nodes_[i + 1].low.cwiseMin(nodes_[node.right].low);
      node.high = nodes_[i + 1].high.cwiseMax(nodes_[node.right].high);
    }
  }
}

}  // namespace rigspace
