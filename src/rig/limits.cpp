// Constraints that keep a transform within limits.

#include "automatic_operator.h"
#include "rigspace/base/error.h"
#include "rigspace/rig/constraints.h"
#include "rigspace/rig/points.h"
#include "rotation_formulas.h"

namespace rigspace {
namespace {

template <class S>
V3<S> clamped_in(const V3<S>& x, const Vec3& min, const Vec3& max) {
  return V3<S>(clamped(x[0], min[0], max[0]), clamped(x[1], min[1], max[1]), clamped(x[2], min[2], max[2]));
}

bool inside(const Vec3& x, const Vec3& min, const Vec3& max) {
  return (x.array() >= min.array()).all() && (x.array() <= max.array()).all();
}

template <class S>
Vec3 values(const V3<S>& x) {
  return {value_of(x[0]), value_of(x[1]), value_of(x[2])};
}

void require_order(const Vec3& min, const Vec3& max, const std::string& who) {
  for (int k = 0; k < 3; ++k)
    if (!(min[k] <= max[k]))
      throw Error({.element = who,
                   .value = std::to_string(min[k]),
                   .problem = "has a lower limit above its upper one",
                   .remedy = "exchange them"});
}

/// Inputs: owner, influence, parent (or none).
struct TranslationFormula {
  Vec3 min, max;
  bool has_parent;

  template <class S>
  void operator()(const S* inputs, S* output) const {
    const Pose<S> owner = pose_of(frame_at(inputs));
    Pose<S> goal = owner;
    if (has_parent) {
      const Frame<S> parent = frame_at(inputs + 13);
      const V3<S> x = inverse<S>(parent.A) * (owner.t - parent.t);
      // Inside, the owner is passed on untouched: a parent of scale 0 has no inverse.
      if (!inside(values(x), min, max)) goal.t = parent.A * clamped_in(x, min, max) + parent.t;
    } else {
      goal.t = clamped_in(owner.t, min, max);
    }
    put_blended(owner, goal, inputs[12], output);
  }
};

constexpr std::array<std::array<int, 3>, 6> kAxes = {
    {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {1, 0, 2}, {2, 1, 0}}};  // of RotateOrder

template <class S>
M3<S> axis_turn(int axis, const S& angle) {
  V3<S> r(S(0), S(0), S(0));
  r[axis] = angle;
  return exp_of(r);
}

/// Angles about axes i, j, k with R = R_k R_j R_i (the first letter turns first), the middle one within a quarter turn.
template <class S>
V3<S> euler_of(const M3<S>& R, RotateOrder order) {
  using std::asin;
  using std::atan2;
  const auto [i, j, k] = kAxes[static_cast<int>(order)];
  const double sign = (j - i + 3) % 3 == 1 ? 1 : -1;  // even orders
  // For xyz: R(2,0) = -sin y, R(2,1) = cos y sin x, R(2,2) = cos y cos x, R(1,0) = cos y sin z, R(0,0) = cos y cos z.
  const S middle = safe_sqrt(R(k, j) * R(k, j) + R(k, k) * R(k, k));  // cos of the middle angle
  V3<S> angles;
  angles[j] = atan2(R(k, i) * S(-sign), middle);
  if (value_of(middle) > 1e-9) {
    angles[i] = atan2(R(k, j) * S(sign), R(k, k));
    angles[k] = atan2(R(j, i) * S(sign), R(i, i));
  } else {  // gimbal lock: the last axis keeps still
    angles[i] = atan2(R(j, k) * S(-sign), R(j, j));
    angles[k] = S(0);
  }
  return angles;
}

template <class S>
M3<S> euler_matrix(const V3<S>& angles, RotateOrder order) {
  const auto [i, j, k] = kAxes[static_cast<int>(order)];
  return axis_turn(k, angles[k]) * axis_turn(j, angles[j]) * axis_turn(i, angles[i]);
}

/// Inputs as above.
struct RotationFormula {
  Vec3 min, max;
  bool has_parent;
  std::optional<RotateOrder> euler;
  Mat3 rest = Mat3::Identity();  // relative to the parent

  template <class S>
  void operator()(const S* inputs, S* output) const {
    const Pose<S> owner = pose_of(frame_at(inputs));
    M3<S> base = constant<S>(rest);
    if (has_parent) base = rotation_of(frame_at(inputs + 13).A) * base;
    const M3<S> relative = base.transpose() * owner.R;
    const V3<S> r = euler ? euler_of<S>(relative, *euler) : log_of<S>(relative);
    Pose<S> goal = owner;
    if (!inside(values(r), min, max)) {
      const V3<S> kept = clamped_in(r, min, max);
      goal.R = base * (euler ? euler_matrix<S>(kept, *euler) : exp_of<S>(kept));
    }
    put_blended(owner, goal, inputs[12], output);
  }
};

/// Inputs: owner, influence, target.
struct DistanceFormula {
  double min, max;

  template <class S>
  void operator()(const S* inputs, S* output) const {
    const Pose<S> owner = pose_of(frame_at(inputs));
    const V3<S> target = vector_at(inputs + 13);
    const V3<S> away = owner.t - target;
    const double distance = value_of(length(away));
    Pose<S> goal = owner;
    if (distance < min || distance > max) {
      // At the target itself every way is as good: the owner's x axis.
      const V3<S> way = direction<S>(away, owner.R.col(0), 1e-12);
      goal.t = target + way * S(distance < min ? min : max);
    }
    put_blended(owner, goal, inputs[12], output);
  }
};

}  // namespace

int add_translation_limit(ControlGraph& graph, const TranslationLimit& limit) {
  const std::string who = "translation limit";
  require_order(limit.min, limit.max, who);
  FormulaInputs inputs(graph);
  inputs.add_transform(limit.owner_slot, who, "owner");
  inputs.add(limit.influence);
  if (limit.parent_slot >= 0) inputs.add_transform(limit.parent_slot, who, "parent");
  return add_formula(graph, std::move(inputs), kTransformSlot,
                     TranslationFormula{limit.min, limit.max, limit.parent_slot >= 0});
}

int add_rotation_limit(ControlGraph& graph, const RotationLimit& limit) {
  const std::string who = "rotation limit";
  require_order(limit.min, limit.max, who);
  FormulaInputs inputs(graph);
  inputs.add_transform(limit.owner_slot, who, "owner");
  inputs.add(limit.influence);
  if (limit.parent_slot >= 0) inputs.add_transform(limit.parent_slot, who, "parent");
  RotationFormula formula{limit.min, limit.max, limit.parent_slot >= 0, limit.euler};
  if (limit.from_rest) {
    const Vec u = rest_slots(graph);
    const Mat3 owner = rotation_of<double>(linear(transform_at(u, graph.slots()[limit.owner_slot])));
    Mat3 parent = Mat3::Identity();
    if (formula.has_parent) parent = rotation_of<double>(linear(transform_at(u, graph.slots()[limit.parent_slot])));
    formula.rest = parent.transpose() * owner;
  }
  return add_formula(graph, std::move(inputs), kTransformSlot, formula);
}

int add_distance_limit(ControlGraph& graph, const DistanceLimit& limit) {
  const std::string who = "distance limit";
  if (!(limit.min >= 0 && limit.min <= limit.max))
    throw Error({.element = who,
                 .value = std::to_string(limit.min),
                 .problem = "runs from " + std::to_string(limit.min) + " to " + std::to_string(limit.max),
                 .remedy = "expected 0 <= min <= max"});
  FormulaInputs inputs(graph);
  inputs.add_transform(limit.owner_slot, who, "owner");
  inputs.add(limit.influence);
  inputs.add_position(limit.target_slot, who, "target");
  return add_formula(graph, std::move(inputs), kTransformSlot, DistanceFormula{limit.min, limit.max});
}

}  // namespace rigspace
