#include "rigspace/apps/clothing/cloth_basis.h"

#include "rigspace/base/error.h"
#include "rigspace/base/parallel.h"
#include "rigspace/base/require.h"

#include <algorithm>
#include <cmath>

namespace rigspace {
namespace {

struct Candidate {
  int site;
  Eigen::Index column;
  double score;
};

/// Appends v to the orthonormal columns of A, unless they span it already; A has room.
bool append_direction(Mat& A, Eigen::Index& used, Vec v) {
  const double length = v.norm();
  if (!(length > 0) || !std::isfinite(length)) return false;
  v /= length;
  for (int round = 0; round < 2; ++round) {
    const Vec along = A.leftCols(used).transpose() * v;
    v.noalias() -= A.leftCols(used) * along;
  }
  constexpr double kSpanned = 1e-4;
  if (v.norm() <= kSpanned) return false;
  A.col(used++) = v.normalized();
  return true;
}

}  // namespace

void ClothBasisOptions::validate() const {
  require_option(size >= 0, "ClothBasisOptions.size", size, "expected none or more");
  require_option(radius >= 0, "ClothBasisOptions.radius", radius, "expected 0 or more");
  require_option(least_distance > 0, "ClothBasisOptions.least_distance", least_distance, "expected more than 0");
}

ClothBasis choose_basis(const PoseSpaceDatabase& database, In place, std::span<const Mat3> B, In g, In descent, In u,
                        const ClothBasisOptions& options) {
  options.validate();
  const double radius = options.radius > 0 ? options.radius : database.radius();
  const auto near = database.sites_near(place, radius);
  Vec pulled(g.size());  // B^T g
  for (std::size_t i = 0; i < B.size(); ++i)
    pulled.segment<3>(3 * static_cast<Eigen::Index>(i)) =
        B[i].transpose() * g.segment<3>(3 * static_cast<Eigen::Index>(i));
  // Scores of all vectors of these sites.
  std::vector<Candidate> pool;
  for (const auto& [site, distance] : near)
    for (Eigen::Index c = 0; c < database.vectors(site).cols(); ++c)
      pool.push_back({site, c, 1 / std::max(distance, options.least_distance * radius)});
  parallel_ranges(static_cast<int>(pool.size()), 1, [&](int from, int to) {
    for (int k = from; k < to; ++k) {
      Candidate& each = pool[static_cast<std::size_t>(k)];
      const auto a = database.vectors(each.site).col(each.column);
      double along = 0, turned = 0;
      for (std::size_t i = 0; i < B.size(); ++i) {
        const Vec3 d = a.segment<3>(3 * static_cast<Eigen::Index>(i)).cast<double>();
        along += d.dot(pulled.segment<3>(3 * static_cast<Eigen::Index>(i)));
        turned += (B[i] * d).squaredNorm();
      }
      each.score *= turned > 0 ? std::abs(along) / std::sqrt(turned) : 0;
    }
  });
  std::stable_sort(pool.begin(), pool.end(), [](const Candidate& a, const Candidate& b) { return a.score > b.score; });

  ClothBasis basis{.A = Mat(g.size(), options.size + 2), .far = near.empty()};
  Eigen::Index used = 0;
  std::vector<char> seen(static_cast<std::size_t>(database.site_count()), 0);
  for (const Candidate& each : pool) {
    if (used == options.size || !(each.score > 0)) break;
    if (!append_direction(basis.A, used, database.vectors(each.site).col(each.column).cast<double>())) continue;
    basis.sites += !seen[static_cast<std::size_t>(each.site)];
    seen[static_cast<std::size_t>(each.site)] = 1;
  }
  basis.from_sites = static_cast<int>(used);
  if (options.gradient) append_direction(basis.A, used, descent.size() > 0 ? Vec(descent) : pulled);
  if (options.undo) append_direction(basis.A, used, u);
  basis.A.conservativeResize(Eigen::NoChange, used);
  return basis;
}

}  // namespace rigspace
