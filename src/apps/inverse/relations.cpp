#include "relations.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace rigspace {
namespace {

Vec3 relation(In f, int a, int b) {
  const Vec3 r = point(f, a) - point(f, b);
  return std::exp(-0.5 * r.squaredNorm() / (Relations::kNear * Relations::kNear)) / Relations::kNear * r;
}

}  // namespace

Relations Relations::chosen(const Mat& F, int count, double weight) {
  const int n = static_cast<int>(F.rows() / 3);
  const Eigen::Index step = std::max<Eigen::Index>(1, F.cols() / 200);
  std::vector<std::pair<double, std::array<int, 2>>> all;
  for (int a = 0; a < n; ++a)
    for (int b = a + 1; b < n; ++b) {
      Vec3 sum = Vec3::Zero();
      double squares = 0, frames = 0;
      for (Eigen::Index k = 0; k < F.cols(); k += step) {
        const Vec3 r = relation(F.col(k), a, b);
        sum += r, squares += r.squaredNorm(), ++frames;
      }
      all.emplace_back(squares / frames - (sum / frames).squaredNorm(), std::array{a, b});
    }
  std::ranges::stable_sort(all, [](const auto& one, const auto& other) { return one.first > other.first; });
  Relations relations{.weight = weight};
  for (int k = 0; k < std::min<int>(count, static_cast<int>(all.size())); ++k)
    if (all[static_cast<std::size_t>(k)].first > 1e-12)
      relations.pairs.push_back(all[static_cast<std::size_t>(k)].second);
  return relations;
}

Vec Relations::with_places(const Vec& f) const {
  if (pairs.empty()) return f;
  Vec all(f.size() + rows());
  all.head(f.size()) = f;
  for (std::size_t k = 0; k < pairs.size(); ++k)
    all.segment<3>(f.size() + 3 * static_cast<Eigen::Index>(k)) = weight * relation(f, pairs[k][0], pairs[k][1]);
  return all;
}

}  // namespace rigspace
