#include "rigspace/rig/points.h"

#include "automatic_operator.h"
#include "rigspace/base/error.h"
#include "rotation_formulas.h"

namespace rigspace {
namespace {

/// parent * (position + t + what drives it)
struct PointFormula {
  Vec3 position;
  bool has_parent;
  std::vector<int> channels;  // of the driving numbers, which come last

  template <class S>
  void operator()(const S* inputs, S* output) const {
    V3<S> x = constant<S>(position) + vector_at(inputs);
    const S* driving = inputs + (has_parent ? 15 : 3);
    for (std::size_t k = 0; k < channels.size(); ++k) x[channels[k]] += driving[k];
    if (has_parent) {
      const Frame<S> parent = frame_at(inputs + 3);
      x = parent.A * x + parent.t;
    }
    for (int k = 0; k < 3; ++k) output[k] = x[k];
  }
};

struct CarriedPoint {
  Vec3 local;

  template <class S>
  void operator()(const S* inputs, S* output) const {
    const Frame<S> frame = frame_at(inputs);
    const V3<S> x = frame.A * constant<S>(local) + frame.t;
    for (int k = 0; k < 3; ++k) output[k] = x[k];
  }
};

struct TransformAtPoint {
  template <class S>
  void operator()(const S* inputs, S* output) const {
    put<S>(constant<S>(Mat3(Mat3::Identity())), vector_at(inputs), output);
  }
};

}  // namespace

int add_point(ControlGraph& graph, const PointDescription& point) {
  const std::string who = "point \"" + point.name + "\"";
  PointFormula formula{point.position, point.parent_slot >= 0, {}};
  int first = -1;
  for (const char* channel : {"tx", "ty", "tz"}) {
    const int control = graph.add_control({.name = point.name + "." + channel,
                                           .node = point.name,
                                           .unit = Unit::length,
                                           .rest = 0,
                                           .typical = point.typical_length});
    if (first < 0) first = control;
  }
  FormulaInputs inputs(graph);
  for (int k = 0; k < 3; ++k) inputs.add(Source::of_control(first + k));
  if (formula.has_parent) inputs.add_transform(point.parent_slot, who, "parent");
  for (const DrivenChannel& driven : point.driven) {
    if (driven.channel < 0 || driven.channel > 2)
      throw Error({.element = who,
                   .value = std::to_string(driven.channel),
                   .problem = "drives channel " + std::to_string(driven.channel),
                   .remedy = "expected 0 to 2"});
    formula.channels.push_back(driven.channel);
    inputs.add(driven.source);
  }
  return add_formula(graph, std::move(inputs), kPointSlot, std::move(formula));
}

int add_point_of_transform(ControlGraph& graph, int transform_slot, const Vec3& local) {
  FormulaInputs inputs(graph);
  inputs.add_transform(transform_slot, "point", "transform");
  return add_formula(graph, std::move(inputs), kPointSlot, CarriedPoint{local});
}

int add_transform_of_point(ControlGraph& graph, int point_slot) {
  FormulaInputs inputs(graph);
  inputs.add_position(point_slot, "transform", "point");
  return add_formula(graph, std::move(inputs), kTransformSlot, TransformAtPoint{});
}

Vec rest_slots(const ControlGraph& graph) {
  Vec p(static_cast<Eigen::Index>(graph.controls().size())), u;
  for (Eigen::Index k = 0; k < p.size(); ++k) p[k] = graph.controls()[k].rest;
  ControlGraph::Memory memory;
  graph.evaluate(p, u, memory);
  return u;
}

}  // namespace rigspace
