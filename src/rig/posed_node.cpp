#include "rigspace/rig/posed_node.h"

#include "euler_matrix.h"
#include "quaternion.h"
#include "rigspace/base/error.h"

#include <algorithm>

namespace rigspace {
namespace {

constexpr int kChannels = 13;  // t, r, q, s
constexpr int kTurn = 3, kKey = 6, kScale = 10;
using Channels = std::array<double, kChannels>;

Vec3 three(const Channels& c, int k) { return {c[k], c[k + 1], c[k + 2]}; }

class PosedNodeOperator final : public GraphOperator {
 public:
  PosedNodeOperator(const ControlGraph& graph, const PosedNode& node) : node_(node) {
    if (node.parent_slot >= 0) {
      require(node.parent_slot < std::ssize(graph.slots()) && graph.slots()[node.parent_slot].size == kTransformSlot);
      slots_.push_back(node.parent_slot);
    }
    const std::span<const Source> all[] = {node.place, node.angles, node.key, node.scale};
    int channel = 0;
    for (const auto sources : all)
      for (const Source& source : sources) add(graph, source, channel++);
  }

  int output_size() const override { return kTransformSlot; }
  std::span<const int> input_slots() const override { return slots_; }
  std::span<const int> input_controls() const override { return controls_; }

  void evaluate(In p, std::span<const double* const> inputs, double* output) const override {
    const Affine L = local(channels(p, inputs));
    Eigen::Map<Affine> world(output);
    world = has_parent() ? compose(Eigen::Map<const Affine>(inputs[0]), L) : L;
  }

  void linearize(In p, std::span<const double* const> inputs, LocalJacobian& J) const override {
    const Channels c = channels(p, inputs);
    for (Mat& D : J.by_slot) D.setZero();
    J.by_control.setZero();
    Affine parent = Affine::Identity();
    if (has_parent()) {
      parent = Eigen::Map<const Affine>(inputs[0]);
      const Affine L = local(c);
      // Columns of world: sum_b L(b, c) parent_b, and the parent's own translation in the last.
      Mat& D = J.by_slot[0];
      for (int column = 0; column < 4; ++column)
        for (int b = 0; b < 3; ++b) D.block<3, 3>(3 * column, 3 * b).diagonal().setConstant(L(b, column));
      D.block<3, 3>(9, 9).diagonal().setOnes();
    }
    const Mat3 R = rotation(c);
    for (const Read& read : reads_) {
      const Affine dL = compose_derivative_right(parent, local_derivative(c, R, read.channel));
      auto column = read.input >= 0 ? J.by_slot[read.input].col(read.index) : J.by_control.col(read.index);
      column += read.scale * Eigen::Map<const Eigen::Matrix<double, kTransformSlot, 1>>(dL.data());
    }
  }

 private:
  /// A channel that is no constant.
  struct Read {
    int channel = 0;
    int input = -1;  // of slots_; -1: a control
    int index = 0;   // entry of the slot, or place in controls_
    double scale = 1;
  };

  bool has_parent() const { return node_.parent_slot >= 0; }

  void require(bool known) const {
    if (!known)
      throw Error({.element = "node \"" + node_.name + "\"",
                   .problem = "reads what the graph does not have",
                   .remedy = "add its parent, controls and slots before it"});
  }

  void add(const ControlGraph& graph, const Source& source, int channel) {
    fixed_[channel] = source.value;
    if (source.is_constant()) return;
    Read read{.channel = channel, .scale = source.scale};
    if (source.slot >= 0) {
      require(source.slot < std::ssize(graph.slots()) && source.entry >= 0 &&
              source.entry < graph.slots()[source.slot].size);
      read.input = static_cast<int>(slots_.size()), read.index = source.entry;
      slots_.push_back(source.slot);
    } else {
      require(source.control < std::ssize(graph.controls()));
      const auto found = std::find(controls_.begin(), controls_.end(), source.control);
      read.index = static_cast<int>(found - controls_.begin());
      if (found == controls_.end()) controls_.push_back(source.control);
    }
    reads_.push_back(read);
  }

  Channels channels(In p, std::span<const double* const> inputs) const {
    Channels c = fixed_;
    for (const Read& read : reads_)
      c[read.channel] += read.scale * (read.input >= 0 ? inputs[read.input][read.index] : p[controls_[read.index]]);
    return c;
  }

  static Vec4 quaternion(const Channels& c) {
    const Vec4 q(c[kKey], c[kKey + 1], c[kKey + 2], c[kKey + 3]);
    return q.squaredNorm() > 1e-300 ? q : Vec4(0, 0, 0, 1);
  }

  static Mat3 keyed(const Channels& c) {
    const Vec4 q = quaternion(c);
    return quaternion_matrix(q) / q.squaredNorm();
  }

  Mat3 rotation(const Channels& c) const {
    return node_.euler ? euler_matrix(three(c, kTurn), node_.order) : keyed(c) * rotation_exp(three(c, kTurn));
  }

  Mat3 rotation_derivative(const Channels& c, int channel) const {
    if (channel >= kKey) {
      if (node_.euler) return Mat3::Zero();
      const Vec4 q = quaternion(c);
      const int k = channel - kKey;
      const Mat3 dQ = (quaternion_matrix_derivative(q, k) - 2 * q[k] * keyed(c)) / q.squaredNorm();
      return dQ * rotation_exp(three(c, kTurn));
    }
    if (node_.euler) return euler_matrix_derivative(three(c, kTurn), node_.order, channel - kTurn);
    return keyed(c) * rotation_exp_derivative(three(c, kTurn), channel - kTurn);
  }

  Affine local(const Channels& c) const {
    Affine L;
    linear(L) = node_.before * rotation(c) * three(c, kScale).asDiagonal() * node_.after;
    translation(L) = node_.origin + node_.axes * three(c, 0);
    return L;
  }

  Affine local_derivative(const Channels& c, const Mat3& R, int channel) const {
    Affine D = Affine::Zero();
    if (channel < kTurn)
      translation(D) = node_.axes.col(channel);
    else if (channel < kScale)
      linear(D) = node_.before * rotation_derivative(c, channel) * three(c, kScale).asDiagonal() * node_.after;
    else  // one column of R, one row of `after`
      linear(D) = node_.before * R.col(channel - kScale) * node_.after.row(channel - kScale);
    return D;
  }

  PosedNode node_;
  Channels fixed_{};
  std::vector<Read> reads_;
  std::vector<int> slots_;     // the parent, then those that channels read
  std::vector<int> controls_;  // each once
};

}  // namespace

int add_posed_node(ControlGraph& graph, const PosedNode& node) {
  return graph.add(std::make_unique<PosedNodeOperator>(graph, node));
}

}  // namespace rigspace
