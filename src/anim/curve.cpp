#include "rigspace/anim/curve.h"

#include "pieces.h"
#include "rigspace/base/error.h"

#include <cassert>
#include <cmath>
#include <string>

namespace rigspace {
namespace {

[[noreturn]] void fail(std::string_view what, std::string value, std::string problem, std::string remedy) {
  throw Error({.element = std::string(what),
               .value = std::move(value),
               .problem = std::move(problem),
               .remedy = std::move(remedy)});
}

void require_size(std::string_view what, const std::vector<double>& numbers, std::size_t keys, const char* noun) {
  if (numbers.size() == keys) return;
  fail(what, std::to_string(numbers.size()),
       "has " + std::to_string(numbers.size()) + " " + noun + " for " + std::to_string(keys) + " times",
       "expected one per time");
}

void require_finite(std::string_view what, const std::vector<double>& numbers, const char* noun) {
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (std::isfinite(numbers[i])) continue;
    fail(what, std::to_string(numbers[i]),
         "has the " + std::string(noun) + " " + std::to_string(numbers[i]) + " at key " + std::to_string(i),
         "expected a finite number");
  }
}

}  // namespace

std::string_view name(Interpolation interpolation) {
  switch (interpolation) {
    case Interpolation::step: return "step";
    case Interpolation::linear: return "linear";
    case Interpolation::hermite: return "hermite";
    case Interpolation::catmull_rom: return "catmull_rom";
    case Interpolation::natural: return "natural";
    case Interpolation::bspline: return "bspline";
  }
  return "linear";
}

bool is_cyclic(const Curve& curve) {
  const auto repeats = [](Extrapolation e) { return e == Extrapolation::cycle || e == Extrapolation::cycle_offset; };
  return repeats(curve.before) && repeats(curve.after);
}

double Curve::operator()(double time) const {
  assert(values.size() == times.size());
  if (values.size() < 2) return values.empty() ? 0 : values[0];
  if (interpolation != Interpolation::natural) return detail::value_at(detail::CurveSource(*this), time);
  const std::vector<double> slopes = detail::natural_slopes(*this);
  return detail::value_at(detail::CurveSource(*this, slopes.data()), time);
}

double Curve::slope(double time) const {
  assert(values.size() == times.size());
  if (values.size() < 2) return 0;
  if (interpolation != Interpolation::natural) return detail::slope_at(detail::CurveSource(*this), time);
  const std::vector<double> slopes = detail::natural_slopes(*this);
  return detail::slope_at(detail::CurveSource(*this, slopes.data()), time);
}

void Curve::validate(std::string_view what) const {
  require_finite(what, times, "time");
  for (std::size_t i = 1; i < times.size(); ++i) {
    if (times[i] > times[i - 1]) continue;
    fail(what, std::to_string(times[i]),
         "has key " + std::to_string(i) + " at " + std::to_string(times[i]) + " s after one at " +
             std::to_string(times[i - 1]) + " s",
         "times must strictly increase");
  }
  require_size(what, values, times.size(), "values");
  require_finite(what, values, "value");
  if (interpolation != Interpolation::hermite) return;
  require_size(what, in_tangents, times.size(), "in-tangents");
  require_size(what, out_tangents, times.size(), "out-tangents");
  require_finite(what, in_tangents, "in-tangent");
  require_finite(what, out_tangents, "out-tangent");
}

}  // namespace rigspace
