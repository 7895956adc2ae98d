// Slopes for keys that are chosen: the least squares of the frames, within what is allowed.
#include "key_fitting_parts.h"

#include <algorithm>
#include <cmath>

namespace rigspace::detail {
namespace {

/// The sum over frames of a segment of  (cubic - frame)^2  as a function of its two slopes:  m^T A m - 2 b^T m + ..
/// Where there are few frames, also over the samples between, for what lies in the middle of what is allowed.
struct Misfit {
  Eigen::Matrix2d A = Eigen::Matrix2d::Zero();
  Eigen::Vector2d b = Eigen::Vector2d::Zero();
};

Misfit misfit(const FrameCurve& curve, int i, int j) {
  constexpr int kManyFrames = 4;
  constexpr double kBetween = 0.05;  // weight of the values between frames, which the source leaves open
  Misfit sum;
  const double h = curve.times[j] - curve.times[i];
  const int stride = j - i > kManyFrames ? kSubframes : kSubframes / 2;
  for (int k = kSubframes * i + stride; k < kSubframes * j; k += stride) {
    const double t =
        std::lerp(curve.times[k / kSubframes], curve.times[k / kSubframes + 1], double(k % kSubframes) / kSubframes);
    const auto basis = hermite_basis((t - curve.times[i]) / h);
    const double wanted = 0.5 * (curve.low[k] + curve.high[k]), weight = k % kSubframes == 0 ? 1 : kBetween;
    const Eigen::Vector2d by_slope(h * basis[2], h * basis[3]);
    sum.A += weight * by_slope * by_slope.transpose();
    sum.b += weight * (wanted - curve.values[i] * basis[0] - curve.values[j] * basis[1]) * by_slope;
  }
  return sum;
}

/// Least squares of one component's slopes by descent: the two of a segment together, since they make up for each
/// other, then one by one; every step as far as is allowed.
class SlopeSettler {
 public:
  SlopeSettler(const FrameCurve& curve, const SlopeBounds& bounds, FittedKeys& keys, int component)
      : n_(static_cast<int>(keys.frames.size())), in_(n_), out_(n_) {
    // Slopes are numbered so that both sides of a key have one number, but at corners.
    int count = 0;
    for (int k = 0; k < n_; ++k) {
      const bool fixed = curve.cyclic && (k == 0 || k + 1 == n_);
      in_[k] = count++;
      out_[k] = curve.corner[keys.frames[k]] ? count++ : in_[k];
      fixed_.resize(count, fixed);
      slopes_.resize(count);
      slopes_[in_[k]] = keys.in_slopes(component, k), slopes_[out_[k]] = keys.out_slopes(component, k);
    }
    for (int k = 0; k + 1 < n_; ++k) {
      sets_.push_back(allowed_slopes(curve, keys.frames[k], keys.frames[k + 1], bounds));
      misfits_.push_back(misfit(curve, keys.frames[k], keys.frames[k + 1]));
    }
  }

  void run(int sweeps, FittedKeys& keys, int component) {
    for (int sweep = 0; sweep < sweeps; ++sweep) {
      for (int k = 0; k + 1 < n_; ++k) settle_segment(k);
      for (int k = 0; k < n_; ++k) {
        settle_slope(k, in_[k]);
        if (out_[k] != in_[k]) settle_slope(k, out_[k]);
      }
    }
    for (int k = 0; k < n_; ++k)
      keys.in_slopes(component, k) = slopes_[in_[k]], keys.out_slopes(component, k) = slopes_[out_[k]];
  }

 private:
  bool allowed(int segment) const {
    return segment < 0 || segment + 1 >= n_ ||
           sets_[segment].contains(slopes_[out_[segment]], slopes_[in_[segment + 1]]);
  }
  /// The cost of one slope of a key in its other segments: a m^2 - 2 b m.
  void add_before(int k, int slope, double& a, double& b) const {
    if (k == 0 || in_[k] != slope) return;
    a += misfits_[k - 1].A(1, 1), b += misfits_[k - 1].b[1] - misfits_[k - 1].A(0, 1) * slopes_[out_[k - 1]];
  }
  void add_after(int k, int slope, double& a, double& b) const {
    if (k + 1 == n_ || out_[k] != slope) return;
    a += misfits_[k].A(0, 0), b += misfits_[k].b[0] - misfits_[k].A(0, 1) * slopes_[in_[k + 1]];
  }

  void settle_segment(int k) {
    const int i = out_[k], j = in_[k + 1];
    if (fixed_[i] || fixed_[j]) return;
    Eigen::Matrix2d A = misfits_[k].A;
    Eigen::Vector2d b = misfits_[k].b;
    add_before(k, i, A(0, 0), b[0]);
    add_after(k + 1, j, A(1, 1), b[1]);
    if (!(A.determinant() > 1e-9 * A(0, 0) * A(1, 1))) return;
    const Eigen::Vector2d from(slopes_[i], slopes_[j]), to = A.inverse() * b;
    for (double step = 1; step > 0.1; step /= 2) {
      slopes_[i] = std::lerp(from[0], to[0], step), slopes_[j] = std::lerp(from[1], to[1], step);
      if (allowed(k - 1) && allowed(k) && allowed(k + 1)) return;
    }
    slopes_[i] = from[0], slopes_[j] = from[1];
  }

  void settle_slope(int k, int slope) {
    if (fixed_[slope]) return;
    double a = 0, b = 0;
    add_before(k, slope, a, b);
    add_after(k, slope, a, b);
    Range range;
    if (k > 0 && in_[k] == slope)
      range = common(range, sets_[k - 1].slice(1, {slopes_[out_[k - 1]], slopes_[out_[k - 1]]}));
    if (k + 1 < n_ && out_[k] == slope)
      range = common(range, sets_[k].slice(0, {slopes_[in_[k + 1]], slopes_[in_[k + 1]]}));
    if (!range.empty() && a > 0) slopes_[slope] = std::clamp(b / a, range.low, range.high);
  }

  int n_;
  std::vector<int> in_, out_;  // by key: which slope
  std::vector<double> slopes_;
  std::vector<char> fixed_;
  std::vector<SlopeSet> sets_;
  std::vector<Misfit> misfits_;
};

}  // namespace

void settle_slopes(std::span<const FrameCurve> curves, std::span<const double> tolerances, FittedKeys& keys,
                   const SettleOptions& options) {
  for (int c = 0; c < static_cast<int>(curves.size()); ++c)
    SlopeSettler(curves[c], {tolerances[c], options.most_samples}, keys, c).run(options.sweeps, keys, c);
}

}  // namespace rigspace::detail
