// Chain IK as an operator of the graph.

#include "automatic_operator.h"
#include "chain_problem.h"
#include "ik_solver.h"
#include "rigspace/base/error.h"
#include "rigspace/base/require.h"
#include "rigspace/rig/points.h"

#include <Eigen/LU>

namespace rigspace {
namespace {

/// Where things are among the operator's inputs: joints, root to tip, then these.
struct ChainLayout {
  int parent = -1, blend = 0, orient = 0, target = 0, target_frame = -1, pole = -1;
};

/// The pose of the inputs.
template <class S>
void read_pose(const ChainSetup& setup, const ChainLayout& layout, const S* inputs, ChainPose<S>& pose) {
  const int n = setup.count();
  pose.parent.A = constant<S>(Mat3(Mat3::Identity()));
  if (layout.parent >= 0) pose.parent.A = frame_at(inputs + layout.parent).A;
  M3<S> before = pose.parent.A;
  for (int j = 0; j <= n; ++j) {
    const Frame<S> world = frame_at(inputs + 12 * j);
    const M3<S> into = inverse<S>(before);
    if (j == 0)
      pose.parent.t = world.t;
    else
      pose.t[j] = into * (world.t - vector_at(inputs + 12 * (j - 1) + 9));
    if (j == n) break;
    const M3<S> local = into * world.A;
    const M3<S> R = rotation_of(local);
    pose.R[j] = R;
    pose.K[j] = R.transpose() * local;
    const V3<S> r = log_of<S>(constant<S>(setup.rest[j]).transpose() * R);
    S* q = pose.q_fk + setup.first[j];
    if (setup.joints[j].hinge) {
      q[0] = dot(r, constant<S>(setup.joints[j].axis));
    } else {
      for (int k = 0; k < 3; ++k) q[k] = r[k];
    }
    before = world.A;
  }
  pose.target = vector_at(inputs + layout.target);
  pose.pole = V3<S>(S(0), S(0), S(0));
  if (layout.pole < 0) return;
  const V3<S> x_axis(S(1), S(0), S(0));
  const V3<S> along = direction<S>(pose.target - pose.parent.t, x_axis, 1e-9 * setup.length);
  pose.pole =
      direction<S>(across<S>(vector_at(inputs + layout.pole) - pose.parent.t, along), pose.pole, 1e-9 * setup.length);
}

/// Joints turned from FK to the solution by `blend`; the tip by `orient` too.
template <class S>
void write_joints(const ChainSetup& setup, const ChainLayout& layout, const Mat3& tip_offset, const S* inputs,
                  const ChainPose<S>& pose, const S* q, S* output) {
  const int n = setup.count();
  const S blend = clamped(inputs[layout.blend], 0, 1);
  M3<S> A = pose.parent.A;
  V3<S> x = pose.parent.t;
  for (int j = 0; j < n; ++j) {
    const M3<S> solved = constant<S>(setup.rest[j]) * exp_of<S>(rotation_vector(setup, j, q));
    A = A * blend_rotations<S>(pose.R[j], solved, blend) * pose.K[j];
    put<S>(A, x, output + 12 * j);
    x = x + A * pose.t[j + 1];
  }
  const M3<S> tip_A = A * (inverse<S>(frame_at(inputs + 12 * (n - 1)).A) * frame_at(inputs + 12 * n).A);
  if (layout.target_frame < 0) return put<S>(tip_A, x, output + 12 * n);
  const Pose<S> follows = pose_of<S>({tip_A, x});
  Pose<S> oriented = follows;
  oriented.R = rotation_of(frame_at(inputs + layout.target_frame).A) * constant<S>(tip_offset);
  put_blended<S>(follows, oriented, blend * clamped(inputs[layout.orient], 0, 1), output + 12 * n);
}

class ChainOperator final : public GraphOperator, public IkSolver {
 public:
  ChainOperator(FormulaInputs inputs, ChainSetup setup, ChainLayout layout, const ChainIk& ik)
      : inputs_(std::move(inputs)),
        setup_(std::move(setup)),
        layout_(layout),
        name_(ik.name),
        tolerance_(ik.tolerance) {}

  void set_tip_offset(const Mat3& offset) { tip_offset_ = offset; }

  int output_size() const override { return kTransformSlot * (setup_.count() + 1); }
  std::span<const int> input_slots() const override { return inputs_.slots(); }
  std::span<const int> input_controls() const override { return inputs_.controls(); }

  void evaluate(In p, std::span<const double* const> slots, double* output) const override {
    double numbers[FormulaInputs::kMost];
    ChainPose<double> pose;
    const ChainSolution solution = solve(p, slots, numbers, pose);
    write_joints<double>(setup_, layout_, tip_offset_, numbers, pose, solution.q.data(), output);
  }

  /// At the solution the gradient g of the free unknowns is 0 whatever the inputs z are:
  ///   dq/dz = -(dg/dq)^-1 dg/dz,  held ones do not move.
  void linearize(In p, std::span<const double* const> slots, LocalJacobian& J) const override {
    double values[FormulaInputs::kMost];
    ChainPose<double> pose;
    const ChainSolution solution = solve(p, slots, values, pose);
    const int count = setup_.unknowns();
    std::array<int, kMostChainUnknowns> free;
    int free_count = 0;
    ChainVec g(count);
    chain_gradient<double>(setup_, pose, kChainBias, solution.q.data(), g.data());
    for (int k = 0; k < count; ++k)
      if (!chain_held(setup_, solution.q, g, k)) free[free_count++] = k;
    ChainMat H(count, count), H_free(free_count, free_count);
    ChainJacobian unused(3, count);
    chain_hessian(setup_, pose, kChainBias, solution.q, H, unused);
    for (int a = 0; a < free_count; ++a)
      for (int b = 0; b < free_count; ++b) H_free(a, b) = H(free[a], free[b]);
    const Eigen::PartialPivLU<ChainMat> lu(H_free);

    set_zero(J);
    std::array<Dual, FormulaInputs::kMost> numbers;
    std::array<Dual, kMostChainUnknowns> q, g_dual;
    std::array<Dual, kTransformSlot*(kMostChainJoints + 1)> output;
    ChainPose<Dual> moved;
    ChainVec right(free_count);
    for (int first = 0; first < inputs_.variable_count(); first += Dual::kLanes) {
      inputs_.gather(p, slots, first, numbers.data());
      read_pose<Dual>(setup_, layout_, numbers.data(), moved);
      for (int k = 0; k < count; ++k) q[k] = solution.q[k];
      chain_gradient<Dual>(setup_, moved, kChainBias, q.data(), g_dual.data());
      for (int lane = 0; lane < Dual::kLanes && free_count > 0; ++lane) {
        for (int a = 0; a < free_count; ++a) right[a] = -g_dual[free[a]].d[lane];
        const ChainVec dq = lu.solve(right);
        for (int a = 0; a < free_count; ++a) q[free[a]].d[lane] = dq[a];
      }
      write_joints<Dual>(setup_, layout_, tip_offset_, numbers.data(), moved, q.data(), output.data());
      inputs_.scatter(output.data(), output_size(), first, J);
    }
  }

  IkReport report(In p, std::span<const double* const> slots) const override {
    double numbers[FormulaInputs::kMost];
    ChainPose<double> pose;
    const double distance = solve(p, slots, numbers, pose).distance;
    return {name_, distance, distance <= tolerance_ * setup_.length};
  }

 private:
  ChainSolution solve(In p, std::span<const double* const> slots, double* numbers, ChainPose<double>& pose) const {
    inputs_.gather(p, slots, numbers);
    read_pose<double>(setup_, layout_, numbers, pose);
    return solve_chain(setup_, pose, tolerance_);
  }

  FormulaInputs inputs_;
  ChainSetup setup_;
  ChainLayout layout_;
  Mat3 tip_offset_ = Mat3::Identity();
  std::string name_;
  double tolerance_;
};

void validate(const ChainIk& ik, const std::string& who) {
  const int turning = static_cast<int>(ik.joint_slots.size()) - 1;
  if (turning < 1 || turning > kMostChainJoints)
    throw Error({.element = who,
                 .value = std::to_string(turning + 1),
                 .problem = "has " + std::to_string(turning + 1) + " joints",
                 .remedy = "expected 2 to " + std::to_string(kMostChainJoints + 1) + ", root to tip"});
  if (!ik.joints.empty() && static_cast<int>(ik.joints.size()) != turning)
    throw Error({.element = who,
                 .value = std::to_string(ik.joints.size()),
                 .problem = "has limits for " + std::to_string(ik.joints.size()) + " joints",
                 .remedy = "expected one for each but the tip, " + std::to_string(turning)});
  for (std::size_t j = 0; j < ik.joints.size(); ++j) {
    const ChainJoint& joint = ik.joints[j];
    const bool ordered = joint.hinge ? joint.min[0] <= joint.max[0] : (joint.min.array() <= joint.max.array()).all();
    if (!ordered || !(joint.stiffness > 0) || (joint.hinge && !(joint.axis.norm() > 0)))
      throw Error({.element = who,
                   .value = std::to_string(j),
                   .problem = "has a wrong limit, stiffness or axis at joint " + std::to_string(j),
                   .remedy = "expected min <= max, a positive stiffness, an axis that is not 0"});
  }
  require_option(ik.tolerance > 0 && ik.tolerance < 1, "tolerance of " + who, ik.tolerance, "expected 0 to 1");
}

ChainSetup make_setup(const ChainIk& ik) {
  ChainSetup setup;
  setup.joints = ik.joints;
  setup.joints.resize(ik.joint_slots.size() - 1);
  setup.first.push_back(0);
  for (ChainJoint& joint : setup.joints) {
    joint.axis.normalize();
    setup.first.push_back(setup.first.back() + (joint.hinge ? 1 : 3));
  }
  const int count = setup.unknowns();
  setup.lower.resize(count);
  setup.upper.resize(count);
  setup.stiffness.resize(count);
  for (int j = 0; j < setup.count(); ++j)
    for (int k = setup.first[j]; k < setup.first[j + 1]; ++k) {
      setup.lower[k] = setup.joints[j].min[k - setup.first[j]];
      setup.upper[k] = setup.joints[j].max[k - setup.first[j]];
      setup.stiffness[k] = setup.joints[j].stiffness;
    }
  setup.has_pole = ik.pole_slot >= 0;
  setup.pole_strength = setup.has_pole ? ik.pole_strength : 0;
  return setup;
}

/// Rest rotations and length, from the inputs at rest; returns the tip's rotation relative to the target's.
Mat3 read_rest(ChainSetup& setup, const ChainLayout& layout, const double* rest) {
  const int n = setup.count();
  Mat3 before = layout.parent >= 0 ? frame_at(rest + layout.parent).A : Mat3(Mat3::Identity());
  setup.length = 0;
  for (int j = 0; j < n; ++j) {
    const Frame<double> world = frame_at(rest + 12 * j);
    setup.rest.push_back(rotation_of<double>(inverse<double>(before) * world.A));
    setup.length += (vector_at(rest + 12 * (j + 1) + 9) - world.t).norm();
    before = world.A;
  }
  if (layout.target_frame < 0) return Mat3::Identity();
  return rotation_of(frame_at(rest + layout.target_frame).A).transpose() * rotation_of(frame_at(rest + 12 * n).A);
}

}  // namespace

std::vector<int> add_chain_ik(ControlGraph& graph, const ChainIk& ik) {
  const std::string who = "chain IK \"" + ik.name + "\"";
  validate(ik, who);
  FormulaInputs inputs(graph);
  ChainLayout layout;
  for (const int slot : ik.joint_slots) inputs.add_transform(slot, who, "joint");
  layout.blend = inputs.add(ik.blend);
  layout.orient = inputs.add(ik.orient);
  layout.target = inputs.add_position(ik.target_slot, who, "target");
  if (ik.parent_slot >= 0) layout.parent = inputs.add_transform(ik.parent_slot, who, "parent");
  if (!ik.orient.is_constant() || ik.orient.value != 0)
    layout.target_frame = inputs.add_transform(ik.target_slot, who, "target");
  if (ik.pole_slot >= 0) layout.pole = inputs.add_position(ik.pole_slot, who, "pole");

  ChainSetup setup = make_setup(ik);
  double rest[FormulaInputs::kMost];
  inputs.gather_at_rest(rest);
  const Mat3 tip_offset = read_rest(setup, layout, rest);
  if (!(setup.length > 0))
    throw Error({.element = who, .problem = "has length 0 at rest", .remedy = "give joints in different places"});
  const int count = static_cast<int>(ik.joint_slots.size());
  auto op = std::make_unique<ChainOperator>(std::move(inputs), std::move(setup), layout, ik);
  op->set_tip_offset(tip_offset);
  return add_transform_parts(graph, graph.add(std::move(op)), count);
}

}  // namespace rigspace
