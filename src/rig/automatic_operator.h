#pragma once
// Graph operators whose derivatives come from their formula: written once, as a template of its scalar, it gives the
// value with double and the exact derivatives with Dual.

#include "dual.h"
#include "rigspace/rig/graph.h"
#include "rigspace/rig/source.h"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace rigspace {

/// What a formula reads, as one list of numbers in the order of the calls below; and which numbers of the graph those
/// are, each once.
class FormulaInputs {
 public:
  /// Formulas keep their inputs on the stack.
  static constexpr int kMost = 512;

  explicit FormulaInputs(const ControlGraph& graph) : graph_(&graph) {}

  /// One number. Returns its place in the list.
  int add(const Source&);
  /// A whole slot, which must be a transform. Returns the place of its first number. `who` and `what` are for errors.
  int add_transform(int slot, const std::string& who, const char* what);
  /// The position of a point or a transform: three numbers.
  int add_position(int slot, const std::string& who, const char* what);
  /// `count` numbers of a slot.
  int add_entries(int slot, int first, int count);

  int size() const { return static_cast<int>(reads_.size()); }
  int variable_count() const { return static_cast<int>(variables_.size()); }
  std::span<const int> slots() const { return slots_; }
  std::span<const int> controls() const { return controls_; }

  /// The list's numbers.
  void gather(In p, std::span<const double* const> inputs, double* numbers) const;
  /// The same with all controls of the graph at rest, before anything is added to it.
  void gather_at_rest(double* numbers) const;
  /// The same with lane k following variable `first + k`.
  void gather(In p, std::span<const double* const> inputs, int first, Dual* numbers) const;
  /// Puts the lanes of an output of `count` numbers in their columns.
  void scatter(const Dual* output, int count, int first, LocalJacobian&) const;

 private:
  struct Variable {
    int input = -1;  // of slots_, or -1
    int index = 0;   // entry of the slot, or index into controls_
  };
  struct Read {
    int variable = -1;
    double scale = 1, value = 0;
  };
  double value_of_variable(int k, In p, std::span<const double* const> inputs) const {
    const Variable& v = variables_[k];
    return v.input >= 0 ? inputs[v.input][v.index] : p[controls_[v.index]];
  }
  int variable_of(const Source&);

  const ControlGraph* graph_;  // while the list is made
  std::vector<int> slots_, controls_;
  std::vector<Variable> variables_;
  std::vector<Read> reads_;
};

void set_zero(LocalJacobian&);

/// `Formula` has  template <class S> void operator()(const S* inputs, S* output) const.
template <class Formula>
class AutomaticOperator : public GraphOperator {
 public:
  AutomaticOperator(FormulaInputs inputs, int output_size, Formula formula)
      : inputs_(std::move(inputs)), output_size_(output_size), formula_(std::move(formula)) {}

  int output_size() const override { return output_size_; }
  std::span<const int> input_slots() const override { return inputs_.slots(); }
  std::span<const int> input_controls() const override { return inputs_.controls(); }
  const Formula& formula() const { return formula_; }
  const FormulaInputs& inputs() const { return inputs_; }

  void evaluate(In p, std::span<const double* const> inputs, double* output) const override {
    double numbers[FormulaInputs::kMost];
    inputs_.gather(p, inputs, numbers);
    formula_(numbers, output);
  }

  void linearize(In p, std::span<const double* const> inputs, LocalJacobian& J) const override {
    // Not constructed here: most formulas read a few dozen of these numbers.
    alignas(Dual) std::byte storage[FormulaInputs::kMost * sizeof(Dual)];
    alignas(Dual) std::byte output_storage[kMostOutputs * sizeof(Dual)];
    Dual* numbers = reinterpret_cast<Dual*>(storage);
    Dual* output = reinterpret_cast<Dual*>(output_storage);
    std::uninitialized_value_construct_n(numbers, inputs_.size());
    std::uninitialized_value_construct_n(output, output_size_);
    set_zero(J);
    for (int first = 0; first < inputs_.variable_count(); first += Dual::kLanes) {
      inputs_.gather(p, inputs, first, numbers);
      formula_(static_cast<const Dual*>(numbers), output);
      inputs_.scatter(output, output_size_, first, J);
    }
  }

  static constexpr int kMostOutputs = 768;

 private:
  FormulaInputs inputs_;
  int output_size_;
  Formula formula_;
};

/// Adds a formula and returns its slot.
template <class Formula>
int add_formula(ControlGraph& graph, FormulaInputs inputs, int output_size, Formula formula) {
  return graph.add(std::make_unique<AutomaticOperator<Formula>>(std::move(inputs), output_size, std::move(formula)));
}

/// A slot of `size` numbers that repeats part of another: operators that give several transforms write one long slot,
/// of which others take theirs.
int add_part(ControlGraph&, int slot, int first, int size);

/// The slots of `count` transforms in one long slot.
std::vector<int> add_transform_parts(ControlGraph&, int slot, int count);

/// Throws Error unless `slot` is a transform of the graph, or, if allowed, a point.
void require_slot(const ControlGraph&, int slot, bool point_allowed, const std::string& who, const char* what);

}  // namespace rigspace
