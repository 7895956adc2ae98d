#pragma once
// Scalar potentials E(x), the first of the three kinds of thing: everything this library does minimises a sum of them
// through a map x(q).

#include "rigspace/base/parallel.h"
#include "rigspace/base/types.h"

#include <algorithm>
#include <cassert>
#include <memory>
#include <span>

namespace rigspace {

/// What a refresh changed, in rising order.
enum class Change {
  none,     ///< nothing: value, gradient and Hessian are the same functions as before
  values,   ///< the functions changed, the sparsity did not
  pattern,  ///< which points meet in a Hessian block changed (contact)
  size,     ///< the number of unknowns changed (mappings only)
};

/// When a refresh happens: once at the start of a solve, or before each further iteration.
enum class Phase { step, iteration };

/// exact: the second derivative. projected: positive semi-definite, element by element, and equal to the exact one
/// where that is so itself.
enum class HessianMode { exact, projected };

/// What an energy or a mapping keeps between refreshes: lagged quantities and caches. Made by its owner.
class State {
 public:
  virtual ~State() = default;
};

/// The state as the type its owner made.
template <class T>
T& state_as(State& state) {
  assert(dynamic_cast<T*>(&state));
  return static_cast<T&>(state);
}
template <class T>
const T& state_as(const State& state) {
  assert(dynamic_cast<const T*>(&state));
  return static_cast<const T&>(state);
}

struct WeightedElement {
  int element = 0;
  double weight = 1;
};

/// Takes Hessians element by element. Called from one thread at a time; the order of calls is the order of summation,
/// so equal orders give equal bits. Blocks are symmetric, dense, column-major; a repeated index adds twice.
class BlockSink {
 public:
  virtual ~BlockSink() = default;

  /// A k x k block over single coordinates.
  virtual void add_coordinates(std::span<const int> coordinates, const double* H) = 0;

  /// A 3k x 3k block over k points; point i is coordinates 3i, 3i+1, 3i+2.
  virtual void add(std::span<const int> points, const double* H);

  /// Many blocks of k points each, in order: block e is over points[e*k .. e*k+k) and starts at H + e*(3k)^2.
  virtual void add_batch(int k, std::span<const int> points, const double* H);
};

/// A scalar potential of points or coordinates x. Evaluation is const and a function of (state, x) alone; what is
/// lagged (contacts, friction, matches) lives in the State and changes only in refresh.
///
/// Laws, checked by testing::check_energy: add_gradient adds w dE/dx and add_hessian w d2E/dx2; projected blocks have
/// no negative eigenvalue; points outside support() change nothing; a refresh that returns Change::none changed
/// nothing; sampled(all elements, weight 1) is the energy itself.
class Energy {
 public:
  virtual ~Energy() = default;

  virtual std::unique_ptr<State> make_state() const { return std::make_unique<State>(); }
  virtual Change refresh(State&, In /*x*/, Phase) const { return Change::none; }

  /// May be +infinity, where x is not allowed.
  virtual double value(const State&, In x) const = 0;
  virtual void add_gradient(const State&, In x, double weight, Vec& g) const = 0;
  virtual void add_hessian(const State&, In x, double weight, HessianMode, BlockSink&) const = 0;

  /// The straight path x_from -> x_trial: 1 if all of it is allowed, else a fraction in [0, 1) such that the path up
  /// to there, end included, is.
  virtual double max_step(const State&, In /*x_from*/, In /*x_trial*/) const { return 1; }

  /// Elements that can be sampled; 0 if the energy is no sum of elements.
  virtual int element_count() const { return 0; }
  /// The weighted sum of a few elements, at the cost of those alone (cubature). Null where element_count() is 0.
  virtual std::unique_ptr<Energy> sampled(std::span<const WeightedElement>) const { return nullptr; }

  /// The points it reads, ascending; empty means all.
  virtual std::span<const int> support() const { return {}; }
};

/// Negative eigenvalues are clamped to zero, or their sign is flipped (shorter steps, but faster away from saddle
/// points).
enum class NegativeEigenvalues { clamp, flip };

/// The nearest symmetric block without negative eigenvalues, in place; n x n, column-major, symmetric. For energies
/// without a projection in closed form. Does not allocate up to n = 30.
void project_positive_definite(double* H, int n, NegativeEigenvalues = NegativeEigenvalues::clamp);

namespace detail {
/// A buffer of the calling thread, another one for each level of nesting; memory is kept for the next use.
class BlockScratch {
 public:
  explicit BlockScratch(std::size_t doubles);
  ~BlockScratch();
  BlockScratch(const BlockScratch&) = delete;
  BlockScratch& operator=(const BlockScratch&) = delete;
  double* data() const { return data_; }

 private:
  double* data_;
};
}  // namespace detail

/// Computes the blocks of many elements of k points each in parallel, body(element, H) filling the (3k)^2 entries of H
/// (given as zeros), and hands them to the sink in order.
template <class Body>
void add_blocks(BlockSink& sink, int k, std::span<const int> points, Body&& body) {
  constexpr int kRound = 512, kChunk = 16;
  const int entries = 9 * k * k, count = static_cast<int>(points.size()) / k;
  const detail::BlockScratch scratch(static_cast<std::size_t>(std::min(count, kRound)) * entries);
  for (int first = 0; first < count; first += kRound) {
    const int blocks = std::min(kRound, count - first);
    std::fill_n(scratch.data(), static_cast<std::size_t>(blocks) * entries, 0.0);
    parallel_ranges(blocks, kChunk, [&](int begin, int end) {
      for (int e = begin; e < end; ++e) body(first + e, scratch.data() + static_cast<std::size_t>(e) * entries);
    });
    sink.add_batch(k, points.subspan(static_cast<std::size_t>(first) * k, static_cast<std::size_t>(blocks) * k),
                   scratch.data());
  }
}

}  // namespace rigspace
