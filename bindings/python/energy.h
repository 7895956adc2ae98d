#pragma once
// Energies: ours as Python holds them, and Python's as the library calls them.

#include "module.h"

#include "rigspace/optimize/energy.h"

#include <memory>

namespace rigspace::python {

/// One of ours.
struct EnergyHandle {
  std::shared_ptr<const Energy> energy;
};

/// An energy of elements of m points each, computed by a Python object over all elements at once:
///   obj.elements       (k, m) indices of points
///   obj.value(x)       (k, m, 3) to (k,)
///   obj.gradient(x)    (k, m, 3) to (k, m, 3); absent or None: central differences of value
///   obj.hessian(x)     (k, m, 3) to (k, 3 m, 3 m); absent or None: differences of the gradient, or of value
/// The element sizes that differences are scaled to are those of the moment.
///
/// Projected Hessians, which only choose the direction of a step, are reused until a point has moved by a quarter of
/// the size of its element, or a solve has made four iterations with them; exact ones are always those of x.
class PythonEnergy final : public Energy {
 public:
  /// Throws Error if there are no elements or no value.
  explicit PythonEnergy(const py::object& object);

  std::unique_ptr<State> make_state() const override;
  Change refresh(State&, In x, Phase) const override;
  double value(const State&, In x) const override;
  void add_gradient(const State&, In x, double weight, Vec& g) const override;
  void add_hessian(const State&, In x, double weight, HessianMode, BlockSink&) const override;
  std::span<const int> support() const override { return support_; }
  int last_point() const { return support_.back(); }

 private:
  struct Memory;
  Mat projected_hessians(In x) const;
  // All that follow need the interpreter.
  py::array_t<double> gathered(In x) const;
  Vec values(const py::array_t<double>& x) const;
  Mat gradients(const py::array_t<double>& x) const;  // 3 m x k
  Mat hessians(const py::array_t<double>& x) const;   // (3 m)^2 x k, symmetric
  Mat hessians_from_gradients(const py::array_t<double>& x) const;
  Mat hessians_from_values(const py::array_t<double>& x) const;
  Vec sizes(const double* x) const;  // of elements whose points are given one after another

  std::shared_ptr<py::object> object_, value_, gradient_, hessian_;
  std::vector<int> elements_;  // k rows of m
  int m_ = 0, k_ = 0;
  std::vector<int> support_;
};

/// Whatever Python gives as an energy of this many points. Throws Error if it is none.
std::shared_ptr<const Energy> energy_from(const py::object& object, int points);

}  // namespace rigspace::python
