#include "rigspace/apps/sketch/assignment.h"

#include <limits>

namespace rigspace {

std::vector<int> cheapest_assignment(const Mat& cost) {
  if (cost.rows() > cost.cols()) {
    const std::vector<int> row_of = cheapest_assignment(cost.transpose());
    std::vector<int> column_of(static_cast<std::size_t>(cost.rows()), -1);
    for (std::size_t c = 0; c < row_of.size(); ++c)
      column_of[static_cast<std::size_t>(row_of[c])] = static_cast<int>(c);
    return column_of;
  }
  const int rows = static_cast<int>(cost.rows()), columns = static_cast<int>(cost.cols());
  // Dual variables u, v keep cost(i, j) - u_i - v_j >= 0; each row joins along a shortest path of such slacks. Row and
  // column 0 are imaginary.
  std::vector<double> u(static_cast<std::size_t>(rows) + 1, 0), v(static_cast<std::size_t>(columns) + 1, 0);
  std::vector<int> row_at(static_cast<std::size_t>(columns) + 1, 0), before(static_cast<std::size_t>(columns) + 1, 0);
  for (int i = 1; i <= rows; ++i) {
    row_at[0] = i;
    int column = 0;
    std::vector<double> slack(v.size(), std::numeric_limits<double>::infinity());
    std::vector<char> reached(v.size(), 0);
    do {
      reached[column] = 1;
      const int row = row_at[column];
      int next = 0;
      double least = std::numeric_limits<double>::infinity();
      for (int j = 1; j <= columns; ++j) {
        if (reached[j]) continue;
        const double reduced = cost(row - 1, j - 1) - u[row] - v[j];
        if (reduced < slack[j]) slack[j] = reduced, before[j] = column;
        if (slack[j] < least) least = slack[j], next = j;
      }
      for (int j = 0; j <= columns; ++j)
        if (reached[j])
          u[row_at[j]] += least, v[j] -= least;
        else
          slack[j] -= least;
      column = next;
    } while (row_at[column] != 0);
    while (column != 0) row_at[column] = row_at[before[column]], column = before[column];
  }
  std::vector<int> result(static_cast<std::size_t>(rows), -1);
  for (int j = 1; j <= columns; ++j)
    if (row_at[j] != 0) result[static_cast<std::size_t>(row_at[j] - 1)] = j - 1;
  return result;
}

}  // namespace rigspace
