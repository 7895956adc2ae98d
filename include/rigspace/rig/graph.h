#pragma once
// The first stage of a built-in rig: from controls p to the slots u that deformers read (joint transforms, lattice
// points, morph weights). Operators run in order; each writes one slot from controls and earlier slots, and gives its
// local derivatives; the graph chains them forward (du/dp) and backward (adjoint).

#include "rigspace/base/types.h"
#include "rigspace/rig/control.h"

#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace rigspace {

/// Sizes of slots by meaning. A transform is an Affine in column-major order.
constexpr int kTransformSlot = 12;
constexpr int kPointSlot = 3;
constexpr int kScalarSlot = 1;

struct Slot {
  int offset = 0;  ///< into u
  int size = 0;
};

inline Affine transform_at(In u, const Slot& slot) { return Eigen::Map<const Affine>(u.data() + slot.offset); }

/// Derivatives of one operator's output by what it reads directly. Sized by the graph.
struct LocalJacobian {
  std::vector<Mat> by_slot;  ///< one per input slot: output size x input size
  Mat by_control;            ///< output size x number of input controls
};

class GraphOperator {
 public:
  virtual ~GraphOperator() = default;

  virtual int output_size() const = 0;
  virtual std::span<const int> input_slots() const { return {}; }     ///< earlier slots that it reads
  virtual std::span<const int> input_controls() const { return {}; }  ///< controls that it reads

  /// `inputs[k]` points at the value of input slot k; `p` holds all controls.
  virtual void evaluate(In p, std::span<const double* const> inputs, double* output) const = 0;
  virtual void linearize(In p, std::span<const double* const> inputs, LocalJacobian&) const = 0;
};

/// du/dp for some free controls: slot by slot, dense in the controls that reach the slot.
struct GraphJacobian {
  struct Block {
    std::vector<int> columns;  ///< ascending, into the list of free controls
    Mat value;                 ///< slot size x columns
  };
  std::vector<Block> slots;
};

/// A copy shares its operators, and may be added to without a change to the original.
class ControlGraph {
 public:
  /// Scratch memory; keeps the pattern of the last free set.
  struct Memory {
    std::vector<const double*> inputs;
    std::vector<LocalJacobian> local;
    std::vector<int> free;      ///< the set that `position` and the Jacobian's pattern belong to
    std::vector<int> position;  ///< of each control in `free`, or -1
    Vec g_u;
  };

  /// Adds a control and returns its index. A repeated name gets the suffix #2, #3 ..
  int add_control(Control control);
  /// Controls of these names will be added later, and have these places: so that an operator may read the controls of
  /// a node that comes after it. The name must be new.
  void promise_control(const std::string& name);
  /// For limits, groups and typical changes; name and unit stay.
  Control& control(int index) { return controls_[index]; }
  /// Appends an operator, which may read all slots so far; returns the slot that it writes.
  int add(std::unique_ptr<GraphOperator> op);

  std::span<const Control> controls() const { return controls_; }
  /// Index of the control with this name, or -1.
  int find(const std::string& control) const;
  std::span<const Slot> slots() const { return slots_; }
  int size() const { return size_; }  ///< of u
  /// Controls that can move a slot, ascending.
  std::span<const int> controls_of(int slot) const { return slot_controls_[slot]; }
  const GraphOperator& op(int slot) const { return *ops_[slot]; }

  void evaluate(In p, Vec& u, Memory&) const;
  /// `u` must be evaluate(p). Allocates only when `free` differs from the last call's.
  void jacobian(In p, In u, std::span<const int> free, GraphJacobian&, Memory&) const;
  /// g_p = (du/dp)^T g_u.
  void pull(In p, In u, In g_u, Vec& g_p, Memory&) const;

 private:
  void gather_inputs(int slot, In u, Memory&) const;
  void prepare(Memory&) const;

  std::vector<Control> controls_;
  std::vector<char> promised_;  // per control: name and place are reserved, the control is not added yet
  std::unordered_map<std::string, int> by_name_;
  std::vector<std::shared_ptr<const GraphOperator>> ops_;
  std::vector<Slot> slots_;
  std::vector<std::vector<int>> slot_controls_;
  int size_ = 0;
};

}  // namespace rigspace
