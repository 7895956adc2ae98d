#include "rigspace/rig/expression.h"

#include "expression_parser.h"
#include "rigspace/base/error.h"
#include "rigspace/base/require.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdio>
#include <numbers>

namespace rigspace {
namespace {

constexpr double kRadian = std::numbers::pi / 180;  // of a degree
constexpr int kMostNodes = 4096;                    // what evaluation keeps on the stack

std::string plain(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

double smooth_share(double a, double b, double x) {
  if (a == b) return x < a ? 0 : 1;
  const double t = std::clamp((x - a) / (b - a), 0.0, 1.0);
  return t * t * (3 - 2 * t);
}

}  // namespace

void ExpressionLimits::validate() const {
  require_option(max_length >= 1, "expression length", max_length, "expected at least 1");
  require_option(max_depth >= 1 && max_depth <= 1000, "expression depth", max_depth, "expected 1 to 1000");
  require_option(max_nodes >= 1 && max_nodes <= kMostNodes, "expression parts", max_nodes, "expected 1 to 4096");
}

Expression::Expression() : text_("0"), nodes_{Node{.op = Op::constant, .end = 1}} {}

Expression Expression::parse(std::string_view text, const ExpressionLimits& limits) {
  limits.validate();
  return ExpressionParser(text, limits).parse();
}

void Expression::run(std::span<const double> values, double* r) const {
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const Node& n = nodes_[i];
    const double a = n.a >= 0 && n.op != Op::variable ? r[n.a] : 0;
    const double b = n.b >= 0 ? r[n.b] : 0;
    const double c = n.c >= 0 ? r[n.c] : 0;
    switch (n.op) {
      case Op::constant: r[i] = n.value; break;
      case Op::variable: r[i] = values[n.a]; break;
      case Op::negate: r[i] = -a; break;
      case Op::logical_not: r[i] = a == 0; break;
      case Op::add: r[i] = a + b; break;
      case Op::subtract: r[i] = a - b; break;
      case Op::multiply: r[i] = a * b; break;
      case Op::divide: r[i] = a / b; break;
      case Op::remainder: r[i] = a - b * std::floor(a / b); break;
      case Op::power: r[i] = std::pow(a, b); break;
      case Op::less: r[i] = a < b; break;
      case Op::greater: r[i] = a > b; break;
      case Op::less_equal: r[i] = a <= b; break;
      case Op::greater_equal: r[i] = a >= b; break;
      case Op::equal: r[i] = a == b; break;
      case Op::not_equal: r[i] = a != b; break;
      case Op::logical_and: r[i] = a != 0 && b != 0; break;
      case Op::logical_or: r[i] = a != 0 || b != 0; break;
      case Op::select: r[i] = a != 0 ? b : c; break;
      case Op::min: r[i] = b < a ? b : a; break;
      case Op::max: r[i] = b > a ? b : a; break;
      case Op::clamp: r[i] = a < b ? b : a > c ? c : a; break;
      case Op::abs: r[i] = std::abs(a); break;
      case Op::sign: r[i] = a > 0 ? 1 : a < 0 ? -1 : 0; break;
      case Op::sqrt: r[i] = std::sqrt(a); break;
      case Op::sin: r[i] = std::sin(a * kRadian); break;
      case Op::cos: r[i] = std::cos(a * kRadian); break;
      case Op::tan: r[i] = std::tan(a * kRadian); break;
      case Op::asin: r[i] = std::asin(a) / kRadian; break;
      case Op::acos: r[i] = std::acos(a) / kRadian; break;
      case Op::atan: r[i] = std::atan(a) / kRadian; break;
      case Op::atan2: r[i] = std::atan2(a, b) / kRadian; break;
      case Op::exp: r[i] = std::exp(a); break;
      case Op::log: r[i] = std::log(a); break;
      case Op::floor: r[i] = std::floor(a); break;
      case Op::ceil: r[i] = std::ceil(a); break;
      case Op::round: r[i] = std::round(a); break;
      case Op::smoothstep: r[i] = smooth_share(a, b, c); break;
      case Op::lerp: r[i] = a + (b - a) * c; break;
      case Op::to_degrees: r[i] = a / kRadian; break;
      case Op::to_radians: r[i] = a * kRadian; break;
    }
  }
}

double Expression::evaluate(std::span<const double> values) const {
  assert(values.size() == variables_.size());
  double results[kMostNodes];
  run(values, results);
  const double result = results[nodes_.size() - 1];
  if (!std::isfinite(result)) fail(values, results);
  return result;
}

double Expression::gradient(std::span<const double> values, std::span<double> derivatives) const {
  assert(values.size() == variables_.size() && derivatives.size() == variables_.size());
  double r[kMostNodes], g[kMostNodes];
  run(values, r);
  const std::size_t count = nodes_.size();
  if (!std::isfinite(r[count - 1])) fail(values, r);

  std::fill(derivatives.begin(), derivatives.end(), 0.0);
  std::fill_n(g, count, 0.0);
  g[count - 1] = 1;
  for (std::size_t i = count; i-- > 0;) {
    const double up = g[i];
    if (up == 0) continue;  // a branch not taken may hold anything
    const Node& n = nodes_[i];
    const double a = n.a >= 0 && n.op != Op::variable ? r[n.a] : 0;
    const double b = n.b >= 0 ? r[n.b] : 0;
    const double c = n.c >= 0 ? r[n.c] : 0;
    const auto pass = [&](int node, double slope) {
      if (std::isfinite(slope)) g[node] += up * slope;  // a vertical tangent counts as level
    };
    switch (n.op) {
      case Op::variable: derivatives[n.a] += up; break;
      case Op::negate: pass(n.a, -1); break;
      case Op::add: pass(n.a, 1), pass(n.b, 1); break;
      case Op::subtract: pass(n.a, 1), pass(n.b, -1); break;
      case Op::multiply: pass(n.a, b), pass(n.b, a); break;
      case Op::divide: pass(n.a, 1 / b), pass(n.b, -a / (b * b)); break;
      case Op::remainder: pass(n.a, 1), pass(n.b, -std::floor(a / b)); break;
      case Op::power:
        pass(n.a, b == 0 ? 0 : b * std::pow(a, b - 1));
        pass(n.b, a > 0 ? r[i] * std::log(a) : 0);
        break;
      case Op::select: pass(a != 0 ? n.b : n.c, 1); break;
      case Op::min: pass(b < a ? n.b : n.a, 1); break;
      case Op::max: pass(b > a ? n.b : n.a, 1); break;
      case Op::clamp: pass(a < b ? n.b : a > c ? n.c : n.a, 1); break;
      case Op::abs: pass(n.a, a > 0 ? 1 : a < 0 ? -1 : 0); break;
      case Op::sqrt: pass(n.a, 0.5 / r[i]); break;
      case Op::sin: pass(n.a, kRadian * std::cos(a * kRadian)); break;
      case Op::cos: pass(n.a, -kRadian * std::sin(a * kRadian)); break;
      case Op::tan: pass(n.a, kRadian * (1 + r[i] * r[i])); break;
      case Op::asin: pass(n.a, 1 / (kRadian * std::sqrt(1 - a * a))); break;
      case Op::acos: pass(n.a, -1 / (kRadian * std::sqrt(1 - a * a))); break;
      case Op::atan: pass(n.a, 1 / (kRadian * (1 + a * a))); break;
      case Op::atan2: pass(n.a, b / (kRadian * (a * a + b * b))), pass(n.b, -a / (kRadian * (a * a + b * b))); break;
      case Op::exp: pass(n.a, r[i]); break;
      case Op::log: pass(n.a, 1 / a); break;
      case Op::smoothstep: {
        const double t = a == b ? 0 : std::clamp((c - a) / (b - a), 0.0, 1.0);
        const double slope = 6 * t * (1 - t) / (b - a);
        pass(n.a, slope * (t - 1)), pass(n.b, -slope * t), pass(n.c, slope);
        break;
      }
      case Op::lerp: pass(n.a, 1 - c), pass(n.b, c), pass(n.c, b - a); break;
      case Op::to_degrees: pass(n.a, 1 / kRadian); break;
      case Op::to_radians: pass(n.a, kRadian); break;
      default: break;  // constants, comparisons and steps
    }
  }
  return r[count - 1];
}

void Expression::fail(std::span<const double> values, const double* results) const {
  // Down to the part that is not finite though all it is made of is.
  int at = static_cast<int>(nodes_.size()) - 1;
  for (bool deeper = true; deeper;) {
    deeper = false;
    const Node& n = nodes_[at];
    if (n.op == Op::variable || n.op == Op::constant) break;
    for (const int operand : {n.a, n.b, n.c}) {
      if (operand < 0 || std::isfinite(results[operand])) continue;
      if (n.op == Op::select && operand == (results[n.a] != 0 ? n.c : n.b)) continue;
      at = operand;
      deeper = true;
      break;
    }
  }
  const Node& n = nodes_[at];
  std::string part = text_.substr(n.begin, n.end - n.begin);
  if (part.size() > 60) part = part.substr(0, 60) + "..";
  std::string where;
  for (std::size_t k = 0; k < variables_.size() && k < 4; ++k)
    where += (k == 0 ? " at " : ", ") + variables_[k] + " = " + plain(values[k]);
  throw Error({.element = "expression \"" + (text_.size() > 40 ? text_.substr(0, 40) + ".." : text_) + "\"",
               .value = plain(results[at]),
               .problem = part + (std::isnan(results[at]) ? " is not a number" : " is infinite") + where,
               .remedy = "guard it, as in  x != 0 ? 1 / x : 0"});
}

}  // namespace rigspace
