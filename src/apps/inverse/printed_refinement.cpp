#include "rigspace/apps/inverse/printed_refinement.h"

#include "rigspace/base/error.h"
#include "rigspace/base/require.h"

#include <Eigen/Cholesky>

#include <cmath>

namespace rigspace {
namespace {

/// The largest singular value, squared, by the power method.
double largest_square(const Mat& JtJ) {
  Vec v = Vec::Ones(JtJ.rows()).normalized();
  double square = 0;
  for (int k = 0; k < 12; ++k) {
    const Vec next = JtJ.selfadjointView<Eigen::Lower>() * v;
    square = next.norm();
    if (!(square > 0)) return 0;
    v = next / square;
  }
  return square;
}

}  // namespace

void PrintedOptions::validate() const {
  require_option(steps >= 0, "number of steps", steps, "expected at least 0");
  require_option(damping > 0 && std::isfinite(damping), "damping", damping, "expected a share above 0");
  require_option(tolerance > 0, "tolerance", tolerance, "expected a share of the size above 0");
}

std::vector<InversePose> refine_as_printed(const InverseModel& model, const Mat& X, const PrintedOptions& options) {
  options.validate();
  if (options.jacobian == PrintedJacobian::learned && model.learned_jacobian() == nullptr)
    throw Error({.code = ErrorCode::usage,
                 .element = "model",
                 .problem = "was trained without a Jacobian",
                 .remedy = "train it with learn_jacobian"});
  const PoseCoordinates& coordinates = model.coordinates();
  std::vector<InversePose> frames = model.solve_motion(X, {.max_iterations = 0, .keep_limits = options.keep_limits});
  const double scale = 1 / (model.size() * std::sqrt(static_cast<double>(model.features().count())));
  for (std::size_t k = 0; k < frames.size(); ++k) {
    InversePose& pose = frames[k];
    const InverseModel::Seen seen = model.seen_from_itself(X.col(static_cast<Eigen::Index>(k)));
    Mat J, inverse;
    Eigen::LLT<Mat> factor;
    const auto use = [&](Mat made) {
      J = std::move(made);
      Mat H = Mat::Zero(J.cols(), J.cols());
      H.selfadjointView<Eigen::Lower>().rankUpdate(J.transpose());
      H.diagonal().array() += options.damping * options.damping * largest_square(H);
      factor.compute(H);
      ++pose.jacobians;
    };
    if (options.jacobian == PrintedJacobian::learned)
      use(model.learned_jacobian()->predict(model.regression().basis(seen.f)));
    else if (options.jacobian == PrintedJacobian::inverse)
      inverse = model.regression().derivative(seen.f).leftCols(seen.target.size()) / model.size();  // by places alone
    Vec x;
    model.features().evaluate(coordinates.pose(pose.y), x);
    for (; pose.iterations < options.steps && pose.joint_error > options.tolerance; ++pose.iterations) {
      const Vec dx = seen.target - x;
      if (options.jacobian == PrintedJacobian::differences) {
        pose.evaluations += 1 + coordinates.size();
        use(model.features().jacobian_by_differences(coordinates.pose(pose.y), coordinates.chosen()) *
            coordinates.typical().asDiagonal());
      }
      pose.y +=
          options.jacobian == PrintedJacobian::inverse ? Vec(inverse * dx) : Vec(factor.solve(J.transpose() * dx));
      if (options.keep_limits) pose.y = pose.y.cwiseMax(coordinates.lower()).cwiseMin(coordinates.upper());
      model.features().evaluate(coordinates.pose(pose.y), x);
      ++pose.evaluations;
      pose.joint_error = (x - seen.target).norm() * scale;
    }
    pose.converged = pose.joint_error <= options.tolerance;
    pose.p = model.controls_of(pose.y, X.col(static_cast<Eigen::Index>(k)));
  }
  return frames;
}

}  // namespace rigspace
