#pragma once
// Rows of 3 x m whose columns are mostly neighbours, times vectors: the innermost loops of the fast method. Entries lie
// one after another as x y z, so with every factor repeated three times (d0 d0 d0 d1 d1 d1 ..) both products are plain
// sums over the numbers of a row, and four lanes go through them whatever the three means.

#include "rigspace/rig/jacobian.h"

#include <cstddef>

namespace rigspace {

namespace lanes_of_rows {
using Four = double __attribute__((vector_size(32), aligned(8)));
inline const Four& four(const double* at) { return *reinterpret_cast<const Four*>(at); }
}  // namespace lanes_of_rows

/// Whether the columns of row k are neighbours, first to last.
inline bool are_neighbours(const BlockJacobian& J, int k) {
  const int begin = J.start[k], end = J.start[k + 1];
  return end > begin && J.column[end - 1] - J.column[begin] == end - begin - 1;  // they ascend
}

/// sum over the entries e of row k of d[column(e)] * value(e), with d repeated thrice.
inline Vec3 row_times(const BlockJacobian& J, int k, const double* thrice) {
  using namespace lanes_of_rows;
  const int begin = J.start[k], end = J.start[k + 1];
  Vec3 sum = Vec3::Zero();
  int e = begin;
  if (are_neighbours(J, k)) {
    Four a = {}, b = {}, c = {};
    const double *v = J.value.data() + 3 * static_cast<std::ptrdiff_t>(begin), *d = thrice + 3 * J.column[begin];
    for (; e + 4 <= end; e += 4, v += 12, d += 12) {
      a += four(v) * four(d);
      b += four(v + 4) * four(d + 4);
      c += four(v + 8) * four(d + 8);
    }
    sum = Vec3((a[0] + a[3]) + (b[2] + c[1]), (a[1] + b[0]) + (b[3] + c[2]), (a[2] + b[1]) + (c[0] + c[3]));
  }
  for (; e < end; ++e) sum += thrice[3 * J.column[e]] * J.value.col(e);
  return sum;
}

/// J_k^T g of N vectors, each gathered as three numbers a control, whose sums it is. Rows are read once.
template <int N>
inline void add_transposed(const BlockJacobian& J, int k, const Vec3 (&g)[N], double* const (&gathered)[N]) {
  using namespace lanes_of_rows;
  const int begin = J.start[k], end = J.start[k + 1];
  int e = begin;
  const double* v = J.value.data() + 3 * static_cast<std::ptrdiff_t>(begin);
  if (are_neighbours(J, k)) {
    Four a[N], b[N], c[N];
    for (int m = 0; m < N; ++m) {
      a[m] = Four{g[m][0], g[m][1], g[m][2], g[m][0]};
      b[m] = Four{g[m][1], g[m][2], g[m][0], g[m][1]};
      c[m] = Four{g[m][2], g[m][0], g[m][1], g[m][2]};
    }
    for (std::ptrdiff_t at = 3 * J.column[begin]; e + 4 <= end; e += 4, v += 12, at += 12)
      for (int m = 0; m < N; ++m) {
        *reinterpret_cast<Four*>(gathered[m] + at) += four(v) * a[m];
        *reinterpret_cast<Four*>(gathered[m] + at + 4) += four(v + 4) * b[m];
        *reinterpret_cast<Four*>(gathered[m] + at + 8) += four(v + 8) * c[m];
      }
  }
  for (; e < end; ++e, v += 3)
    for (int m = 0; m < N; ++m) {
      double* to = gathered[m] + 3 * J.column[e];
      to[0] += v[0] * g[m][0], to[1] += v[1] * g[m][1], to[2] += v[2] * g[m][2];
    }
}

/// row += factor * J_k, where a row has three numbers a column.
inline void add_scaled(const BlockJacobian& J, int k, double factor, Vec& row) {
  const int begin = J.start[k], count = J.start[k + 1] - begin;
  if (are_neighbours(J, k)) {
    const Eigen::Map<const Vec> values(J.value.data() + 3 * static_cast<std::ptrdiff_t>(begin), 3 * count);
    row.segment(3 * J.column[begin], 3 * count) += factor * values;
    return;
  }
  for (int e = begin; e < begin + count; ++e) row.segment<3>(3 * J.column[e]) += factor * J.value.col(e);
}

}  // namespace rigspace
