#include "rigspace/body/carried_rows.h"

#include "rigspace/base/error.h"

#include <algorithm>

namespace rigspace {
namespace {

/// A sparse accumulator: sums of values per number (column) of one row.
class Sums {
 public:
  explicit Sums(int count) : value_(count, 0.0), seen_(count, 0) {}

  void add(int number, double value) {
    if (!seen_[number]) seen_[number] = 1, numbers_.push_back(number);
    value_[number] += value;
  }
  /// Calls take(number, sum) in ascending order, and clears all sums.
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
    body.ties.for_each(node, [&](int point, double weight) { sums.add(point, share * weight); });
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
    sums.take([&](int point, double weight) { rows.ties.add(point, weight); });
    rows.ties.end_row();
  }
  return rows;
}

CarriedRows CarriedRows::restricted(std::span<const int> nodes) const {
  std::vector<int> needed;
  for (const int node : nodes) {
    const std::span<const int> points = ties.points_of(node);
    needed.insert(needed.end(), points.begin(), points.end());
  }
  std::sort(needed.begin(), needed.end());
  needed.erase(std::unique(needed.begin(), needed.end()), needed.end());
  CarriedRows some{.rig = rig->restricted(needed)};
  for (const int node : nodes) some.ties.append(ties, node, needed);
  return some;
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
