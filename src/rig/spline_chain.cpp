#include "rigspace/rig/spline_chain.h"

#include "automatic_operator.h"
#include "rigspace/base/error.h"
#include "rigspace/rig/points.h"
#include "rotation_formulas.h"

#include <algorithm>

namespace rigspace {
namespace {

constexpr int kMostSplinePoints = 64;
constexpr int kSubsteps = 4;  // of the frame between joints
// Gauss-Legendre on (-1, 1), five points: exact for polynomials of degree nine.
constexpr double kNodes[5] = {-0.9061798459386640, -0.5384693101056831, 0, 0.5384693101056831, 0.9061798459386640};
constexpr double kWeights[5] = {0.2369268850561891, 0.4786286704993665, 0.5688888888888889, 0.4786286704993665,
                                0.2369268850561891};
constexpr int kPieces = 4;  // of a span, each with its own rule

/// A piecewise cubic as Bezier pieces; the parameter runs from 0 to `spans`.
template <class S>
struct Pieces {
  int spans;
  V3<S> points[3 * kMostSplinePoints + 1];

  /// Position, first derivative.
  void at(const S& u, V3<S>& x, V3<S>& dx) const {
    const int span = std::clamp(static_cast<int>(value_of(u)), 0, spans - 1);
    const S t = u - S(span), s = S(1) - t;
    const V3<S>* b = points + 3 * span;
    x = b[0] * (s * s * s) + b[1] * (S(3) * s * s * t) + b[2] * (S(3) * s * t * t) + b[3] * (t * t * t);
    dx = ((b[1] - b[0]) * (s * s) + (b[2] - b[1]) * (S(2) * s * t) + (b[3] - b[2]) * (t * t)) * S(3);
  }
  S speed(const S& u) const {
    V3<S> x, dx;
    at(u, x, dx);
    return length(dx);
  }
  /// Within one span.
  S arc(const S& from, const S& to) const {
    S sum(0);
    const S half = (to - from) * S(0.5 / kPieces);
    for (int piece = 0; piece < kPieces; ++piece) {
      const S middle = from + half * S(2 * piece + 1);
      for (int k = 0; k < 5; ++k) sum += speed_in(from, middle + half * S(kNodes[k])) * S(kWeights[k]);
    }
    return sum * half;
  }

 private:
  /// The speed at u by the polynomial of the span that `inside` begins: rounding may put u beyond it.
  S speed_in(const S& inside, const S& u) const {
    const int span = std::clamp(static_cast<int>(value_of(inside)), 0, spans - 1);
    const S t = u - S(span), s = S(1) - t;
    const V3<S>* b = points + 3 * span;
    const V3<S> dx = ((b[1] - b[0]) * (s * s) + (b[2] - b[1]) * (S(2) * s * t) + (b[3] - b[2]) * (t * t)) * S(3);
    return length(dx);
  }
};

int spans_of(SplineKind kind, int points) {
  switch (kind) {
    case SplineKind::b_spline: return std::max(points - 3, 1);
    case SplineKind::bezier: return (points - 1) / 3;
    case SplineKind::catmull_rom: return points - 1;
  }
  return 1;
}

/// Knot i of the clamped uniform knots 0 0 0 0 1 2 .. n-4 n-3 n-3 n-3 n-3.
double cubic_knot(int i, int points) { return std::clamp(i - 3, 0, points - 3); }

/// Control points to Bezier pieces. Two or three points of a B-spline or Catmull-Rom are raised to a cubic.
template <class S>
void bezier_pieces(SplineKind kind, const V3<S>* c, int count, Pieces<S>& pieces) {
  pieces.spans = spans_of(kind, count);
  V3<S>* b = pieces.points;
  if (kind == SplineKind::bezier) {
    std::copy_n(c, count, b);
    return;
  }
  if (kind == SplineKind::catmull_rom) {
    // Tangents (c_(i+1) - c_(i-1)) / 2; at the ends those of the line to the neighbour.
    for (int i = 0; i + 1 < count; ++i) {
      const V3<S> out = i > 0 ? V3<S>((c[i + 1] - c[i - 1]) * S(0.5)) : V3<S>(c[1] - c[0]);
      const V3<S> in = i + 2 < count ? V3<S>((c[i + 2] - c[i]) * S(0.5)) : V3<S>(c[i + 1] - c[i]);
      b[3 * i] = c[i];
      b[3 * i + 1] = c[i] + out * S(1.0 / 3);
      b[3 * i + 2] = c[i + 1] - in * S(1.0 / 3);
    }
    b[3 * (count - 1)] = c[count - 1];
    return;
  }
  if (count <= 3) {
    const V3<S> middle = count == 3 ? c[1] : V3<S>((c[0] + c[1]) * S(0.5));
    b[0] = c[0];
    b[1] = (c[0] + middle * S(2)) * S(1.0 / 3);
    b[2] = (c[count - 1] + middle * S(2)) * S(1.0 / 3);
    b[3] = c[count - 1];
    return;
  }
  // Polar form (Ramshaw): the Bezier points of span [a, a+1] are f(a,a,a), f(a,a,a+1), f(a,a+1,a+1), f(a+1,a+1,a+1),
  // and de Boor's algorithm evaluates the form f with one argument per level.
  for (int span = 0; span < pieces.spans; ++span) {
    for (int k = span == 0 ? 0 : 1; k < 4; ++k) {
      V3<S> d[4] = {c[span], c[span + 1], c[span + 2], c[span + 3]};
      for (int level = 1; level <= 3; ++level) {
        const double u = span + (level > 3 - k ? 1 : 0);
        for (int j = 3; j >= level; --j) {
          const double low = cubic_knot(j + span, count), high = cubic_knot(j + span + 4 - level, count);
          const double t = (u - low) / (high - low);
          d[j] = d[j - 1] * S(1 - t) + d[j] * S(t);
        }
      }
      b[3 * span + k] = d[3];
    }
  }
}

/// Inputs: points, up direction's transform (or none), stretch, start twist, end twist.
struct SplineFormula {
  SplineKind kind;
  int points;
  bool has_up;
  Vec3 up_axis;
  double length_rest = 1;
  std::vector<double> arcs;     // of the joints at rest
  std::vector<Affine> offsets;  // from the curve's frame to the joint, at rest

  /// The parameter at arc length s, and how far s lies beyond the ends (else 0).
  template <class S>
  S parameter(const Pieces<S>& pieces, const S* starts, const S& s, S& beyond) const {
    beyond = S(0);
    if (value_of(s) <= 0) {
      beyond = s;
      return S(0);
    }
    const int spans = pieces.spans;
    if (value_of(s) >= value_of(starts[spans])) {
      beyond = s - starts[spans];
      return S(spans);
    }
    int span = 0;
    while (span + 1 < spans && value_of(starts[span + 1]) <= value_of(s)) ++span;
    // Newton kept in a bracket; the last step, with derivatives, is the implicit function theorem.
    const double wanted = value_of(s) - value_of(starts[span]);
    const double whole = value_of(starts[span + 1]) - value_of(starts[span]);
    double low = span, high = span + 1, u = span + wanted / whole;
    for (int k = 0; k < 60; ++k) {
      const double error = value_of(pieces.arc(S(span), S(u))) - wanted;
      (error > 0 ? high : low) = u;
      const double speed = value_of(pieces.speed(S(u)));
      double next = speed > 0 ? u - error / speed : 0.5 * (low + high);
      if (!(next > low && next < high)) next = 0.5 * (low + high);
      if (std::abs(next - u) < 1e-15 * (1 + u)) break;
      u = next;
    }
    const S slack = s - starts[span] - pieces.arc(S(span), S(u));
    const S speed = pieces.speed(S(u));
    return value_of(speed) > 1e-12 * length_rest ? S(u) + slack / speed : S(u);
  }

  /// Double reflection: the frame's side vector r carried from x0, t0 to x1, t1 (Wang et al. 2008, table I).
  template <class S>
  V3<S> carried(const V3<S>& r, const V3<S>& x0, const V3<S>& t0, const V3<S>& x1, const V3<S>& t1) const {
    const V3<S> v1 = x1 - x0;
    const S c1 = dot(v1, v1);
    if (value_of(c1) < 1e-24 * length_rest * length_rest) return direction<S>(across<S>(r, t1), any_across<S>(t1));
    const V3<S> r_left = r - v1 * (S(2) * dot(v1, r) / c1);
    const V3<S> t_left = t0 - v1 * (S(2) * dot(v1, t0) / c1);
    const V3<S> v2 = t1 - t_left;
    const S c2 = dot(v2, v2);
    if (value_of(c2) < 1e-24) return r_left;
    return r_left - v2 * (S(2) * dot(v2, r_left) / c2);
  }

  template <class S>
  void starts_of(const Pieces<S>& pieces, S* starts) const {
    starts[0] = S(0);
    for (int span = 0; span < pieces.spans; ++span) starts[span + 1] = starts[span] + pieces.arc(S(span), S(span + 1));
  }

  template <class S>
  void operator()(const S* inputs, S* output) const {
    V3<S> c[kMostSplinePoints];
    for (int k = 0; k < points; ++k) c[k] = vector_at(inputs + 3 * k);
    Pieces<S> pieces;
    bezier_pieces(kind, c, points, pieces);
    S starts[kMostSplinePoints];
    starts_of(pieces, starts);

    V3<S> up = constant<S>(up_axis);
    if (has_up) up = frame_at(inputs + 3 * points).A * up;
    const S* sources = inputs + 3 * points + (has_up ? 12 : 0);
    const S scale = S(1) + clamped(sources[0], 0, 1) * (starts[pieces.spans] / S(length_rest) - S(1));

    V3<S> x, t;
    const V3<S> chord = direction<S>(c[points - 1] - c[0], V3<S>(S(1), S(0), S(0)));
    pieces.at(S(0), x, t);
    t = direction<S>(t, chord);
    V3<S> r = direction<S>(across<S>(up, t), any_across<S>(t), 1e-9);
    S u_now(0);
    for (std::size_t j = 0; j < arcs.size(); ++j) {
      S beyond;
      const S u_joint = parameter<S>(pieces, starts, scale * S(arcs[j]), beyond);
      for (int k = 1; k <= kSubsteps; ++k) {
        V3<S> x_next, t_next;
        pieces.at(u_now + (u_joint - u_now) * S(static_cast<double>(k) / kSubsteps), x_next, t_next);
        t_next = direction<S>(t_next, t);
        r = carried<S>(r, x, t, x_next, t_next);
        x = x_next;
        t = t_next;
      }
      u_now = u_joint;
      const S share = S(arcs[j] / length_rest);
      const S twist = sources[1] + (sources[2] - sources[1]) * share;
      const M3<S> F = exp_of<S>(t * twist) * frame_of<S>(t, r);
      const V3<S> origin = x + t * beyond;
      put<S>(F * constant<S>(Mat3(linear(offsets[j]))), origin + F * constant<S>(Vec3(translation(offsets[j]))),
             output + 12 * j);
    }
  }
};

/// Arc lengths, ascending, of the points of the curve nearest to the joints.
std::vector<double> rest_arcs(const Pieces<double>& pieces, std::span<const double> starts,
                              std::span<const Affine> joints) {
  const int samples = 64 * pieces.spans;
  std::vector<double> arcs;
  double at_least = 0;
  for (const Affine& joint : joints) {
    const auto distance = [&](double u) {
      Vec3 x, dx;
      pieces.at(u, x, dx);
      return (x - translation(joint)).squaredNorm();
    };
    int best = 0;
    for (int k = 1; k <= samples; ++k)
      if (distance(k / 64.0) < distance(best / 64.0)) best = k;
    double low = std::max(0.0, (best - 1) / 64.0), high = std::min<double>(pieces.spans, (best + 1) / 64.0);
    for (int k = 0; k < 100; ++k) {  // a ternary search: unimodal between two samples of the nearest
      const double a = low + (high - low) / 3, b = high - (high - low) / 3;
      (distance(a) < distance(b) ? high : low) = distance(a) < distance(b) ? b : a;
    }
    const double u = 0.5 * (low + high);
    const int span = std::clamp(static_cast<int>(u), 0, pieces.spans - 1);
    at_least = std::max(at_least, starts[span] + pieces.arc(span, u));
    arcs.push_back(at_least);
  }
  return arcs;
}

void require_counts(const SplineChain& chain, const std::string& who) {
  const int points = static_cast<int>(chain.point_slots.size()), joints = static_cast<int>(chain.joints_rest.size());
  const bool bezier = chain.kind == SplineKind::bezier;
  if (points < (bezier ? 4 : 2) || points > kMostSplinePoints || (bezier && points % 3 != 1))
    throw Error({.element = who,
                 .value = std::to_string(points),
                 .problem = "has " + std::to_string(points) + " points",
                 .remedy = bezier ? "a Bezier curve needs 4, 7, 10 ..; at most 64" : "expected 2 to 64"});
  if (joints < 1 || joints > 64)
    throw Error({.element = who,
                 .value = std::to_string(joints),
                 .problem = "has " + std::to_string(joints) + " joints",
                 .remedy = "expected 1 to 64"});
}

}  // namespace

std::vector<int> add_spline_chain(ControlGraph& graph, const SplineChain& chain) {
  const std::string who = "spline chain \"" + chain.name + "\"";
  require_counts(chain, who);
  const int points = static_cast<int>(chain.point_slots.size());
  FormulaInputs inputs(graph);
  for (const int slot : chain.point_slots) inputs.add_position(slot, who, "control point");
  if (chain.up_slot >= 0) inputs.add_transform(chain.up_slot, who, "up transform");
  for (const Source* source : {&chain.stretch, &chain.start_twist, &chain.end_twist}) inputs.add(*source);
  SplineFormula formula{chain.kind, points, chain.up_slot >= 0, chain.up_axis};

  double rest[FormulaInputs::kMost];
  inputs.gather_at_rest(rest);
  std::vector<Vec3> c;
  for (int k = 0; k < points; ++k) c.push_back(vector_at<double>(rest + 3 * k));
  auto pieces = std::make_unique<Pieces<double>>();
  bezier_pieces(chain.kind, c.data(), points, *pieces);
  std::vector<double> starts(pieces->spans + 1);
  formula.starts_of(*pieces, starts.data());
  formula.length_rest = starts.back();
  if (!(formula.length_rest > 0))
    throw Error({.element = who, .problem = "has a curve of length 0", .remedy = "spread its points"});
  formula.arcs = rest_arcs(*pieces, starts, chain.joints_rest);

  // With no offsets the formula gives the curve's frames at rest; what is left over are the offsets.
  formula.offsets.assign(formula.arcs.size(), Affine::Identity());
  std::vector<double> frames(12 * formula.arcs.size());
  formula(static_cast<const double*>(rest), frames.data());
  for (std::size_t j = 0; j < formula.arcs.size(); ++j) {
    const Frame<double> f = frame_at<double>(frames.data() + 12 * j);
    Affine& offset = formula.offsets[j];
    linear(offset) = f.A.transpose() * linear(chain.joints_rest[j]);
    translation(offset) = f.A.transpose() * (translation(chain.joints_rest[j]) - f.t);
  }
  const int count = static_cast<int>(formula.arcs.size());
  const int slot = add_formula(graph, std::move(inputs), kTransformSlot * count, std::move(formula));
  return add_transform_parts(graph, slot, count);
}

}  // namespace rigspace
