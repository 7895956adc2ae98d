#pragma once
// Bodies of tetrahedra with known answers, shared by the tests of this room.

#include "rigspace/energy/momentum.h"
#include "rigspace/energy/solid.h"
#include "rigspace/optimize/newton.h"

#include <Eigen/Dense>

#include <random>
#include <vector>

namespace rigspace::testing {

struct TetBody {
  Vec x;
  std::vector<Tet> tets;
  int points() const { return static_cast<int>(x.size()) / 3; }
};

/// A box from the origin to `size`, each of nx x ny x nz cells cut into five tets, mirrored from cell to cell so that
/// the faces fit: no direction is preferred.
inline TetBody box(const Vec3& size, int nx, int ny, int nz) {
  TetBody body;
  const auto id = [&](int i, int j, int k) { return (i * (ny + 1) + j) * (nz + 1) + k; };
  body.x.resize(3 * (nx + 1) * (ny + 1) * (nz + 1));
  for (int i = 0; i <= nx; ++i)
    for (int j = 0; j <= ny; ++j)
      for (int k = 0; k <= nz; ++k) point(body.x, id(i, j, k)) << size(0) * i / nx, size(1) * j / ny, size(2) * k / nz;
  // Corners by bits x y z; the first tet is the middle one.
  constexpr int kCut[5][4] = {{0, 3, 5, 6}, {1, 0, 3, 5}, {2, 0, 6, 3}, {4, 0, 5, 6}, {7, 3, 6, 5}};
  for (int i = 0; i < nx; ++i)
    for (int j = 0; j < ny; ++j)
      for (int k = 0; k < nz; ++k)
        for (const auto& cut : kCut) {
          Tet tet;
          for (int a = 0; a < 4; ++a) {
            const int corner = (i + j + k) % 2 == 0 ? cut[a] : cut[a] ^ 1;
            tet[a] = id(i + (corner & 1), j + (corner >> 1 & 1), k + (corner >> 2 & 1));
          }
          const Vec3 o = point(body.x, tet[0]);
          const Vec3 a = point(body.x, tet[1]) - o, b = point(body.x, tet[2]) - o, c = point(body.x, tet[3]) - o;
          if (a.cross(b).dot(c) < 0) std::swap(tet[2], tet[3]);
          body.tets.push_back(tet);
        }
  return body;
}

inline Vec noise(int size, unsigned seed, double scale) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-scale, scale);
  return Vec::NullaryExpr(size, [&] { return uniform(random); });
}

inline Mat3 noise3(unsigned seed, double scale) {
  const Vec v = noise(9, seed, scale);
  return Eigen::Map<const Mat3>(v.data());
}

inline Mat3 turn(unsigned seed) {
  const Vec v = noise(4, seed, 1);
  return Quat(v(0), v(1), v(2), v(3)).normalized().toRotationMatrix();
}

/// A x + b for all points.
inline Vec mapped(In x, const Mat3& A, const Vec3& b = Vec3::Zero()) {
  Vec y(x.size());
  for (int i = 0; i < x.size() / 3; ++i) point(y, i) = A * point(x, i) + b;
  return y;
}

inline Vec gradient(const Energy& energy, In x) {
  Vec g = Vec::Zero(x.size());
  const auto state = energy.make_state();
  energy.refresh(*state, x, Phase::step);
  energy.add_gradient(*state, x, 1, g);
  return g;
}

inline double value(const Energy& energy, In x) {
  const auto state = energy.make_state();
  energy.refresh(*state, x, Phase::step);
  return energy.value(*state, x);
}

class DenseSum final : public BlockSink {
 public:
  explicit DenseSum(int size) : H(Mat::Zero(size, size)) {}
  void add_coordinates(std::span<const int> c, const double* block) override {
    const int k = static_cast<int>(c.size());
    for (int b = 0; b < k; ++b)
      for (int a = 0; a < k; ++a) H(c[a], c[b]) += block[a + k * b];
  }
  Mat H;
};

inline Mat hessian(const Energy& energy, In x, HessianMode mode = HessianMode::exact) {
  DenseSum sum(static_cast<int>(x.size()));
  const auto state = energy.make_state();
  energy.refresh(*state, x, Phase::step);
  energy.add_hessian(*state, x, 1, mode, sum);
  return sum.H;
}

/// Holds the coordinates of points for which `held(x_i)` at their places in `at`; the rest is free.
template <class Held>
void hold(Objective& objective, In x, In at, Held&& held) {
  Vec lower = Vec::Constant(x.size(), -std::numeric_limits<double>::infinity()), upper = -lower;
  for (int i = 0; i < x.size() / 3; ++i)
    if (held(Vec3(point(x, i)))) point(lower, i) = point(upper, i) = point(at, i);
  objective.set_bounds(lower, upper);
}

}  // namespace rigspace::testing
