#include "pieces.h"

#include <cassert>

namespace rigspace::detail {
namespace {

/// Solves a tridiagonal system in place by elimination without pivoting, safe where the diagonal dominates: row i reads
/// below[i] x[i-1] + diagonal[i] x[i] + above[i] x[i+1] = x[i]. `diagonal` is spoilt.
void solve_tridiagonal(const std::vector<double>& below, std::vector<double>& diagonal,
                       const std::vector<double>& above, std::vector<double>& x) {
  const int n = static_cast<int>(x.size());
  for (int i = 1; i < n; ++i) {
    const double factor = below[i] / diagonal[i - 1];
    diagonal[i] -= factor * above[i - 1];
    x[i] -= factor * x[i - 1];
  }
  x[n - 1] /= diagonal[n - 1];
  for (int i = n - 2; i >= 0; --i) x[i] = (x[i] - above[i] * x[i + 1]) / diagonal[i];
}

/// The same with two corners: below[0] multiplies the last unknown, above[n-1] the first. Sherman-Morrison; n >= 3.
void solve_cyclic(const std::vector<double>& below, std::vector<double> diagonal, const std::vector<double>& above,
                  std::vector<double>& x) {
  const int n = static_cast<int>(x.size());
  // A = T + u v^T,  u = (gamma, 0 .. 0, above[n-1]),  v = (1, 0 .. 0, below[0] / gamma)
  const double gamma = -diagonal[0];
  std::vector<double> u(n, 0.0);
  u[0] = gamma;
  u[n - 1] = above[n - 1];
  diagonal[0] -= gamma;
  diagonal[n - 1] -= below[0] * above[n - 1] / gamma;
  std::vector<double> copy = diagonal;
  solve_tridiagonal(below, diagonal, above, x);
  solve_tridiagonal(below, copy, above, u);
  const double share = (x[0] + below[0] / gamma * x[n - 1]) / (1 + u[0] + below[0] / gamma * u[n - 1]);
  for (int i = 0; i < n; ++i) x[i] -= share * u[i];
}

std::vector<double> periodic_slopes(const std::vector<double>& h, const std::vector<double>& secant) {
  const int n = static_cast<int>(h.size());  // unknowns: the last key is the first
  std::vector<double> below(n), diagonal(n), above(n), x(n);
  for (int i = 0; i < n; ++i) {
    const int before = (i + n - 1) % n;
    below[i] = 1 / h[before];
    above[i] = 1 / h[i];
    diagonal[i] = 2 * (below[i] + above[i]);
    x[i] = 3 * (secant[before] * below[i] + secant[i] * above[i]);
  }
  if (n == 1) {
    x[0] = secant[0];
  } else if (n == 2) {  // both neighbours are the other key
    const double a = diagonal[0], b = below[0] + above[0], c = below[1] + above[1], d = diagonal[1];
    x = {(d * x[0] - b * x[1]) / (a * d - b * c), (a * x[1] - c * x[0]) / (a * d - b * c)};
  } else {
    solve_cyclic(below, diagonal, above, x);
  }
  x.push_back(x[0]);
  return x;
}

}  // namespace

double solve_rising_cubic(const Cubic& cubic, double y) {
  double low = 0, high = 1;
  const double rise = cubic.value(1) - cubic.c0;
  if (!(rise > 0)) return 0;
  double u = std::clamp((y - cubic.c0) / rise, 0.0, 1.0);
  for (int i = 0; i < 64; ++i) {
    const double error = cubic.value(u) - y;
    if (error == 0) break;
    (error > 0 ? high : low) = u;
    const double slope = cubic.slope(u);
    double next = slope > 0 ? u - error / slope : low + 0.5 * (high - low);
    if (!(next >= low && next <= high)) next = low + 0.5 * (high - low);
    const double change = std::abs(next - u);
    u = next;
    if (change <= 1e-16) break;
  }
  return u;
}

// C2 at key i:  m_(i-1)/h_(i-1) + 2 (1/h_(i-1) + 1/h_i) m_i + m_(i+1)/h_i = 3 (d_(i-1)/h_(i-1) + d_i/h_i),  m slopes, d
// secants; no curvature at the ends: 2 m_0 + m_1 = 3 d_0.
std::vector<double> natural_slopes(const Curve& curve) {
  const int keys = static_cast<int>(curve.times.size());
  assert(keys >= 2);
  std::vector<double> h(keys - 1), secant(keys - 1);
  for (int i = 0; i + 1 < keys; ++i) {
    h[i] = curve.times[i + 1] - curve.times[i];
    secant[i] = (curve.values[i + 1] - curve.values[i]) / h[i];
  }
  if (is_cyclic(curve)) return periodic_slopes(h, secant);
  std::vector<double> below(keys, 1.0), diagonal(keys, 2.0), above(keys, 1.0), x(keys);
  x[0] = 3 * secant[0];
  x[keys - 1] = 3 * secant[keys - 2];
  for (int i = 1; i + 1 < keys; ++i) {
    below[i] = 1 / h[i - 1];
    above[i] = 1 / h[i];
    diagonal[i] = 2 * (below[i] + above[i]);
    x[i] = 3 * (secant[i - 1] * below[i] + secant[i] * above[i]);
  }
  solve_tridiagonal(below, diagonal, above, x);
  return x;
}

/// y[i+1] - y[i], continued beyond the ends: straight, so that a B-spline begins in its first key; or from across the
/// seam.
double CurveSource::step_of(const std::vector<double>& y, int i) const {
  const int last = pieces() - 1;
  const bool cyclic = is_cyclic(curve_);
  if (i < 0) i = cyclic ? last : 0;
  if (i > last) i = cyclic ? 0 : last;
  return y[i + 1] - y[i];
}

// The uniform cubic B-spline's matrix applied to differences of the polygon instead of its points, so that constants
// stay exact.
Cubic CurveSource::bspline_piece(const std::vector<double>& y, int i) const {
  const double before = step_of(y, i - 1), here = step_of(y, i), after = step_of(y, i + 1);
  return {y[i] + (here - before) / 6, (here + before) / 2, (here - before) / 2, (before - 2 * here + after) / 6};
}

/// The chord from the key before to the key after.
double CurveSource::catmull_rom_slope(int i) const {
  return (step_of(curve_.values, i - 1) + step_of(curve_.values, i)) /
         (step_of(curve_.times, i - 1) + step_of(curve_.times, i));
}

Cubic CurveSource::value(int i) const {
  const double v0 = curve_.values[i], v1 = curve_.values[i + 1];
  const double interval = curve_.times[i + 1] - curve_.times[i];
  switch (curve_.interpolation) {
    case Interpolation::step: return {.c0 = v0};
    case Interpolation::linear: return {.c0 = v0, .c1 = (v1 - v0) / interval};
    case Interpolation::hermite:
      return hermite_piece(v0, v1, curve_.out_tangents[i], curve_.in_tangents[i + 1], interval);
    case Interpolation::catmull_rom:
      return hermite_piece(v0, v1, catmull_rom_slope(i), catmull_rom_slope(i + 1), interval);
    case Interpolation::natural: return hermite_piece(v0, v1, natural_slopes_[i], natural_slopes_[i + 1], interval);
    case Interpolation::bspline: return bspline_piece(curve_.values, i);
  }
  return {};
}

// Both coordinates of the time-value plane are B-splines of the same parameter. Since key times increase, so does
// time(u), and value over time is C2 for uneven keys too.
Cubic CurveSource::time(int i) const {
  Cubic piece = bspline_piece(curve_.times, i);
  piece.c0 = 0;
  return piece;
}

}  // namespace rigspace::detail
