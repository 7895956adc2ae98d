#include "rigspace/geometry/element_distance.h"

#include "rigspace/geometry/closest_point.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace rigspace {
namespace {

// Places s, t on two edges (Ericson, Real-Time Collision Detection, 5.1.9).
std::array<double, 2> closest_on_edges_of(const Vec3& p, const Vec3& u, const Vec3& q, const Vec3& v) {
  const Vec3 r = p - q;
  const double a = u.squaredNorm(), e = v.squaredNorm(), f = v.dot(r), c = u.dot(r), b = u.dot(v);
  const double determinant = a * e - b * b;
  // Parallel edges have a whole interval of nearest places: take one that is an end.
  double s = determinant > 1e-14 * a * e ? std::clamp((b * f - c * e) / determinant, 0.0, 1.0) : 0.0;
  double t = (b * s + f) / e;
  if (t < 0) {
    t = 0, s = std::clamp(-c / a, 0.0, 1.0);
  } else if (t > 1) {
    t = 1, s = std::clamp((b - c) / a, 0.0, 1.0);
  }
  return {s, t};
}

void finish(PairDistance& at, const PairPoints& x) {
  at.r = at.weights[0] * x[0] + at.weights[1] * x[1] + at.weights[2] * x[2] + at.weights[3] * x[3];
  at.squared = at.r.squaredNorm();
}

}  // namespace

PairDistance pair_distance(PairKind kind, const PairPoints& x) {
  PairDistance at;
  if (kind == PairKind::point_triangle) {
    const Vec3 b = closest_barycentric(x[0], x[1], x[2], x[3]);
    at.weights = {1, -b[0], -b[1], -b[2]};
    int used[3], count = 0;
    for (int k = 0; k < 3; ++k)
      if (b[k] > 0) used[count++] = k + 1;
    for (int k = 1; k < count; ++k) at.directions[at.free++] = Vec4::Unit(used[0]) - Vec4::Unit(used[k]);
  } else {
    const auto [s, t] = closest_on_edges_of(x[0], x[1] - x[0], x[2], x[3] - x[2]);
    at.weights = {1 - s, s, t - 1, -t};
    if (s > 0 && s < 1) at.directions[at.free++] = Vec4(-1, 1, 0, 0);
    if (t > 0 && t < 1) at.directions[at.free++] = Vec4(0, 0, 1, -1);
  }
  finish(at, x);
  return at;
}

Eigen::Matrix<double, 12, 1> distance_gradient(const PairDistance& at) {
  Eigen::Matrix<double, 12, 1> g;
  for (int k = 0; k < 4; ++k) g.segment<3>(3 * k) = 2 * at.weights[k] * at.r;
  return g;
}

Eigen::Matrix<double, 12, 12> distance_hessian(const PairDistance& at, const PairPoints& x) {
  Eigen::Matrix<double, 12, 12> H;
  for (int k = 0; k < 4; ++k)
    for (int l = 0; l < 4; ++l) H.block<3, 3>(3 * k, 3 * l) = 2 * at.weights[k] * at.weights[l] * Mat3::Identity();
  Eigen::Matrix<double, 12, 2> B;
  std::array<Vec3, 2> along;
  for (int i = 0; i < at.free; ++i) {
    along[i].setZero();
    for (int k = 0; k < 4; ++k) along[i] += at.directions[i][k] * x[k];
    for (int k = 0; k < 4; ++k) B.block<3, 1>(3 * k, i) = 2 * (at.directions[i][k] * at.r + at.weights[k] * along[i]);
  }
  if (at.free == 1) H.noalias() -= B.col(0) * B.col(0).transpose() / (2 * along[0].squaredNorm());
  if (at.free == 2) {
    const double a = 2 * along[0].squaredNorm(), b = 2 * along[0].dot(along[1]), c = 2 * along[1].squaredNorm();
    const double determinant = a * c - b * b;
    Eigen::Matrix2d inverse;
    inverse << c, -b, -b, a;
    H.noalias() -= B * (inverse / determinant) * B.transpose();
  }
  return H;
}

namespace {

// The longest time for which a gap of at least `kept` is left between the two along `n`, unit, from second to first:
// a plane across n then parts them. What slides past each other nearly comes no nearer along n.
double parted_until(PairKind kind, const PairPoints& x, const PairPoints& dx, const Vec3& n, double kept) {
  const int first = kind == PairKind::point_triangle ? 1 : 2;  // points of the first half
  double until = std::numeric_limits<double>::infinity();
  for (int i = 0; i < first; ++i)
    for (int k = first; k < 4; ++k) {
      const double gap = n.dot(x[i] - x[k]) - kept, closing = n.dot(dx[k] - dx[i]);
      if (gap < 0) return 0;
      if (closing > 0) until = std::min(until, gap / closing);
    }
  return until;
}

}  // namespace

double safe_motion(PairKind kind, const PairPoints& x, const PairPoints& dx, double rest, double enough) {
  // What all four have in common changes no distance.
  const Vec3 common = 0.25 * (dx[0] + dx[1] + dx[2] + dx[3]);
  PairPoints at = x, p;
  double length[4];
  for (int k = 0; k < 4; ++k) p[k] = dx[k] - common, length[k] = p[k].norm();
  const double speed = kind == PairKind::point_triangle
                           ? length[0] + std::max({length[1], length[2], length[3]})
                           : std::max(length[0], length[1]) + std::max(length[2], length[3]);
  if (speed == 0) return 1;
  PairDistance near = pair_distance(kind, at);
  double d = std::sqrt(near.squared);
  if (d == 0) return 0;
  const double gap = rest * d;
  const auto step_to = [&](double kept) {
    return std::max((d - kept) / speed, parted_until(kind, at, p, near.r / d, kept));
  };
  double t = 0;
  constexpr int kMost = 100;  // advances; fewer than ten in practice
  constexpr double kNearly = 1.1;
  for (int i = 0; i < kMost; ++i) {
    const double step = step_to(std::max(gap, 0.1 * d));
    t += step;
    if (t >= enough) return std::min(t, 1.0);
    for (int k = 0; k < 4; ++k) at[k] += step * p[k];
    near = pair_distance(kind, at), d = std::sqrt(near.squared);
    if (d < kNearly * gap) return d > 0 ? t : t - step;
  }
  return t;
}

namespace {

/// The line between the middles of both halves.
Vec3 middle_line(PairKind kind, const PairPoints& x) {
  return kind == PairKind::edge_edge ? Vec3(0.5 * (x[0] + x[1] - x[2] - x[3])) : Vec3(x[0] - (x[1] + x[2] + x[3]) / 3);
}

/// |n| times the gap between both halves along n; negative where they overlap.
double gap_along(PairKind kind, const PairPoints& x, const Vec3& n) {
  const double a = n.dot(x[0]), b = n.dot(x[1]), c = n.dot(x[2]), d = n.dot(x[3]);
  return kind == PairKind::edge_edge ? std::min(a, b) - std::max(c, d) : a - std::max({b, c, d});
}

}  // namespace

bool certainly_farther(PairKind kind, const PairPoints& x, double reach) {
  const Vec3 n = middle_line(kind, x);
  const double gap = gap_along(kind, x, n);
  return gap > 0 && gap * gap > reach * reach * n.squaredNorm();
}

// The gap along a fixed line is a concave function of time, hence least at an end; the distance at the start is at most
// |n|.
bool certainly_apart(PairKind kind, const PairPoints& x, const PairPoints& dx) {
  constexpr double kKept = 0.1;
  const Vec3 n = middle_line(kind, x);
  const double needed = kKept * n.squaredNorm();
  if (!(gap_along(kind, x, n) > needed)) return false;
  return gap_along(kind, {x[0] + dx[0], x[1] + dx[1], x[2] + dx[2], x[3] + dx[3]}, n) > needed;
}

}  // namespace rigspace
