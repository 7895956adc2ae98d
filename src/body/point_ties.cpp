#include "rigspace/body/point_ties.h"

#include "rigspace/base/parallel.h"

#include <algorithm>
#include <cassert>

namespace rigspace {

// Not inline in the header: other compiler flags could fuse products and sums there, and the bits would differ.
Vec3 PointTies::row(int i, In s) const {
  Vec3 x = Vec3::Zero();
  for (int e = start[i]; e < start[i + 1]; ++e) x += weight[e] * s.segment<3>(3 * static_cast<Eigen::Index>(point[e]));
  return x;
}

void PointTies::apply(In s, Vec& x) const {
  x.resize(3 * static_cast<Eigen::Index>(count()));
  for (int i = 0; i < count(); ++i) x.segment<3>(3 * static_cast<Eigen::Index>(i)) = row(i, s);
}

void PointTies::pull(In g, Vec& g_s) const {
  for (int i = 0; i < count(); ++i) pull_row(i, g.segment<3>(3 * static_cast<Eigen::Index>(i)), g_s);
}

void PointTies::pull_row(int i, const Vec3& g_i, Vec& g_s) const {
  for (int e = start[i]; e < start[i + 1]; ++e)
    g_s.segment<3>(3 * static_cast<Eigen::Index>(point[e])) += weight[e] * g_i;
}

// Rows are independent: chunks of them are summed in parallel, each entry in the order of the row's points, and joined
// in order, so that the bits do not depend on the number of threads.
void PointTies::jacobian(const BlockJacobian& of_points, BlockJacobian& of_rows) const {
  const int rows = count(), columns = of_points.columns;
  constexpr int kChunk = 64;
  const int chunks = (rows + kChunk - 1) / kChunk;
  struct Part {
    std::vector<int> column, count;
    std::vector<double> value;
  };
  std::vector<Part> parts(chunks);
  parallel_ranges(rows, kChunk, [&](int begin, int end) {
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
  of_rows.columns = columns;
  of_rows.start.assign(1, 0), of_rows.column.clear();
  for (const Part& part : parts)
    for (const int count : part.count) of_rows.start.push_back(of_rows.start.back() + count);
  of_rows.value.resize(3, of_rows.start.back());
  Eigen::Index at = 0;
  for (const Part& part : parts) {
    of_rows.column.insert(of_rows.column.end(), part.column.begin(), part.column.end());
    std::copy(part.value.begin(), part.value.end(), of_rows.value.data() + 3 * at);
    at += static_cast<Eigen::Index>(part.column.size());
  }
}

void PointTies::append(const PointTies& other, int i) {
  assert(&other != this);
  point.insert(point.end(), other.point.begin() + other.start[i], other.point.begin() + other.start[i + 1]);
  weight.insert(weight.end(), other.weight.begin() + other.start[i], other.weight.begin() + other.start[i + 1]);
  end_row();
}

void PointTies::append(const PointTies& other, int i, std::span<const int> points) {
  other.for_each(i, [&](int of_point, double its_weight) {
    const auto place = std::lower_bound(points.begin(), points.end(), of_point) - points.begin();
    add(static_cast<int>(place), its_weight);
  });
  end_row();
}

PointTies one_point_each(int count) {
  PointTies ties;
  for (int i = 0; i < count; ++i) ties.add(i, 1), ties.end_row();
  return ties;
}

}  // namespace rigspace
