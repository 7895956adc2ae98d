#include "lattice_box.h"

#include <Eigen/LU>

#include <algorithm>
#include <cmath>

namespace rigspace {
namespace {

/// Bernstein polynomials of degree n - 1, raised degree by degree:  B_i^p = (1 - t) B_i^(p-1) + t B_(i-1)^(p-1);
/// slopes from one degree less:  (n - 1) (B_(i-1)^(n-2) - B_i^(n-2)).
void bernstein(int n, double t, double* b, double* d) {
  b[0] = 1;
  for (int p = 1; p < n; ++p) {
    if (p == n - 1) {
      d[0] = -p * b[0];
      for (int i = 1; i < p; ++i) d[i] = p * (b[i - 1] - b[i]);
      d[p] = p * b[p - 1];
    }
    b[p] = t * b[p - 1];
    for (int i = p - 1; i >= 1; --i) b[i] = (1 - t) * b[i] + t * b[i - 1];
    b[0] *= 1 - t;
  }
}

}  // namespace

LatticeBox::LatticeBox(const LatticeDescription& lattice)
    : size_(lattice.size), basis_(lattice.basis), outside_(lattice.outside), margin_(lattice.margin) {
  to_box_.leftCols<3>() = Mat3(lattice.frame.leftCols<3>()).inverse();
  to_box_.col(3) = -to_box_.leftCols<3>() * lattice.frame.col(3);
  for (int axis = 0; axis < 3; ++axis)
    splines_[axis] = SplineBasis::b_spline(size_[axis], std::min(3, size_[axis] - 1));
}

void LatticeBox::axis_weights(int axis, double l, AxisWeights& weights) const {
  const double inside = std::clamp(l, 0.0, 1.0), beyond = l - inside;
  if (basis_ == LatticeBasis::bezier) {
    weights.lo = 0;
    weights.hi = size_[axis] - 1;
    bernstein(size_[axis], inside, weights.b, weights.d);
  } else {
    BasisAt at;
    splines_[axis].at(inside, at);
    weights.lo = at.first;
    weights.hi = at.first + at.count - 1;
    std::copy_n(at.b, at.count, weights.b + at.first);
    std::copy_n(at.d, at.count, weights.d + at.first);
  }
  if (beyond != 0)  // straight on, with the face's slope: C1, and linear precision stays
    for (int i = weights.lo; i <= weights.hi; ++i) weights.b[i] += beyond * weights.d[i];
}

bool LatticeBox::weights(const Vec3& l, BoxWeights& weights) const {
  weights.fade = 1;
  weights.fade_slope.setZero();
  if (outside_ != LatticeOutside::extend) {
    // f = product over the axes of (1 - e^2)^2, e the distance from the box in margins
    Vec3 factor, slope;
    for (int axis = 0; axis < 3; ++axis) {
      const double beyond = l[axis] - std::clamp(l[axis], 0.0, 1.0);
      if (outside_ == LatticeOutside::still && beyond != 0) return false;
      const double e = beyond / margin_[axis];
      if (std::abs(e) >= 1) return false;
      factor[axis] = (1 - e * e) * (1 - e * e);
      slope[axis] = -4 * e * (1 - e * e) / margin_[axis];
    }
    weights.fade = factor.prod();
    weights.fade_slope =
        Vec3(slope[0] * factor[1] * factor[2], factor[0] * slope[1] * factor[2], factor[0] * factor[1] * slope[2]);
  }
  for (int axis = 0; axis < 3; ++axis) axis_weights(axis, l[axis], weights.axis[axis]);
  return true;
}

BoxRange LatticeBox::range(const Vec3& l, const Vec3& radius) const {
  BoxRange range;
  for (int axis = 0; axis < 3; ++axis) {
    const double low = l[axis] - radius[axis], high = l[axis] + radius[axis];
    const double reach = outside_ == LatticeOutside::fade ? margin_[axis] : 0;
    if (outside_ != LatticeOutside::extend && (high < -reach || low > 1 + reach)) return {};
    const SplineBasis& spline = splines_[axis];
    const bool all = basis_ == LatticeBasis::bezier;
    const int last = spline.span(std::clamp(high, 0.0, 1.0));
    range.lo[axis] = all ? 0 : spline.first(spline.span(std::clamp(low, 0.0, 1.0)));
    range.hi[axis] = all ? size_[axis] - 1 : spline.first(last) + spline.count(last) - 1;
  }
  return range;
}

}  // namespace rigspace
