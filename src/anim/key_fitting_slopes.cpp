// The slopes that two successive keys may have: a convex polygon.
#include "key_fitting_parts.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace rigspace::detail {
namespace {

// Of the tolerance: how far a fit may go beyond the range of the frames where it is cut back; so few cuts are enough.
constexpr double kRangeShare = 0.85;
constexpr int kMostCuts = 40;
constexpr int kFewestSamples = 8;  // a segment
// Of the tolerance: a bound is drawn in by so much, but only where it is broken. So one cut serves the samples beside
// it.
constexpr double kDrawnIn = 0.04;

/// +1 where the frames i .. j and the one beyond each end never fall, -1 where they never rise, else 0. The frames
/// beyond matter: next to an extreme the slope may well have the other sign.
int direction(const FrameCurve& curve, int i, int j) {
  bool rises = true, falls = true;
  for (int k = std::max(0, i - 1); k < std::min(curve.frames() - 1, j + 1); ++k) {
    rises = rises && curve.values[k] <= curve.values[k + 1];
    falls = falls && curve.values[k] >= curve.values[k + 1];
  }
  return rises == falls ? 0 : rises ? 1 : -1;
}

/// Slopes for which a cubic is monotone (Fritsch and Carlson 1980), in units of its secant:  a, b >= 0  and
/// a + b - sqrt(ab) <= 3.  A polygon inside it, with corners on its border.
SlopeSet monotone_slopes(double secant) {
  using Point = SlopeSet::Point;
  constexpr double kNear = 0.28647450843757897, kFar = 1.9635254915624212;  // those that go with 3.75
  static const std::array<Point, 10> kCorners = {Point(0, 0),        Point(3, 0), Point(3.75, kNear), Point(4, 1),
                                                 Point(3.75, kFar),  Point(3, 3), Point(kFar, 3.75),  Point(1, 4),
                                                 Point(kNear, 3.75), Point(0, 3)};
  std::array<Point, kCorners.size()> corners;
  for (std::size_t k = 0; k < corners.size(); ++k) corners[k] = secant * kCorners[k];
  return SlopeSet(corners);
}

SlopeSet all_slopes(double largest) {
  const std::array<SlopeSet::Point, 4> corners = {SlopeSet::Point(-largest, -largest),
                                                  SlopeSet::Point(largest, -largest), SlopeSet::Point(largest, largest),
                                                  SlopeSet::Point(-largest, largest)};
  return SlopeSet(corners);
}

/// The cubic between two keys.
struct Segment {
  double v0, v1, h;  ///< values, and seconds between them

  double fixed(double u) const {
    const auto b = hermite_basis(u);
    return v0 * b[0] + v1 * b[1];
  }
  SlopeSet::Point by_slopes(double u) const {
    const auto b = hermite_basis(u);
    return {h * b[2], h * b[3]};
  }
  /// Where it turns inside, if it does: the roots of  a (1-u)^2 + 2 b u (1-u) + c u^2.
  std::array<double, 2> turns(const SlopeSet::Point& m) const {
    const double a = h * m[0], c = h * m[1], b = 3 * (v1 - v0) - a - c;
    const double square = b * b - a * c;
    std::array<double, 2> found = {-1, -1};
    if (!(square >= 0)) return found;
    // In w = u / (1 - u):  c w^2 + 2 b w + a = 0,  without cancellation.
    const double q = -(b + std::copysign(std::sqrt(square), b));
    for (const auto& [over, under, k] : {std::tuple(q, c, 0), std::tuple(a, q, 1)}) {
      const double w = over / under;
      if (w > 0 && std::isfinite(w)) found[k] = w / (1 + w);
    }
    return found;
  }
};

/// Keeps cubics that stay between floor and ceiling, to `slack`, at all times. The largest value of a cubic is a convex
/// function of its slopes, so it is enough that every corner of the set keeps the bounds: those that do not are cut off
/// by the bound at the time where they break it most.
void keep_range(SlopeSet& set, const Segment& segment, const Range& range, double slack) {
  for (int cuts = 0; cuts < kMostCuts; ++cuts) {
    double worst = slack, worst_u = -1;
    bool above = false;
    for (const SlopeSet::Point& corner : set.corners()) {
      for (const double u : segment.turns(corner)) {
        if (u < 0) continue;
        const double value = segment.fixed(u) + segment.by_slopes(u).dot(corner);
        if (value - range.high > worst) worst = value - range.high, worst_u = u, above = true;
        if (range.low - value > worst) worst = range.low - value, worst_u = u, above = false;
      }
    }
    if (worst_u < 0) return;
    const SlopeSet::Point normal = segment.by_slopes(worst_u);
    if (above)
      set.cut(normal, range.high - segment.fixed(worst_u));
    else
      set.cut(-normal, segment.fixed(worst_u) - range.low);
  }
}

}  // namespace

Range common(const Range& a, const Range& b) { return {std::max(a.low, b.low), std::min(a.high, b.high)}; }

SlopeSet::SlopeSet(std::span<const Point> corners) {
  for (const Point& corner : corners) corners_[count_++] = corner;
}

void SlopeSet::add(const Point& corner) {
  if (count_ == 0 || corners_[count_ - 1] != corner) corners_[count_++] = corner;
}

void SlopeSet::drop_flattest() {
  int flattest = 0;
  double least = std::numeric_limits<double>::infinity();
  for (int k = 0; k < count_; ++k) {
    const Point a = corners_[k] - corners_[(k + count_ - 1) % count_], b = corners_[(k + 1) % count_] - corners_[k];
    const double area = std::abs(a.x() * b.y() - a.y() * b.x());
    if (area < least) least = area, flattest = k;
  }
  std::copy(corners_.begin() + flattest + 1, corners_.begin() + count_, corners_.begin() + flattest);
  --count_;
}

// Sutherland and Hodgman's clipping.
void SlopeSet::cut(const Point& normal, double offset) {
  std::array<double, kMaxCorners + 2> beyond;
  double least = std::numeric_limits<double>::infinity(), most = -least;
  for (int k = 0; k < count_; ++k) {
    beyond[k] = normal.dot(corners_[k]) - offset;
    least = std::min(least, beyond[k]), most = std::max(most, beyond[k]);
  }
  if (!(most > 0)) return;
  const auto before = corners_;
  const int n = count_;
  count_ = 0;
  if (least > 0) return;
  for (int k = 0; k < n; ++k) {
    const int next = k + 1 < n ? k + 1 : 0;
    if (beyond[k] <= 0) add(before[k]);
    if ((beyond[k] <= 0) != (beyond[next] <= 0) && beyond[k] != 0 && beyond[next] != 0)
      add(before[k] + beyond[k] / (beyond[k] - beyond[next]) * (before[next] - before[k]));
  }
  if (count_ > 1 && corners_[count_ - 1] == corners_[0]) --count_;
  while (count_ > kMaxCorners) drop_flattest();
}

void SlopeSet::keep(const Point& normal, const Range& range, double slack) {
  double least = std::numeric_limits<double>::infinity(), most = -least;
  for (int k = 0; k < count_; ++k) {
    const double value = normal.dot(corners_[k]);
    least = std::min(least, value), most = std::max(most, value);
  }
  if (most > range.high + slack) cut(normal, range.high);
  if (least < range.low - slack) cut(-normal, -range.low);
}

Range SlopeSet::slice(int axis, const Range& other) const {
  const int across = 1 - axis;
  Range range{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
  const auto take = [&](double value) { range = {std::min(range.low, value), std::max(range.high, value)}; };
  double nearest = std::numeric_limits<double>::infinity(), size = 0;
  int nearest_corner = -1;
  for (int k = 0; k < count_; ++k) {
    const Point &a = corners_[k], &b = corners_[k + 1 < count_ ? k + 1 : 0];
    const double outside = std::max({0.0, other.low - a[across], a[across] - other.high});
    if (outside == 0) take(a[axis]);
    if (outside < nearest) nearest = outside, nearest_corner = k;
    size = std::max(size, a.cwiseAbs().maxCoeff());
    for (const double border : {other.low, other.high}) {  // where an edge crosses it
      if ((a[across] < border) == (b[across] < border) || a[across] == border || b[across] == border) continue;
      take(std::lerp(a[axis], b[axis], (border - a[across]) / (b[across] - a[across])));
    }
  }
  // A set that is thin, or only touched, must not be lost to rounding.
  if (range.empty() && nearest_corner >= 0 && nearest <= 1e-9 * size) take(corners_[nearest_corner][axis]);
  return range;
}

bool SlopeSet::contains(double m0, double m1) const {
  const Range range = slice(1, {m0, m0});
  const double rounding = 1e-9 * (std::abs(m0) + std::abs(m1));
  return range.low - rounding <= m1 && m1 <= range.high + rounding;
}

std::array<double, 4> hermite_basis(double u) {
  const double w = 1 - u;
  return {(1 + 2 * u) * w * w, (1 + 2 * w) * u * u, u * w * w, -w * u * u};
}

namespace {

/// What a segment may be at sample k of its curve.
struct SampleBounds {
  SampleBounds(const FrameCurve& frame_curve, int begin, int end, double tolerance) : curve(frame_curve) {
    least = most = curve.values[begin];
    for (int k = begin + 1; k <= end; ++k)
      least = std::min(least, curve.values[k]), most = std::max(most, curve.values[k]);
    floor = least - kRangeShare * tolerance, ceiling = most + kRangeShare * tolerance;
  }
  Range at(int k, double width) const {
    return {std::max(curve.low[k] - width, floor), std::min(curve.high[k] + width, ceiling)};
  }
  double time(int k) const {
    const int frame = k / kSubframes;
    return k % kSubframes == 0
               ? curve.times[frame]
               : std::lerp(curve.times[frame], curve.times[frame + 1], double(k % kSubframes) / kSubframes);
  }

  const FrameCurve& curve;
  double least, most;     // of the frames
  double floor, ceiling;  // of the cubic
};

/// Samples between those that are looked at: frames, and more where there are few.
int sample_stride(int frames) {
  int stride = frames > kFewestSamples ? kSubframes : kSubframes / 2;
  while (stride > 1 && frames * kSubframes / stride < kFewestSamples) stride /= 2;
  return stride;
}

}  // namespace

SlopeSet allowed_slopes(const FrameCurve& curve, int i, int j, const SlopeBounds& bounds) {
  const double v0 = curve.values[i], v1 = curve.values[j], h = curve.times[j] - curve.times[i];
  const double tolerance = bounds.tolerance, slack = kDrawnIn * tolerance;
  const std::array<SlopeSet::Point, 1> flat = {SlopeSet::Point(0, 0)};
  if (curve.stretch[i] >= 0 && curve.stretch[i] == curve.stretch[j - 1]) return SlopeSet(flat);
  const SampleBounds sample(curve, i, j, tolerance);
  const int way = direction(curve, i, j);
  SlopeSet set =
      way != 0 ? monotone_slopes((v1 - v0) / h) : all_slopes(64 * (sample.most - sample.least + tolerance) / h);
  const int first = kSubframes * i, last = kSubframes * j;
  int stride = sample_stride(j - i);
  while ((last - first) / stride > bounds.most_samples) stride *= 2;
  // Samples from the middle outwards: what is not possible shows there first.
  int step = stride;
  while (step * 2 < last - first) step *= 2;
  for (; step >= stride; step /= 2) {
    for (int k = first + step; k < last && !set.empty(); k += 2 * step) {
      const auto b = hermite_basis((sample.time(k) - curve.times[i]) / h);
      const double fixed = v0 * b[0] + v1 * b[1];
      const Range range = sample.at(k, tolerance - slack);
      set.keep({h * b[2], h * b[3]}, {range.low - fixed, range.high - fixed}, slack);
    }
  }
  if (way == 0 && !set.empty())
    keep_range(set, {v0, v1, h}, {sample.floor, sample.ceiling}, (1 - kRangeShare) * tolerance);
  return set;
}

}  // namespace rigspace::detail
