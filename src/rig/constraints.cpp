#include "rigspace/rig/constraints.h"

#include "automatic_operator.h"
#include "rigspace/base/error.h"
#include "rigspace/rig/points.h"
#include "rotation_formulas.h"

namespace rigspace {
namespace {

enum class Follow { point, orient, parent, scale };

/// A target in the rest pose.
struct TargetRest {
  Vec3 displacement = Vec3::Zero();  // owner - target
  Affine offset = Affine::Identity();
  Vec3 factor = Vec3::Ones();  // of lengths of axes
};

/// Sum of weights, clamped at 0, and the weights divided by it.
template <class S>
S normalise(S* weights, int count) {
  S sum(0);
  for (int k = 0; k < count; ++k) {
    if (value_of(weights[k]) < 0) weights[k] = S(0);
    sum += weights[k];
  }
  if (value_of(sum) > 1e-12)
    for (int k = 0; k < count; ++k) weights[k] = weights[k] / sum;
  return sum;
}

constexpr int kMostTargets = 24;

/// Inputs: owner, influence, then per target its weight and its transform or position.
struct FollowFormula {
  Follow kind;
  std::vector<TargetRest> rest;  // per target

  int stride() const { return kind == Follow::point ? 4 : 13; }

  template <class S>
  void operator()(const S* inputs, S* output) const {
    const int count = static_cast<int>(rest.size());
    const Pose<S> owner = pose_of(frame_at(inputs));
    S weights[kMostTargets];
    for (int k = 0; k < count; ++k) weights[k] = inputs[13 + stride() * k];
    if (value_of(normalise(weights, count)) <= 1e-12) {
      std::copy_n(inputs, 12, output);
      return;
    }
    Pose<S> goal = owner;
    const S* targets = inputs + 14;
    switch (kind) {
      case Follow::point: goal.t = mean_point(targets, weights); break;
      case Follow::orient: goal.R = mean_rotation(targets, weights); break;
      case Follow::parent:
        goal.t = mean_origin(targets, weights);
        goal.R = mean_rotation(targets, weights);
        break;
      case Follow::scale: goal.K = scaled(owner.K, targets, weights); break;
    }
    put_blended(owner, goal, inputs[12], output);
  }

 private:
  template <class S>
  V3<S> mean_point(const S* targets, const S* weights) const {
    V3<S> sum(S(0), S(0), S(0));
    for (std::size_t k = 0; k < rest.size(); ++k)
      sum += (vector_at(targets + stride() * k) + constant<S>(rest[k].displacement)) * weights[k];
    return sum;
  }
  template <class S>
  V3<S> mean_origin(const S* targets, const S* weights) const {
    V3<S> sum(S(0), S(0), S(0));
    for (std::size_t k = 0; k < rest.size(); ++k) {
      const Frame<S> target = frame_at(targets + stride() * k);
      sum += (target.A * constant<S>(Vec3(translation(rest[k].offset))) + target.t) * weights[k];
    }
    return sum;
  }
  /// Quaternions on the side of the first, their weighted mean made a rotation: for two, a point of the shortest arc.
  template <class S>
  M3<S> mean_rotation(const S* targets, const S* weights) const {
    if (rest.size() == 1) return turned(targets, 0);
    Q4<S> first, sum = {S(0), S(0), S(0), S(0)};
    for (std::size_t k = 0; k < rest.size(); ++k) {
      const Q4<S> q = quaternion_of<S>(turned(targets + stride() * k, k));
      if (k == 0) first = q;
      double side = 0;
      for (int i = 0; i < 4; ++i) side += value_of(q[i]) * value_of(first[i]);
      for (int i = 0; i < 4; ++i) sum[i] += q[i] * (side < 0 ? -weights[k] : weights[k]);
    }
    double square = 0;
    for (const S& c : sum) square += value_of(c) * value_of(c);
    return square > 1e-20 ? matrix_of(sum) : matrix_of(first);
  }
  template <class S>
  M3<S> turned(const S* target, std::size_t k) const {
    return rotation_of(frame_at(target).A) * constant<S>(Mat3(linear(rest[k].offset)));
  }
  /// The columns of K brought to the targets' lengths.
  template <class S>
  M3<S> scaled(const M3<S>& K, const S* targets, const S* weights) const {
    M3<S> result;
    for (int c = 0; c < 3; ++c) {
      S wanted(0);
      for (std::size_t k = 0; k < rest.size(); ++k)
        wanted += length<S>(frame_at(targets + stride() * k).A.col(c)) * weights[k] * S(rest[k].factor[c]);
      result.col(c) = direction<S>(K.col(c), constant<S>(Vec3(Vec3::Unit(c)))) * wanted;
    }
    return result;
  }
};

const char* name_of(Follow kind) {
  switch (kind) {
    case Follow::point: return "point constraint";
    case Follow::orient: return "orient constraint";
    case Follow::parent: return "parent constraint";
    case Follow::scale: return "scale constraint";
  }
  return "constraint";
}

void require_targets(std::size_t count, const std::string& who) {
  if (count >= 1 && count <= kMostTargets) return;
  throw Error({.element = who,
               .value = std::to_string(count),
               .problem = "has " + std::to_string(count) + " targets",
               .remedy = "expected 1 to " + std::to_string(kMostTargets)});
}

Mat3 rotation_at(const Affine& A) { return rotation_of<double>(linear(A)); }

TargetRest target_rest(Follow kind, const Affine& owner, const Slot& slot, const Vec& u) {
  TargetRest rest;
  rest.displacement = translation(owner) - u.segment<3>(slot.offset + slot.size - 3);
  if (slot.size != kTransformSlot) return rest;
  const Affine target = transform_at(u, slot);
  linear(rest.offset) = rotation_at(target).transpose() * rotation_at(owner);
  if (kind == Follow::parent)
    translation(rest.offset) = inverse<double>(linear(target)) * (translation(owner) - translation(target));
  for (int c = 0; c < 3; ++c) {
    const double size = target.col(c).norm();
    if (size > 1e-12) rest.factor[c] = owner.col(c).norm() / size;
  }
  return rest;
}

int add_follow(ControlGraph& graph, const FollowConstraint& constraint, Follow kind) {
  const std::string who = name_of(kind);
  require_targets(constraint.targets.size(), who);
  FormulaInputs inputs(graph);
  inputs.add_transform(constraint.owner_slot, who, "owner");
  inputs.add(constraint.influence);
  FollowFormula formula{kind, {}};
  const Vec u = constraint.keep_offset ? rest_slots(graph) : Vec();
  for (const ConstraintTarget& target : constraint.targets) {
    inputs.add(target.weight);
    if (kind == Follow::point)
      inputs.add_position(target.slot, who, "target");
    else
      inputs.add_transform(target.slot, who, "target");
    TargetRest rest;
    if (constraint.keep_offset)
      rest = target_rest(kind, transform_at(u, graph.slots()[constraint.owner_slot]), graph.slots()[target.slot], u);
    formula.rest.push_back(rest);
  }
  return add_formula(graph, std::move(inputs), kTransformSlot, std::move(formula));
}

/// Inputs: owner, influence, up position (or none), then per target its weight and position.
struct AimFormula {
  Vec3 axis, up_axis;  // orthonormal
  Vec3 world_up;
  bool has_up;
  int count;
  Mat3 offset = Mat3::Identity();  // after the aimed rotation

  template <class S>
  void operator()(const S* inputs, S* output) const {
    const Pose<S> owner = pose_of(frame_at(inputs));
    const S* targets = inputs + (has_up ? 16 : 13);
    S weights[kMostTargets];
    for (int k = 0; k < count; ++k) weights[k] = targets[4 * k];
    V3<S> aimed(S(0), S(0), S(0));
    const bool any = value_of(normalise(weights, count)) > 1e-12;
    for (int k = 0; k < count; ++k) aimed += vector_at(targets + 4 * k + 1) * weights[k];
    aimed -= owner.t;
    if (!any || !(value_of(length(aimed)) > 1e-12)) {
      std::copy_n(inputs, 12, output);
      return;
    }
    const V3<S> forward = direction<S>(aimed, aimed);
    V3<S> up = constant<S>(world_up);
    if (has_up) up = direction<S>(vector_at(inputs + 13) - owner.t, up);
    V3<S> side = across<S>(up, forward);
    if (value_of(length(side)) < 1e-6) {
      // At the pole: the owner's up, carried along as its axis turns to the target.
      const M3<S> swing = shortest_arc<S>(owner.R * constant<S>(axis), forward);
      side = swing * (owner.R * constant<S>(up_axis));
    }
    Mat3 local;
    local << axis, up_axis, axis.cross(up_axis);
    Pose<S> goal = owner;
    goal.R = frame_of<S>(forward, side) * constant<S>(Mat3(local.transpose() * offset));
    put_blended(owner, goal, inputs[12], output);
  }
};

}  // namespace

int add_point_constraint(ControlGraph& graph, const FollowConstraint& c) { return add_follow(graph, c, Follow::point); }
int add_orient_constraint(ControlGraph& graph, const FollowConstraint& c) {
  return add_follow(graph, c, Follow::orient);
}
int add_parent_constraint(ControlGraph& graph, const FollowConstraint& c) {
  return add_follow(graph, c, Follow::parent);
}
int add_scale_constraint(ControlGraph& graph, const FollowConstraint& c) { return add_follow(graph, c, Follow::scale); }

int add_aim_constraint(ControlGraph& graph, const AimConstraint& aim) {
  const std::string who = "aim constraint";
  require_targets(aim.targets.size(), who);
  const Vec3 axis = aim.axis.normalized();
  const Vec3 side = aim.up_axis - axis * axis.dot(aim.up_axis);
  if (!(aim.axis.norm() > 0 && side.norm() > 1e-6 * aim.up_axis.norm() && aim.world_up.norm() > 0))
    throw Error({.element = who,
                 .problem = "has an axis of length 0, or an up axis along its axis",
                 .remedy = "give two different directions"});
  const auto read = [&](const Source& influence) {
    FormulaInputs inputs(graph);
    inputs.add_transform(aim.owner_slot, who, "owner");
    inputs.add(influence);
    if (aim.up_slot >= 0) inputs.add_position(aim.up_slot, who, "up target");
    for (const ConstraintTarget& target : aim.targets) {
      inputs.add(target.weight);
      inputs.add_position(target.slot, who, "target");
    }
    return inputs;
  };
  AimFormula formula{axis, side.normalized(), aim.world_up.normalized(), aim.up_slot >= 0,
                     static_cast<int>(aim.targets.size())};
  if (aim.keep_offset) {
    // offset = aimed^-1 owner at rest; the influence may rest at 0, so the aim is evaluated in full.
    double numbers[FormulaInputs::kMost];
    read(Source::constant(1)).gather_at_rest(numbers);
    Affine aimed;
    formula(static_cast<const double*>(numbers), aimed.data());
    formula.offset = rotation_at(aimed).transpose() * rotation_of(frame_at<double>(numbers).A);
  }
  FormulaInputs inputs = read(aim.influence);
  return add_formula(graph, std::move(inputs), kTransformSlot, formula);
}

}  // namespace rigspace
