#include "rigspace/rig/jacobian.h"

#include "rigspace/base/parallel.h"

namespace rigspace {

void BlockJacobian::push(In dp, Vec& ds) const {
  ds.resize(3 * points());
  parallel_ranges(points(), 2048, [&](int begin, int end) {
    for (int i = begin; i < end; ++i) {
      Vec3 sum = Vec3::Zero();
      for (int e = start[i]; e < start[i + 1]; ++e) sum += value.col(e) * dp[column[e]];
      ds.segment<3>(3 * i) = sum;
    }
  });
}

void BlockJacobian::pull(In g, Vec& g_p) const {
  g_p.setZero(columns);
  for (int i = 0; i < points(); ++i) {
    const Vec3 g_i = g.segment<3>(3 * i);
    for (int e = start[i]; e < start[i + 1]; ++e) g_p[column[e]] += value.col(e).dot(g_i);
  }
}

Mat BlockJacobian::dense() const {
  Mat J = Mat::Zero(3 * points(), columns);
  for (int i = 0; i < points(); ++i)
    for (int e = start[i]; e < start[i + 1]; ++e) J.block<3, 1>(3 * i, column[e]) += value.col(e);
  return J;
}

}  // namespace rigspace
