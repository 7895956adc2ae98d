#pragma once
// Smooth maps x(q), the second of the three kinds of thing: from the unknowns of a solve to the points that energies
// see.

#include "rigspace/base/types.h"
#include "rigspace/optimize/energy.h"
#include "rigspace/optimize/system.h"

#include <memory>
#include <span>

namespace rigspace {

/// A smooth map x(q), with the linear system that fits it.
///
/// Laws, checked by testing::check_mapping: evaluate is a function of (state, q) and leaves the linearisation alone;
/// after linearize(q), push is dx/dq there, pull its transpose and pull_each pull for each; a block H given to the sink
/// arrives in the system as J^T H J; add_curvature adds sum_i g_i d2x_i/dq2.
class Mapping {
 public:
  virtual ~Mapping() = default;

  /// Unknowns at the start of a solve; a refresh that returns Change::size resizes q.
  virtual int size_q() const = 0;
  virtual int size_x() const = 0;

  virtual std::unique_ptr<State> make_state() const { return std::make_unique<State>(); }
  /// An empty system of the present size of q, of the kind that this map fills well.
  virtual std::unique_ptr<System> make_system(const State&) const = 0;

  /// Renews what is lagged: a deferred Jacobian, an adaptive basis. May express the same x by another q, of another
  /// size if Change::size is returned.
  virtual Change refresh(State&, Vec& /*q*/, Phase) const { return Change::none; }

  virtual void evaluate(State&, In q, Vec& x) const = 0;

  /// Makes J = dx/dq at q the one that push, pull, sink and add_curvature use. Linear maps need none; a deferred
  /// Jacobian ignores it.
  virtual void linearize(State&, In /*q*/) const {}
  virtual void push(const State&, In dq, Vec& dx) const = 0;
  virtual void pull(const State&, In g, Vec& g_q) const = 0;
  /// The same of several, as many as g_q: worth its own loop where J is what takes the time to read.
  virtual void pull_each(const State&, std::span<const Vec> g, std::span<Vec> g_q) const;

  /// The second-order term of the Hessian in q for a gradient g in x. False if there is none to add.
  virtual bool add_curvature(State&, In /*g*/, System&) const { return false; }

  /// Where energies put their blocks in x. The blocks have arrived in the system after finish.
  virtual BlockSink& sink(State&, System&) const = 0;
  virtual void finish(State&, System&) const {}
};

/// x = q: full space. The last `border` coordinates, if any, are coupled densely (a few rigid or rig coordinates among
/// many points) and the system is bordered; else it is sparse.
class IdentityMapping final : public Mapping {
 public:
  explicit IdentityMapping(int size, int border = 0);

  int size_q() const override { return size_; }
  int size_x() const override { return size_; }
  std::unique_ptr<System> make_system(const State&) const override;
  void evaluate(State&, In q, Vec& x) const override { x = q; }
  void push(const State&, In dq, Vec& dx) const override { dx = dq; }
  void pull(const State&, In g, Vec& g_q) const override { g_q = g; }
  BlockSink& sink(State&, System& system) const override { return system; }

 private:
  int size_, border_;
};

/// x = x0 + B q with a dense B, few columns: a subspace. The system is dense. Blocks are first summed sparsely, then
/// H_q = B^T H B over the touched rows alone, so a sampled energy costs what its points cost.
class LinearMapping final : public Mapping {
 public:
  LinearMapping(Vec x0, Mat B);

  int size_q() const override { return static_cast<int>(B_.cols()); }
  int size_x() const override { return static_cast<int>(B_.rows()); }
  std::unique_ptr<State> make_state() const override;
  std::unique_ptr<System> make_system(const State&) const override;
  void evaluate(State&, In q, Vec& x) const override;
  void push(const State&, In dq, Vec& dx) const override;
  void pull(const State&, In g, Vec& g_q) const override;
  BlockSink& sink(State&, System&) const override;
  void finish(State&, System&) const override;

  const Mat& basis() const { return B_; }
  const Vec& origin() const { return x0_; }

 private:
  Vec x0_;
  Mat B_;
};

}  // namespace rigspace
