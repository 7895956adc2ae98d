#include "rigspace/rig/driver.h"

#include "automatic_operator.h"
#include "rigspace/base/error.h"

#include <array>

namespace rigspace {
namespace {

constexpr int kMostVariables = 64;

/// Derivatives come from the expression's own gradient: a formula of two scalars would walk it once per eight inputs.
class DriverOperator final : public GraphOperator {
 public:
  DriverOperator(FormulaInputs inputs, const DriverDescription& driver) : inputs_(std::move(inputs)), driver_(driver) {}

  int output_size() const override { return kScalarSlot; }
  std::span<const int> input_slots() const override { return inputs_.slots(); }
  std::span<const int> input_controls() const override { return inputs_.controls(); }

  void evaluate(In p, std::span<const double* const> inputs, double* output) const override {
    std::array<double, kMostVariables> values;
    inputs_.gather(p, inputs, values.data());
    try {
      *output = driver_.scale * driver_.expression.evaluate({values.data(), driver_.variables.size()});
    } catch (const Error& error) {
      rethrow(error);
    }
  }

  void linearize(In p, std::span<const double* const> inputs, LocalJacobian& J) const override {
    const std::size_t count = driver_.variables.size();
    std::array<double, kMostVariables> values, slopes;
    inputs_.gather(p, inputs, values.data());
    try {
      driver_.expression.gradient({values.data(), count}, {slopes.data(), count});
    } catch (const Error& error) {
      rethrow(error);
    }
    set_zero(J);
    std::array<Dual, kMostVariables> numbers;
    for (int first = 0; first < inputs_.variable_count(); first += Dual::kLanes) {
      inputs_.gather(p, inputs, first, numbers.data());
      Dual result;
      for (std::size_t k = 0; k < count; ++k) result += numbers[k] * Dual(driver_.scale * slopes[k]);
      inputs_.scatter(&result, 1, first, J);
    }
  }

 private:
  [[noreturn]] void rethrow(const Error& error) const {
    ErrorInfo info = error.info();
    info.element = "driver \"" + driver_.name + "\"";
    info.problem = "fails: " + info.problem;
    info.file = driver_.origin;
    throw Error(info);
  }

  FormulaInputs inputs_;
  DriverDescription driver_;
};

}  // namespace

int add_driver(ControlGraph& graph, const DriverDescription& driver) {
  const std::size_t wanted = driver.expression.variables().size();
  if (driver.variables.size() != wanted)
    throw Error({.element = "driver \"" + driver.name + "\"",
                 .value = std::to_string(driver.variables.size()),
                 .problem = "has " + std::to_string(driver.variables.size()) + " variables",
                 .remedy = "its expression names " + std::to_string(wanted)});
  if (wanted > kMostVariables)
    throw Error({.element = "driver \"" + driver.name + "\"",
                 .value = std::to_string(wanted),
                 .problem = "names " + std::to_string(wanted) + " variables",
                 .remedy = "at most " + std::to_string(kMostVariables) + " are allowed: split it"});
  FormulaInputs inputs(graph);
  for (const Source& source : driver.variables) inputs.add(source);
  return graph.add(std::make_unique<DriverOperator>(std::move(inputs), driver));
}

}  // namespace rigspace
