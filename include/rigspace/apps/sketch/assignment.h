#pragma once
// The cheapest way to give each row a column of its own (Kuhn 1955, Munkres 1957; here by shortest augmenting paths).

#include "rigspace/base/types.h"

#include <vector>

namespace rigspace {

/// Of each row its column, or -1 where there are more rows than columns; the sum of cost(row, column) is the smallest
/// possible. Costs must be finite. Time grows as rows * columns * the smaller of both.
std::vector<int> cheapest_assignment(const Mat& cost);

}  // namespace rigspace
