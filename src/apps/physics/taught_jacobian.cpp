#include "taught_jacobian.h"

#include <Eigen/Cholesky>

#include <algorithm>
#include <cmath>

namespace rigspace {
namespace {

constexpr double kSoft = 1e-3;  // of a mean squared distance: keeps weights small where shapes lie in a plane

/// w of  min |f - sum w_k f_k|^2 + soft |w|^2,  sum w = 1.
Vec weights_of(const Mat& keys, In key) {
  const Mat differences = keys.colwise() - Vec(key);
  Mat G = differences.transpose() * differences;
  G.diagonal().array() += kSoft * G.trace() / static_cast<double>(G.rows()) + 1e-300;
  const Vec w = G.ldlt().solve(Vec::Ones(G.rows()));
  const double sum = w.sum();
  return std::isfinite(sum) && sum > 0 ? Vec(w / sum) : Vec::Constant(w.size(), 1.0 / static_cast<double>(w.size()));
}

}  // namespace

TaughtJacobian::TaughtJacobian(std::span<const Sample> samples) {
  const int rows = samples.front().J.points(), controls = static_cast<int>(samples.front().deviation.size());
  start_.assign(1, 0);
  for (int i = 0; i < rows; ++i) {
    const auto begin = static_cast<std::ptrdiff_t>(column_.size());
    for (const Sample& each : samples)
      column_.insert(column_.end(), each.J.column.begin() + each.J.start[i],
                     each.J.column.begin() + each.J.start[i + 1]);
    std::sort(column_.begin() + begin, column_.end());
    column_.erase(std::unique(column_.begin() + begin, column_.end()), column_.end());
    start_.push_back(static_cast<int>(column_.size()));
  }
  const auto keyed = std::count_if(samples.begin(), samples.end(), [](const Sample& each) { return each.of < 0; });
  const Eigen::Index others = std::ssize(samples) - keyed, entries = 3 * std::ssize(column_);
  keys_.resize(samples.front().key.size(), keyed), J_.resize(entries, keyed);
  Mat changes(entries, others), deviations(controls, others);
  Eigen::Index k = 0, m = 0;
  for (const Sample& each : samples) {
    if (each.of < 0) {
      keys_.col(k) = each.key, J_.col(k++) = flat(each.J);
    } else {
      changes.col(m) = flat(each.J) - flat(samples[each.of].J), deviations.col(m++) = each.deviation;
    }
  }
  // T D = changes, in the least squares sense, and small where nothing speaks for it.
  Mat G = deviations * deviations.transpose();
  G.diagonal().array() += kSoft * G.trace() / std::max(1, controls) + 1e-300;
  T_ = G.ldlt().solve(deviations * changes.transpose()).transpose();
}

Vec TaughtJacobian::flat(const BlockJacobian& J) const {
  Vec values = Vec::Zero(3 * std::ssize(column_));
  for (int i = 0; i < J.points(); ++i)
    for (int e = J.start[i], at = start_[i]; e < J.start[i + 1]; ++e) {
      while (column_[at] != J.column[e]) ++at;
      values.segment<3>(3 * static_cast<Eigen::Index>(at)) = J.value.col(e);
    }
  return values;
}

void TaughtJacobian::predict(In key, In deviation, Eigen::Matrix3Xd& value) const {
  value.resize(3, std::ssize(column_));
  Eigen::Map<Vec> flat(value.data(), value.size());
  flat.noalias() = J_ * weights_of(keys_, key);
  flat.noalias() += T_ * deviation;
}

}  // namespace rigspace
