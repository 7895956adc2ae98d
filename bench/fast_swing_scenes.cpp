// Errors of motions as shares of their swing.

#include "fast_swing.h"

#include <algorithm>
#include <cmath>

namespace rigspace::bench {

Apart apart(const RspSetup& setup, std::span<const Vec> poses, std::span<const Vec> others) {
  constexpr double kMoves = 1e-9;  // scene units per unit of a control
  const Rig& rig = *setup.body.rig;
  const auto workspace = rig.make_workspace();
  BlockJacobian J;
  rig.jacobian(*workspace, setup.balance, setup.free, J);
  Apart result;
  double sum = 0;
  long count = 0;
  Vec s, other;
  for (std::size_t k = 0; k < std::min(poses.size(), others.size()); ++k) {
    rig.evaluate(*workspace, poses[k], s);
    rig.evaluate(*workspace, others[k], other);
    for (int i = 0; i < rig.point_count(); ++i) {
      const bool moves = J.start[i + 1] > J.start[i] &&
                         J.value.middleCols(J.start[i], J.start[i + 1] - J.start[i]).cwiseAbs().maxCoeff() > kMoves;
      if (!moves) continue;
      const double squared = (point(s, i) - point(other, i)).squaredNorm();
      result.largest = std::max(result.largest, std::sqrt(squared)), sum += squared, ++count;
    }
  }
  if (count > 0) result.rms = std::sqrt(sum / static_cast<double>(count));
  return result;
}

std::vector<Vec> unmoved(const RspSetup& setup) {
  std::vector<Vec> poses(setup.keys.begin() + 1, setup.keys.end());
  for (Vec& pose : poses)
    for (const int c : setup.free) pose[c] += setup.balance[c] - setup.keys[0][c];
  return poses;
}

double height_of(const RspSetup& setup) {
  const auto flat = Eigen::Map<const Eigen::Matrix3Xd>(setup.body.mesh.points.data(), 3, setup.body.node_count());
  return flat.row(1).maxCoeff() - flat.row(1).minCoeff();
}

MotionError motion_error(const Apart& error, const Apart& swing, double height) {
  return {100 * error.rms / swing.rms, 100 * error.largest / swing.largest, 100 * error.rms / height,
          100 * error.largest / height};
}

void add(const MotionError& error, nlohmann::ordered_json& metrics) {
  metrics["rms_error_percent_of_swing"] = error.rms_of_swing;
  metrics["largest_error_percent_of_largest_swing"] = error.largest_of_swing;
  metrics["rms_error_percent_of_height"] = error.rms_of_height;
  metrics["largest_error_percent_of_height"] = error.largest_of_height;
}

Spread spread_of(std::vector<double> values) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  const auto at = [&](double share) {
    return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1) + 0.5)];
  };
  return {at(0.25), at(0.5), at(0.75), static_cast<int>(values.size())};
}

nlohmann::ordered_json spread_json(const Spread& spread, double unit) {
  return {{"lower_quartile", spread.lower * unit},
          {"median", spread.median * unit},
          {"upper_quartile", spread.upper * unit},
          {"n", spread.n}};
}

}  // namespace rigspace::bench
