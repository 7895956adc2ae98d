#include "rigspace/rig/differences.h"

#include "rig_arguments.h"
#include "rigspace/base/error.h"

#include <algorithm>
#include <cmath>

namespace rigspace {
namespace {

/// The size of the shape: the diagonal of its box.
double shape_size(In s) {
  if (s.size() == 0) return 1;
  const auto points = Eigen::Map<const Eigen::Matrix3Xd>(s.data(), 3, s.size() / 3);
  const double size = (points.rowwise().maxCoeff() - points.rowwise().minCoeff()).norm();
  return size > 0 ? size : 1;
}

}  // namespace

void DifferenceOptions::validate() const {
  if (!(relative_step > 0 && relative_step < 1))
    throw Error({.code = ErrorCode::usage,
                 .element = "relative_step",
                 .value = std::to_string(relative_step),
                 .problem = "is " + std::to_string(relative_step),
                 .remedy = "give a number between 0 and 1"});
}

void difference_jacobian(const Rig& rig, Workspace& workspace, In p, std::span<const int> free, BlockJacobian& J,
                         const DifferenceOptions& options) {
  options.validate();
  require_pose(p, rig.controls().size());
  require_controls(free, rig.controls().size());
  const int columns = static_cast<int>(free.size());
  const int points = rig.point_count();
  double relative_step = options.relative_step;
  if (const double noise = rig.traits().noise; noise > 0) {
    Vec s;
    rig.evaluate(workspace, p, s);
    relative_step = std::max(relative_step, std::cbrt(noise / shape_size(s)));
  }

  Mat P(p.size(), 2 * columns);
  Vec width(columns);
  for (int k = 0; k < columns; ++k) {
    const Control& control = rig.controls()[free[k]];
    const double h = relative_step * control.typical;
    const double here = p[free[k]];
    const double low = std::max(here - h, std::min(here, control.min));
    const double high = std::min(here + h, std::max(here, control.max));
    P.col(2 * k) = p;
    P.col(2 * k + 1) = p;
    P(free[k], 2 * k) = low;
    P(free[k], 2 * k + 1) = high;
    width[k] = high - low;
  }
  Mat S;
  rig.evaluate_batch(workspace, P, S);

  J.columns = columns;
  J.start.assign(points + 1, 0);
  J.column.clear();
  const auto entry = [&](int i, int k) -> Vec3 {
    if (width[k] <= 0) return Vec3::Zero();  // a control whose limits leave no room
    return (S.block<3, 1>(3 * i, 2 * k + 1) - S.block<3, 1>(3 * i, 2 * k)) / width[k];
  };
  const auto kept = [&](const Vec3& d, int k) {
    return d.squaredNorm() > 0 && d.norm() * rig.controls()[free[k]].typical >= options.drop_below;
  };
  for (int i = 0; i < points; ++i) {
    for (int k = 0; k < columns; ++k)
      if (kept(entry(i, k), k)) J.column.push_back(k);
    J.start[i + 1] = static_cast<int>(J.column.size());
  }
  J.value.resize(3, static_cast<Eigen::Index>(J.column.size()));
  for (int i = 0; i < points; ++i)
    for (int e = J.start[i]; e < J.start[i + 1]; ++e) J.value.col(e) = entry(i, J.column[e]);
}

double estimate_noise(const Rig& rig, Workspace& workspace, In p) {
  // Values at nine equally spaced places along a line. If s were smooth, its k-th differences would vanish quickly;
  // noise of variance sigma^2 makes E[(Delta^k s)^2] = sigma^2 (2k)! / (k!)^2. Sixth differences serve.
  constexpr int kPlaces = 9, kOrder = 6;
  constexpr double kFactor = 924;  // 12! / (6!)^2
  const auto controls = rig.controls();
  Mat P(p.size(), kPlaces);
  for (int j = 0; j < kPlaces; ++j) {
    for (Eigen::Index c = 0; c < p.size(); ++c) {
      // Quaternion components stay: moving them all would be no ordinary pose.
      const double move = controls[c].unit == Unit::quaternion ? 0 : 1e-4 * controls[c].typical * (j - kPlaces / 2);
      P(c, j) = std::clamp(p[c] + move, std::min(controls[c].min, p[c]), std::max(controls[c].max, p[c]));
    }
  }
  Mat S;
  rig.evaluate_batch(workspace, P, S);
  const double size = shape_size(S.col(kPlaces / 2));
  for (int order = 0; order < kOrder; ++order)
    for (int j = 0; j + 1 < kPlaces - order; ++j) S.col(j) = (S.col(j + 1) - S.col(j)).eval();
  const int left = kPlaces - kOrder;
  const double variance = S.leftCols(left).squaredNorm() / (kFactor * left * std::max<double>(1, S.rows()));
  const double noise = std::sqrt(variance);
  return noise < 1e-13 * size ? 0 : noise;
}

}  // namespace rigspace
