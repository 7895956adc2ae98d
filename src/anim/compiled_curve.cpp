#include "rigspace/anim/compiled_curve.h"

#include "pieces.h"

namespace rigspace {

struct CompiledCurve::Source {
  const CompiledCurve& c;

  int pieces() const { return static_cast<int>(c.values_.size()); }
  double breakpoint(int i) const { return c.breaks_[i]; }
  double last_value() const { return c.last_value_; }
  bool timed() const { return !c.times_.empty(); }
  const Cubic& value(int i) const { return c.values_[i]; }
  const Cubic& time(int i) const { return c.times_[i]; }
  Extrapolation before() const { return c.before_; }
  Extrapolation after() const { return c.after_; }
};

CompiledCurve::CompiledCurve(const Curve& curve) : before_(curve.before), after_(curve.after) {
  curve.validate("curve");
  if (!curve.values.empty()) last_value_ = curve.values.back();
  if (curve.values.size() < 2) return;
  std::vector<double> slopes;
  if (curve.interpolation == Interpolation::natural) slopes = detail::natural_slopes(curve);
  const detail::CurveSource source(curve, slopes.data());
  last_value_ = source.last_value();
  const int pieces = source.pieces();
  breaks_.resize(pieces + 1);
  values_.resize(pieces);
  if (source.timed()) times_.resize(pieces);
  for (int i = 0; i <= pieces; ++i) breaks_[i] = source.breakpoint(i);
  for (int i = 0; i < pieces; ++i) {
    values_[i] = source.value(i);
    if (source.timed()) times_[i] = source.time(i);
  }
}

double CompiledCurve::operator()(double time) const {
  return values_.empty() ? last_value_ : detail::value_at(Source{*this}, time);
}

double CompiledCurve::slope(double time) const { return values_.empty() ? 0 : detail::slope_at(Source{*this}, time); }

}  // namespace rigspace
