#pragma once
// Numbers that carry derivatives along kLanes directions: a formula written once, as a template of its scalar, gives
// its value with double and its exact derivatives with Dual. Wider sets of directions are swept lane by lane.

#include <Eigen/Core>

#include <cmath>

namespace rigspace {

struct Dual {
  static constexpr int kLanes = 8;

  double v = 0;
  double d[kLanes] = {};

  Dual() = default;
  Dual(double value) : v(value) {}  // a constant, so that formulas mix both kinds

  /// f(a) from its value and its slope.
  static Dual of(double value, double slope, const Dual& a) {
    Dual r(value);
    for (int k = 0; k < kLanes; ++k) r.d[k] = slope * a.d[k];
    return r;
  }
  /// f(a, b) likewise.
  static Dual of(double value, double slope_a, const Dual& a, double slope_b, const Dual& b) {
    Dual r(value);
    for (int k = 0; k < kLanes; ++k) r.d[k] = slope_a * a.d[k] + slope_b * b.d[k];
    return r;
  }

  Dual& operator+=(const Dual& b) { return *this = *this + b; }
  Dual& operator-=(const Dual& b) { return *this = *this - b; }
  Dual& operator*=(const Dual& b) { return *this = *this * b; }
  Dual& operator/=(const Dual& b) { return *this = *this / b; }

  friend Dual operator+(const Dual& a, const Dual& b) { return of(a.v + b.v, 1, a, 1, b); }
  friend Dual operator-(const Dual& a, const Dual& b) { return of(a.v - b.v, 1, a, -1, b); }
  friend Dual operator*(const Dual& a, const Dual& b) { return of(a.v * b.v, b.v, a, a.v, b); }
  friend Dual operator/(const Dual& a, const Dual& b) { return of(a.v / b.v, 1 / b.v, a, -a.v / (b.v * b.v), b); }
  friend Dual operator-(const Dual& a) { return of(-a.v, -1, a); }
  friend Dual operator+(const Dual& a) { return a; }

  friend bool operator<(const Dual& a, const Dual& b) { return a.v < b.v; }
  friend bool operator>(const Dual& a, const Dual& b) { return a.v > b.v; }
  friend bool operator<=(const Dual& a, const Dual& b) { return a.v <= b.v; }
  friend bool operator>=(const Dual& a, const Dual& b) { return a.v >= b.v; }
  friend bool operator==(const Dual& a, const Dual& b) { return a.v == b.v; }
  friend bool operator!=(const Dual& a, const Dual& b) { return a.v != b.v; }
};

inline double value_of(double a) { return a; }
inline double value_of(const Dual& a) { return a.v; }

inline Dual sqrt(const Dual& a) {
  const double r = std::sqrt(a.v);
  return Dual::of(r, 0.5 / r, a);
}
inline Dual sin(const Dual& a) { return Dual::of(std::sin(a.v), std::cos(a.v), a); }
inline Dual cos(const Dual& a) { return Dual::of(std::cos(a.v), -std::sin(a.v), a); }
inline Dual tan(const Dual& a) {
  const double r = std::tan(a.v);
  return Dual::of(r, 1 + r * r, a);
}
inline Dual asin(const Dual& a) { return Dual::of(std::asin(a.v), 1 / std::sqrt(1 - a.v * a.v), a); }
inline Dual acos(const Dual& a) { return Dual::of(std::acos(a.v), -1 / std::sqrt(1 - a.v * a.v), a); }
inline Dual atan2(const Dual& y, const Dual& x) {
  const double square = x.v * x.v + y.v * y.v;
  return Dual::of(std::atan2(y.v, x.v), x.v / square, y, -y.v / square, x);
}
inline Dual exp(const Dual& a) {
  const double r = std::exp(a.v);
  return Dual::of(r, r, a);
}
inline Dual log(const Dual& a) { return Dual::of(std::log(a.v), 1 / a.v, a); }
/// A constant exponent.
inline Dual pow(const Dual& a, double exponent) {
  return Dual::of(std::pow(a.v, exponent), exponent * std::pow(a.v, exponent - 1), a);
}
inline Dual abs(const Dual& a) { return a.v < 0 ? -a : a; }
inline Dual abs2(const Dual& a) { return a * a; }

}  // namespace rigspace

namespace Eigen {

template <>
struct NumTraits<rigspace::Dual> : NumTraits<double> {
  using Real = rigspace::Dual;
  using NonInteger = rigspace::Dual;
  using Nested = rigspace::Dual;
  using Literal = double;
  enum {
    IsComplex = 0,
    IsInteger = 0,
    IsSigned = 1,
    RequireInitialization = 1,
    ReadCost = 4,
    AddCost = 8,
    MulCost = 16
  };
};

template <typename Op>
struct ScalarBinaryOpTraits<rigspace::Dual, double, Op> {
  using ReturnType = rigspace::Dual;
};
template <typename Op>
struct ScalarBinaryOpTraits<double, rigspace::Dual, Op> {
  using ReturnType = rigspace::Dual;
};

}  // namespace Eigen
