#pragma once
// Small energies and mappings with known answers, shared by the tests of this room.

#include "rigspace/optimize/dense_system.h"
#include "rigspace/optimize/energy.h"
#include "rigspace/optimize/mapping.h"

#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

namespace rigspace::testing {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

inline Vec random_vector(int size, unsigned seed, double scale = 1) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-scale, scale);
  return Vec::NullaryExpr(size, [&] { return uniform(random); });
}

inline Mat random_matrix(int rows, int columns, unsigned seed) {
  return Eigen::Map<const Mat>(random_vector(rows * columns, seed).data(), rows, columns).eval();
}

/// (1 - x)^2 + 100 (y - x^2)^2, minimum 0 at (1, 1); its Hessian is indefinite where y > x^2 + 1/200.
class Rosenbrock final : public Energy {
 public:
  double value(const State&, In x) const override {
    return std::pow(1 - x(0), 2) + 100 * std::pow(x(1) - x(0) * x(0), 2);
  }
  void add_gradient(const State&, In x, double w, Vec& g) const override {
    const double r = x(1) - x(0) * x(0);
    g(0) += w * (-2 * (1 - x(0)) - 400 * x(0) * r);
    g(1) += w * 200 * r;
  }
  void add_hessian(const State&, In x, double w, HessianMode mode, BlockSink& sink) const override {
    const int both[] = {0, 1};
    double H[] = {2 - 400 * (x(1) - 3 * x(0) * x(0)), -400 * x(0), -400 * x(0), 200};
    if (mode == HessianMode::projected) project_positive_definite(H, 2);
    for (double& h : H) h *= w;
    sink.add_coordinates(both, H);
  }
};

/// 1/2 x^T A x - b^T x over all coordinates.
class Quadratic final : public Energy {
 public:
  Quadratic(Mat A, Vec b) : A_(std::move(A)), b_(std::move(b)), all_(static_cast<std::size_t>(b_.size())) {
    std::iota(all_.begin(), all_.end(), 0);
  }
  double value(const State&, In x) const override { return 0.5 * x.dot(A_ * x) - b_.dot(x); }
  void add_gradient(const State&, In x, double w, Vec& g) const override { g += w * (A_ * x - b_); }
  void add_hessian(const State&, In, double w, HessianMode mode, BlockSink& sink) const override {
    Mat H = A_;
    if (mode == HessianMode::projected) project_positive_definite(H.data(), static_cast<int>(H.rows()));
    H *= w;
    sink.add_coordinates(all_, H.data());
  }

 private:
  Mat A_;
  Vec b_;
  std::vector<int> all_;
};

/// Springs k/2 (|a - b| - rest)^2 between points; compressed ones are indefinite.
class Springs final : public Energy {
 public:
  Springs(std::vector<int> ends, std::vector<double> rest, std::vector<double> stiffness)
      : ends_(std::move(ends)), rest_(std::move(rest)), stiffness_(std::move(stiffness)), support_(ends_) {
    std::sort(support_.begin(), support_.end());
    support_.erase(std::unique(support_.begin(), support_.end()), support_.end());
  }
  static Springs chain(int points, double rest, double stiffness, int first = 0) {
    std::vector<int> ends;
    for (int i = 0; i + 1 < points; ++i) ends.insert(ends.end(), {first + i, first + i + 1});
    return {ends, std::vector<double>(ends.size() / 2, rest), std::vector<double>(ends.size() / 2, stiffness)};
  }

  double value(const State&, In x) const override {
    return parallel_sum(element_count(), 64, [&](int begin, int end) {
      double sum = 0;
      for (int e = begin; e < end; ++e) sum += 0.5 * stiffness_[e] * std::pow(edge(x, e).norm() - rest_[e], 2);
      return sum;
    });
  }
  void add_gradient(const State&, In x, double w, Vec& g) const override {
    for (int e = 0; e < element_count(); ++e) {
      const Vec3 d = edge(x, e);
      const Vec3 force = w * stiffness_[e] * (1 - rest_[e] / d.norm()) * d;
      point(g, ends_[2 * e]) += force;
      point(g, ends_[2 * e + 1]) -= force;
    }
  }
  void add_hessian(const State&, In x, double w, HessianMode mode, BlockSink& sink) const override {
    add_blocks(sink, 2, ends_, [&](int e, double* block) {
      const Vec3 d = edge(x, e), n = d.normalized();
      double across = 1 - rest_[e] / d.norm();
      if (mode == HessianMode::projected) across = std::max(across, 0.0);
      const Mat3 K = w * stiffness_[e] * (n * n.transpose() + across * (Mat3::Identity() - n * n.transpose()));
      Eigen::Map<Eigen::Matrix<double, 6, 6>> H(block);
      H << K, -K, -K, K;
    });
  }
  int element_count() const override { return static_cast<int>(rest_.size()); }
  std::unique_ptr<Energy> sampled(std::span<const WeightedElement> elements) const override {
    std::vector<int> ends;
    std::vector<double> rest, stiffness;
    for (const auto& [e, weight] : elements) {
      ends.insert(ends.end(), {ends_[2 * e], ends_[2 * e + 1]});
      rest.push_back(rest_[e]);
      stiffness.push_back(weight * stiffness_[e]);
    }
    return std::make_unique<Springs>(ends, rest, stiffness);
  }
  std::span<const int> support() const override { return support_; }

 private:
  Vec3 edge(In x, int e) const { return point(x, ends_[2 * e]) - point(x, ends_[2 * e + 1]); }
  std::vector<int> ends_;
  std::vector<double> rest_, stiffness_;
  std::vector<int> support_;
};

/// Sum over coordinates of k/2 (x - target)^2.
class Pull final : public Energy {
 public:
  Pull(Vec target, double stiffness = 1) : target_(std::move(target)), stiffness_(stiffness) {}
  double value(const State&, In x) const override { return 0.5 * stiffness_ * (x - target_).squaredNorm(); }
  void add_gradient(const State&, In x, double w, Vec& g) const override { g += w * stiffness_ * (x - target_); }
  void add_hessian(const State&, In x, double w, HessianMode, BlockSink& sink) const override {
    const double H = w * stiffness_;
    for (int i = 0; i < x.size(); ++i) sink.add_coordinates({&i, 1}, &H);
  }

 private:
  Vec target_;
  double stiffness_;
};

/// -k log(x_i), allowed for x_i > 0 only; counts evaluations on the wrong side.
class LogBarrier final : public Energy {
 public:
  LogBarrier(int coordinate, double k) : i_(coordinate), k_(k) {}
  double value(const State&, In x) const override {
    if (x(i_) <= 0) {
      ++crossings;
      return std::numeric_limits<double>::infinity();
    }
    return -k_ * std::log(x(i_));
  }
  void add_gradient(const State&, In x, double w, Vec& g) const override { g(i_) -= w * k_ / x(i_); }
  void add_hessian(const State&, In x, double w, HessianMode, BlockSink& sink) const override {
    const double H = w * k_ / (x(i_) * x(i_));
    sink.add_coordinates({&i_, 1}, &H);
  }
  double max_step(const State&, In from, In to) const override {
    if (to(i_) > 0) return 1;
    return 0.9 * from(i_) / (from(i_) - to(i_));
  }
  mutable int crossings = 0;

 private:
  int i_;
  double k_;
};

/// A planar arm of unit links: q are joint angles, x the joint positions; curved, with exact curvature.
class Arm final : public Mapping {
 public:
  explicit Arm(int links) : links_(links) {}
  int size_q() const override { return links_; }
  int size_x() const override { return 3 * links_; }
  struct Linearised : State {
    Mat J;
    Vec q, right;
    class Sink final : public BlockSink {
     public:
      void add_coordinates(std::span<const int> coordinates, const double* H) override {
        const int k = static_cast<int>(coordinates.size());
        rows.resize(k, J->cols());
        for (int a = 0; a < k; ++a) rows.row(a) = J->row(coordinates[a]);
        system->matrix() += rows.transpose() * Eigen::Map<const Mat>(H, k, k) * rows;
      }
      const Mat* J = nullptr;
      DenseSystem* system = nullptr;
      Mat rows;
    } sink;
  };
  std::unique_ptr<State> make_state() const override { return std::make_unique<Linearised>(); }
  std::unique_ptr<System> make_system(const State&) const override { return std::make_unique<DenseSystem>(links_); }
  void evaluate(State&, In q, Vec& x) const override {
    x.setZero(size_x());
    double angle = 0;
    Vec3 tip = Vec3::Zero();
    for (int i = 0; i < links_; ++i) {
      angle += q(i);
      tip += Vec3(std::cos(angle), std::sin(angle), 0);
      point(x, i) = tip;
    }
  }
  void linearize(State& state, In q) const override {
    auto& own = state_as<Linearised>(state);
    own.q = q;
    own.J = Mat::Zero(size_x(), links_);
    // d tip_i / d q_j = sum over links l = j..i of the turned unit vector.
    for (int i = 0; i < links_; ++i)
      for (int j = 0; j <= i; ++j)
        for (int l = j; l <= i; ++l) {
          const double angle = q.head(l + 1).sum();
          own.J.block<3, 1>(3 * i, j) += Vec3(-std::sin(angle), std::cos(angle), 0);
        }
  }
  void push(const State& state, In dq, Vec& dx) const override { dx = state_as<Linearised>(state).J * dq; }
  void pull(const State& state, In g, Vec& g_q) const override { g_q = state_as<Linearised>(state).J.transpose() * g; }
  bool add_curvature(State& state, In g, System& system) const override {
    const auto& own = state_as<Linearised>(state);
    Mat& H = dynamic_cast<DenseSystem&>(system).matrix();
    for (int i = 0; i < links_; ++i)
      for (int l = 0; l <= i; ++l) {
        const double angle = own.q.head(l + 1).sum();
        const double bend = -(std::cos(angle) * g(3 * i) + std::sin(angle) * g(3 * i + 1));
        H.topLeftCorner(l + 1, l + 1).array() += bend;
      }
    return true;
  }
  BlockSink& sink(State& state, System& system) const override {
    auto& own = state_as<Linearised>(state);
    own.sink.J = &own.J;
    own.sink.system = &dynamic_cast<DenseSystem&>(system);
    return own.sink;
  }

 private:
  int links_;
};

}  // namespace rigspace::testing
