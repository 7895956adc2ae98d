#include "rigspace/anim/kept_keys.h"

#include "rigspace/anim/bake.h"
#include "rigspace/base/decompositions.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace rigspace {
namespace {

/// Slopes m of the cubic through (times, values) that is nearest to the samples: with u the share of an interval of
/// length h,  s - h00(u) v_0 - h01(u) v_1 = h (h10(u) m_0 + h11(u) m_1),  in least squares. Where an interval has no
/// samples inside, the slope of its chord is one.
Mat fitted_slopes(std::span<const double> times, const Mat& values, std::span<const double> at, const Mat& samples) {
  const auto n = static_cast<Eigen::Index>(times.size());
  Mat A = Mat::Zero(n, n), b = Mat::Zero(n, values.cols());
  for (Eigen::Index i = 0; i + 1 < n; ++i) {
    const double h = times[static_cast<std::size_t>(i + 1)] - times[static_cast<std::size_t>(i)];
    const auto chord = (values.row(i + 1) - values.row(i)) / h;
    for (const Eigen::Index k : {i, i + 1}) A(k, k) += 1e-6 * h * h, b.row(k) += 1e-6 * h * h * chord;
    for (std::size_t j = 0; j < at.size(); ++j) {
      const double u = (at[j] - times[static_cast<std::size_t>(i)]) / h;
      if (u <= 0 || u >= 1) continue;
      const double h10 = h * u * (1 - u) * (1 - u), h11 = h * u * u * (u - 1), h01 = u * u * (3 - 2 * u);
      const auto rest = samples.row(static_cast<Eigen::Index>(j)) - (1 - h01) * values.row(i) - h01 * values.row(i + 1);
      A(i, i) += h10 * h10, A(i, i + 1) += h10 * h11, A(i + 1, i) += h10 * h11, A(i + 1, i + 1) += h11 * h11;
      b.row(i) += h10 * rest, b.row(i + 1) += h11 * rest;
    }
  }
  return n < 2 ? Mat(Mat::Zero(n, values.cols())) : Mat(solve_ldlt(A, b));
}

}  // namespace

std::vector<double> key_times(const Animation& clip) {
  std::set<double> all;
  for (const Track& track : clip.tracks) all.insert(track.curve.times.begin(), track.curve.times.end());
  for (const RotationTrack& track : clip.rotations) all.insert(track.times.begin(), track.times.end());
  // Times that were rounded differently are one.
  std::vector<double> times;
  for (const double each : all)
    if (times.empty() || each - times.back() > 1e-4) times.push_back(each);
  return times;
}

Animation with_keys_at(const Animation& clip, std::span<const double> wanted) {
  std::vector<double> times{0};
  for (const double each : wanted)
    if (each > times.back() + 1e-4 && each < clip.duration - 1e-4) times.push_back(each);
  if (clip.duration > 0) times.push_back(clip.duration);
  Animation result{.name = clip.name, .duration = clip.duration};
  for (const Track& track : clip.tracks) {
    const std::vector<double>& at = track.curve.times;
    Mat values(static_cast<Eigen::Index>(times.size()), 1), samples(static_cast<Eigen::Index>(at.size()), 1);
    for (std::size_t k = 0; k < times.size(); ++k) values(static_cast<Eigen::Index>(k), 0) = track.curve(times[k]);
    for (std::size_t k = 0; k < at.size(); ++k) samples(static_cast<Eigen::Index>(k), 0) = track.curve.values[k];
    Track kept{.control = track.control, .curve = {.interpolation = Interpolation::hermite}};
    if (samples.maxCoeff() == samples.minCoeff()) {
      kept.curve = {.interpolation = Interpolation::linear, .times = {0}, .values = {samples(0, 0)}};
    } else {
      const Mat slopes = fitted_slopes(times, values, at, samples);
      kept.curve.times = times;
      kept.curve.values.assign(values.data(), values.data() + values.size());
      kept.curve.in_tangents.assign(slopes.data(), slopes.data() + slopes.size());
      kept.curve.out_tangents = kept.curve.in_tangents;
    }
    result.tracks.push_back(std::move(kept));
  }
  for (const RotationTrack& track : clip.rotations) {
    RotationTrack kept{.node = track.node, .interpolation = Interpolation::hermite, .times = times};
    std::vector<Vec4> dense = track.values;
    make_signs_continuous(dense);
    Mat values(static_cast<Eigen::Index>(times.size()), 4), samples(static_cast<Eigen::Index>(dense.size()), 4);
    for (std::size_t k = 0; k < dense.size(); ++k) samples.row(static_cast<Eigen::Index>(k)) = dense[k].transpose();
    for (const double time : times) {
      // On the side of the nearest sample.
      const auto near = std::ranges::min_element(track.times, {}, [&](double each) { return std::abs(each - time); });
      const Vec4 value = track(time), beside = dense[static_cast<std::size_t>(near - track.times.begin())];
      kept.values.push_back(value.dot(beside) < 0 ? Vec4(-value) : value);
      values.row(static_cast<Eigen::Index>(kept.values.size() - 1)) = kept.values.back().transpose();
    }
    const Mat slopes = fitted_slopes(times, values, track.times, samples);
    for (Eigen::Index k = 0; k < slopes.rows(); ++k) kept.in_tangents.emplace_back(slopes.row(k).transpose());
    kept.out_tangents = kept.in_tangents;
    result.rotations.push_back(std::move(kept));
  }
  return result;
}

}  // namespace rigspace
