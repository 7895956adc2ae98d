#pragma once
// A number of the graph that is an expression of others.

#include "rigspace/rig/expression.h"
#include "rigspace/rig/graph.h"
#include "rigspace/rig/source.h"

#include <string>
#include <vector>

namespace rigspace {

/// result = scale * expression(variables). Expressions work in surface units: give angles with a scale of 180 / pi, and
/// `scale` pi / 180 where the result drives an angle.
struct DriverDescription {
  std::string name;  ///< for errors: what it drives
  Expression expression;
  std::vector<Source> variables;  ///< one per expression.variables(), in that order
  double scale = 1;
  std::string origin = {};  ///< where it was written, for errors: "hero.rig.json:41"
};

/// Returns a scalar slot. Evaluating the graph throws Error where the expression is not finite:
///   driver "knee" fails: 1 / elbow.rx is infinite at elbow.rx = 0; guard it ..
int add_driver(ControlGraph&, const DriverDescription&);

}  // namespace rigspace
