#pragma once
// Where an operator's number comes from.

namespace rigspace {

/// value + scale * x, where x is a control, one entry of a slot of the graph, or nothing (then a constant).
struct Source {
  int control = -1;
  int slot = -1;
  int entry = 0;  ///< of the slot
  double scale = 1;
  double value = 0;

  static Source constant(double value) { return {.value = value}; }
  static Source of_control(int control, double scale = 1) { return {.control = control, .scale = scale}; }
  static Source of_slot(int slot, double scale = 1) { return {.slot = slot, .scale = scale}; }

  bool is_constant() const { return control < 0 && slot < 0; }
};

/// A channel that something else moves too: its value is  p[its control] + source. The control stays, as an offset on
/// top, so that an artist may key over a driver, and physics may simulate it.
struct DrivenChannel {
  int channel = 0;  ///< in the order in which its owner adds controls
  Source source;    ///< in the channel's inner unit: radians for angles
};

}  // namespace rigspace
