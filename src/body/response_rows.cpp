#include "rigspace/body/interior_response.h"

namespace rigspace {

BlockJacobian rows_of(const BlockJacobian& J, std::span<const int> nodes) {
  BlockJacobian some{.columns = J.columns};
  if (J.start.empty()) return some;
  some.start.push_back(0);
  Eigen::Index entries = 0;
  for (const int i : nodes) entries += J.start[i + 1] - J.start[i];
  some.value.resize(3, entries);
  for (const int i : nodes) {
    for (int e = J.start[i]; e < J.start[i + 1]; ++e) {
      some.value.col(std::ssize(some.column)) = J.value.col(e);
      some.column.push_back(J.column[e]);
    }
    some.start.push_back(static_cast<int>(some.column.size()));
  }
  return some;
}

}  // namespace rigspace
