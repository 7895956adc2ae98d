#include "rigspace/geometry/element_distance.h"

#include "rigspace/geometry/closest_point.h"

#include <algorithm>
#include <cmath>

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

double safe_motion(PairKind kind, const PairPoints& x, const PairPoints& dx, double rest) {
  // What all four have in common changes no distance.
  const Vec3 common = 0.25 * (dx[0] + dx[1] + dx[2] + dx[3]);
  PairPoints at = x, p;
  double length[4];
  for (int k = 0; k < 4; ++k) p[k] = dx[k] - common, length[k] = p[k].norm();
  const double speed = kind == PairKind::point_triangle
                           ? length[0] + std::max({length[1], length[2], length[3]})
                           : std::max(length[0], length[1]) + std::max(length[2], length[3]);
  if (speed == 0) return 1;
  double d = std::sqrt(pair_distance(kind, at).squared);
  if (d == 0) return 0;
  const double gap = rest * d;
  double t = 0, step = (1 - rest) * d / speed;
  if (step >= 1) return 1;
  constexpr int kMost = 10000;  // each step covers 0.9 of the distance that is left: far fewer in practice
  for (int i = 0; i < kMost; ++i) {
    for (int k = 0; k < 4; ++k) at[k] += step * p[k];
    d = std::sqrt(pair_distance(kind, at).squared);
    if (t > 0 && d < gap) return t;
    t += step;
    if (t >= 1) return 1;
    step = std::min(0.9 * d / speed, 1 - t);  // beyond the end nothing needs to be safe
  }
  return t;
}

double box_gap(PairKind kind, const PairPoints& x) {
  const bool edges = kind == PairKind::edge_edge;
  const Vec3 &p = x[0], &q = edges ? x[1] : x[0], &r = x[2], &s = x[3], &t = edges ? x[2] : x[1];
  double gap = 0;
  for (int c = 0; c < 3; ++c) {
    const double above = std::min(p[c], q[c]) - std::max(std::max(r[c], s[c]), t[c]);
    const double below = std::min(std::min(r[c], s[c]), t[c]) - std::max(p[c], q[c]);
    gap = std::max(gap, std::max(above, below));
  }
  return gap;
}

bool certainly_apart(PairKind kind, const PairPoints& x, const PairPoints& dx) {
  const Vec3 common = 0.25 * (dx[0] + dx[1] + dx[2] + dx[3]);
  double fastest = 0;
  for (const Vec3& each : dx) fastest = std::max(fastest, (each - common).squaredNorm());
  const double gap = 0.45 * box_gap(kind, x);
  return gap * gap > fastest;
}

}  // namespace rigspace
