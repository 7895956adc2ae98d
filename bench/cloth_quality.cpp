#include "cloth_quality.h"

#include <algorithm>

namespace rigspace::bench {

FoldSpectrum::FoldSpectrum(const TriMesh& mesh) : neighbours_(static_cast<std::size_t>(mesh.point_count())) {
  for (const auto& [a, b] : edge_table(mesh).edges) {
    neighbours_[static_cast<std::size_t>(a)].push_back(b);
    neighbours_[static_cast<std::size_t>(b)].push_back(a);
  }
}

Vec FoldSpectrum::to_neighbours(In x) const {
  Vec result = Vec::Zero(x.size());
  for (std::size_t i = 0; i < neighbours_.size(); ++i) {
    if (neighbours_[i].empty()) continue;
    Vec3 mean = Vec3::Zero();
    for (const int j : neighbours_[i]) mean += point(x, j);
    point(result, static_cast<int>(i)) = mean / double(neighbours_[i].size()) - point(x, static_cast<int>(i));
  }
  return result;
}

std::array<double, kOctaves> FoldSpectrum::of(In x) const {
  std::array<double, kOctaves> octaves{};
  Vec y = x;
  for (int k = 0, steps = 0, until = 1; k < kOctaves; ++k, until *= 4) {
    Vec next = y;
    for (; steps < until; ++steps) next += 0.5 * to_neighbours(next);
    octaves[static_cast<std::size_t>(k)] = to_neighbours(y - next).squaredNorm();
    y = next;
  }
  return octaves;
}

double mean_distance(In a, In b) { return (a - b).reshaped(3, a.size() / 3).colwise().norm().mean(); }

EdgeStretch edge_stretch(const TriMesh& rest, In x) {
  std::vector<double> all;
  for (const auto& [a, b] : edge_table(rest).edges)
    all.push_back((point(x, a) - point(x, b)).norm() / (point(rest.points, a) - point(rest.points, b)).norm() - 1);
  std::sort(all.begin(), all.end());
  return {all.back(), all[all.size() - 1 - all.size() / 1000]};
}

}  // namespace rigspace::bench
