// A clip that repeats, cut out of one that need not.
#include "binding.h"
#include "rigspace/anim/bake.h"
#include "rigspace/anim/key_fitting.h"
#include "rigspace/anim/loop.h"
#include "rigspace/base/error.h"
#include "rigspace/rig/skeleton.h"

#include <algorithm>
#include <cmath>

namespace rigspace {
namespace {

constexpr double kComesBack = 1e-6;     // of each control's typical change
constexpr int kWatched = 200;           // points that the search looks at
constexpr int kMostCandidates = 1500;   // frames that the search looks at
constexpr double kVelocityTime = 0.08;  // s: a difference of velocity counts as this long a drift
constexpr double kTravels = 0.05;       // of the height: less is closed by bending

using PointMatrix = Eigen::Map<const Eigen::Matrix3Xd>;

double largest_distance(In a, In b) {
  if (a.size() == 0) return 0;
  return (PointMatrix(a.data(), 3, a.size() / 3) - PointMatrix(b.data(), 3, b.size() / 3)).colwise().norm().maxCoeff();
}

struct Motion {
  std::vector<double> times;
  Mat P;  ///< all controls by frame
};

/// d column / d time at frame k, of second order: by the frames on both sides, or at an end by the next two. A first
/// difference there would be off by half a frame's acceleration, with opposite signs at start and end.
Vec slope(const Motion& motion, const Mat& columns, int k) {
  const int n = static_cast<int>(motion.times.size());
  const auto difference = [&](int i) -> Vec {
    return (columns.col(i + 1) - columns.col(i)) / (motion.times[i + 1] - motion.times[i]);
  };
  if (k == 0) return 1.5 * difference(0) - 0.5 * difference(1);
  if (k == n - 1) return 1.5 * difference(n - 2) - 0.5 * difference(n - 3);
  return (columns.col(k + 1) - columns.col(k - 1)) / (motion.times[k + 1] - motion.times[k - 1]);
}

/// The controls in which a character leaves its place: axes of one node whose drift moves the whole of the surface.
std::vector<int> travelling(const Rig& rig, const Motion& motion) {
  const auto workspace = rig.make_workspace();
  const double height = rest_height(rig);
  const Vec first = motion.P.col(0), last = motion.P.col(motion.P.cols() - 1);
  Vec here, there;
  rig.evaluate(*workspace, first, here);
  std::vector<int> chosen;
  double farthest = kTravels * height;
  std::string node;
  std::vector<std::pair<int, double>> drifts;
  for (int c = 0; c < static_cast<int>(rig.controls().size()); ++c) {
    const Control& control = rig.controls()[c];
    const double range = motion.P.row(c).maxCoeff() - motion.P.row(c).minCoeff();
    if (control.unit != Unit::length || !(std::abs(last[c] - first[c]) > 0.5 * range) || range == 0) continue;
    Vec p = first;
    p[c] = last[c];
    rig.evaluate(*workspace, p, there);
    const double moved = largest_distance(here, there);
    if (moved > kTravels * height) drifts.emplace_back(c, moved);
    if (moved > farthest) farthest = moved, node = control.node;
  }
  for (const auto& [c, moved] : drifts)
    if (rig.controls()[c].node == node) chosen.push_back(c);
  return chosen;
}

/// The surface at every frame as if nothing travelled.
Mat surface_in_place(const Rig& rig, const Motion& motion, std::span<const int> travels) {
  Mat P = motion.P, S;
  for (const int c : travels) P.row(c).setConstant(motion.P(c, 0));
  rig.evaluate_batch(*rig.make_workspace(), P, S);
  return S;
}

struct Stretch {
  int begin = 0, end = 0;
};

/// The stretch whose ends are nearest in pose and velocity, against how much it moves: standing still repeats anywhere.
Stretch best_stretch(const Rig& rig, const Motion& motion, std::span<const int> travels, const LoopOptions& options) {
  std::vector<int> points;
  for (int i = 0; i < rig.point_count(); i += std::max(1, rig.point_count() / kWatched)) points.push_back(i);
  const auto few = rig.restricted(points);
  const Mat S = surface_in_place(*few, motion, travels);
  const int n = static_cast<int>(motion.times.size());
  std::vector<int> frames;
  for (int k = 0; k < n; k += std::max(1, (n + kMostCandidates - 1) / kMostCandidates)) frames.push_back(k);
  if (frames.back() != n - 1) frames.push_back(n - 1);
  const int m = static_cast<int>(frames.size());
  Mat F(2 * S.rows(), m);
  for (int k = 0; k < m; ++k) F.col(k) << S.col(frames[k]), kVelocityTime * slope(motion, S, frames[k]);
  F.colwise() -= F.rowwise().mean().eval();
  const Mat dots = F.transpose() * F;
  // Spread of a stretch: the mean square of its features less the square of their mean, by running sums.
  Mat sums = Mat::Zero(F.rows(), m + 1);
  Vec squares = Vec::Zero(m + 1);
  for (int k = 0; k < m; ++k) sums.col(k + 1) = sums.col(k) + F.col(k), squares[k + 1] = squares[k] + dots(k, k);
  Stretch best{0, n - 1};
  double least = std::numeric_limits<double>::infinity();
  for (int a = 0; a < m; ++a) {
    for (int b = a + 1; b < m; ++b) {
      if (motion.times[frames[b]] - motion.times[frames[a]] < options.min_period) continue;
      const double count = b - a;
      const double spread =
          (squares[b] - squares[a]) / count - (sums.col(b) - sums.col(a)).squaredNorm() / (count * count);
      const double apart = std::max(0.0, dots(a, a) + dots(b, b) - 2 * dots(a, b));
      const double cost = apart / std::max(spread, 1e-12 * squares[m] / m + 1e-300);
      if (cost < least) least = cost, best = {frames[a], frames[b]};
    }
  }
  return best;
}

/// How end and start of a motion meet on the surface, less its travel.
struct Meeting {
  double gap = 0, jump = 0;
};
Meeting meeting(const Rig& rig, const Motion& motion, std::span<const int> travels) {
  const int n = static_cast<int>(motion.times.size());
  Motion start, end;
  for (const auto& [part, first] : {std::pair(&start, 0), std::pair(&end, n - 3)}) {
    part->times.assign(motion.times.begin() + first, motion.times.begin() + first + 3);
    part->P = motion.P.middleCols(first, 3);
  }
  Mat S0, S1;
  const auto workspace = rig.make_workspace();
  rig.evaluate_batch(*workspace, start.P, S0);
  rig.evaluate_batch(*workspace, end.P, S1);
  Motion ends{.times = {motion.times.front(), motion.times.back()}, .P = Mat(motion.P.rows(), 2)};
  ends.P << motion.P.col(0), motion.P.col(n - 1);
  const Mat still = surface_in_place(rig, ends, travels);
  return {largest_distance(still.col(0), still.col(1)), largest_distance(slope(start, S0, 0), slope(end, S1, 2))};
}

/// Hermite's cubic from rest at 0 to a value and slope at `length`.
Vec correction(double t, double length, const Vec& value, const Vec& slope_at_end) {
  const double u = std::clamp(t / length, 0.0, 1.0);
  return u * u * (3 - 2 * u) * value + length * u * u * (u - 1) * slope_at_end;
}

Quat quaternion_at(const Mat& P, const std::array<int, 4>& q, int k) {
  return Quat(P(q[3], k), P(q[0], k), P(q[1], k), P(q[2], k)).normalized();
}

/// Angular velocity in the turning frame, of the same order as `slope`.
Vec3 spin(const Motion& motion, const std::array<int, 4>& q, int k) {
  const int n = static_cast<int>(motion.times.size());
  const auto between = [&](int a, int b) -> Vec3 {
    const Quat turn = quaternion_at(motion.P, q, a).conjugate() * quaternion_at(motion.P, q, b);
    return rotation_log(turn.toRotationMatrix()) / (motion.times[b] - motion.times[a]);
  };
  if (k == 0) return 1.5 * between(0, 1) - 0.5 * between(1, 2);
  if (k == n - 1) return 1.5 * between(n - 2, n - 1) - 0.5 * between(n - 3, n - 2);
  return between(k - 1, k + 1);
}

/// Bends the last `blend` seconds of a stretch so that it meets its start in value and slope. Orientations are bent by
/// q exp(r(t)), r as the other controls.
Motion bent(const Motion& source, const Stretch& stretch, const Sampler& sampler, std::span<const int> travels,
            double blend) {
  const int n = stretch.end - stretch.begin + 1;
  Motion result{.times = {}, .P = source.P.middleCols(stretch.begin, n)};
  for (int k = 0; k < n; ++k) result.times.push_back(source.times[stretch.begin + k] - source.times[stretch.begin]);
  const double period = result.times.back(), length = std::min(blend, 0.5 * period);
  Vec gap = source.P.col(stretch.begin) - source.P.col(stretch.end);
  for (const int c : travels) gap[c] = 0;
  const Vec turn_of_speed = slope(source, source.P, stretch.begin) - slope(source, source.P, stretch.end);
  for (int k = 1; k < n && length > 0; ++k) {
    const double t = result.times[k] - (period - length);
    if (t <= 0) continue;
    const Vec delta = correction(t, length, gap, turn_of_speed);
    for (const Sampler::Scalar& scalar : sampler.scalars()) result.P(scalar.control, k) += delta[scalar.control];
    for (const Sampler::Rotation& rotation : sampler.rotations()) {
      const auto& q = rotation.controls;
      const Quat last = quaternion_at(source.P, q, stretch.end), first = quaternion_at(source.P, q, stretch.begin);
      const Vec3 r = rotation_log((last.conjugate() * first).toRotationMatrix());
      const Vec3 change = spin(source, q, stretch.begin) - rotation_exp(-r) * spin(source, q, stretch.end);
      const Vec bend = correction(t, length, r, change);
      const Quat turned = quaternion_at(result.P, q, k) * Quat(rotation_exp(Vec3(bend)));
      for (int c = 0; c < 4; ++c) result.P(q[c], k) = turned.coeffs()[c];
    }
  }
  // The last frame is the first to the bit, moved by the travel.
  const Vec last = result.P.col(n - 1);
  result.P.col(n - 1) = result.P.col(0);
  for (const int c : travels) result.P(c, n - 1) = last[c];
  return result;
}

}  // namespace

LoopedClip make_loop(const Rig& rig, const Animation& clip, const LoopOptions& options) {
  options.validate();
  Motion motion{.times = options.rate > 0 ? frame_times(clip.duration, options.rate) : source_frames(clip)};
  if (motion.times.size() < 4 || (!options.whole && clip.duration < options.min_period)) {
    throw Error({.element = "clip \"" + clip.name + "\"",
                 .value = std::to_string(clip.duration),
                 .problem = "is too short for a loop: " + std::to_string(clip.duration) + " s",
                 .remedy = "a loop takes at least four frames and the shortest period"});
  }
  const Sampler sampler(clip, rig.controls());
  Vec p = rig.rest();
  motion.P.resize(p.size(), motion.times.size());
  for (std::size_t k = 0; k < motion.times.size(); ++k) {
    sampler.sample(motion.times[k], p);
    motion.P.col(k) = p;
  }
  const std::vector<int> travels = travelling(rig, motion);
  const Stretch stretch = options.whole ? Stretch{0, static_cast<int>(motion.times.size()) - 1}
                                        : best_stretch(rig, motion, travels, options);
  const Motion cut = bent(motion, stretch, sampler, travels, 0);
  Motion plain = cut;
  plain.P.col(plain.P.cols() - 1) = motion.P.col(stretch.end);
  // What comes back already was made to repeat: a change of speed at its seam, a foot that lands there, is meant.
  const Vec back = (plain.P.col(0) - plain.P.col(plain.P.cols() - 1)).cwiseAbs();
  double farthest = 0;
  bool returns = false;  // something other than the travel
  for (const int c : sampler.animated()) {
    if (std::find(travels.begin(), travels.end(), c) != travels.end()) continue;
    returns = true;
    farthest = std::max(farthest, back[c] / rig.controls()[static_cast<std::size_t>(c)].typical);
  }
  const Motion loop = returns && farthest < kComesBack ? cut : bent(motion, stretch, sampler, travels, options.blend);
  LoopedClip result{.animation = keys_from_poses(rig.controls(), sampler.animated(), loop.times, loop.P),
                    .start = motion.times[stretch.begin],
                    .end = motion.times[stretch.end]};
  result.animation.name = clip.name;
  const Meeting before = meeting(rig, plain, travels), after = meeting(rig, loop, travels);
  result.gap_before = before.gap, result.jump_before = before.jump;
  result.gap_after = after.gap, result.jump_after = after.jump;
  result.seam = find_seam(rig, result.animation);
  return result;
}

}  // namespace rigspace
