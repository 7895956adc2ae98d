#include "rigspace/optimize/line_search.h"

#include "rigspace/base/error.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

namespace rigspace {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Point {
  double step = 0, value = 0;
  double slope = std::numeric_limits<double>::quiet_NaN();  // until it is evaluated
};

// Follows the function's own advice down to a step that it allows; 0 if there is none above min_step.
double allowed(LineFunction& phi, double step, double min_step) {
  constexpr int kTries = 60;
  for (int i = 0; i < kTries && step >= min_step; ++i) {
    const double feasible = phi.feasible(step);
    if (feasible >= step) return step;
    step = feasible;
  }
  return 0;
}

double evaluate(LineFunction& phi, double step) {
  const double value = phi.value(step);
  return std::isnan(value) ? kInfinity : value;
}

// Minimum of the cubic through phi(0), phi'(0) and two values (Nocedal and Wright 3.58).
double cubic_from_values(const LineStart& start, double a0, double v0, double a1, double v1) {
  const double r1 = v1 - start.value - start.slope * a1, r0 = v0 - start.value - start.slope * a0;
  const double scale = a0 * a0 * a1 * a1 * (a1 - a0);
  const double a = (a0 * a0 * r1 - a1 * a1 * r0) / scale;
  const double b = (-a0 * a0 * a0 * r1 + a1 * a1 * a1 * r0) / scale;
  if (a == 0) return -start.slope / (2 * b);
  const double under_root = b * b - 3 * a * start.slope;
  if (under_root < 0) return a1 / 2;
  return b <= 0 ? (-b + std::sqrt(under_root)) / (3 * a) : -start.slope / (b + std::sqrt(under_root));
}

// Minimum of the cubic through two values and slopes (Nocedal and Wright 3.59); not a number if it has none.
double cubic_from_slopes(const Point& p, const Point& r) {
  const double d1 = p.slope + r.slope - 3 * (p.value - r.value) / (p.step - r.step);
  const double under_root = d1 * d1 - p.slope * r.slope;
  const double d2 = std::copysign(std::sqrt(under_root), r.step - p.step);
  return r.step - (r.step - p.step) * (r.slope + d2 - d1) / (r.slope - p.slope + 2 * d2);
}

// Zoom of strong Wolfe (Nocedal and Wright 3.6) and its bracketing (3.5).
class WolfeSearch {
 public:
  WolfeSearch(LineFunction& phi, const LineStart& start, const LineSearchOptions& options)
      : phi_(phi), start_(start), options_(options) {}

  LineSearchResult run() {
    Point before{0, start_.value, start_.slope};
    double step = options_.initial_step, limit = options_.max_step;
    while (evaluations_ < options_.max_evaluations) {
      const double wanted = std::min(step, limit);
      Point here{.step = allowed(phi_, wanted, options_.min_step)};
      if (here.step <= before.step) break;  // the way ends at, or before, what was accepted already
      if (here.step < wanted) limit = here.step;
      here.value = evaluate(here.step);
      if (!decreases(here) || (before.step > 0 && here.value >= before.value)) return zoom(before, here);
      here.slope = phi_.slope(here.step);
      if (flat(here)) return end(LineSearchEnd::found, here);
      if (here.slope >= 0) return zoom(here, before);
      if (here.step >= limit) return end(LineSearchEnd::limited, here);
      step = extrapolate(before, here);
      before = here;
    }
    if (before.step == 0) return end(LineSearchEnd::failed, before);
    return end(LineSearchEnd::limited, again(before));
  }

 private:
  double evaluate(double step) {
    ++evaluations_;
    return rigspace::evaluate(phi_, step);
  }
  // The caller is promised that the step it gets was evaluated last.
  Point again(const Point& point) {
    evaluate(point.step);
    return point;
  }
  bool decreases(const Point& p) const {
    return p.value <= start_.value + options_.armijo * p.step * start_.slope + start_.noise;
  }
  bool flat(const Point& p) const { return std::abs(p.slope) <= -options_.curvature * start_.slope; }
  LineSearchResult end(LineSearchEnd how, const Point& p) const { return {how, p.step, p.value, evaluations_}; }

  static double extrapolate(const Point& before, const Point& here) {
    const double width = here.step - before.step, minimum = cubic_from_slopes(before, here);
    const double least = here.step + 1.1 * width, most = here.step + 9 * width;
    return minimum > here.step ? std::clamp(minimum, least, most) : most;
  }

  // `low` satisfies Armijo with the lowest value so far and its slope points towards `high`.
  LineSearchResult zoom(Point low, Point high) {
    constexpr double kResolution = 1e-15;  // of a step: nothing lies between the ends any more
    double width = std::abs(high.step - low.step), width_before = 2 * width;
    while (evaluations_ < options_.max_evaluations && width > kResolution * std::max(low.step, high.step) &&
           std::max(low.step, high.step) >= options_.min_step) {
      Point here{.step = interpolate(low, high, width > 0.66 * width_before)};
      width_before = width;
      here.value = evaluate(here.step);
      if (!decreases(here) || here.value >= low.value) {
        high = here;
      } else {
        here.slope = phi_.slope(here.step);
        if (flat(here)) return end(LineSearchEnd::found, here);
        if (here.slope * (high.step - low.step) >= 0) high = low;
        low = here;
      }
      width = std::abs(high.step - low.step);
    }
    return low.step > 0 ? end(LineSearchEnd::armijo, again(low)) : end(LineSearchEnd::failed, low);
  }

  // A trial between the ends, off both by a tenth; the middle where interpolation has nothing to say or is too slow.
  static double interpolate(const Point& low, const Point& high, bool slow) {
    const double width = high.step - low.step, middle = low.step + width / 2;
    if (slow || !std::isfinite(high.value)) return middle;
    const double curvature = (high.value - low.value - low.slope * width) / (width * width);
    const double minimum =
        std::isnan(high.slope) ? low.step - low.slope / (2 * curvature) : cubic_from_slopes(low, high);
    if (!std::isfinite(minimum)) return middle;
    const double least = low.step + 0.1 * width, most = high.step - 0.1 * width;
    return std::clamp(minimum, std::min(least, most), std::max(least, most));
  }

  LineFunction& phi_;
  const LineStart& start_;
  const LineSearchOptions& options_;
  int evaluations_ = 0;
};

}  // namespace

void LineSearchOptions::validate() const {
  const bool ordered = 0 < armijo && armijo <= curvature && curvature < 1;
  if (ordered && initial_step > 0 && min_step > 0 && max_step >= initial_step && max_evaluations > 0) return;
  throw Error({.code = ErrorCode::usage,
               .element = "line search options",
               .value = std::to_string(armijo),
               .problem = "are out of range",
               .remedy = "expected 0 < armijo <= curvature < 1, positive steps and evaluations"});
}

LineSearchResult armijo_search(LineFunction& phi, const LineStart& start, const LineSearchOptions& options) {
  LineSearchResult result;
  double step = allowed(phi, options.initial_step, options.min_step), before = 0, value_before = kInfinity;
  while (step >= options.min_step && result.evaluations < options.max_evaluations) {
    const double value = evaluate(phi, step);
    ++result.evaluations;
    if (value <= start.value + options.armijo * step * start.slope + start.noise) {
      result.end = LineSearchEnd::found;
      result.step = step;
      result.value = value;
      return result;
    }
    double next = step / 4;
    if (std::isfinite(value_before))
      next = cubic_from_values(start, before, value_before, step, value);
    else if (std::isfinite(value))
      next = -start.slope * step * step / (2 * (value - start.value - start.slope * step));
    if (!std::isfinite(next)) next = step / 2;
    before = step;
    value_before = value;
    step = allowed(phi, std::clamp(next, 0.1 * step, 0.5 * step), options.min_step);
  }
  result.value = start.value;
  return result;
}

LineSearchResult strong_wolfe_search(LineFunction& phi, const LineStart& start, const LineSearchOptions& options) {
  return WolfeSearch(phi, start, options).run();
}

}  // namespace rigspace
