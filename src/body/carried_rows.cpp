#include "rigspace/body/carried_rows.h"

#include "rigspace/base/error.h"
#include "rigspace/base/parallel.h"

#include <algorithm>

namespace rigspace {
namespace {

/// Sums by number, kept in the order of first use until they are taken.
class Sums {
 public:
  explicit Sums(int count) : value_(count, 0.0), seen_(count, 0) {}

  void add(int number, double value) {
    if (!seen_[number]) seen_[number] = 1, numbers_.push_back(number);
    value_[number] += value;
  }
  /// Calls take(number, sum), ascending, and forgets.
  template <class Take>
  void take(Take&& take) {
    std::sort(numbers_.begin(), numbers_.end());
    for (const int number : numbers_) {
      take(number, value_[number]);
      value_[number] = 0, seen_[number] = 0;
    }
    numbers_.clear();
  }

 private:
  std::vector<double> value_;
  std::vector<char> seen_;
  std::vector<int> numbers_;
};

}  // namespace

CarriedRows carried_rows(const RigBody& body, const CarrierWeights& interior) {
  const int nodes = body.node_count();
  if (static_cast<int>(interior.size()) != nodes)
    throw Error({.element = "interior of the body",
                 .value = std::to_string(interior.size()),
                 .problem = "has " + std::to_string(interior.size()) + " lists of carriers for " +
                            std::to_string(nodes) + " nodes",
                 .remedy = "give one a node"});
  CarriedRows rows{.rig = body.rig};
  Sums sums(body.rig->point_count());
  const auto add = [&](int node, double share) {
    if (body.is_held(node)) return;  // no free control moves it
    for (int e = body.start[node]; e < body.start[node + 1]; ++e) sums.add(body.point[e], share * body.weight[e]);
  };
  for (int i = 0; i < nodes; ++i) {
    if (body.skin[i])
      add(i, 1);
    else
      for (const auto& [carrier, share] : interior[i]) {
        if (carrier < 0 || carrier >= nodes || !body.skin[carrier])
          throw Error({.element = "node " + std::to_string(i) + " of the body",
                       .value = std::to_string(carrier),
                       .problem = "is carried by node " + std::to_string(carrier) + ", which is not of the skin",
                       .remedy = "give nodes of the skin as carriers"});
        add(carrier, share);
      }
    sums.take([&](int point, double weight) { rows.point.push_back(point), rows.weight.push_back(weight); });
    rows.start.push_back(static_cast<int>(rows.point.size()));
  }
  return rows;
}

CarriedRows CarriedRows::restricted(std::span<const int> nodes) const {
  std::vector<int> needed;
  for (const int node : nodes)
    needed.insert(needed.end(), point.begin() + start[node], point.begin() + start[node + 1]);
  std::sort(needed.begin(), needed.end());
  needed.erase(std::unique(needed.begin(), needed.end()), needed.end());
  CarriedRows some{.rig = rig->restricted(needed)};
  for (const int node : nodes) {
    for (int e = start[node]; e < start[node + 1]; ++e) {
      const auto place = std::lower_bound(needed.begin(), needed.end(), point[e]) - needed.begin();
      some.point.push_back(static_cast<int>(place)), some.weight.push_back(weight[e]);
    }
    some.start.push_back(static_cast<int>(some.point.size()));
  }
  return some;
}

void CarriedRows::jacobian(const BlockJacobian& of_points, BlockJacobian& of_nodes) const {
  const int nodes = node_count(), columns = of_points.columns;
  constexpr int kChunk = 64;
  const int chunks = (nodes + kChunk - 1) / kChunk;
  struct Part {
    std::vector<int> column, count;
    std::vector<double> value;
  };
  std::vector<Part> parts(chunks);
  parallel_ranges(nodes, kChunk, [&](int begin, int end) {
    Part& part = parts[begin / kChunk];
    Eigen::Matrix3Xd sum = Eigen::Matrix3Xd::Zero(3, columns);
    std::vector<char> seen(columns, 0);
    std::vector<int> used;
    for (int i = begin; i < end; ++i) {
      used.clear();
      for (int e = start[i]; e < start[i + 1]; ++e)
        for (int k = of_points.start[point[e]]; k < of_points.start[point[e] + 1]; ++k) {
          const int c = of_points.column[k];
          if (!seen[c]) seen[c] = 1, used.push_back(c);
          sum.col(c) += weight[e] * of_points.value.col(k);
        }
      std::sort(used.begin(), used.end());
      for (const int c : used) {
        part.column.push_back(c);
        part.value.insert(part.value.end(), sum.col(c).data(), sum.col(c).data() + 3);
        sum.col(c).setZero(), seen[c] = 0;
      }
      part.count.push_back(static_cast<int>(used.size()));
    }
  });
  of_nodes.columns = columns;
  of_nodes.start.assign(1, 0), of_nodes.column.clear();
  for (const Part& part : parts)
    for (const int count : part.count) of_nodes.start.push_back(of_nodes.start.back() + count);
  of_nodes.value.resize(3, of_nodes.start.back());
  Eigen::Index at = 0;
  for (const Part& part : parts) {
    of_nodes.column.insert(of_nodes.column.end(), part.column.begin(), part.column.end());
    std::copy(part.value.begin(), part.value.end(), of_nodes.value.data() + 3 * at);
    at += static_cast<Eigen::Index>(part.column.size());
  }
}

void carry_inside(const RigBody& body, const CarrierWeights& interior, Vec& x) {
  for (int i = 0; i < body.node_count(); ++i) {
    if (body.skin[i]) continue;
    Vec3 sum = Vec3::Zero();
    for (const auto& [carrier, share] : interior[i])
      sum += share * x.segment<3>(3 * static_cast<Eigen::Index>(carrier));
    x.segment<3>(3 * static_cast<Eigen::Index>(i)) = sum;
  }
}

}  // namespace rigspace
