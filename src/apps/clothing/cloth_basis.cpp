#include "rigspace/apps/clothing/cloth_basis.h"

#include "rigspace/base/parallel.h"
#include "rigspace/base/require.h"

#include <algorithm>
#include <cmath>

namespace rigspace {
namespace {

/// |B a| from every so manieth point: it weighs scores and nothing else.
double turned_length(const Eigen::Map<const Eigen::VectorXf>& a, std::span<const Mat3> B) {
  constexpr std::size_t kSamples = 2000;
  const std::size_t stride = std::max<std::size_t>(1, B.size() / kSamples);
  double sum = 0;
  for (std::size_t i = 0; i < B.size(); i += stride)
    sum += (B[i] * a.segment<3>(3 * static_cast<Eigen::Index>(i)).cast<double>()).squaredNorm();
  return std::sqrt(sum * static_cast<double>(stride));
}

}  // namespace

void ClothBasisOptions::validate() const {
  require_option(size >= 0, "ClothBasisOptions.size", size, "expected none or more");
  require_option(radius >= 0, "ClothBasisOptions.radius", radius, "expected 0 or more");
  require_option(least_distance > 0, "ClothBasisOptions.least_distance", least_distance, "expected more than 0");
}

ClothBasisPool::ClothBasisPool(const PoseSpaceDatabase& database, In place, std::span<const Mat3> B,
                               const ClothBasisOptions& options)
    : database_(database), options_(options) {
  options.validate();
  const double radius = options.radius > 0 ? options.radius : database.radius();
  nearest_ = database.nearest_site(place) / radius;
  far_ = nearest_ > 1;
  if (!options.adaptive) {
    for (int round = 0, left = 1; left > 0; ++round) {
      left = 0;
      for (int site = 0; site < database.site_count(); ++site)
        if (round < database.vectors(site).cols())
          pool_.push_back({database.first_vector(site) + round, site, 1.0}), ++left;
    }
    if (std::ssize(pool_) > options.size) pool_.resize(static_cast<std::size_t>(options.size));
    return;
  }
  for (const auto& [site, distance] : database.sites_near(place, radius))
    for (int c = 0; c < database.vectors(site).cols(); ++c)
      pool_.push_back({database.first_vector(site) + c, site, 1 / std::max(distance, options.least_distance * radius)});
  parallel_ranges(static_cast<int>(pool_.size()), 4, [&](int from, int to) {
    for (int k = from; k < to; ++k) {
      Candidate& each = pool_[static_cast<std::size_t>(k)];
      each.factor /= std::max(turned_length(database.vector(each.vector), B), 1e-12);
    }
  });
}

ClothBasis ClothBasisPool::choose(const Eigen::VectorXf& pulled) const {
  std::vector<double> scores(pool_.size());
  parallel_ranges(static_cast<int>(pool_.size()), 4, [&](int from, int to) {
    for (int k = from; k < to; ++k) {
      const Candidate& each = pool_[static_cast<std::size_t>(k)];
      scores[static_cast<std::size_t>(k)] = each.factor * std::abs(database_.vector(each.vector).dot(pulled));
    }
  });
  std::vector<int> order(pool_.size());
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = static_cast<int>(k);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return scores[static_cast<std::size_t>(a)] > scores[static_cast<std::size_t>(b)];
  });
  ClothBasis basis;
  std::vector<char> seen(static_cast<std::size_t>(database_.site_count()), 0);
  for (const int k : order) {
    if (std::ssize(basis.vectors) == options_.size || !(scores[static_cast<std::size_t>(k)] > 0)) break;
    const Candidate& each = pool_[static_cast<std::size_t>(k)];
    basis.vectors.push_back(each.vector);
    char& known = seen[static_cast<std::size_t>(each.site)];
    basis.sites += !known;
    known = 1;
  }
  return basis;
}

}  // namespace rigspace
