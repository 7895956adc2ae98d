#include "rigspace/energy/drawn_curve.h"

#include <algorithm>

namespace rigspace {

double DrawnCurve::length() const {
  double sum = 0;
  for (std::size_t k = 1; k < points.size(); ++k) sum += (points[k] - points[k - 1]).norm();
  return closed && points.size() > 1 ? sum + (points.front() - points.back()).norm() : sum;
}

std::vector<double> length_shares(const std::vector<Vec2>& points, bool closed) {
  const std::size_t n = points.size() + (closed ? 1 : 0);
  std::vector<double> shares(n, 0);
  for (std::size_t k = 1; k < n; ++k) shares[k] = shares[k - 1] + (points[k % points.size()] - points[k - 1]).norm();
  const double length = n > 0 ? shares.back() : 0;
  for (std::size_t k = 1; k < n; ++k)
    shares[k] = length > 0 ? shares[k] / length : static_cast<double>(k) / static_cast<double>(n - 1);
  return shares;
}

Vec2 at_share(const std::vector<Vec2>& points, const std::vector<double>& shares, double share) {
  if (points.size() == 1) return points[0];
  const auto above = std::upper_bound(shares.begin() + 1, shares.end() - 1, share);
  const auto k = static_cast<std::size_t>(above - shares.begin());
  const double span = shares[k] - shares[k - 1];
  const double t = span > 0 ? std::clamp((share - shares[k - 1]) / span, 0.0, 1.0) : 0;
  return (1 - t) * points[k - 1] + t * points[k % points.size()];
}

std::vector<Vec2> tangents(const std::vector<Vec2>& points, bool closed) {
  const int n = static_cast<int>(points.size());
  std::vector<Vec2> result(points.size(), Vec2::Zero());
  for (int k = 0; k < n; ++k) {
    const int before = closed ? (k + n - 1) % n : std::max(0, k - 1),
              after = closed ? (k + 1) % n : std::min(n - 1, k + 1);
    const Vec2 d = points[after] - points[before];
    if (const double length = d.norm(); length > 0) result[k] = d / length;
  }
  return result;
}

}  // namespace rigspace
