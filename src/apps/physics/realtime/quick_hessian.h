#pragma once
// Private to physics: the elements of a body with a constant matrix in place of their Hessian. To assemble that Hessian
// is most of a step; in the free controls, which turn with the body, it hardly changes.

#include "realtime_body.h"
#include "rigspace/optimize/energy.h"

#include <numeric>
#include <vector>

namespace rigspace {

/// Value and gradient of another energy, which is referred to, without its Hessian.
class WithoutHessian final : public Energy {
 public:
  explicit WithoutHessian(const Energy& whole) : whole_(whole) {}

  std::unique_ptr<State> make_state() const override { return whole_.make_state(); }
  Change refresh(State& state, In x, Phase phase) const override { return whole_.refresh(state, x, phase); }
  double value(const State& state, In x) const override { return whole_.value(state, x); }
  void add_gradient(const State& state, In x, double weight, Vec& g) const override {
    whole_.add_gradient(state, x, weight, g);
  }
  void add_hessian(const State&, In, double, HessianMode, BlockSink&) const override {}
  double max_step(const State& state, In from, In trial) const override { return whole_.max_step(state, from, trial); }
  std::span<const int> support() const override { return whole_.support(); }

 private:
  const Energy& whole_;
};

/// The matrix in its place, over all coordinates; no value and no gradient.
class HessianAlone final : public Energy {
 public:
  void set(const Mat& H) {
    H_ = H;
    coordinates_.resize(static_cast<std::size_t>(H.rows()));
    std::iota(coordinates_.begin(), coordinates_.end(), 0);
  }
  double value(const State&, In) const override { return 0; }
  void add_gradient(const State&, In, double, Vec&) const override {}
  void add_hessian(const State&, In, double, HessianMode, BlockSink& sink) const override {
    sink.add_coordinates(coordinates_, H_.data());
  }

 private:
  Mat H_;
  std::vector<int> coordinates_;
};

/// What a body keeps for steps that are solved so.
struct RealtimeBody::Quick {
  Quick(const LinearRig& linear, const SteppedBody& body, const Mat& of_elements, NewtonOptions options)
      : elastic(of_elements), mapping(linear, body), objective(mapping), newton(options) {}

  const Mat& elastic;  // at unit stiffness
  LinearRigMapping mapping;
  Objective objective;
  std::vector<WithoutHessian> forces;
  HessianAlone matrix;
  Newton newton;
  NewtonWorkspace workspace;
};

}  // namespace rigspace
