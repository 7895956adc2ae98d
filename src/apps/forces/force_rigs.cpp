#include "rigspace/apps/forces/force_rigs.h"

#include "rigspace/base/error.h"

#include <algorithm>
#include <cmath>

namespace rigspace {
namespace {

struct Split {
  std::vector<double> shape, guide;
};

Split split(const TemplateForce& force, In g) {
  const auto shapes = static_cast<std::ptrdiff_t>(parameters(force.kind).size());
  return {{g.data(), g.data() + shapes}, {g.data() + shapes, g.data() + g.size()}};
}

/// Calls visit(cell, sample, place in the frame) for all samples that the template can reach.
template <class Visit>
void each_reached(const ForceBody& body, const GuidedFrame& frame, double reach, const Visit& visit) {
  const LatticeElements& elements = body.elements;
  for (int cell = 0; cell < elements.cell_count(); ++cell) {
    Box box;
    for (const int i : elements.lattice.cells[cell]) box.include(elements.lattice.vertices[i]);
    if (squared_distance(frame.origin, box.low, box.high) > reach * reach) continue;
    for (const auto& sample : elements.samples_of(cell)) {
      const Vec3 away = elements.place(cell, sample) - frame.origin;
      if (away.squaredNorm() < reach * reach) visit(cell, sample, Vec3(frame.axes.transpose() * away));
    }
  }
}

/// Of the vertices of the leaves.
void add_loads(const ForceBody& body, const TemplateForce& force, In g, double factor, Vec& loads) {
  const Split of = split(force, g);
  const GuidedFrame frame = guided_frame(force.guide, of.guide);
  each_reached(body, frame, reach(force.kind, of.shape), [&](int cell, const auto& sample, const Vec3& place) {
    const LocalForce f = local_force(force.kind, of.shape, body.options.material.young, place);
    const Vec3 whole = factor * sample.volume * (frame.axes * f.force);
    const auto corners = body.elements.corners_of(cell);
    for (int c = 0; c < 8; ++c) point(loads, corners[c]) += sample.phi[c] * whole;
  });
}

/// `add` adds loads of vertices; Q gets what that is for the functions of the body's levels.
template <class Add>
void add_to_functions(const ForceBody& body, Vec& Q, const Add& add) {
  if (body.levels.empty()) {
    add(Q);
    return;
  }
  Vec loads = Vec::Zero(Q.size());
  add(loads);
  body.levels.from_loads(loads);
  Q += loads;
}

}  // namespace

std::vector<std::string_view> TemplateForce::parameter_names() const {
  const auto shape = parameters(kind), place = parameters(guide.kind);
  std::vector<std::string_view> names(shape.begin(), shape.end());
  names.insert(names.end(), place.begin(), place.end());
  return names;
}

int TemplateForce::parameter_count() const {
  return static_cast<int>(parameters(kind).size() + parameters(guide.kind).size());
}

void add_generalised_force(const ForceBody& body, const TemplateForce& force, In g, double factor, Vec& Q) {
  add_to_functions(body, Q, [&](Vec& loads) { add_loads(body, force, g, factor, loads); });
}

// f = A F(A^T (X - o), g):  df = dR F + A F' (dA^T (X - o) - A^T do) + A F_g dg  with dA = [omega]x A.
void add_generalised_force_gradient(const ForceBody& body, const TemplateForce& force, In g, In field, Vec& g_g) {
  Vec v = field;
  body.levels.to_values(v);
  const Split of = split(force, g);
  const GuidedFrame frame = guided_frame(force.guide, of.guide);
  const int shapes = static_cast<int>(of.shape.size());
  each_reached(body, frame, reach(force.kind, of.shape), [&](int cell, const auto& sample, const Vec3& place) {
    const auto corners = body.elements.corners_of(cell);
    Vec3 along = Vec3::Zero();  // of v, in the frame
    for (int c = 0; c < 8; ++c) along += sample.phi[c] * point(v, corners[c]);
    along = sample.volume * (frame.axes.transpose() * along);
    const LocalForce f = local_force(force.kind, of.shape, body.options.material.young, place);
    for (int k = 0; k < shapes; ++k) g_g[k] += along.dot(f.by_parameter.col(k));
    const Vec3 by_place = f.by_place.transpose() * along;
    const Vec3 by_origin = -(frame.axes * by_place);
    const Vec3 by_turn = frame.axes * (f.force.cross(along) - place.cross(by_place));
    for (int k = 0; k < frame.d_origin.cols(); ++k)
      g_g[shapes + k] += by_origin.dot(frame.d_origin.col(k)) + by_turn.dot(frame.d_turn.col(k));
  });
}

void ForceRigPart::sample(double c, Vec& value, Vec& slope) const {
  slope.setZero(samples.front().value.size());
  if (c <= samples.front().at || samples.size() == 1) {
    value = samples.front().value;
    return;
  }
  std::size_t k = 1;
  while (k < samples.size() && c > samples[k].at) ++k;
  if (k == samples.size()) {
    value = samples.back().value;
    return;
  }
  const Sample &a = samples[k - 1], &b = samples[k];
  slope = (b.value - a.value) / (b.at - a.at);
  value = a.value + (c - a.at) * slope;
}

void check_rig_part(const ForceBody& body, const ForceRigPart& part) {
  const std::string what = "rig \"" + part.name + "\"";
  if (part.samples.empty())
    throw Error({.element = what, .problem = "has no samples", .remedy = "give at least one, at 1 for example"});
  const int size = part.is_template() ? part.force.front().parameter_count() : 3 * body.vertex_count();
  for (std::size_t k = 0; k < part.samples.size(); ++k) {
    const auto& sample = part.samples[k];
    if (!std::isfinite(sample.at) || (k > 0 && sample.at <= part.samples[k - 1].at))
      throw Error({.element = what,
                   .value = std::to_string(sample.at),
                   .problem = "has samples whose `at` does not ascend",
                   .remedy = "sort them, each control value once"});
    if (sample.value.size() != size)
      throw Error({.element = what,
                   .value = std::to_string(sample.value.size()),
                   .problem = part.is_template()
                                  ? "has a sample of " + std::to_string(sample.value.size()) + " parameters"
                                  : "has forces on " + std::to_string(sample.value.size() / 3) + " vertices",
                   .remedy = "expected " + std::to_string(part.is_template() ? size : size / 3) +
                             (part.is_template() ? "" : ": fit it again for this lattice")});
    if (!sample.value.allFinite())
      throw Error({.element = what, .problem = "has a sample that is not finite", .remedy = "give finite numbers"});
    if (part.is_template()) check_parameters(part.force.front().kind, {sample.value.data(), 3}, what);
  }
}

void add_rig_force(const ForceBody& body, const ForceRigPart& part, double c, Vec& Q) {
  Vec value, slope;
  part.sample(c, value, slope);
  if (part.is_template())
    add_generalised_force(body, part.force.front(), value, 1, Q);
  else
    Q += value;
}

// Of a template dQ/dc = dQ/dg g'(c), by the directional derivative of the integral.
void add_rig_force_slope(const ForceBody& body, const ForceRigPart& part, double c, Vec& dQ) {
  Vec value, slope;
  part.sample(c, value, slope);
  if (slope.isZero(0)) return;
  if (!part.is_template()) {
    dQ += slope;
    return;
  }
  const TemplateForce& force = part.force.front();
  const Split of = split(force, value);
  const GuidedFrame frame = guided_frame(force.guide, of.guide);
  const auto shapes = static_cast<Eigen::Index>(of.shape.size());
  const Vec3 d_origin = frame.d_origin * slope.tail(slope.size() - shapes);
  const Vec3 turn = frame.axes.transpose() * (frame.d_turn * slope.tail(slope.size() - shapes));
  const Vec3 move = frame.axes.transpose() * d_origin;
  const auto add_change = [&](Vec& loads) {
    each_reached(body, frame, reach(force.kind, of.shape), [&](int cell, const auto& sample, const Vec3& place) {
      const LocalForce f = local_force(force.kind, of.shape, body.options.material.young, place);
      Vec3 change = turn.cross(f.force) - f.by_place * (move + turn.cross(place));
      for (Eigen::Index k = 0; k < shapes; ++k) change += slope[k] * f.by_parameter.col(k);
      const Vec3 whole = sample.volume * (frame.axes * change);
      const auto corners = body.elements.corners_of(cell);
      for (int c8 = 0; c8 < 8; ++c8) point(loads, corners[c8]) += sample.phi[c8] * whole;
    });
  };
  add_to_functions(body, dQ, add_change);
}

}  // namespace rigspace
