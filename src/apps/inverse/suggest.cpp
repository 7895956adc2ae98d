#include "inverse_parts.h"

#include <algorithm>
#include <cmath>

namespace rigspace {

// The variance of a Gaussian process does not depend on values: what an example at frame i would take away is known
// before it is made,  cov(i, j)^2 / (var(i) + s)  at frame j, cov being what the present samples leave.
std::vector<InverseModel::Suggestion> InverseModel::suggest(std::span<const Mat> motions, int count) const {
  constexpr Eigen::Index kMost = 600;  // frames that are looked at, spread over all
  const Parts& parts = *parts_;
  Eigen::Index all = 0;
  for (const Mat& motion : motions) all += motion.cols();
  const Eigen::Index step = std::max<Eigen::Index>(1, (all + kMost - 1) / kMost);
  std::vector<Suggestion> frames;
  std::vector<Vec> places;
  Eigen::Index seen_frames = 0;
  for (std::size_t m = 0; m < motions.size(); ++m)
    for (Eigen::Index k = 0; k < motions[m].cols(); ++k)
      if (seen_frames++ % step == 0) {
        frames.push_back({static_cast<int>(m), static_cast<int>(k), 0});
        places.push_back(seen_from_itself(motions[m].col(k)).f);
      }
  const auto n = static_cast<Eigen::Index>(places.size());
  if (n == 0) return {};
  Mat F(places.front().size(), n);
  for (Eigen::Index k = 0; k < n; ++k) F.col(k) = places[static_cast<std::size_t>(k)];
  Mat C = parts.regression.covariance(F);
  const double before = std::max(1e-300, C.diagonal().cwiseMax(0).sum());
  const double noise = std::max(parts.regression.settings().smoothing, 1e-9);
  std::vector<Suggestion> chosen;
  for (int round = 0; round < count && round < n; ++round) {
    Eigen::Index best = 0;
    double most = -1;
    for (Eigen::Index i = 0; i < n; ++i) {
      const double gain = C.col(i).squaredNorm() / (std::max(0.0, C(i, i)) + noise);
      if (gain > most) most = gain, best = i;
    }
    frames[static_cast<std::size_t>(best)].gain = std::min(1.0, most / before);
    chosen.push_back(frames[static_cast<std::size_t>(best)]);
    const Vec taken = C.col(best);
    C -= taken * taken.transpose() / (std::max(0.0, taken[best]) + noise);
  }
  return chosen;
}

}  // namespace rigspace
