#include "kept_jacobian.h"

#include <cmath>

namespace rigspace {

void KeptJacobianRig::evaluate(Workspace& workspace, In p, Vec& s) const {
  if (p_last_.size() == p.size() && p_last_ == p) {
    s = s_last_;
    return;
  }
  rig_->evaluate(workspace, p, s);
  ++*count_;
  // Broyden: the smallest change of J, with controls in their typical units, that explains the last step.
  if (J_.size() > 0 && s.allFinite()) {
    Vec dp(static_cast<Eigen::Index>(free_.size())), scaled(dp.size());
    for (std::size_t k = 0; k < free_.size(); ++k) {
      const auto c = static_cast<Eigen::Index>(k);
      dp[c] = p[free_[k]] - p_last_[free_[k]];
      scaled[c] = dp[c] / std::pow(controls()[free_[k]].typical, 2);
    }
    if (const double norm = dp.dot(scaled); norm > 1e-12) J_ += (s - s_last_ - J_ * dp) * (scaled.transpose() / norm);
  }
  p_last_ = p, s_last_ = s;
}

void KeptJacobianRig::start_at(Workspace& workspace, In p) const {
  if (J_start_.size() > 0) J_ = J_start_, p_last_ = p_start_, s_last_ = s_start_;
  Vec s;
  evaluate(workspace, p, s);
  p_start_ = p, s_start_ = s, J_start_ = J_;
}

void KeptJacobianRig::jacobian(Workspace& workspace, In p, std::span<const int> free, BlockJacobian& J) const {
  if (J_.size() == 0 || !std::equal(free.begin(), free.end(), free_.begin(), free_.end())) {
    J_.resize(0, 0);
    Vec s;
    evaluate(workspace, p, s);
    Mat P(p.size(), static_cast<Eigen::Index>(free.size())), S;
    std::vector<double> steps;
    for (std::size_t k = 0; k < free.size(); ++k) {
      const Control& control = controls()[free[k]];
      double step = std::max(0.02 * control.typical, 20 * traits().noise);
      if (p[free[k]] + step > control.max) step = -step;
      P.col(static_cast<Eigen::Index>(k)) = p;
      P(free[k], static_cast<Eigen::Index>(k)) += step;
      steps.push_back(step);
    }
    rig_->evaluate_batch(workspace, P, S);
    *count_ += static_cast<long>(free.size());
    J_.resize(s.size(), P.cols());
    for (Eigen::Index k = 0; k < P.cols(); ++k) J_.col(k) = (S.col(k) - s) / steps[static_cast<std::size_t>(k)];
    free_.assign(free.begin(), free.end());
    p_start_ = p, s_start_ = s, J_start_ = J_;
  }
  const int n = point_count();
  J.columns = static_cast<int>(free.size());
  J.start.assign(1, 0), J.column.clear();
  std::vector<Vec3> values;
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < J.columns; ++k)
      if (const Vec3 d = J_.block<3, 1>(3 * i, k); d.squaredNorm() > 0) J.column.push_back(k), values.push_back(d);
    J.start.push_back(static_cast<int>(J.column.size()));
  }
  J.value.resize(3, static_cast<Eigen::Index>(values.size()));
  for (std::size_t e = 0; e < values.size(); ++e) J.value.col(static_cast<Eigen::Index>(e)) = values[e];
}

std::unique_ptr<Rig> KeptJacobianRig::restricted(std::span<const int> points) const {
  auto part = std::make_unique<KeptJacobianRig>(rig_->restricted(points));
  part->count_ = count_;
  return part;
}

}  // namespace rigspace
