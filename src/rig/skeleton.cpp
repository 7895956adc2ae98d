#include "rigspace/rig/skeleton.h"

#include "quaternion.h"

#include <array>
#include <cmath>
#include <numbers>

namespace rigspace {
namespace {

constexpr std::array<const char*, 13> kNodeControls = {"tx", "ty", "tz", "qx", "qy", "qz", "qw",
                                                       "rx", "ry", "rz", "sx", "sy", "sz"};
constexpr std::array<const char*, 9> kJointControls = {"tx", "ty", "tz", "rx", "ry", "rz", "sx", "sy", "sz"};

Control make_control(const std::string& node, const char* channel, Unit unit, double rest, double typical) {
  return {.name = node + "." + channel, .node = node, .unit = unit, .rest = rest, .typical = typical};
}

/// Common to both kinds of node:  world = parent * local(p).
class HierarchyOperator : public GraphOperator {
 public:
  explicit HierarchyOperator(int parent_slot) {
    if (parent_slot >= 0) parent_.push_back(parent_slot);
  }

  int output_size() const override { return kTransformSlot; }
  std::span<const int> input_slots() const override { return parent_; }
  std::span<const int> input_controls() const override { return controls_; }

  void evaluate(In p, std::span<const double* const> inputs, double* output) const override {
    Eigen::Map<Affine> world(output);
    world = parent_.empty() ? local(p) : compose(Eigen::Map<const Affine>(inputs[0]), local(p));
  }

  void linearize(In p, std::span<const double* const> inputs, LocalJacobian& J) const override {
    const Affine L = local(p);
    Affine parent = Affine::Identity();
    if (!parent_.empty()) {
      parent = Eigen::Map<const Affine>(inputs[0]);
      // Columns of world: sum_b L(b, c) parent_b, and parent's own translation in the last.
      Mat& D = J.by_slot[0];
      D.setZero();
      for (int c = 0; c < 4; ++c) {
        for (int b = 0; b < 3; ++b) D.block<3, 3>(3 * c, 3 * b).diagonal().setConstant(L(b, c));
        if (c == 3) D.block<3, 3>(9, 9).diagonal().setOnes();
      }
    }
    for (int k = 0; k < static_cast<int>(controls_.size()); ++k)
      Eigen::Map<Affine>(J.by_control.col(k).data()) = compose_derivative_right(parent, local_derivative(p, k));
  }

  int first_control() const { return controls_.front(); }

 protected:
  virtual Affine local(In p) const = 0;
  /// By controls_[k]; its last row, not stored, is zero.
  virtual Affine local_derivative(In p, int k) const = 0;

  Vec3 three(In p, int k) const { return {p[controls_[k]], p[controls_[k + 1]], p[controls_[k + 2]]}; }

  std::vector<int> parent_;
  std::vector<int> controls_;
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
  }

  const NodeDescription& description() const { return node_; }

 protected:
  Affine local(In p) const override {
    return product(keyed_rotation(p), rotation_exp(three(p, 7)), three(p, 10).asDiagonal(), three(p, 0));
  }

  Affine local_derivative(In p, int k) const override {
    const Mat3 R = keyed_rotation(p), E = rotation_exp(three(p, 7));
    const Mat3 S = three(p, 10).asDiagonal();
    if (k < 3) {
      Affine D = Affine::Zero();
      D(k, 3) = 1;
      return D;
    }
    if (k < 7) {
      const Vec4 q = quaternion(p);
      const double length2 = q.squaredNorm();
      const Mat3 dR = (quaternion_matrix_derivative(q, k - 3) - 2 * q[k - 3] * R) / length2;
      return product(dR, E, S, Vec3::Zero());
    }
    if (k < 10) return product(R, rotation_exp_derivative(three(p, 7), k - 7), S, Vec3::Zero());
    return product(R, E, Mat3(Vec3::Unit(k - 10).asDiagonal()), Vec3::Zero());
  }

 private:
  Vec4 quaternion(In p) const {
    const Vec4 q(p[controls_[3]], p[controls_[4]], p[controls_[5]], p[controls_[6]]);
    return q.squaredNorm() > 1e-300 ? q : Vec4(0, 0, 0, 1);
  }
  Mat3 keyed_rotation(In p) const {
    const Vec4 q = quaternion(p);
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

Mat3 axis_rotation(int axis, double angle) { return Eigen::AngleAxisd(angle, Vec3::Unit(axis)).toRotationMatrix(); }

/// A quarter turn further, less the axis, which does not turn.
Mat3 axis_rotation_derivative(int axis, double angle) {
  return axis_rotation(axis, angle + std::numbers::pi / 2) - Vec3::Unit(axis) * Vec3::Unit(axis).transpose();
}

std::array<int, 3> axes_of(RotateOrder order) {
  switch (order) {
    case RotateOrder::xyz: return {0, 1, 2};
    case RotateOrder::yzx: return {1, 2, 0};
    case RotateOrder::zxy: return {2, 0, 1};
    case RotateOrder::xzy: return {0, 2, 1};
    case RotateOrder::yxz: return {1, 0, 2};
    case RotateOrder::zyx: return {2, 1, 0};
  }
  return {0, 1, 2};
}

/// Columns: the first letter of the order acts first, so it stands rightmost.
Mat3 euler(const Vec3& angles, RotateOrder order) {
  const auto [a, b, c] = axes_of(order);
  return axis_rotation(c, angles[c]) * axis_rotation(b, angles[b]) * axis_rotation(a, angles[a]);
}

class MayaJointOperator final : public HierarchyOperator {
 public:
  MayaJointOperator(ControlGraph& graph, const MayaJointDescription& joint, const MayaJointOperator* parent)
      : HierarchyOperator(joint.parent_slot),
        order_(joint.order),
        orient_(euler(joint.joint_orient, RotateOrder::xyz)),
        axis_(euler(joint.rotate_axis, RotateOrder::xyz)) {
    for (int k = 0; k < 9; ++k) {
      const int c = k % 3;
      const Unit unit = k < 3 ? Unit::length : k < 6 ? Unit::angle : Unit::scale;
      const double rest = k < 3 ? joint.translate[c] : k < 6 ? joint.rotate[c] : joint.scale[c];
      const double typical = unit == Unit::length ? joint.typical_length : unit == Unit::angle ? 0.5 : 1;
      controls_.push_back(graph.add_control(make_control(joint.name, kJointControls[k], unit, rest, typical)));
    }
    // The parent's scale enters its child inverted (ERRATA: it does not affect the parents); it is a direct input, and
    // the graph adds this to what comes through the parent's transform.
    if (joint.segment_scale_compensate && parent != nullptr)
      for (int k = 6; k < 9; ++k) controls_.push_back(parent->controls_[k]);
  }

 protected:
  Affine local(In p) const override {
    return product(inverse_scale(p), euler(three(p, 3), order_), three(p, 6), three(p, 0));
  }

  Affine local_derivative(In p, int k) const override {
    const Mat3 R = euler(three(p, 3), order_);
    if (k < 3) {
      Affine D = Affine::Zero();
      D(k, 3) = 1;
      return D;
    }
    if (k < 6) return product(inverse_scale(p), euler_derivative(p, k - 3), three(p, 6), Vec3::Zero());
    if (k < 9) return product(inverse_scale(p), R, Vec3::Unit(k - 6), Vec3::Zero());
    const double s = p[controls_[k]];
    return product(Vec3::Unit(k - 9) * (-1 / (s * s)), R, three(p, 6), Vec3::Zero());
  }

 private:
  Vec3 inverse_scale(In p) const {
    return controls_.size() > 9 ? three(p, 9).cwiseInverse().eval() : Vec3(Vec3::Ones());
  }

  Mat3 euler_derivative(In p, int k) const {
    const auto axes = axes_of(order_);
    const Vec3 angles = three(p, 3);
    Mat3 D = Mat3::Identity();
    for (const int axis : axes)
      D = (axis == k ? axis_rotation_derivative(axis, angles[axis]) : axis_rotation(axis, angles[axis])) * D;
    return D;
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
  const int index = graph.add_control(std::move(control));
  return graph.add(std::make_unique<ScalarOperator>(index));
}

const NodeDescription* node_description(const ControlGraph& graph, int slot) {
  const auto* node = dynamic_cast<const NodeOperator*>(&graph.op(slot));
  return node != nullptr ? &node->description() : nullptr;
}

int first_control(const ControlGraph& graph, int slot) {
  const auto* node = dynamic_cast<const HierarchyOperator*>(&graph.op(slot));
  return node != nullptr ? node->first_control() : -1;
}

}  // namespace rigspace
