#pragma once
// Nodes that are weighted sums of points of a rig: x = B s, with B sparse and the same weight for x, y and z.

#include "rigspace/rig/jacobian.h"

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace rigspace {

/// The rows of B. Row i is x_i = sum of weight[e] s[point[e]] over the entries e in start[i] .. start[i + 1]; what a
/// row stands for (all nodes of a body, or its bound nodes in order) is up to the owner. Sums run in the order of the
/// entries, so that every user of the same ties gets the same bits.
struct PointTies {
  std::vector<int> start{0};  ///< one more than there are rows
  std::vector<int> point;     ///< per entry: a point of the rig
  std::vector<double> weight;

  /// The number of rows.
  int count() const { return static_cast<int>(start.size()) - 1; }
  /// Whether no row has an entry.
  bool empty() const { return point.empty(); }
  /// The points and weights of row i.
  std::span<const int> points_of(int i) const { return std::span(point).subspan(start[i], start[i + 1] - start[i]); }
  std::span<const double> weights_of(int i) const {
    return std::span(weight).subspan(start[i], start[i + 1] - start[i]);
  }
  /// Calls visit(point, weight) for each entry of row i, in order.
  template <class Visit>
  void for_each(int i, Visit&& visit) const {
    for (int e = start[i]; e < start[i + 1]; ++e) visit(point[e], weight[e]);
  }

  /// x_i = sum of weight * s; `s`: three numbers a point of the rig.
  Vec3 row(int i, In s) const;
  /// x = B s, resized to three numbers a row.
  void apply(In s, Vec& x) const;
  /// g_s += B^T g, g three numbers a row; g_s has the size of s.
  void pull(In g, Vec& g_s) const;
  /// g_s += B_i^T g_i of row i alone.
  void pull_row(int i, const Vec3& g_i, Vec& g_s) const;

  /// The derivative of all rows from that of the points, B ds/dp: columns ascending in each row.
  void jacobian(const BlockJacobian& of_points, BlockJacobian& of_rows) const;
  /// to += that of row i, where `to` is any 3 x columns block of a dense matrix.
  template <class Block>
  void add_jacobian_row(int i, const BlockJacobian& of_points, Block&& to) const {
    for (int e = start[i]; e < start[i + 1]; ++e)
      for (int k = of_points.start[point[e]]; k < of_points.start[point[e] + 1]; ++k)
        to.col(of_points.column[k]) += weight[e] * of_points.value.col(k);
  }

  /// A new last row with one entry more of the row under way: `add` entries, then `end_row`.
  void add(int of_point, double its_weight) { point.push_back(of_point), weight.push_back(its_weight); }
  void end_row() { start.push_back(static_cast<int>(point.size())); }
  /// A new last row of pairs (point, weight), in their order.
  template <class Pairs>
  void append(const Pairs& entries) {
    for (const auto& [of_point, its_weight] : entries) add(of_point, its_weight);
    end_row();
  }
  /// A new last row that is row i of `other`.
  void append(const PointTies& other, int i);
  /// The same, where the points are counted by their places in `points`, ascending, which must hold them all.
  void append(const PointTies& other, int i, std::span<const int> points);
};

/// Row i is point i, for `count` points.
PointTies one_point_each(int count);

}  // namespace rigspace
