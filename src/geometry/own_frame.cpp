#include "rigspace/geometry/own_frame.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <tuple>

namespace rigspace {

Affine OwnFrame::inward(const Affine& A) const {
  Affine B;
  linear(B) = turn * linear(A) / size;
  translation(B) = inward(Vec3(translation(A)));
  return B;
}

Vec3 OwnFrame::place(const Vec3& x) const {
  constexpr double kGrid = 0x1p24;
  const Vec3 inside = inward(x);
  return {std::round(kGrid * inside.x()) / kGrid + 0.0, std::round(kGrid * inside.y()) / kGrid + 0.0,
          std::round(kGrid * inside.z()) / kGrid + 0.0};
}

Vec OwnFrame::places(In points) const {
  Vec result(points.size());
  for (Eigen::Index i = 0; i + 2 < points.size(); i += 3) result.segment<3>(i) = place(points.segment<3>(i));
  return result;
}

Vec OwnFrame::outward_points(In points) const {
  Vec result(points.size());
  for (Eigen::Index i = 0; i + 2 < points.size(); i += 3) result.segment<3>(i) = outward(points.segment<3>(i));
  return result;
}

Mat3 OwnFrame::axes_near_scene() const {
  const Mat3 axes = turn.transpose();
  const Mat3 quarter = turn_along(Vec3::UnitZ()).transpose();  // takes x to z
  Mat3 best = axes, next = axes;
  for (int k = 0; k < 3; ++k) {
    next = next * quarter;
    if (next.trace() > best.trace()) best = next;
  }
  return best;
}

OwnFrame own_frame(In points, const Mat3& turn) {
  OwnFrame frame{.turn = turn};
  Box box;
  for (Eigen::Index i = 0; i + 2 < points.size(); i += 3) box.include(turn * points.segment<3>(i));
  if (box.empty()) return frame;
  frame.origin = turn.transpose() * box.center();
  frame.sides = box.size();
  if (const double size = box.diagonal(); size > 0 && std::isfinite(size)) frame.size = size;
  return frame;
}

Mat3 turn_along(const Vec3& v) {
  const double length = std::hypot(v.x(), v.z());
  if (!(length > 0)) return Mat3::Identity();
  const double c = v.x() / length, s = v.z() / length;
  Mat3 turn;
  turn << c, 0, s, 0, 1, 0, -s, 0, c;
  return turn;
}

namespace {

/// The direction that level normals of a shape have up to quarter turns, as those of a square bar; zero if they have
/// none. A quarter turn takes a cubic lattice to itself.
Vec3 square_axis(const TriMesh& mesh) {
  constexpr double kSquare = 0.05;  // of the area
  double c = 0, s = 0, total = 0;
  for (const auto& [i, j, k] : mesh.triangles) {
    const Vec3 a = point(mesh.points, i);
    const Vec3 normal = (point(mesh.points, j) - a).cross(point(mesh.points, k) - a);
    const double level = std::hypot(normal.x(), normal.z()), angle = std::atan2(normal.z(), normal.x());
    c += level * std::cos(4 * angle), s += level * std::sin(4 * angle), total += level;
  }
  if (!(std::hypot(c, s) > kSquare * total)) return Vec3::Zero();
  const double angle = 0.25 * std::atan2(s, c);
  return {std::cos(angle), 0, std::sin(angle)};
}

}  // namespace

Mat3 principal_turn(const TriMesh& mesh) {
  constexpr double kRound = 1e-3;  // difference of the two moments, of their sum: less is no direction
  double total = 0;
  Vec3 mean = Vec3::Zero();
  std::vector<std::pair<double, Vec3>> parts;  // area, and middle
  for (const auto& [i, j, k] : mesh.triangles) {
    const Vec3 a = point(mesh.points, i), b = point(mesh.points, j), c = point(mesh.points, k);
    parts.emplace_back(0.5 * (b - a).cross(c - a).norm(), (a + b + c) / 3);
    total += parts.back().first, mean += parts.back().first * parts.back().second;
  }
  if (!(total > 0)) return Mat3::Identity();
  mean /= total;
  double xx = 0, xz = 0, zz = 0, farthest = 0;
  Vec3 far = Vec3::Zero();
  for (const auto& [area, middle] : parts) {
    const Vec3 d = middle - mean;
    xx += area * d.x() * d.x(), xz += area * d.x() * d.z(), zz += area * d.z() * d.z();
    if (const double away = std::hypot(d.x(), d.z()); away > (1 + 1e-9) * farthest) farthest = away, far = d;
  }
  if (std::hypot(xx - zz, 2 * xz) < kRound * (xx + zz)) {
    const Vec3 square = square_axis(mesh);
    return turn_along(square.isZero(0) ? far : square);
  }
  const double angle = 0.5 * std::atan2(2 * xz, xx - zz);
  const Vec3 along(std::cos(angle), 0, std::sin(angle)), across(-along.z(), 0, along.x());
  // Which end comes first: by third moments, of the axis along which the shape is less symmetric.
  Vec3 third = Vec3::Zero();
  for (const auto& [area, middle] : parts) {
    const double u = along.dot(middle - mean), v = across.dot(middle - mean);
    third += area * Vec3(u * u * u, 0, v * v * v);
  }
  const double sign = std::abs(third.x()) >= std::abs(third.z()) ? third.x() : third.z();
  return turn_along(sign < 0 ? Vec3(-along) : along);
}

PlaceOrder in_place_order(const TriMesh& mesh) {
  const int count = mesh.point_count();
  const auto key = [&](int i) {
    return std::tuple(mesh.points[3 * i], mesh.points[3 * i + 1], mesh.points[3 * i + 2]);
  };
  PlaceOrder order;
  order.point.resize(static_cast<std::size_t>(count));
  std::iota(order.point.begin(), order.point.end(), 0);
  std::stable_sort(order.point.begin(), order.point.end(), [&](int a, int b) { return key(a) < key(b); });
  std::vector<int> number(static_cast<std::size_t>(count)), place(number);  // new number; the same for equal places
  order.mesh.points.resize(mesh.points.size());
  for (int k = 0; k < count; ++k) {
    const int i = order.point[k];
    number[i] = k;
    place[i] = k > 0 && key(order.point[k - 1]) == key(i) ? place[order.point[k - 1]] : k;
    point(order.mesh.points, k) = point(mesh.points, i);
  }
  std::vector<std::pair<Triangle, Triangle>> sorted;  // places, then numbers, of the corners
  for (Triangle triangle : mesh.triangles) {
    Triangle places{place[triangle[0]], place[triangle[1]], place[triangle[2]]};
    const auto first = std::min_element(places.begin(), places.end()) - places.begin();
    std::rotate(places.begin(), places.begin() + first, places.end());
    std::rotate(triangle.begin(), triangle.begin() + first, triangle.end());
    for (int& corner : triangle) corner = number[corner];
    sorted.emplace_back(places, triangle);
  }
  std::sort(sorted.begin(), sorted.end());
  for (const auto& [places, triangle] : sorted) order.mesh.triangles.push_back(triangle);
  return order;
}

}  // namespace rigspace
