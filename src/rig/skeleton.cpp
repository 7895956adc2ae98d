#include "rigspace/rig/skeleton.h"

#include "euler_matrix.h"
#include "quaternion.h"
#include "rigspace/base/error.h"

#include <array>
#include <cassert>
#include <cmath>

namespace rigspace {
namespace {

constexpr std::array<const char*, 13> kNodeControls = {"tx", "ty", "tz", "qx", "qy", "qz", "qw",
                                                       "rx", "ry", "rz", "sx", "sy", "sz"};
constexpr std::array<const char*, 9> kJointControls = {"tx", "ty", "tz", "rx", "ry", "rz", "sx", "sy", "sz"};

Control make_control(const std::string& node, const char* channel, Unit unit, double rest, double typical) {
  return {.name = node + "." + channel, .node = node, .unit = unit, .rest = rest, .typical = typical};
}

/// Common to both kinds of node:  world = parent * local(c), c the node's channels: its controls, and whatever drives
/// them added.
class HierarchyOperator : public GraphOperator {
 public:
  explicit HierarchyOperator(int parent_slot) : has_parent_(parent_slot >= 0) {
    if (has_parent_) slots_.push_back(parent_slot);
  }

  int output_size() const override { return kTransformSlot; }
  std::span<const int> input_slots() const override { return slots_; }
  std::span<const int> input_controls() const override { return controls_; }

  void evaluate(In p, std::span<const double* const> inputs, double* output) const override {
    const Channels c = channels(p, inputs);
    Eigen::Map<Affine> world(output);
    world = has_parent_ ? compose(Eigen::Map<const Affine>(inputs[0]), local(c)) : local(c);
  }

  void linearize(In p, std::span<const double* const> inputs, LocalJacobian& J) const override {
    const Channels c = channels(p, inputs);
    const Affine L = local(c);
    for (Mat& D : J.by_slot) D.setZero();
    Affine parent = Affine::Identity();
    if (has_parent_) {
      parent = Eigen::Map<const Affine>(inputs[0]);
      // Columns of world: sum_b L(b, c) parent_b, and parent's own translation in the last.
      Mat& D = J.by_slot[0];
      for (int column = 0; column < 4; ++column) {
        for (int b = 0; b < 3; ++b) D.block<3, 3>(3 * column, 3 * b).diagonal().setConstant(L(b, column));
        if (column == 3) D.block<3, 3>(9, 9).diagonal().setOnes();
      }
    }
    std::array<Affine, 13> dL;
    local_derivatives(c, dL);
    for (int k = 0; k < channel_count_; ++k)
      Eigen::Map<Affine>(J.by_control.col(k).data()) = compose_derivative_right(parent, dL[k]);
    for (int k = channel_count_; k < static_cast<int>(controls_.size()); ++k) J.by_control.col(k).setZero();
    for (const Drive& drive : drives_) {
      auto column = drive.input >= 0 ? J.by_slot[drive.input].col(drive.index) : J.by_control.col(drive.index);
      column += drive.scale * J.by_control.col(drive.channel);
    }
  }

  int first_control() const { return controls_.front(); }

 protected:
  using Channels = std::array<double, 13>;

  virtual Affine local(const Channels&) const = 0;
  /// By each channel; their last rows, not stored, are zero.
  virtual void local_derivatives(const Channels&, std::array<Affine, 13>& dL) const = 0;

  static Vec3 three(const Channels& c, int k) { return {c[k], c[k + 1], c[k + 2]}; }

  /// After all channels have their controls.
  void add_drives(const ControlGraph& graph, const std::string& node, std::span<const DrivenChannel> driven) {
    for (const DrivenChannel& d : driven) {
      const Source& from = d.source;
      const bool slot_known = from.slot < static_cast<int>(graph.slots().size()) &&
                              (from.slot < 0 || (from.entry >= 0 && from.entry < graph.slots()[from.slot].size));
      if (d.channel < 0 || d.channel >= channel_count_ || !slot_known ||
          from.control >= static_cast<int>(graph.controls().size()))
        throw Error({.element = "node \"" + node + "\"",
                     .value = std::to_string(d.channel),
                     .problem = "has a driven channel or source that is not there",
                     .remedy = "expected channels 0 to 12, and sources that were added before"});
      Drive drive{.channel = d.channel, .scale = from.scale, .value = from.value};
      if (from.slot >= 0) {
        drive.input = static_cast<int>(slots_.size());
        drive.index = from.entry;
        slots_.push_back(from.slot);
      } else if (from.control >= 0) {
        drive.index = static_cast<int>(controls_.size());
        controls_.push_back(from.control);
      } else {
        drive.scale = 0;
      }
      drives_.push_back(drive);
    }
  }

  bool has_parent_;
  int channel_count_ = 0;
  std::vector<int> slots_;     // the parent, then those that drive
  std::vector<int> controls_;  // one per channel, then those that drive

 private:
  struct Drive {
    int channel = 0;
    int input = -1;  // of slots_; -1: a control
    int index = 0;   // entry of the slot, or place in controls_
    double scale = 1, value = 0;
  };

  Channels channels(In p, std::span<const double* const> inputs) const {
    Channels c;
    for (int k = 0; k < channel_count_; ++k) c[k] = p[controls_[k]];
    for (const Drive& d : drives_)
      c[d.channel] += d.value + d.scale * (d.input >= 0 ? inputs[d.input][d.index] : p[controls_[d.index]]);
    return c;
  }

  std::vector<Drive> drives_;
};

class NodeOperator final : public HierarchyOperator {
 public:
  NodeOperator(ControlGraph& graph, const NodeDescription& node) : HierarchyOperator(node.parent_slot), node_(node) {
    const Vec4 q = node.rotation.coeffs();
    const double rest[13] = {
        node.translation[0], node.translation[1], node.translation[2], q[0], q[1], q[2], q[3], 0, 0, 0,
        node.scale[0],       node.scale[1],       node.scale[2]};
    for (int k = 0; k < 13; ++k) {
      const Unit unit = k < 3 ? Unit::length : k < 7 ? Unit::quaternion : k < 10 ? Unit::angle : Unit::scale;
      const double typical = unit == Unit::length ? node.typical_length : unit == Unit::angle ? 0.5 : 1;
      controls_.push_back(graph.add_control(make_control(node.name, kNodeControls[k], unit, rest[k], typical)));
    }
    channel_count_ = 13;
    add_drives(graph, node.name, node.driven);
  }

  const NodeDescription& description() const { return node_; }

 protected:
  Affine local(const Channels& c) const override {
    return product(keyed_rotation(c), rotation_exp(three(c, 7)), three(c, 10).asDiagonal(), three(c, 0));
  }

  void local_derivatives(const Channels& c, std::array<Affine, 13>& dL) const override {
    const Mat3 R = keyed_rotation(c), E = rotation_exp(three(c, 7));
    const Mat3 S = three(c, 10).asDiagonal();
    const Vec4 q = quaternion(c);
    const double length2 = q.squaredNorm();
    for (int k = 0; k < 3; ++k) dL[k] = Affine::Zero(), dL[k](k, 3) = 1;
    for (int k = 3; k < 7; ++k) {
      const Mat3 dR = (quaternion_matrix_derivative(q, k - 3) - 2 * q[k - 3] * R) / length2;
      dL[k] = product(dR, E, S, Vec3::Zero());
    }
    for (int k = 7; k < 10; ++k) dL[k] = product(R, rotation_exp_derivative(three(c, 7), k - 7), S, Vec3::Zero());
    for (int k = 10; k < 13; ++k) dL[k] = product(R, E, Mat3(Vec3::Unit(k - 10).asDiagonal()), Vec3::Zero());
  }

 private:
  Vec4 quaternion(const Channels& c) const {
    const Vec4 q(c[3], c[4], c[5], c[6]);
    return q.squaredNorm() > 1e-300 ? q : Vec4(0, 0, 0, 1);
  }
  Mat3 keyed_rotation(const Channels& c) const {
    const Vec4 q = quaternion(c);
    return quaternion_matrix(q) / q.squaredNorm();
  }
  /// (R E S | t) K; with t = 0 for derivatives, whose last row is zero.
  Affine product(const Mat3& R, const Mat3& E, const Mat3& S, const Vec3& t) const {
    const Mat3 A = R * E * S;
    Affine L;
    L.leftCols<3>() = A * linear(node_.constant);
    L.col(3) = A * translation(node_.constant) + t;
    return L;
  }

  NodeDescription node_;
};

class MayaJointOperator final : public HierarchyOperator {
 public:
  MayaJointOperator(ControlGraph& graph, const MayaJointDescription& joint, const MayaJointOperator* parent)
      : HierarchyOperator(joint.parent_slot),
        order_(joint.order),
        orient_(euler_matrix(joint.joint_orient, RotateOrder::xyz)),
        axis_(euler_matrix(joint.rotate_axis, RotateOrder::xyz)) {
    for (int k = 0; k < 9; ++k) {
      const int c = k % 3;
      const Unit unit = k < 3 ? Unit::length : k < 6 ? Unit::angle : Unit::scale;
      const double rest = k < 3 ? joint.translate[c] : k < 6 ? joint.rotate[c] : joint.scale[c];
      const double typical = unit == Unit::length ? joint.typical_length : unit == Unit::angle ? 0.5 : 1;
      controls_.push_back(graph.add_control(make_control(joint.name, kJointControls[k], unit, rest, typical)));
    }
    // The parent's scale enters its child inverted (docs/corrections.md, "segment-scale compensation"): a direct input;
    // the graph adds this to what comes through the parent's transform.
    if (joint.segment_scale_compensate && parent != nullptr)
      for (int k = 6; k < 9; ++k) controls_.push_back(parent->controls_[k]);
    channel_count_ = static_cast<int>(controls_.size());
  }

 protected:
  Affine local(const Channels& c) const override {
    return product(inverse_scale(c), euler_matrix(three(c, 3), order_), three(c, 6), three(c, 0));
  }

  void local_derivatives(const Channels& c, std::array<Affine, 13>& dL) const override {
    const Mat3 R = euler_matrix(three(c, 3), order_);
    const Vec3 inverse = inverse_scale(c), scale = three(c, 6);
    for (int k = 0; k < 3; ++k) dL[k] = Affine::Zero(), dL[k](k, 3) = 1;
    for (int k = 3; k < 6; ++k)
      dL[k] = product(inverse, euler_matrix_derivative(three(c, 3), order_, k - 3), scale, Vec3::Zero());
    for (int k = 6; k < 9; ++k) dL[k] = product(inverse, R, Vec3::Unit(k - 6), Vec3::Zero());
    for (int k = 9; k < channel_count_; ++k)
      dL[k] = product(Vec3::Unit(k - 9) * (-1 / (c[k] * c[k])), R, scale, Vec3::Zero());
  }

 private:
  Vec3 inverse_scale(const Channels& c) const {
    return channel_count_ > 9 ? three(c, 9).cwiseInverse().eval() : Vec3(Vec3::Ones());
  }

  /// T * IS * JO * R * RO * S
  Affine product(const Vec3& inverse, const Mat3& R, const Vec3& scale, const Vec3& t) const {
    Affine L;
    L.leftCols<3>() = inverse.asDiagonal() * orient_ * R * axis_ * scale.asDiagonal();
    L.col(3) = t;
    return L;
  }

  RotateOrder order_;
  Mat3 orient_, axis_;
};

class ScalarOperator final : public GraphOperator {
 public:
  explicit ScalarOperator(int control) : control_{control} {}
  int output_size() const override { return kScalarSlot; }
  std::span<const int> input_controls() const override { return control_; }
  void evaluate(In p, std::span<const double* const>, double* output) const override { *output = p[control_[0]]; }
  void linearize(In, std::span<const double* const>, LocalJacobian& J) const override { J.by_control(0, 0) = 1; }
  int control() const { return control_[0]; }

 private:
  std::array<int, 1> control_;
};

}  // namespace

int add_node(ControlGraph& graph, const NodeDescription& node) {
  return graph.add(std::make_unique<NodeOperator>(graph, node));
}

int add_maya_joint(ControlGraph& graph, const MayaJointDescription& joint) {
  const MayaJointOperator* parent = nullptr;
  if (joint.parent_slot >= 0) parent = dynamic_cast<const MayaJointOperator*>(&graph.op(joint.parent_slot));
  return graph.add(std::make_unique<MayaJointOperator>(graph, joint, parent));
}

int add_scalar(ControlGraph& graph, Control control) {
  return pass_control(graph, graph.add_control(std::move(control)));
}

int pass_control(ControlGraph& graph, int control) { return graph.add(std::make_unique<ScalarOperator>(control)); }

int passed_control(const ControlGraph& graph, int slot) {
  const auto* scalar = dynamic_cast<const ScalarOperator*>(&graph.op(slot));
  return scalar != nullptr ? scalar->control() : -1;
}

const NodeDescription* node_description(const ControlGraph& graph, int slot) {
  const auto* node = dynamic_cast<const NodeOperator*>(&graph.op(slot));
  return node != nullptr ? &node->description() : nullptr;
}

namespace {

std::array<int, 3> three_controls(const ControlGraph& graph, int slot, const char* channel) {
  const int first = first_control(graph, slot);
  if (first < 0)
    throw Error({.code = ErrorCode::usage,
                 .element = "slot " + std::to_string(slot),
                 .value = std::to_string(slot),
                 .problem = "is no joint with controls of its own",
                 .remedy = "a constraint or IK moves it; look its controls up by name"});
  const std::string prefix = graph.controls()[static_cast<std::size_t>(first)].node + "." + channel;
  return {graph.find(prefix + "x"), graph.find(prefix + "y"), graph.find(prefix + "z")};
}

}  // namespace

int first_control(const ControlGraph& graph, int slot) {
  const auto* node = dynamic_cast<const HierarchyOperator*>(&graph.op(slot));
  return node != nullptr ? node->first_control() : -1;
}

std::array<int, 3> translation_controls(const ControlGraph& graph, int slot) {
  return three_controls(graph, slot, "t");
}
std::array<int, 3> rotation_controls(const ControlGraph& graph, int slot) { return three_controls(graph, slot, "r"); }

}  // namespace rigspace
