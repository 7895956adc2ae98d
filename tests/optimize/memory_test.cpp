// A solve that runs in real time allocates nothing, and gives the same bits on any number of threads.

#include "optimize/energies.h"
#include "rigspace/optimize/newton.h"

#include "support/allocations.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <cstring>

namespace rigspace {
namespace {

using namespace testing;

// Any system, with the count suspended where CHOLMOD or Eigen factor and solve: their memory is their own.
class Uncounted final : public System {
 public:
  explicit Uncounted(std::unique_ptr<System> inner) : inner_(std::move(inner)) {}
  int size() const override { return inner_->size(); }
  void clear() override { inner_->clear(); }
  void finish() override { inner_->finish(); }
  void diagonal(Vec& d) const override { inner_->diagonal(d); }
  void multiply(In u, Vec& y) const override { inner_->multiply(u, y); }
  void set_fixed(std::span<const char> mask) override { inner_->set_fixed(mask); }
  bool factor(double shift) override {
    const bool before = counting.exchange(false);
    const bool ok = inner_->factor(shift);
    counting = before;
    return ok;
  }
  void solve(In b, Vec& u) override {
    const bool before = counting.exchange(false);
    inner_->solve(b, u);
    counting = before;
  }
  void add_coordinates(std::span<const int> c, const double* H) override { inner_->add_coordinates(c, H); }
  void add(std::span<const int> p, const double* H) override { inner_->add(p, H); }

 private:
  std::unique_ptr<System> inner_;
};

class UncountedMapping final : public Mapping {
 public:
  explicit UncountedMapping(const Mapping& inner) : inner_(inner) {}
  int size_q() const override { return inner_.size_q(); }
  int size_x() const override { return inner_.size_x(); }
  std::unique_ptr<State> make_state() const override { return inner_.make_state(); }
  std::unique_ptr<System> make_system(const State& s) const override {
    return std::make_unique<Uncounted>(inner_.make_system(s));
  }
  void evaluate(State& s, In q, Vec& x) const override { inner_.evaluate(s, q, x); }
  void push(const State& s, In dq, Vec& dx) const override { inner_.push(s, dq, dx); }
  void pull(const State& s, In g, Vec& g_q) const override { inner_.pull(s, g, g_q); }
  BlockSink& sink(State& s, System& system) const override { return inner_.sink(s, system); }
  void finish(State& s, System& system) const override { inner_.finish(s, system); }

 private:
  const Mapping& inner_;
};

// A chain of points pulled about; enough for several tiles, chunks and rounds.
struct Scene {
  static constexpr int kPoints = 700, kSize = 3 * kPoints;
  Springs springs = Springs::chain(kPoints, 0.1, 50);
  Pull pull{random_vector(kSize, 1, 2)};
  IdentityMapping full{kSize}, bordered{kSize, 30};
  LinearMapping reduced{random_vector(kSize, 2), random_matrix(kSize, 150, 3)};

  const Mapping& mapping(int kind) const {
    return kind == 0 ? static_cast<const Mapping&>(full) : kind == 1 ? static_cast<const Mapping&>(bordered) : reduced;
  }
};

constexpr const char* kKinds[] = {"sparse", "bordered", "dense"};

TEST(Memory, NewtonAllocatesNothingAfterTheFirstIteration) {
  if (!RIGSPACE_COUNTS_ALLOCATIONS) GTEST_SKIP() << "the sanitizer owns malloc";
  const ThreadCountScope one(1);
  const Scene scene;
  for (const int kind : {0, 1, 2})
    for (const bool bounds : {false, true}) {
      const UncountedMapping uncounted(scene.mapping(kind));
      // The dense factorisation is ours and is counted too.
      const Mapping& mapping = kind == 2 ? scene.mapping(kind) : uncounted;
      Objective objective(mapping);
      objective.add("springs", scene.springs);
      objective.add("pull", scene.pull);
      const int n = mapping.size_q();
      if (bounds) objective.set_bounds(Vec::Constant(n, -0.5), Vec::Constant(n, 1.5));
      NewtonWorkspace workspace;
      const Vec start = random_vector(n, 4);
      Vec q = start;
      const Newton newton({.max_iterations = 12});
      int seen = 0;
      const ProgressCallback callback = [&](const Progress&) {
        if (seen++ == 1) {  // the first iteration is over
          allocations = 0;
          counting = true;
        }
        return true;
      };
      Summary summary = newton.solve(objective, q, workspace, callback);
      ASSERT_GE(summary.iterations, 3) << describe(summary);
      // A second step in the same workspace allocates nothing at all.
      q = start;
      summary = newton.solve(objective, q, workspace, callback);
      counting = false;
      EXPECT_EQ(allocations.load(), 0) << kKinds[kind] << (bounds ? " with bounds" : "");
      EXPECT_GE(summary.iterations, 3);
    }
}

TEST(Memory, CountsWhatItShould) {
  if (!RIGSPACE_COUNTS_ALLOCATIONS) GTEST_SKIP() << "the sanitizer owns malloc";
  allocations = 0;
  counting = true;
  const Vec* volatile by_eigen = new Vec(1000);
  counting = false;
  EXPECT_EQ(allocations.load(), 2);  // the object by new, its data by Eigen
  delete by_eigen;
}

TEST(Determinism, NewtonGivesTheSameBitsOnAnyNumberOfThreads) {
  const Scene scene;
  for (const int kind : {0, 1, 2}) {
    Vec expected;
    for (const int threads : {1, 2, 8}) {
      const ThreadCountScope scope(threads);
      Objective objective(scene.mapping(kind));
      objective.add("springs", scene.springs);
      objective.add("pull", scene.pull);
      Vec q = random_vector(scene.mapping(kind).size_q(), 5);
      const Summary summary = minimize(objective, q, {.max_iterations = 8});
      ASSERT_GT(summary.iterations, 2) << describe(summary);
      if (threads == 1) expected = q;
      EXPECT_EQ(std::memcmp(q.data(), expected.data(), sizeof(double) * static_cast<std::size_t>(q.size())), 0)
          << kKinds[kind] << ", " << threads << " threads";
    }
  }
}

}  // namespace
}  // namespace rigspace
