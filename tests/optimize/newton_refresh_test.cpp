// What changes during a solve: lagged energies, bases that grow, objectives that come and go.

#include "optimize/energies.h"
#include "rigspace/base/error.h"
#include "rigspace/optimize/newton.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace rigspace {
namespace {

using namespace testing;

// A target that follows x by half at every refresh: lagged, converging to x = 0 only through the refreshes.
class Lagged final : public Energy {
 public:
  struct Target : State {
    Vec at;
  };
  std::unique_ptr<State> make_state() const override { return std::make_unique<Target>(); }
  Change refresh(State& state, In x, Phase) const override {
    ++refreshes;
    state_as<Target>(state).at = x / 2;
    return Change::values;
  }
  double value(const State& state, In x) const override { return 0.5 * (x - state_as<Target>(state).at).squaredNorm(); }
  void add_gradient(const State& state, In x, double w, Vec& g) const override {
    g += w * (x - state_as<Target>(state).at);
  }
  void add_hessian(const State&, In x, double w, HessianMode, BlockSink& sink) const override {
    for (int i = 0; i < x.size(); ++i) sink.add_coordinates({&i, 1}, &w);
  }
  mutable int refreshes = 0;
};

TEST(Newton, StartsTheLineSearchFromARefreshedValue) {
  const Lagged lagged;
  const IdentityMapping identity(3);
  Objective objective(identity);
  objective.add("lagged", lagged);
  Vec q = Vec::Ones(3);
  const Summary summary = minimize(objective, q, {.gradient_floor = 1e-6});
  EXPECT_TRUE(summary.converged()) << describe(summary);
  EXPECT_LT(q.norm(), 1e-5);
  EXPECT_EQ(lagged.refreshes, summary.iterations + 1);
  EXPECT_NEAR(summary.iterations, 20, 2);  // halves each time: log2(1e6)
}

// x = scale q; the basis is renewed at every iteration, and the last refresh adds a second unknown.
class Adaptive final : public Mapping {
 public:
  struct Basis : State {
    Mat B = Mat::Identity(3, 3).leftCols(1);
    class Sink final : public BlockSink {
     public:
      void add_coordinates(std::span<const int> c, const double* H) override {
        for (std::size_t a = 0; a < c.size(); ++a)
          for (std::size_t b = 0; b < c.size(); ++b)
            system->matrix() += H[a + c.size() * b] * B->row(c[a]).transpose() * B->row(c[b]);
      }
      const Mat* B = nullptr;
      DenseSystem* system = nullptr;
    } sink;
  };
  int size_q() const override { return 1; }
  int size_x() const override { return 3; }
  std::unique_ptr<State> make_state() const override { return std::make_unique<Basis>(); }
  std::unique_ptr<System> make_system(const State& s) const override {
    return std::make_unique<DenseSystem>(static_cast<int>(state_as<Basis>(s).B.cols()));
  }
  Change refresh(State& s, Vec& q, Phase phase) const override {
    Mat& B = state_as<Basis>(s).B;
    if (phase == Phase::step || B.cols() == 3) return Change::none;
    B = Mat::Identity(3, 3).leftCols(B.cols() + 1).eval();
    q.conservativeResize(B.cols());
    q(B.cols() - 1) = 0;
    return Change::size;
  }
  void evaluate(State& s, In q, Vec& x) const override { x = state_as<Basis>(s).B * q; }
  void push(const State& s, In dq, Vec& dx) const override { dx = state_as<Basis>(s).B * dq; }
  void pull(const State& s, In g, Vec& g_q) const override { g_q = state_as<Basis>(s).B.transpose() * g; }
  BlockSink& sink(State& s, System& system) const override {
    auto& own = state_as<Basis>(s);
    own.sink.B = &own.B;
    own.sink.system = &dynamic_cast<DenseSystem&>(system);
    return own.sink;
  }
};

TEST(Newton, FollowsABasisThatGrows) {
  const Adaptive mapping;
  Vec target(3);
  target << 1, 2, 3;
  const Pull pull(target);
  Objective objective(mapping);
  objective.add("pull", pull);
  Vec q = Vec::Zero(1);
  NewtonWorkspace workspace;
  const Summary summary = Newton().solve(objective, q, workspace);
  EXPECT_TRUE(summary.converged()) << describe(summary);
  ASSERT_EQ(q.size(), 3);
  EXPECT_EQ(q, target);
  EXPECT_EQ(workspace.x(), target);
}

TEST(Newton, ReusesItsWorkspaceForAnotherObjective) {
  NewtonWorkspace workspace;
  const Newton newton;
  for (const int n : {6, 12, 6}) {
    const Vec target = random_vector(n, 12);
    const Pull pull(target);
    const IdentityMapping identity(n);
    Objective objective(identity);
    objective.add("pull", pull);
    Vec q = Vec::Zero(n);
    EXPECT_TRUE(newton.solve(objective, q, workspace).converged());
    EXPECT_LT((q - target).norm(), 1e-14);
  }
}

TEST(Objective, RefusesBadInput) {
  const IdentityMapping identity(3);
  const Pull pull(Vec::Zero(3));
  Objective objective(identity);
  EXPECT_THROW(objective.add("pull", pull, -1), Error);
  EXPECT_THROW(objective.set_bounds(Vec::Ones(3), Vec::Zero(3)), Error);
  EXPECT_THROW(objective.set_bounds(Vec::Ones(3), Vec::Zero(2)), Error);
  EXPECT_THROW(Newton({.shift_growth = 1}), Error);
  Vec q = Vec::Zero(2);
  EXPECT_THROW(minimize(objective, q), Error);
}

TEST(Objective, LeavesTermsOfNoWeightAlone) {
  const IdentityMapping identity(3);
  const LogBarrier barrier(0, 1);
  const Pull pull(Vec::Zero(3));
  Objective objective(identity);
  const int term = objective.add("barrier", barrier);
  objective.add("pull", pull);
  objective.set_weight(term, 0);
  Vec q = Vec::Constant(3, -1);  // infinite for the barrier
  EXPECT_TRUE(minimize(objective, q).converged());
  EXPECT_EQ(barrier.crossings, 0);
}

}  // namespace
}  // namespace rigspace
