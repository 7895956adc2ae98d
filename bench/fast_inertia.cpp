// The inertia of a body over its controls, J^T M J, in three forms: of all nodes, of the few nodes with sampled masses,
// and by mass moments, which leave out the response of the inside.

#include "fast_training.h"
#include "mass_moments.h"

#include <Eigen/Eigenvalues>

namespace rigspace::bench {
namespace {

/// d nodes / d free controls in the rest pose, where frames of the response are those of the scene.
Mat rows_at_rest(const RigBody& body, const std::vector<int>& free) {
  BlockJacobian J;
  body.rig->jacobian(*body.rig->make_workspace(), body.rig->rest(), free, J);
  const PointTies& ties = body.moves.empty() ? body.ties : body.moves;
  Mat rows = Mat::Zero(3 * body.node_count(), std::ssize(free));
  for (int i = 0; i < body.node_count(); ++i) {
    ties.add_jacobian_row(i, J, rows.middleRows<3>(3 * i));
    if (body.response.start.empty()) continue;
    for (int e = body.response.start[i]; e < body.response.start[i + 1]; ++e)
      rows.block<3, 1>(3 * i, body.response.column[e]) += body.response.value.col(e);
  }
  return rows;
}

Mat inertia(const RigBody& body, const std::vector<int>& free, const Vec& masses) {
  const Mat rows = rows_at_rest(body, free);
  return rows.transpose() * masses.replicate<1, 3>().transpose().reshaped().asDiagonal() * rows;
}

Mat inertia(const MassMoments& moments, const std::vector<int>& free) {
  BlockJacobian J;
  moments.features->jacobian(*moments.features->make_workspace(), moments.features->rest(), free, J);
  const Mat rows = J.dense();
  Mat sum = Mat::Zero(std::ssize(free), std::ssize(free));
  for (int axis = 0; axis < 3; ++axis) {
    const Mat along = rows(Eigen::seqN(axis, moments.second.rows(), 3), Eigen::all);
    sum += along.transpose() * moments.second * along;
  }
  return sum;
}

InertiaRange range_of(const Mat& inertia, const Mat& all) {
  const Vec values = Eigen::GeneralizedSelfAdjointEigenSolver<Mat>(inertia, all).eigenvalues();
  return {values.minCoeff(), values.maxCoeff()};
}

}  // namespace

InertiaReport report_inertia(const RspSetup& setup, const FastTraining& trained) {
  const Vec masses = lumped_masses(setup.body.mesh, 1);
  const Mat all = inertia(trained.skinned, setup.free, masses);
  InertiaReport report{.few = range_of(inertia(trained.sampled, setup.free, trained.sampled.volumes), all),
                       .weights = range_of(inertia(trained.weights_only, setup.free, masses), all)};
  const MassMomentsResult moments = mass_moments(setup.body, setup.free, trained.interior.weights, masses);
  if (moments.moments) report.moments = range_of(inertia(*moments.moments, setup.free), all);
  return report;
}

}  // namespace rigspace::bench
