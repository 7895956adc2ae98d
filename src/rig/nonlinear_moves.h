#pragma once
// Barr's deformations in the space of their handle, each as one formula for its displacement; all vanish exactly with
// their parameters at rest.

#include "turn.h"

#include "rigspace/rig/nonlinear.h"

#include <numbers>

namespace rigspace {

constexpr int kMaxNonlinearParameters = 5;

/// The way along the axis: share s(y) and slope b(y) of nonlinear.h.
struct Stretch {
  double low, length, rounding;

  template <class S>
  void at(const S& y, S& share, S& slope) const {
    const S u = (y - low) / length;
    const double r = rounding;
    // b is a smooth step v^3 (10 - 15 v + 6 v^2), C2, over the first and last r of the way; its integral there is
    // r v^4 (5/2 - 3 v + v^2)
    if (value_of(u) <= 0 || value_of(u) >= 1) {
      share = value_of(u) <= 0 ? 0.0 : 1.0;
      slope = 0.0;
    } else if (value_of(u) < r || value_of(u) > 1 - r) {
      const bool start = value_of(u) < r;
      const S v = (start ? u : 1.0 - u) / r;
      const S part = v * v * v * v * (2.5 + v * (v - 3.0)) * (r / (1 - r));
      share = start ? part : 1.0 - part;
      slope = v * v * v * (10.0 + v * (6.0 * v - 15.0));
    } else {
      share = (u - 0.5 * r) / (1 - r);
      slope = 1.0;
    }
  }

  /// s at the origin, which bend and squash hold.
  double share_at_origin() const {
    double share, slope;
    at(0.0, share, slope);
    return share;
  }
};

/// z: a point in handle space; a: the parameters, as in the table of the kind. The displacement of the point.
template <class S>
Vector3<S> bend_move(const Stretch& along, const Vector3<S>& z, const S* a) {
  using std::cos, std::sin;
  S share, slope;
  along.at(z[1], share, slope);
  const double straight = (1 - along.rounding) * along.length;  // what turns; the rest only slides
  const S way = straight * (share - along.share_at_origin());
  const S rest = z[1] - way;
  const S angle = a[0] * (share - along.share_at_origin()), square = angle * angle;
  const S toward_x = cos(a[1]), toward_z = -sin(a[1]);
  const S out = z[0] * toward_x + z[2] * toward_z;
  // The axis is a circle of curvature angle / straight, then goes on along its tangent (sin, cos):
  // out' = out cos + way (1 - cos) / angle + rest sin,  y' = way sin / angle - out sin + rest cos
  const S less = versine_of_square(square) * square;  // 1 - cos
  const S sine = sinc_of_square(square) * angle;
  const S move = way * versine_of_square(square) * angle + rest * sine - out * less;
  const S rise = way * (sinc_of_square(square) - 1.0) - rest * less - out * sine;
  return {move * toward_x, rise, move * toward_z};
}

template <class S>
Vector3<S> twist_move(const Stretch& along, const Vector3<S>& z, const S* a) {
  using std::cos, std::sin;
  S share, slope;
  along.at(z[1], share, slope);
  const S angle = a[0] + (a[1] - a[0]) * share;
  const S less = 1.0 - cos(angle), sine = sin(angle);
  return {z[2] * sine - z[0] * less, S(0.0), -z[0] * sine - z[2] * less};
}

template <class S>
Vector3<S> taper_move(const Stretch& along, const Vector3<S>& z, const S* a) {
  S share, slope;
  along.at(z[1], share, slope);
  const S grow = a[0] * share;
  return {z[0] * grow, S(0.0), z[2] * grow};
}

/// y' = y + (factor - 1) int b,  x' = x / sqrt(dy'/dy): triangular, so the determinant is dy'/dy / (dy'/dy) = 1.
template <class S>
Vector3<S> squash_move(const Stretch& along, const Vector3<S>& z, const S* a) {
  using std::sqrt;
  constexpr double kLeast = 0.01;  // keeps the axis from folding
  S share, slope;
  along.at(z[1], share, slope);
  const S excess = value_of(a[0]) > kLeast ? a[0] - 1.0 : S(kLeast - 1);
  const S thin = 1.0 / sqrt(1.0 + excess * slope) - 1.0;
  const double turning = (1 - along.rounding) * along.length;
  return {z[0] * thin, excess * turning * (share - along.share_at_origin()), z[2] * thin};
}

template <class S>
Vector3<S> flare_move(const Stretch& along, const Vector3<S>& z, const S* a) {
  S share, slope;
  along.at(z[1], share, slope);
  const S bulge = 4.0 * a[4] * share * (1.0 - share) - 1.0;
  return {z[0] * (a[0] + (a[2] - a[0]) * share + bulge), S(0.0), z[2] * (a[1] + (a[3] - a[1]) * share + bulge)};
}

template <class S>
Vector3<S> sine_move(const Stretch& along, const Vector3<S>& z, const S* a) {
  using std::sin;
  S share, slope;
  along.at(z[1], share, slope);
  const S phase = 2 * std::numbers::pi * a[1] * (z[1] - along.low) / along.length + a[2];
  return {a[0] * slope * sin(phase), S(0.0), S(0.0)};
}

template <class S>
Vector3<S> nonlinear_move(Nonlinear kind, const Stretch& along, const Vector3<S>& z, const S* a) {
  switch (kind) {
    case Nonlinear::bend: return bend_move(along, z, a);
    case Nonlinear::twist: return twist_move(along, z, a);
    case Nonlinear::taper: return taper_move(along, z, a);
    case Nonlinear::squash: return squash_move(along, z, a);
    case Nonlinear::flare: return flare_move(along, z, a);
    default: return sine_move(along, z, a);
  }
}

}  // namespace rigspace
