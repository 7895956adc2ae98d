#include "rigspace/rig/motion_weights.h"

#include "rigspace/base/error.h"
#include "rigspace/base/parallel.h"
#include "rigspace/base/require.h"
#include "rigspace/optimize/nnls.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

namespace rigspace {
namespace {

/// The fit of one point: columns are where each joint alone would take it, frame after frame.
class PointFit {
 public:
  PointFit(std::span<const std::vector<Affine>> motions, std::span<const Vec> frames)
      : motions_(motions), frames_(frames), joints_(static_cast<int>(motions[0].size())) {
    carried_.resize(3 * std::ssize(motions), joints_);
    target_.resize(carried_.rows());
  }

  std::vector<Influence> run(int i, const Vec3& x, const MotionWeightOptions& options) {
    for (Eigen::Index t = 0; t < std::ssize(motions_); ++t) {
      for (int j = 0; j < joints_; ++j) carried_.col(j).segment<3>(3 * t) = apply(motions_[t][j], x);
      target_.segment<3>(3 * t) = point(frames_[t], i);
    }
    std::vector<int> chosen(joints_);
    std::iota(chosen.begin(), chosen.end(), 0);
    const Vec alone = (carried_.colwise() - target_).colwise().squaredNorm().transpose();
    std::stable_sort(chosen.begin(), chosen.end(), [&](int a, int b) { return alone[a] < alone[b]; });
    chosen.resize(std::min<std::size_t>(chosen.size(), options.candidates));
    Vec w = fit(chosen);
    std::vector<int> order(chosen.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return w[a] > w[b]; });
    std::vector<int> kept;
    for (const int k : order)
      if (std::ssize(kept) < options.keep && (kept.empty() || w[k] >= options.drop_below)) kept.push_back(chosen[k]);
    std::sort(kept.begin(), kept.end());
    w = fit(kept);
    w /= w.sum();
    squared_ = (product(kept, w) - target_).squaredNorm();
    std::vector<Influence> list;
    for (std::size_t k = 0; k < kept.size(); ++k)
      if (w[static_cast<Eigen::Index>(k)] > 0) list.push_back({kept[k], w[static_cast<Eigen::Index>(k)]});
    return list;
  }
  double squared() const { return squared_; }

 private:
  Vec product(const std::vector<int>& chosen, const Vec& w) const {
    Vec sum = Vec::Zero(target_.size());
    for (std::size_t k = 0; k < chosen.size(); ++k) sum += w[static_cast<Eigen::Index>(k)] * carried_.col(chosen[k]);
    return sum;
  }

  /// Differences from the target, so that the Gram matrix does not hold the distance from the scene's origin: with
  /// sum w = 1, |A w - b|^2 = |(A - b 1^T) w|^2.
  Vec fit(const std::vector<int>& chosen) const {
    Mat A(target_.size(), std::ssize(chosen));
    for (Eigen::Index k = 0; k < A.cols(); ++k) A.col(k) = carried_.col(chosen[k]) - target_;
    Mat G = A.transpose() * A;
    G.diagonal().array() += 1e-9 * std::max(G.trace(), 1e-300) / static_cast<double>(A.cols());
    return nnls(G, Vec::Zero(A.cols()), {.sum_to_one = true}).x;
  }

  std::span<const std::vector<Affine>> motions_;
  std::span<const Vec> frames_;
  int joints_;
  Mat carried_;
  Vec target_;
  double squared_ = 0;
};

}  // namespace

void MotionWeightOptions::validate() const {
  require_option(keep >= 1, "number of weights that a point keeps", keep, "give 1 or more");
  require_option(candidates >= keep, "number of candidates", candidates, "give at least as many as are kept");
  require_option(drop_below >= 0 && drop_below < 0.25, "smallest weight", drop_below, "give 0 to 0.25");
}

MotionWeights motion_weights(In rest, std::span<const std::vector<Affine>> motions, std::span<const Vec> frames,
                             const MotionWeightOptions& options) {
  options.validate();
  const bool fits =
      !frames.empty() && motions.size() == frames.size() && !motions[0].empty() &&
      std::all_of(motions.begin(), motions.end(), [&](const auto& own) { return own.size() == motions[0].size(); }) &&
      std::all_of(frames.begin(), frames.end(), [&](const Vec& x) { return x.size() == rest.size(); });
  if (!fits)
    throw Error({.code = ErrorCode::usage,
                 .element = "the examples",
                 .problem = "are " + std::to_string(frames.size()) + " frames of points and " +
                            std::to_string(motions.size()) + " of joints that do not fit each other",
                 .remedy = "give the same points and joints in every frame, at least one"});
  const int count = static_cast<int>(rest.size() / 3);
  MotionWeights result;
  result.influences.resize(count);
  const double squared = parallel_sum(count, 32, [&](int begin, int end) {
    PointFit fit(motions, frames);
    double sum = 0;
    for (int i = begin; i < end; ++i) result.influences[i] = fit.run(i, point(rest, i), options), sum += fit.squared();
    return sum;
  });
  result.rms = std::sqrt(squared / std::max(1.0, static_cast<double>(count) * static_cast<double>(frames.size())));
  return result;
}

}  // namespace rigspace
