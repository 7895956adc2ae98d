#include "rigspace/apps/clothing/pose_space.h"

#include "rigspace/base/decompositions.h"
#include "rigspace/base/error.h"
#include "rigspace/base/require.h"

#include <algorithm>
#include <cmath>

namespace rigspace {

void PoseSpaceOptions::validate() const {
  require_option(variance > 0 && variance <= 1, "PoseSpaceOptions.variance", variance, "expected a share, 0 to 1");
  require_option(most_axes >= 1, "PoseSpaceOptions.most_axes", most_axes, "expected at least one");
  require_option(most_points >= 3, "PoseSpaceOptions.most_points", most_points, "expected at least three");
}

PoseSpace::PoseSpace(const Mat& shapes, const PoseSpaceOptions& options) {
  options.validate();
  if (shapes.cols() == 0 || shapes.rows() < 9 || !shapes.allFinite())
    throw Error({.element = "the pose space",
                 .problem = "was given no shapes, or some that are not finite",
                 .remedy = "train it on the poses of at least one clip"});
  const int count = static_cast<int>(shapes.rows() / 3), kept = std::min(count, options.most_points);
  for (int k = 0; k < kept; ++k) points_.push_back(static_cast<int>(static_cast<long>(k) * count / kept));
  reference_ = Vec::Zero(3 * kept);
  for (int k = 0; k < kept; ++k)
    point(reference_, k) = shapes.col(0).segment<3>(3 * points_[static_cast<std::size_t>(k)]);
  const Vec3 middle = reference_.reshaped(3, kept).rowwise().mean();
  reference_.reshaped(3, kept).colwise() -= middle;

  Mat S(3 * kept, shapes.cols());
  for (Eigen::Index c = 0; c < S.cols(); ++c) S.col(c) = without_root_motion(shapes.col(c));
  mean_ = S.rowwise().mean();
  S.colwise() -= mean_;
  // The Gram matrix of whichever side is smaller.
  const bool tall = S.rows() > S.cols();
  const SymmetricEigen eigen = symmetric_eigen(tall ? Mat(S.transpose() * S) : Mat(S * S.transpose()));
  const double all = eigen.values.cwiseMax(0).sum(), noise = 1e-12 * reference_.squaredNorm() * double(S.cols());
  double sum = 0;
  std::vector<Vec> axes;
  for (Eigen::Index k = eigen.values.size() - 1; k >= 0 && std::ssize(axes) < options.most_axes; --k) {
    const double square = eigen.values[k];
    if (square <= noise || sum >= options.variance * all) break;
    const Vec direction = tall ? Vec(S * eigen.vectors.col(k) / std::sqrt(square)) : Vec(eigen.vectors.col(k));
    axes.push_back(direction / std::sqrt(square / double(S.cols())));
    sum += square;
  }
  axes_.resize(S.rows(), std::ssize(axes));
  for (std::size_t k = 0; k < axes.size(); ++k) axes_.col(static_cast<Eigen::Index>(k)) = axes[k];
}

PoseSpace::PoseSpace(std::vector<int> points, Vec reference, Vec mean, Mat axes)
    : points_(std::move(points)), reference_(std::move(reference)), mean_(std::move(mean)), axes_(std::move(axes)) {}

/// R^T (s - c), c the middle of the points, R the rotation that brings the reference nearest to them.
Vec PoseSpace::without_root_motion(In shape) const {
  const auto count = std::ssize(points_);
  Vec s(3 * count);
  for (Eigen::Index k = 0; k < count; ++k)
    s.segment<3>(3 * k) = shape.segment<3>(3 * points_[static_cast<std::size_t>(k)]);
  const Vec3 middle = s.reshaped(3, count).rowwise().mean();
  s.reshaped(3, count).colwise() -= middle;
  const Mat3 across = s.reshaped(3, count) * reference_.reshaped(3, count).transpose();
  const Mat3 R = nearest_rotation(across);
  s.reshaped(3, count) = (R.transpose() * s.reshaped(3, count)).eval();
  return s;
}

Vec PoseSpace::place(In shape) const { return axes_.transpose() * (without_root_motion(shape) - mean_); }

}  // namespace rigspace
