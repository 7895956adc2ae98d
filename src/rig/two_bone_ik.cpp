// Two bones in closed form.

#include "automatic_operator.h"
#include "ik_solver.h"
#include "rigspace/base/error.h"
#include "rigspace/base/require.h"
#include "rigspace/rig/points.h"
#include "rotation_formulas.h"

namespace rigspace {
namespace {

constexpr double kReached = 1e-4;  // of the chain's length

/// The triangle root, middle, tip in its plane: along the line to the target, and across it on the bend's side.
template <class S>
struct BoneTriangle {
  S reach;  // root to tip, before stretching
  S mid_along, mid_across;
};

/// d, the distance to the target, becomes `reach` within (|l1 - l2|, l1 + l2): equal to d inside, and near the ends
/// approaching them exponentially from `upper` (`lower`) before, with value and slope joined. The gaps to the ends are
/// kept apart from reach, so that the height of the triangle,
///   h^2 = (L - reach)(L + reach)(reach - m)(reach + m) / (4 reach^2),
/// and its derivative keep their digits at full extension.
template <class S>
BoneTriangle<S> solve_triangle(const S& l1, const S& l2, const S& d, double soft) {
  using std::exp;
  const S L = l1 + l2;
  const S m = value_of(l1) < value_of(l2) ? l2 - l1 : l1 - l2;
  const double room = std::max((value_of(L) - value_of(m)) / 4, 1e-12 * value_of(L));
  const S upper = std::max(soft, kTightestIk) * value_of(L) < room ? L * S(std::max(soft, kTightestIk)) : S(room);
  const S lower = kTightestIk * value_of(L) < room ? L * S(kTightestIk) : S(room);
  S reach = d, gap_upper = L - d, gap_lower = d - m;
  if (value_of(gap_upper) < value_of(upper)) {
    gap_upper = upper * exp(-(d - L + upper) / upper);
    reach = L - gap_upper;
    gap_lower = reach - m;
  } else if (value_of(gap_lower) < value_of(lower)) {
    gap_lower = lower * exp((d - m - lower) / lower);
    reach = m + gap_lower;
    gap_upper = L - reach;
  }
  BoneTriangle<S> t;
  t.reach = reach;
  t.mid_along = (l1 * l1 - l2 * l2 + reach * reach) / (S(2) * reach);
  t.mid_across = safe_sqrt(gap_upper * (L + reach) * gap_lower * (reach + m)) / (S(2) * reach);
  return t;
}

/// Inputs: root, mid, tip, blend, stretch, orient, target position, target transform (or none), pole (or none).
struct TwoBoneFormula {
  double soft;
  bool has_frame, has_pole;
  Vec3 normal_root, normal_mid;        // of the bend's plane at rest, in the axes of either joint
  Mat3 tip_offset = Mat3::Identity();  // tip relative to target at rest

  template <class S>
  struct Solution {
    V3<S> mid, tip;      // where the joints go
    V3<S> normal;        // of the plane
    S distance, length;  // tip to target; of the bones as FK gives them
    S stretch;           // factor of both bones
  };

  template <class S>
  Solution<S> solve(const S* inputs) const {
    const Frame<S> root = frame_at(inputs), mid = frame_at(inputs + 12), tip = frame_at(inputs + 24);
    const V3<S> bone1 = mid.t - root.t, bone2 = tip.t - mid.t, to_target = vector_at(inputs + 39) - root.t;
    const S l1 = length(bone1), l2 = length(bone2), d = length(to_target);
    const double size = value_of(l1) + value_of(l2);
    const V3<S> x_axis(S(1), S(0), S(0));
    const V3<S> along_fk = direction<S>(tip.t - root.t, direction<S>(bone1, x_axis), 1e-9 * size);
    const V3<S> along = direction<S>(to_target, along_fk, 1e-9 * size);

    // The plane: through the pole, or that of FK carried along by the shortest arc.
    const V3<S> normal_fk = across<S>(rotation_of(root.A) * constant<S>(normal_root), along_fk);
    V3<S> normal = shortest_arc<S>(along_fk, along) * normal_fk;
    if (has_pole) {
      const V3<S> side = across<S>(vector_at(inputs + (has_frame ? 54 : 42)) - root.t, along);
      if (value_of(length(side)) > 1e-9 * size) normal = cross<S>(side, along);
    }
    normal = direction<S>(normal, any_across<S>(along));

    const BoneTriangle<S> t = solve_triangle(l1, l2, d, soft);
    const V3<S> side = cross<S>(along, normal);
    Solution<S> s;
    s.stretch = S(1);
    const S excess = d / t.reach - S(1);
    if (value_of(excess) > 0) s.stretch += clamped(inputs[37], 0, 1) * excess;
    s.mid = root.t + (along * t.mid_along + side * t.mid_across) * s.stretch;
    s.tip = root.t + along * (t.reach * s.stretch);
    s.normal = normal;
    s.distance = length<S>(root.t + to_target - s.tip);
    s.length = l1 + l2;
    return s;
  }

  /// The turn that takes a bone and its rest plane to the new ones.
  template <class S>
  static M3<S> turn(const V3<S>& bone, const V3<S>& normal, const V3<S>& new_bone, const V3<S>& new_normal) {
    const V3<S> x(S(1), S(0), S(0));
    const M3<S> from = frame_of<S>(direction<S>(bone, x), normal);
    return frame_of<S>(direction<S>(new_bone, x), new_normal) * from.transpose();
  }

  template <class S>
  void operator()(const S* inputs, S* output) const {
    const Frame<S> root = frame_at(inputs), mid = frame_at(inputs + 12), tip = frame_at(inputs + 24);
    const V3<S> bone1 = mid.t - root.t, bone2 = tip.t - mid.t;
    if (!(value_of(length(bone1)) + value_of(length(bone2)) > 1e-12)) {  // nothing to turn
      std::copy_n(inputs, 36, output);
      return;
    }
    const Solution<S> s = solve(inputs);
    const M3<S> Q1 = turn<S>(bone1, rotation_of(root.A) * constant<S>(normal_root), s.mid - root.t, s.normal);
    const M3<S> Q2 = turn<S>(bone2, rotation_of(mid.A) * constant<S>(normal_mid), s.tip - s.mid, s.normal);

    // Blended joint by joint, the middle one relative to the root, so that lengths are kept on the way.
    const S blend = clamped(inputs[36], 0, 1);
    const M3<S> none = constant<S>(Mat3(Mat3::Identity()));
    const M3<S> T1 = blend_rotations<S>(none, Q1, blend);
    const M3<S> T2 = T1 * blend_rotations<S>(none, Q1.transpose() * Q2, blend);
    const S factor = S(1) + blend * (s.stretch - S(1));
    const V3<S> mid_t = root.t + T1 * bone1 * factor;
    const V3<S> tip_t = mid_t + T2 * bone2 * factor;
    put<S>(T1 * root.A, root.t, output);
    put<S>(T2 * mid.A, mid_t, output + 12);
    const M3<S> tip_A = T2 * tip.A;
    if (!has_frame) return put<S>(tip_A, tip_t, output + 24);
    const Pose<S> follows = pose_of<S>({tip_A, tip_t});
    Pose<S> oriented = follows;
    oriented.R = rotation_of(frame_at(inputs + 42).A) * constant<S>(tip_offset);
    put_blended<S>(follows, oriented, blend * clamped(inputs[38], 0, 1), output + 24);
  }
};

class TwoBoneOperator final : public AutomaticOperator<TwoBoneFormula>, public IkSolver {
 public:
  TwoBoneOperator(FormulaInputs inputs, const TwoBoneFormula& formula, std::string name)
      : AutomaticOperator(std::move(inputs), 3 * kTransformSlot, formula), name_(std::move(name)) {}

  IkReport report(In p, std::span<const double* const> slots) const override {
    double numbers[FormulaInputs::kMost];
    inputs().gather(p, slots, numbers);
    const auto s = formula().solve<double>(numbers);
    return {name_, s.distance, s.distance <= kReached * s.length};
  }

 private:
  std::string name_;
};

/// The plane of the rest pose, in scene space: of the bones, else of the pole, else the one in the description.
Vec3 rest_normal(const TwoBoneIk& ik, const double* rest) {
  const Vec3 root = frame_at(rest).t, mid = frame_at(rest + 12).t, tip = frame_at(rest + 24).t;
  const Vec3 bone1 = mid - root, bone2 = tip - mid;
  Vec3 normal = bone1.cross(bone2);
  if (normal.norm() > 1e-6 * bone1.norm() * bone2.norm()) return normal.normalized();
  const Vec3 along = (tip - root).normalized();
  if (ik.pole_slot >= 0) {
    const Vec3 side = across<double>(vector_at(rest + 39) - root, along);
    if (side.norm() > 1e-6 * (tip - root).norm()) return side.cross(along).normalized();
  }
  normal = across<double>(rotation_of(frame_at(rest).A) * ik.bend_axis, along);
  return direction<double>(normal, any_across<double>(along), 1e-9);
}

}  // namespace

TwoBoneSlots add_two_bone_ik(ControlGraph& graph, const TwoBoneIk& ik) {
  const std::string who = "two-bone IK \"" + ik.name + "\"";
  require_option(ik.soft_distance >= 0 && ik.soft_distance < 1, "soft distance of " + who, ik.soft_distance,
                 "expected 0 to 1");
  FormulaInputs inputs(graph);
  inputs.add_transform(ik.root_slot, who, "root");
  inputs.add_transform(ik.mid_slot, who, "middle joint");
  inputs.add_transform(ik.tip_slot, who, "tip");
  for (const Source* source : {&ik.blend, &ik.stretch, &ik.orient}) inputs.add(*source);
  inputs.add_position(ik.target_slot, who, "target");
  const bool oriented = !ik.orient.is_constant() || ik.orient.value != 0;
  if (oriented) inputs.add_transform(ik.target_slot, who, "target");
  if (ik.pole_slot >= 0) inputs.add_position(ik.pole_slot, who, "pole");

  double rest[FormulaInputs::kMost];
  FormulaInputs at_rest(graph);  // root, mid, tip, target, pole in places that do not depend on `oriented`
  for (const int slot : {ik.root_slot, ik.mid_slot, ik.tip_slot}) at_rest.add_transform(slot, who, "joint");
  at_rest.add_position(ik.target_slot, who, "target");
  if (ik.pole_slot >= 0) at_rest.add_position(ik.pole_slot, who, "pole");
  at_rest.gather_at_rest(rest);
  const Vec3 normal = rest_normal(ik, rest);
  TwoBoneFormula formula{ik.soft_distance, oriented, ik.pole_slot >= 0,
                         rotation_of(frame_at<double>(rest).A).transpose() * normal,
                         rotation_of(frame_at<double>(rest + 12).A).transpose() * normal};
  if (oriented) {
    const Mat3 target = rotation_of<double>(linear(transform_at(rest_slots(graph), graph.slots()[ik.target_slot])));
    formula.tip_offset = target.transpose() * rotation_of(frame_at<double>(rest + 24).A);
  }
  const int slot = graph.add(std::make_unique<TwoBoneOperator>(std::move(inputs), formula, ik.name));
  const std::vector<int> parts = add_transform_parts(graph, slot, 3);
  return {parts[0], parts[1], parts[2]};
}

}  // namespace rigspace
