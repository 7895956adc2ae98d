#include "mass_moments.h"

#include "moment_features.h"
#include "rigspace/base/error.h"
#include "rigspace/base/require.h"
#include "rigspace/body/carried_rows.h"
#include "rigspace/rig/built_in_rig.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace rigspace::bench {
namespace {

using FeatureRow = std::vector<std::pair<int, double>>;  // over features, ascending

/// Nodes tied to a point that a free control can move. The sparsity of J does not depend on the pose: rest will do.
std::vector<int> moved_nodes(const CarriedRows& rows, std::span<const int> free) {
  BlockJacobian J;
  rows.rig->jacobian(*rows.rig->make_workspace(), rows.rig->rest(), free, J);
  std::vector<int> moved;
  for (int i = 0; i < rows.node_count(); ++i) {
    const std::span<const int> points = rows.ties.points_of(i);
    if (std::any_of(points.begin(), points.end(), [&](int point) { return J.start[point] < J.start[point + 1]; }))
      moved.push_back(i);
  }
  return moved;
}

/// The row of a node over the features: the weighted sum of the rows of the points that it is tied to.
FeatureRow summed(const std::vector<FeatureRow>& of_points, const PointTies& ties, int node) {
  std::map<int, double> sums;
  ties.for_each(node, [&](int point, double weight) {
    for (const auto& [feature, share] : of_points[point]) sums[feature] += weight * share;
  });
  return {sums.begin(), sums.end()};
}

void add_product(const FeatureRow& left, const FeatureRow& right, double weight, Mat& sum) {
  for (const auto& [i, a] : left)
    for (const auto& [j, b] : right) sum(i, j) += weight * a * b;
}

MassMomentsResult without(std::string reason) { return {std::nullopt, std::move(reason)}; }

}  // namespace

void MassMomentOptions::validate() const {
  require_option(most_features > 0, "features of mass moments", most_features, "at least 1");
}

MassMomentsResult mass_moments(const RigBody& body, std::span<const int> free, const CarrierWeights& interior,
                               In masses, const MassMomentOptions& options) {
  options.validate();
  if (masses.size() != body.node_count())
    throw Error(
        {.element = "masses of the body",
         .value = std::to_string(masses.size()),
         .problem = "are " + std::to_string(masses.size()) + " for " + std::to_string(body.node_count()) + " nodes",
         .remedy = "give one a node"});
  const auto* rig = dynamic_cast<const BuiltInRig*>(body.rig.get());
  if (rig == nullptr) return without("is not made of built-in parts");
  const CarriedRows rows = carried_rows(body, interior);
  MassMoments moments;
  moments.node = moved_nodes(rows, free);
  std::vector<char> needed(rig->point_count(), 0);
  for (const int i : moments.node) {
    for (const int point : rows.ties.points_of(i)) needed[point] = 1;
    for (const int point : body.ties.points_of(i)) needed[point] = 1;
  }
  MomentFeatures features = moment_features(*rig, needed, options.most_features);
  if (!features.reason.empty()) return without(std::move(features.reason));
  const int count = features.rig->point_count();
  moments.features = features.rig;
  moments.second = moments.keyed = Mat::Zero(count, count);
  moments.first = Vec::Zero(count);
  for (const int i : moments.node) {
    const FeatureRow row = summed(features.rows, rows.ties, i);
    add_product(row, row, masses[i], moments.second);
    for (const auto& [feature, share] : row) moments.first[feature] += masses[i] * share;
    moments.mass += masses[i];
    if (body.skin[i]) continue;
    const FeatureRow key = summed(features.rows, body.ties, i);
    add_product(row, key, masses[i], moments.keyed);
    add_product(row, row, -masses[i], moments.keyed);
  }
  if (moments.keyed.cwiseAbs().maxCoeff() <= 1e-12 * moments.second.cwiseAbs().maxCoeff()) moments.keyed.setZero();
  return {std::move(moments), {}};
}

MomentMomentum::MomentMomentum(Mat A) : A_(std::move(A)) {
  if (A_.rows() != A_.cols() || !A_.allFinite() ||
      (A_ - A_.transpose()).cwiseAbs().maxCoeff() > 1e-12 * A_.cwiseAbs().maxCoeff())
    throw Error({.code = ErrorCode::internal, .element = "mass moments", .problem = "are no symmetric matrix"});
  target_ = load_ = Vec::Zero(3 * A_.rows());
}

void MomentMomentum::set_target(In y_tilde, double scale) {
  assert(y_tilde.size() == target_.size());
  target_ = y_tilde, scale_ = scale;
}

void MomentMomentum::set_load(In load) {
  assert(load.size() == load_.size());
  load_ = load;
}

// With y as a matrix Y, 3 x points, (A (x) I_3) y is Y A, since A is symmetric.
double MomentMomentum::value(const State&, In y) const {
  const Vec d = y - target_;
  const Eigen::Map<const Eigen::Matrix3Xd> D(d.data(), 3, A_.rows());
  return scale_ * (0.5 * (D * A_).cwiseProduct(D).sum() + load_.dot(d));
}

void MomentMomentum::add_gradient(const State&, In y, double weight, Vec& g) const {
  const Vec d = y - target_;
  const Eigen::Map<const Eigen::Matrix3Xd> D(d.data(), 3, A_.rows());
  Eigen::Map<Eigen::Matrix3Xd>(g.data(), 3, A_.rows()).noalias() += weight * scale_ * (D * A_);
  g += weight * scale_ * load_;
}

void MomentMomentum::add_hessian(const State&, In, double weight, HessianMode, BlockSink& sink) const {
  const Eigen::Index count = A_.rows();
  std::vector<int> points(static_cast<std::size_t>(count));
  for (Eigen::Index k = 0; k < count; ++k) points[k] = static_cast<int>(k);
  const detail::BlockScratch scratch(9 * static_cast<std::size_t>(count * count));
  Eigen::Map<Mat> H(scratch.data(), 3 * count, 3 * count);
  H.setZero();
  for (Eigen::Index j = 0; j < count; ++j)
    for (Eigen::Index i = 0; i < count; ++i)
      for (int c = 0; c < 3; ++c) H(3 * i + c, 3 * j + c) = weight * scale_ * A_(i, j);
  sink.add(points, H.data());
}

}  // namespace rigspace::bench
