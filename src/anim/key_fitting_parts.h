#pragma once
// Key fitting, inside: what a curve may do between its frames, which slopes two successive keys may have, and the
// search for the fewest keys.

#include "rigspace/base/types.h"

#include <array>
#include <limits>
#include <span>
#include <vector>

namespace rigspace::detail {

constexpr int kSubframes = 8;  // samples a frame of what is allowed: a power of two

/// One component of a track over the frames, and what the fit may be between them.
struct FrameCurve {
  std::vector<double> times;   ///< of the frames, seconds; at least two
  std::vector<double> values;  ///< at the frames
  /// At sample kSubframes * frame + k: the hull of the source, the straight line, the smooth curve and the monotone one
  /// through the frames; at a frame the value itself.
  std::vector<double> low, high;
  std::vector<char> corner;      ///< by frame: the slope may jump
  std::vector<double> monotone;  ///< slopes by frame: a key at every frame with these is always allowed
  std::vector<int> stretch;      ///< by interval: which stretch of equal values it belongs to, or -1
  std::array<double, 2> seam{};  ///< of a cyclic curve: the slopes that its ends may share
  bool cyclic = false;           ///< slopes at both ends are equal

  int frames() const { return static_cast<int>(times.size()); }
  bool constant() const { return stretch.front() >= 0 && stretch.front() == stretch.back(); }
};

/// The times of all samples: every frame but the last has kSubframes.
std::vector<double> subframe_times(std::span<const double> frames);

/// `source`: the curve at all samples. `loop`: the clip repeats; a curve whose slope jumps at the seam is not cyclic
/// even so. Values that differ by rounding alone are made equal.
FrameCurve make_frame_curve(std::span<const double> frames, std::span<const double> source, bool loop);

/// Components of one orientation stand still together or not at all.
void keep_common_stretches(std::span<FrameCurve> components);

struct Range {
  double low = -std::numeric_limits<double>::infinity(), high = std::numeric_limits<double>::infinity();

  bool empty() const { return !(low <= high); }
  double middle() const { return 0.5 * (low + high); }
  bool contains(const Range& other) const { return low <= other.low && other.high <= high; }
};

Range common(const Range& a, const Range& b);

/// Slopes (m0, m1) at two keys for which the cubic between them keeps its bounds. Each bound at a time is a half-plane
/// of slopes, so the set is convex; where its polygon would have too many corners it is taken smaller.
class SlopeSet {
 public:
  using Point = Eigen::Vector2d;

  SlopeSet() = default;  ///< empty
  explicit SlopeSet(std::span<const Point> corners);

  bool empty() const { return count_ == 0; }
  std::span<const Point> corners() const { return {corners_.data(), static_cast<std::size_t>(count_)}; }
  bool contains(double m0, double m1) const;
  /// Keeps the points with  normal . m <= offset.
  void cut(const Point& normal, double offset);
  /// Keeps the points with  range.low <= normal . m <= range.high;  all of them if none is beyond by more than `slack`.
  void keep(const Point& normal, const Range& range, double slack);
  /// The values of slope `axis` that go with a value of the other slope in `other`.
  Range slice(int axis, const Range& other) const;

 private:
  static constexpr int kMaxCorners = 12;
  void add(const Point& corner);
  void drop_flattest();

  std::array<Point, kMaxCorners + 2> corners_;  // cutting a convex polygon adds one corner, and one by rounding
  int count_ = 0;
};

/// Hermite's cubic on [0, 1]:  v0 h[0] + v1 h[1] + interval (m0 h[2] + m1 h[3]).
std::array<double, 4> hermite_basis(double u);

struct SlopeBounds {
  double tolerance;
  int most_samples = std::numeric_limits<int>::max();  ///< of a segment that are looked at, evenly spread
};

/// The slopes that a curve may have at frames i < j if they are successive keys.
SlopeSet allowed_slopes(const FrameCurve& curve, int i, int j, const SlopeBounds& bounds);

/// Keys at frames, with slopes of every component.
struct FittedKeys {
  std::vector<int> frames;
  Mat in_slopes, out_slopes;  ///< components x keys, per second
};

enum class Effort {
  draft,    ///< a fifth of the time: for a measure of the error
  usual,    ///< of long segments, only some frames are held to the tolerance: where the surface is measured anyway
  thorough  ///< the fewest that keep all bounds
};

/// The fewest keys, shared by all components, within a tolerance for each.
FittedKeys fit_frames(std::span<const FrameCurve> curves, std::span<const double> tolerances, Effort effort);

struct SettleOptions {
  int sweeps = 12;                                     ///< over all slopes
  int most_samples = std::numeric_limits<int>::max();  ///< as in SlopeBounds
};

/// Moves slopes towards the least squares of the frames, within what is allowed.
void settle_slopes(std::span<const FrameCurve> curves, std::span<const double> tolerances, FittedKeys& keys,
                   const SettleOptions& options);

}  // namespace rigspace::detail
