#include "rigspace/rig/helper_joint.h"

#include "automatic_operator.h"
#include "rigspace/base/error.h"
#include "rigspace/rig/points.h"
#include "rotation_formulas.h"

namespace rigspace {
namespace {

/// Inputs: parent, child, twist, swing.
struct HelperFormula {
  Vec3 axis;
  double along;
  Mat3 rest;  // child's rotation relative to its parent

  template <class S>
  void operator()(const S* inputs, S* output) const {
    using std::atan2;
    const Frame<S> parent = frame_at(inputs), child = frame_at(inputs + 12);
    const M3<S> base = rotation_of(parent.A) * constant<S>(rest);
    const M3<S> turn = base.transpose() * rotation_of(child.A);
    // turn = swing * twist, the twist about the axis: its quaternion is that of the turn, less what is across the axis.
    const Q4<S> q = quaternion_of(turn);
    const V3<S> a = constant<S>(axis);
    const S along_axis = dot(V3<S>(q[0], q[1], q[2]), a);
    const bool definite = value_of(q[3]) > 1e-12 || std::abs(value_of(along_axis)) > 1e-12;
    const S angle = definite ? S(2) * atan2(along_axis, q[3]) : S(0);  // within half a turn, since w >= 0
    const M3<S> swing = turn * exp_of<S>(a * (-angle));
    const M3<S> shared = exp_of<S>(log_of<S>(swing) * inputs[25]) * exp_of<S>(a * (angle * inputs[24]));
    put<S>(parent.A * constant<S>(rest) * shared, parent.t + (child.t - parent.t) * S(along), output);
  }
};

}  // namespace

int add_helper_joint(ControlGraph& graph, const HelperJoint& helper) {
  const std::string who = "helper joint \"" + helper.name + "\"";
  if (!(helper.axis.norm() > 0))
    throw Error({.element = who, .problem = "has an axis of length 0", .remedy = "give the child's twist axis"});
  FormulaInputs inputs(graph);
  inputs.add_transform(helper.parent_slot, who, "parent");
  inputs.add_transform(helper.child_slot, who, "child");
  inputs.add(helper.twist);
  inputs.add(helper.swing);
  const Vec u = rest_slots(graph);
  const auto rotation = [&](int slot) {
    return Mat3(rotation_of<double>(linear(transform_at(u, graph.slots()[slot]))));
  };
  HelperFormula formula{helper.axis.normalized(), helper.along,
                        rotation(helper.parent_slot).transpose() * rotation(helper.child_slot)};
  return add_formula(graph, std::move(inputs), kTransformSlot, formula);
}

}  // namespace rigspace
