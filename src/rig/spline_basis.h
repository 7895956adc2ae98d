#pragma once
// Curves as sums of control points: piecewise polynomial weights over a parameter from 0 to 1.

#include <array>
#include <vector>

namespace rigspace {

/// The weights that are not zero at some t: those of points first .. first + count, and their derivatives by t.
struct BasisAt {
  int first = 0, count = 0;
  double b[4], d[4], dd[4];
};

class SplineBasis {
 public:
  SplineBasis() = default;
  /// Clamped, uniform; degree 1 to 3, less than `points`.
  static SplineBasis b_spline(int points, int degree);
  /// Uniform, through all points; beyond the ends stand the reflections of the second and last but one, so that end
  /// tangents lie along the outermost intervals.
  static SplineBasis catmull_rom(int points);

  int points() const { return points_; }
  int spans() const { return static_cast<int>(spans_.size()); }
  int span(double t) const;
  int first(int span) const { return spans_[span].first; }
  int count(int span) const { return spans_[span].count; }
  /// Of v^power, v from 0 to 1 over the span, in the weight of point first(span) + j.
  double coefficient(int span, int j, int power) const { return spans_[span].weights[j][power]; }
  /// t outside 0 .. 1: as at the nearer end.
  void at(double t, BasisAt&) const;

  /// Where points must lie for the curve to be t itself (linear precision): knot averages. For B-splines.
  static std::vector<double> greville(int points, int degree);

 private:
  struct Span {
    int first, count;
    std::array<std::array<double, 4>, 4> weights;  // per point: coefficients of 1, v, v^2, v^3, v from 0 to 1
  };
  int points_ = 0;
  std::vector<Span> spans_;
};

}  // namespace rigspace
