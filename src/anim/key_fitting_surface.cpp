// How far a fit moves the surface away from its source.
#include "key_fitting_clip.h"
#include "rigspace/base/parallel.h"

#include <algorithm>
#include <atomic>
#include <cmath>

namespace rigspace {
namespace {

constexpr int kBatch = 16;  // moments evaluated together

using Points = Eigen::Map<const Eigen::Matrix3Xd>;

/// Calls body(begin, end, workspace) for batches; side by side where the rig allows it.
template <class Body>
void for_batches(const Rig& rig, int count, const Body& body) {
  const int chunk = rig.traits().concurrent ? kBatch : std::max(1, count);
  parallel_ranges(count, chunk, [&](int begin, int end) {
    const auto workspace = rig.make_workspace();
    for (int k = begin; k < end; k += kBatch) body(k, std::min(end, k + kBatch), *workspace);
  });
}

/// Of the points of two columns.
Vec squared_distances(const Mat& S, int a, int b) {
  const Points x(S.col(a).data(), 3, S.rows() / 3), y(S.col(b).data(), 3, S.rows() / 3);
  return (x - y).colwise().squaredNorm();
}

SurfaceError farthest(const Vec& squares, double time) {
  SurfaceError error{.time = time};
  if (squares.size() == 0) return error;
  const double square = squares.maxCoeff(&error.point);
  error.distance = std::sqrt(square);
  if (!(square > 0)) error.point = -1;
  return error;
}

/// The components of cubic orientations before a player normalises them.
class RawRotations {
 public:
  explicit RawRotations(const Sampler& sampler) {
    for (const Sampler::Rotation& rotation : sampler.rotations()) {
      const RotationTrack& track = rotation.track;
      if (track.interpolation != Interpolation::hermite) continue;
      for (int c = 0; c < 4; ++c) {
        Curve curve{.interpolation = Interpolation::hermite, .times = track.times};
        for (std::size_t k = 0; k < track.times.size(); ++k) {
          curve.values.push_back(track.values[k][c]);
          curve.in_tangents.push_back(track.in_tangents[k][c]);
          curve.out_tangents.push_back(track.out_tangents[k][c]);
        }
        components_.emplace_back(rotation.controls[c], CompiledCurve(curve));
      }
    }
  }

  void sample(double time, Vec& p) const {
    for (const auto& [control, curve] : components_) p[control] = curve(time);
  }

 private:
  std::vector<std::pair<int, CompiledCurve>> components_;
};

/// The largest of all; the earliest among equals.
SurfaceError largest(std::span<const SurfaceError> errors) {
  SurfaceError result;
  for (const SurfaceError& error : errors)
    if (error.distance > result.distance) result = error;
  return result;
}

}  // namespace

double rest_height(const Rig& rig) {
  Vec s;
  rig.evaluate(*rig.make_workspace(), rig.rest(), s);
  if (s.size() == 0) return 0;
  const Points x(s.data(), 3, s.size() / 3);
  const Vec3 sides = x.rowwise().maxCoeff() - x.rowwise().minCoeff();
  return std::max(sides.y(), 0.25 * sides.maxCoeff());
}

SurfaceError surface_error(const Rig& rig, const Animation& a, const Animation& b, std::span<const double> times) {
  const Sampler first(a, rig.controls()), second(b, rig.controls());
  const Vec rest = rig.rest();
  std::vector<SurfaceError> errors(times.size());
  for_batches(rig, static_cast<int>(times.size()), [&](int begin, int end, Workspace& workspace) {
    Mat P(rest.size(), 2 * (end - begin)), S;
    for (int k = begin; k < end; ++k) {
      Vec p = rest, q = rest;
      first.sample(times[k], p);
      second.sample(times[k], q);
      P.col(2 * (k - begin)) = p, P.col(2 * (k - begin) + 1) = q;
    }
    rig.evaluate_batch(workspace, P, S);
    for (int k = begin; k < end; ++k) {
      errors[k] = farthest(squared_distances(S, 2 * (k - begin), 2 * (k - begin) + 1), times[k]);
    }
  });
  return largest(errors);
}

namespace detail {
namespace {

/// Largest motion of each of a few points by each control, over some poses: controls x points.
Mat motion_of_points(const Rig& rig, const Sampler& sampler, std::span<const Vec> poses, std::span<const int> points) {
  Mat motion = Mat::Zero(static_cast<int>(rig.controls().size()), static_cast<int>(points.size()));
  if (points.empty()) return motion;
  const auto few = rig.restricted(points);
  const auto workspace = few->make_workspace();
  BlockJacobian J;
  for (const Vec& p : poses) {
    few->jacobian(*workspace, p, sampler.animated(), J);
    for (int i = 0; i < J.points(); ++i) {
      for (int e = J.start[i]; e < J.start[i + 1]; ++e) {
        double& most = motion(sampler.animated()[J.column[e]], i);
        most = std::max(most, J.value.col(e).norm());
      }
    }
  }
  return motion;
}

}  // namespace

Sensitivity surface_sensitivity(const Rig& rig, const Animation& animation, std::span<const int> also) {
  constexpr int kPoses = 6, kSpread = 64;  // poses; points watched in any case
  Sensitivity result{.by_control = std::vector<double>(rig.controls().size(), 0.0)};
  const Sampler sampler(animation, rig.controls());
  const auto workspace = rig.make_workspace();
  std::vector<Vec> poses(kPoses, rig.rest());
  for (int k = 0; k < kPoses; ++k) sampler.sample(animation.duration * (k + 0.5) / kPoses, poses[k]);
  BlockJacobian J;
  for (const Vec& p : poses) {
    rig.jacobian(*workspace, p, sampler.animated(), J);
    // In each pose, the two points that a control moves most.
    std::vector<std::array<std::pair<double, int>, 2>> top(J.columns, {std::pair(0.0, -1), std::pair(0.0, -1)});
    for (int i = 0; i < J.points(); ++i) {
      for (int e = J.start[i]; e < J.start[i + 1]; ++e) {
        const std::pair<double, int> found(J.value.col(e).norm(), i);
        auto& best = top[J.column[e]];
        if (found.first > best[0].first)
          best[1] = best[0], best[0] = found;
        else if (found.first > best[1].first)
          best[1] = found;
      }
    }
    for (int column = 0; column < J.columns; ++column) {
      double& most = result.by_control[sampler.animated()[column]];
      most = std::max(most, top[column][0].first);
      for (const auto& [motion, i] : top[column])
        if (i >= 0) result.points.push_back(i);
    }
  }
  const int n = rig.point_count(), stride = std::max(1, n / kSpread);
  for (int i = 0; i < n; i += stride) result.points.push_back(i);
  result.points.insert(result.points.end(), also.begin(), also.end());
  std::sort(result.points.begin(), result.points.end());
  result.points.erase(std::unique(result.points.begin(), result.points.end()), result.points.end());
  result.by_point = motion_of_points(rig, sampler, poses, result.points);
  return result;
}

SurfaceGauge::SurfaceGauge(const Rig& rig, const Animation& source, const ClipFit& fit, std::span<const int> points)
    : rig_(rig), points_(points.begin(), points.end()), bounds_(fit.bounds()), rest_(rig.rest()) {
  if (!points_.empty()) restricted_ = rig.restricted(points_);
  const Sampler sampler(source, rig.controls());
  for (const Sampler::Rotation& rotation : sampler.rotations()) quaternions_.push_back(rotation.controls);
  const std::vector<double> times = subframe_times(fit.frames());
  for (int k = 0; k < static_cast<int>(times.size()); k += kSubframes / 2) moments_.push_back({times[k], k});
}

void SurfaceGauge::nearest_pose(const Moment& moment, const Vec& p, Vec& q) const {
  q = p;
  for (const ClipFit::Bounds& each : bounds_)
    q[each.control] = std::clamp(p[each.control], each.curve->low[moment.sample], each.curve->high[moment.sample]);
  for (const auto& quaternion : quaternions_) {
    double square = 0;
    for (const int c : quaternion) square += q[c] * q[c];
    if (!(square > 1e-24)) continue;
    for (const int c : quaternion) q[c] /= std::sqrt(square);
  }
}

template <class Body>
void SurfaceGauge::compare(const Animation& fitted, const Body& body) const {
  const Rig& rig = restricted_ ? *restricted_ : rig_;
  const Sampler sampler(fitted, rig.controls());
  const RawRotations raw(sampler);
  std::atomic<bool> stop = false;
  for_batches(rig, static_cast<int>(moments_.size()), [&](int begin, int end, Workspace& workspace) {
    if (stop) return;
    Mat P(rest_.size(), 2 * (end - begin)), S;
    Vec p = rest_, q;
    for (int k = begin; k < end; ++k) {
      sampler.sample(moments_[k].time, p);
      P.col(2 * (k - begin)) = p;
      raw.sample(moments_[k].time, p);
      nearest_pose(moments_[k], p, q);
      P.col(2 * (k - begin) + 1) = q;
    }
    rig.evaluate_batch(workspace, P, S);
    for (int k = begin; k < end && !stop; ++k)
      if (!body(k, squared_distances(S, 2 * (k - begin), 2 * (k - begin) + 1))) stop = true;
  });
}

SurfaceError SurfaceGauge::error(const Animation& fitted) const {
  std::vector<SurfaceError> errors(moments_.size());
  compare(fitted, [&](int k, const Vec& squares) {
    errors[k] = farthest(squares, moments_[k].time);
    return true;
  });
  SurfaceError result = largest(errors);
  if (restricted_ && result.point >= 0) result.point = points_[result.point];
  return result;
}

Vec SurfaceGauge::errors_by_point(const Animation& fitted) const {
  // A column for each batch: two threads never share one.
  const int points = restricted_ ? restricted_->point_count() : rig_.point_count();
  Mat squares = Mat::Zero(points, (static_cast<int>(moments_.size()) + kBatch - 1) / kBatch);
  compare(fitted, [&](int k, const Vec& at) {
    squares.col(k / kBatch) = squares.col(k / kBatch).cwiseMax(at);
    return true;
  });
  return squares.rowwise().maxCoeff().cwiseSqrt();
}

bool SurfaceGauge::within(const Animation& fitted, double allowed) const {
  std::atomic<bool> result = true;
  compare(fitted, [&](int, const Vec& squares) {
    if (squares.size() == 0 || squares.maxCoeff() <= allowed * allowed) return true;
    result = false;
    return false;
  });
  return result;
}

}  // namespace detail
}  // namespace rigspace
