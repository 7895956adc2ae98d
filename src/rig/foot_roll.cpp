#include "rigspace/rig/foot_roll.h"

#include "automatic_operator.h"
#include "rigspace/base/error.h"
#include "rigspace/base/require.h"
#include "rotation_formulas.h"

namespace rigspace {
namespace {

/// Inputs: foot, roll, bank, heel twist, toe twist, ball break, toe straight.
struct FootFormula {
  Vec3 heel, ball, toe, inner, outer, ankle;
  Vec3 forward, up, side;  // orthonormal; side = up x forward
  double outwards;         // 1 if the outer edge is on that side, else -1
  double ease;

  /// max(x, 0) without the kink:  x^2 (2 w - x) / w^2 up to x = w, then x; value and slope join.
  template <class S>
  S eased(const S& x) const {
    if (value_of(x) <= 0) return S(0);
    if (ease <= 0 || value_of(x) >= ease) return x;
    return x * x * (S(2 * ease) - x) * S(1 / (ease * ease));
  }
  template <class S>
  static S smooth_share(const S& from, const S& to, const S& x) {
    const S width = to - from;
    if (!(value_of(width) > 1e-9)) return S(value_of(x) < value_of(from) ? 0 : 1);
    const S t = clamped<S>((x - from) / width, 0, 1);
    return t * t * (S(3) - S(2) * t);
  }
  /// f, then a turn about an axis through a pivot, both of the foot's space.
  template <class S>
  static void turn(Frame<S>& f, const Vec3& pivot, const Vec3& axis, const S& angle) {
    const M3<S> R = exp_of<S>(constant<S>(axis) * angle);
    const V3<S> c = constant<S>(pivot);
    f.t += f.A * V3<S>(c - R * c);
    f.A = f.A * R;
  }

  template <class S>
  void operator()(const S* inputs, S* output) const {
    Frame<S> f = frame_at(inputs);
    const S &roll = inputs[12], &bank = inputs[13];
    const S up_roll = eased(roll), heel_roll = eased(S(-roll));
    const S toe_share = smooth_share(inputs[16], inputs[17], up_roll);

    turn<S>(f, heel, up, inputs[14]);
    turn<S>(f, heel, side, -heel_roll);
    turn<S>(f, toe, up, inputs[15]);
    turn<S>(f, toe, side, up_roll * toe_share);
    // Onto the outer edge: the inner one lifts, a turn about forward against the side that the outer is on.
    turn<S>(f, outer, forward, eased(bank) * S(-outwards));
    turn<S>(f, inner, forward, eased(S(-bank)) * S(outwards));
    put<S>(f.A, f.t + f.A * constant<S>(ball), output + 12);
    turn<S>(f, ball, side, up_roll * (S(1) - toe_share));
    put<S>(f.A, f.t + f.A * constant<S>(ankle), output);
  }
};

}  // namespace

FootRollSlots add_foot_roll(ControlGraph& graph, const FootRoll& foot) {
  const std::string who = "foot roll \"" + foot.name + "\"";
  const Vec3 along = foot.toe - foot.heel;
  const Vec3 up = foot.up.normalized();
  const Vec3 forward = along - up * up.dot(along);
  if (!(forward.norm() > 1e-9 * (1 + along.norm())) || !(foot.up.norm() > 0))
    throw Error({.element = who,
                 .problem = "has heel and toe in the same place, seen from above",
                 .remedy = "give pivots on the sole, heel behind toe, and the direction up"});
  require_option(foot.ease >= 0 && foot.ease < 1.5, "ease of " + who, foot.ease, "expected 0 to 1.5 radians");
  FootFormula formula{foot.heel,
                      foot.ball,
                      foot.toe,
                      foot.inner,
                      foot.outer,
                      foot.ankle,
                      forward.normalized(),
                      up,
                      up.cross(forward).normalized(),
                      1,
                      foot.ease};
  formula.outwards = (foot.outer - foot.inner).dot(formula.side) < 0 ? -1 : 1;
  FormulaInputs inputs(graph);
  inputs.add_transform(foot.foot_slot, who, "foot control");
  for (const Source* source :
       {&foot.roll, &foot.bank, &foot.heel_twist, &foot.toe_twist, &foot.ball_break, &foot.toe_straight})
    inputs.add(*source);
  const int slot = add_formula(graph, std::move(inputs), 2 * kTransformSlot, formula);
  const std::vector<int> parts = add_transform_parts(graph, slot, 2);
  return {parts[0], parts[1]};
}

}  // namespace rigspace
