// The range of values that a baked curve leaves open between its frames.
#include "key_fitting_parts.h"

#include <algorithm>
#include <cmath>

namespace rigspace::detail {
namespace {

constexpr double kRounding = 4e-7;     // of the largest value: a few units of float32, in which most clips are stored
constexpr int kShortestStretch = 3;    // intervals of equal values that count as standing still
constexpr double kCornerRatio = 4;     // change of slope against those of the neighbouring frames
constexpr double kJumpRatio = 8;       // slope of an interval against those of its neighbours
constexpr double kCornerShare = 0.01;  // of the curve's range: less of a change of value is no corner

double range_of(std::span<const double> values) {
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  return *high - *low;
}

void find_stretches(FrameCurve& curve) {
  const int n = curve.frames();
  double largest = 0;
  for (const double value : curve.values) largest = std::max(largest, std::abs(value));
  curve.stretch.assign(n - 1, -1);
  for (int begin = 0, end = 0; begin + 1 < n; begin = std::max(end, begin + 1)) {
    end = begin;
    while (end + 1 < n && std::abs(curve.values[end + 1] - curve.values[begin]) <= kRounding * largest) ++end;
    if (end - begin < std::min(kShortestStretch, n - 1)) {
      end = begin;
      continue;
    }
    for (int i = begin; i < end; ++i) curve.stretch[i] = begin, curve.values[i + 1] = curve.values[begin];
  }
}

/// Slopes of the straight lines between frames; a cyclic curve goes on past its ends.
class Secants {
 public:
  Secants(const FrameCurve& curve, bool cyclic) : curve_(curve), cyclic_(cyclic), n_(curve.frames()) {}

  bool has(int i) const { return cyclic_ || (i >= 0 && i < n_ - 1); }
  double interval(int i) const { return curve_.times[wrapped(i) + 1] - curve_.times[wrapped(i)]; }
  double operator()(int i) const { return (curve_.values[wrapped(i) + 1] - curve_.values[wrapped(i)]) / interval(i); }
  /// The change of slope at a frame; 0 at an end.
  double bend(int frame) const {
    return has(frame - 1) && has(frame) ? std::abs((*this)(frame) - (*this)(frame - 1)) : 0;
  }

 private:
  int wrapped(int i) const { return (i + n_ - 1) % (n_ - 1); }
  const FrameCurve& curve_;
  bool cyclic_;
  int n_;
};

/// A change of slope that stands alone, as where straight lines meet; not the even bend of a curve, nor noise.
bool is_corner(const Secants& secant, int frame, double least) {
  const double bend = secant.bend(frame);
  if (!(bend * secant.interval(secant.has(frame) ? frame : frame - 1) > least)) return false;
  return bend > kCornerRatio * std::max(secant.bend(frame - 1), secant.bend(frame + 1));
}

/// A jump from one frame to the next, between two quiet sides.
bool is_jump(const Secants& secant, int i, double least) {
  if (!(std::abs(secant(i)) * secant.interval(i) > 10 * least)) return false;
  double beside = 0;
  for (const int k : {i - 1, i + 1})
    if (secant.has(k)) beside = std::max(beside, std::abs(secant(k)));
  return std::abs(secant(i)) > kJumpRatio * beside;
}

void find_corners(FrameCurve& curve, bool loop) {
  const int n = curve.frames();
  const double least = kCornerShare * range_of(curve.values);
  const Secants secant(curve, loop && n > 3);
  curve.corner.assign(n, 0);
  for (int i = 0; i < n; ++i)
    if (n > 3 && is_corner(secant, i, least)) curve.corner[i] = 1;
  for (int i = 0; i + 1 < n; ++i)
    if (n > 3 && is_jump(secant, i, least)) curve.corner[i] = curve.corner[i + 1] = 1;
  curve.cyclic = loop && n > 3 && !curve.corner.front() && !curve.corner.back();
}

/// Through three frames, a parabola.
double smooth_slope(const Secants& secant, int frame) {
  if (!secant.has(frame - 1) && !secant.has(frame + 1)) return secant(frame);
  if (!secant.has(frame) && !secant.has(frame - 2)) return secant(frame - 1);
  if (!secant.has(frame - 1)) return 2 * secant(frame) - smooth_slope(secant, frame + 1);
  if (!secant.has(frame)) return 2 * secant(frame - 1) - smooth_slope(secant, frame - 1);
  const double before = secant.interval(frame - 1), after = secant.interval(frame);
  return (after * secant(frame - 1) + before * secant(frame)) / (before + after);
}

/// Fritsch and Butland's: the harmonic mean of both sides, 0 at an extreme; such cubics never leave the frames' range.
double monotone_slope(const Secants& secant, int frame) {
  if (!secant.has(frame - 1)) return secant(frame);
  if (!secant.has(frame)) return secant(frame - 1);
  const double a = secant(frame - 1), b = secant(frame);
  return a * b > 0 ? 2 * a * b / (a + b) : 0;
}

void find_bounds(FrameCurve& curve, std::span<const double> source) {
  const int n = curve.frames();
  const Secants secant(curve, curve.cyclic);
  std::vector<double> smooth(n);
  std::vector<double>& monotone = curve.monotone;
  monotone.resize(n);
  for (int i = 0; i < n; ++i) smooth[i] = smooth_slope(secant, i), monotone[i] = monotone_slope(secant, i);
  curve.low.assign(source.begin(), source.end());
  curve.high.assign(source.begin(), source.end());
  for (int i = 0; i + 1 < n; ++i) {
    const double v0 = curve.values[i], v1 = curve.values[i + 1], h = secant.interval(i);
    for (int k = 0; k < kSubframes; ++k) {
      const auto b = hermite_basis(double(k) / kSubframes);
      const auto cubic = [&](const std::vector<double>& m) {
        return v0 * b[0] + v1 * b[1] + h * (m[i] * b[2] + m[i + 1] * b[3]);
      };
      double& low = curve.low[kSubframes * i + k];
      double& high = curve.high[kSubframes * i + k];
      const double line = std::lerp(v0, v1, double(k) / kSubframes);
      if (k == 0 || curve.stretch[i] >= 0) {
        low = high = line;
        continue;
      }
      low = std::min({low, line, cubic(smooth), cubic(monotone)});
      high = std::max({high, line, cubic(smooth), cubic(monotone)});
    }
  }
  curve.low.back() = curve.high.back() = curve.values.back();
  if (curve.cyclic) curve.seam = {smooth.front(), monotone.front()};
}

}  // namespace

std::vector<double> subframe_times(std::span<const double> frames) {
  std::vector<double> times;
  for (std::size_t i = 0; i + 1 < frames.size(); ++i)
    for (int k = 0; k < kSubframes; ++k) times.push_back(std::lerp(frames[i], frames[i + 1], double(k) / kSubframes));
  times.push_back(frames.back());
  return times;
}

FrameCurve make_frame_curve(std::span<const double> frames, std::span<const double> source, bool loop) {
  FrameCurve curve;
  curve.times.assign(frames.begin(), frames.end());
  for (std::size_t i = 0; i < frames.size(); ++i) curve.values.push_back(source[kSubframes * i]);
  double largest = 0;
  for (const double value : curve.values) largest = std::max(largest, std::abs(value));
  if (loop && std::abs(curve.values.back() - curve.values.front()) <= kRounding * largest)
    curve.values.back() = curve.values.front();
  find_stretches(curve);
  find_corners(curve, loop);
  find_bounds(curve, source);
  return curve;
}

void keep_common_stretches(std::span<FrameCurve> components) {
  const std::size_t intervals = components[0].stretch.size();
  std::vector<int> shared(intervals);
  for (std::size_t i = 0; i < intervals; ++i) {
    // Where all stand still, a stretch begins where the last of them came to rest.
    for (const FrameCurve& curve : components) {
      if (curve.constant()) continue;
      shared[i] = curve.stretch[i] < 0 || shared[i] < 0 ? -1 : std::max(shared[i], curve.stretch[i]);
    }
  }
  for (FrameCurve& curve : components)
    if (!curve.constant()) curve.stretch = shared;
}

}  // namespace rigspace::detail
