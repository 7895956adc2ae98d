#include "spline_basis.h"

#include <algorithm>
#include <cassert>

namespace rigspace {
namespace {

using Cubic = std::array<double, 4>;

/// (a + b v) f, the degree staying below 4.
Cubic times_linear(const Cubic& f, double a, double b) {
  return {a * f[0], a * f[1] + b * f[0], a * f[2] + b * f[1], a * f[3] + b * f[2]};
}

/// Knots of a clamped uniform spline, in spans.
double knot(int i, int degree, int spans) { return std::clamp(i - degree, 0, spans); }

}  // namespace

SplineBasis SplineBasis::b_spline(int points, int degree) {
  assert(degree >= 1 && degree <= 3 && points > degree);
  SplineBasis basis;
  basis.points_ = points;
  const int spans = points - degree;
  for (int s = 0; s < spans; ++s) {
    // Cox and de Boor on the polynomials themselves, t = s + v:
    // N_i,p = (t - u_i) / (u_i+p - u_i) N_i,p-1 + (u_i+p+1 - t) / (u_i+p+1 - u_i+1) N_i+1,p-1; on span s N_s+degree,0 =
    // 1
    std::array<Cubic, 5> N{};  // N[j] is N_(s + degree - p + j), p
    N[0] = {1, 0, 0, 0};
    const auto u = [&](int i) { return knot(i, degree, spans); };
    for (int p = 1; p <= degree; ++p) {
      std::array<Cubic, 5> raised{};
      for (int j = 0; j <= p; ++j) {
        const int i = s + degree - p + j;
        Cubic& out = raised[j];
        if (j > 0) {  // N_i,p-1 stands at j - 1 of the lower degree
          const double width = u(i + p) - u(i);
          const Cubic left = times_linear(N[j - 1], (s - u(i)) / width, 1 / width);
          for (int c = 0; c < 4; ++c) out[c] += left[c];
        }
        if (j < p) {
          const double width = u(i + p + 1) - u(i + 1);
          const Cubic right = times_linear(N[j], (u(i + p + 1) - s) / width, -1 / width);
          for (int c = 0; c < 4; ++c) out[c] += right[c];
        }
      }
      N = raised;
    }
    basis.spans_.push_back({s, degree + 1, {N[0], N[1], N[2], N[3]}});
  }
  return basis;
}

SplineBasis SplineBasis::catmull_rom(int points) {
  assert(points >= 2);
  // Weights of the points before, at the start, at the end and after the span.
  constexpr std::array<Cubic, 4> kWeights{
      {{0, -0.5, 1, -0.5}, {1, 0, -2.5, 1.5}, {0, 0.5, 2, -1.5}, {0, 0, -0.5, 0.5}}};
  SplineBasis basis;
  basis.points_ = points;
  for (int s = 0; s + 1 < points; ++s) {
    const int first = std::max(s - 1, 0), last = std::min(s + 2, points - 1);
    Span span{first, last - first + 1, {}};
    const auto add = [&](int point, double factor, const Cubic& f) {
      for (int c = 0; c < 4; ++c) span.weights[point - first][c] += factor * f[c];
    };
    for (int k = 0; k < 4; ++k) {
      const int point = s - 1 + k;
      if (point < 0) {
        add(0, 2, kWeights[k]), add(1, -1, kWeights[k]);
      } else if (point >= points) {
        add(points - 1, 2, kWeights[k]), add(points - 2, -1, kWeights[k]);
      } else {
        add(point, 1, kWeights[k]);
      }
    }
    basis.spans_.push_back(span);
  }
  return basis;
}

int SplineBasis::span(double t) const { return std::clamp(static_cast<int>(t * spans()), 0, spans() - 1); }

void SplineBasis::at(double t, BasisAt& basis) const {
  t = std::clamp(t, 0.0, 1.0);
  const int number = span(t), m = spans();
  const Span& span = spans_[number];
  const double v = t * m - number;
  basis.first = span.first;
  basis.count = span.count;
  for (int j = 0; j < span.count; ++j) {
    const Cubic& c = span.weights[j];
    basis.b[j] = c[0] + v * (c[1] + v * (c[2] + v * c[3]));
    basis.d[j] = m * (c[1] + v * (2 * c[2] + v * 3 * c[3]));
    basis.dd[j] = m * m * (2 * c[2] + v * 6 * c[3]);
  }
}

std::vector<double> SplineBasis::greville(int points, int degree) {
  const int spans = points - degree;
  std::vector<double> abscissae;
  for (int i = 0; i < points; ++i) {
    double sum = 0;
    for (int k = 1; k <= degree; ++k) sum += knot(i + k, degree, spans);
    abscissae.push_back(sum / degree / spans);
  }
  return abscissae;
}

}  // namespace rigspace
