#pragma once
// The materials as kernels over one deformation gradient or four: density, stress, and the second derivative in the
// frame of the singular value decomposition.

#include "rigspace/energy/material.h"
#include "svd3.h"

namespace rigspace {

/// The constants of a material in the form of its formulas.
struct Coefficients {
  double mu = 0, lambda = 0, alpha = 0;
  double growth = 0;  ///< of the part that stiffens
};
Coefficients coefficients(const Material&);

/// Kinds whose formulas begin with those of stable neo-Hookean.
constexpr bool contains_stable_neo_hookean(MaterialKind kind) {
  return kind == MaterialKind::stable_neo_hookean || kind == MaterialKind::stiffening;
}

/// f(x) = x^3 / (x + b)^2: nothing at first, then straight, convex all the way, so that it never overflows before the
/// material itself does. x = |F|^2 + J^2 - 4 J is a measure of strain that distinguishes inversion from rest: x = tr(C
/// - I) + v^2 - 2 v with v = J - 1, which is 2 |strain|^2 up to third order; its only critical points are the
/// rotations, F = 0 (x = 0 at both) and a saddle between them, at F = 0.54 R.
template <class T>
struct Growth {
  static constexpr double kModulus = 12, kOnset = 2;  // of mu; b
  T f, slope, bend;                                   // f, f', f''

  RIGSPACE_INLINE explicit Growth(const T& x) {
    const T b = fill<T>(kOnset), r = fill<T>(1.0) / (x + b), t = x * r;
    f = x * t * t;
    slope = t * t * (x + fill<T>(3.0) * b) * r;
    bend = fill<T>(6.0) * b * b * t * r * r * r;
  }
};

/// C - I for C = F^T F, and what follows from it without cancellation: near rest psi is quadratic in this, so that
/// its relative error is rounding / strain, and line searches still see energies at strains of 1e-6.
template <class T>
struct Strain {
  T a00, a11, a22, a01, a02, a12;
  T trace;  ///< |F|^2 - 3

  RIGSPACE_INLINE explicit Strain(const Matrix3<T>& F) {
    const T* f0 = F.column(0);
    const T* f1 = F.column(1);
    const T* f2 = F.column(2);
    const T one = fill<T>(1.0);
    a00 = dot(f0, f0) - one, a11 = dot(f1, f1) - one, a22 = dot(f2, f2) - one;
    a01 = dot(f0, f1), a02 = dot(f0, f2), a12 = dot(f1, f2);
    trace = a00 + a11 + a22;
  }
  /// J^2 - 1 = tr A + tr cof A + det A.
  RIGSPACE_INLINE T squared_volume_change() const {
    const T minors = a00 * a11 - a01 * a01 + a00 * a22 - a02 * a02 + a11 * a22 - a12 * a12;
    const T det = a00 * (a11 * a22 - a12 * a12) - a01 * (a01 * a22 - a12 * a02) + a02 * (a01 * a12 - a11 * a02);
    return trace + minors + det;
  }
  /// J - 1, given J.
  RIGSPACE_INLINE T volume_change(const T& J) const {
    const auto upright = J > fill<T>(0.5);
    const T sum = select(upright, J + fill<T>(1.0), fill<T>(1.0));
    return select(upright, squared_volume_change() / sum, J - fill<T>(1.0));
  }
  /// |C - I|^2.
  RIGSPACE_INLINE T squared_norm() const {
    return a00 * a00 + a11 * a11 + a22 * a22 + fill<T>(2.0) * (a01 * a01 + a02 * a02 + a12 * a12);
  }
};

template <class T>
RIGSPACE_INLINE T determinant(const Matrix3<T>& F) {
  T k[3];
  cross(F.column(1), F.column(2), k);
  return dot(F.column(0), k);
}

template <MaterialKind kind, class T>
RIGSPACE_INLINE T density(const Coefficients& c, const Matrix3<T>& F) {
  const T mu = fill<T>(c.mu), lambda = fill<T>(c.lambda), half = fill<T>(0.5);
  if constexpr (kind == MaterialKind::corotational) {
    const Svd3<T> svd = decompose(F);
    T sum = fill<T>(0.0), squares = fill<T>(0.0);
    for (int k = 0; k < 3; ++k) {
      const T d = svd.s[k] - fill<T>(1.0);
      sum += d, squares += d * d;
    }
    return mu * squares + half * lambda * sum * sum;
  } else {
    const Strain<T> A(F);
    if constexpr (contains_stable_neo_hookean(kind)) {
      const T v = A.volume_change(determinant(F));
      const T soft = half * mu * (A.trace - log_one_plus(fill<T>(0.25) * A.trace)) +
                     half * lambda * v * (v - fill<T>(2 * (c.alpha - 1)));
      if constexpr (kind == MaterialKind::stiffening)
        return soft + fill<T>(c.growth) * Growth<T>(A.trace + v * (v - fill<T>(2.0))).f;
      return soft;
    } else if constexpr (kind == MaterialKind::neo_hookean) {
      const T J = determinant(F);
      const auto inverted = !(J > 0);
      const T log_J = half * log_one_plus(select(inverted, fill<T>(0.0), A.squared_volume_change()));
      const T psi = half * mu * A.trace - mu * log_J + half * lambda * log_J * log_J;
      return select(inverted, fill<T>(HUGE_VAL), psi);
    } else if constexpr (kind == MaterialKind::st_venant_kirchhoff) {
      const T e = half * A.trace;
      return fill<T>(0.25) * mu * A.squared_norm() + half * lambda * e * e;
    } else {
      const T v = A.volume_change(determinant(F));
      return fill<T>(0.25) * mu * A.squared_norm() + half * lambda * v * v;
    }
  }
}

/// log J for J > 0.
inline double natural_log(double J) { return std::log(J); }
inline Lanes natural_log(const Lanes& J) {
  return Lanes{std::log(J[0]), std::log(J[1]), std::log(J[2]), std::log(J[3])};
}

/// P = dpsi/dF.
template <MaterialKind kind, class T>
RIGSPACE_INLINE Matrix3<T> first_piola(const Coefficients& c, const Matrix3<T>& F) {
  const T mu = fill<T>(c.mu), lambda = fill<T>(c.lambda), one = fill<T>(1.0);
  Matrix3<T> P;
  if constexpr (kind == MaterialKind::corotational) {
    const Svd3<T> svd = decompose(F);
    const T pressure = lambda * (svd.s[0] + svd.s[1] + svd.s[2] - fill<T>(3.0));
    const T spread = pressure - fill<T>(2.0) * mu;  // P = 2 mu (F - R) + lambda (tr S - 3) R
    for (int j = 0; j < 3; ++j)
      for (int i = 0; i < 3; ++i) {
        const T R = svd.U(i, 0) * svd.V(j, 0) + svd.U(i, 1) * svd.V(j, 1) + svd.U(i, 2) * svd.V(j, 2);
        P(i, j) = madd(fill<T>(2.0) * mu, F(i, j), spread * R);
      }
    return P;
  }
  constexpr bool kGreen =
      kind == MaterialKind::st_venant_kirchhoff || kind == MaterialKind::modified_st_venant_kirchhoff;
  if constexpr (kGreen) {  // F (2 mu E + lambda tr E), the latter for St. Venant-Kirchhoff alone
    const Strain<T> A(F);
    const T bulk = kind == MaterialKind::st_venant_kirchhoff ? fill<T>(0.5) * lambda * A.trace : fill<T>(0.0);
    const T S[9] = {madd(mu, A.a00, bulk), mu * A.a01, mu * A.a02, mu * A.a01,
                    madd(mu, A.a11, bulk), mu * A.a12, mu * A.a02, mu * A.a12,
                    madd(mu, A.a22, bulk)};
    for (int j = 0; j < 3; ++j)
      for (int i = 0; i < 3; ++i)
        P(i, j) = madd(F(i, 2), S[3 * j + 2], madd(F(i, 1), S[3 * j + 1], F(i, 0) * S[3 * j]));
    if constexpr (kind == MaterialKind::st_venant_kirchhoff) return P;
  }
  const Matrix3<T> K = cofactor(F);
  const T J = dot(F.column(0), K.column(0));
  T shear = mu, pressure;  // P = shear F + pressure dJ/dF
  if constexpr (contains_stable_neo_hookean(kind)) {
    T squares = dot(F.column(0), F.column(0)) + dot(F.column(1), F.column(1)) + dot(F.column(2), F.column(2));
    shear = mu - mu / (squares + one);
    pressure = lambda * (J - fill<T>(c.alpha));
    if constexpr (kind == MaterialKind::stiffening) {  // f' dx/dF = f' (2 F + (2 J - 4) dJ/dF)
      const T slope = fill<T>(2 * c.growth) * Growth<T>(squares + J * (J - fill<T>(4.0))).slope;
      shear += slope, pressure += slope * (J - fill<T>(2.0));
    }
  } else if constexpr (kind == MaterialKind::neo_hookean) {
    pressure = (lambda * natural_log(J) - mu) / J;
  } else {
    pressure = lambda * (J - one);
  }
  for (int k = 0; k < 9; ++k) P.m[k] = kGreen ? madd(pressure, K.m[k], P.m[k]) : madd(shear, F.m[k], pressure * K.m[k]);
  return P;
}

/// dP/dF in the frame of the singular vectors, for M = U^T dF V: scalings meet by A (entries 00 11 22 01 02 12); the
/// pair (i, j) across from k turns (twist: M_ij - M_ji) and shears (flip: M_ij + M_ji). Eigenvalues
/// twist = (psi_i + psi_j) / (s_i + s_j), flip = (psi_i - psi_j) / (s_i - s_j), divided out so that equal stretches
/// need no care (Smith et al. 2019).
template <class T>
struct PrincipalSystem {
  T A[6], twist[3], flip[3];
};

/// Adds the part of psi(J): psi_i = b J_i, with b = dpsi/dJ and b_prime its derivative.
template <class T>
RIGSPACE_INLINE void add_volume_part(const T* s, const T& b, const T& b_prime, PrincipalSystem<T>& system) {
  const T Ji[3] = {s[1] * s[2], s[0] * s[2], s[0] * s[1]};
  for (int k = 0; k < 3; ++k) {
    system.A[k] = madd(b_prime, Ji[k] * Ji[k], system.A[k]);
    const T bs = b * s[k];
    system.twist[k] += bs;
    system.flip[k] -= bs;
  }
  system.A[3] += madd(b_prime, Ji[0] * Ji[1], b * s[2]);
  system.A[4] += madd(b_prime, Ji[0] * Ji[2], b * s[1]);
  system.A[5] += madd(b_prime, Ji[1] * Ji[2], b * s[0]);
}

/// Adds c f(x): f'' dx dx^T on the scalings, and f' times the second derivatives of |F|^2 and J^2 - 4 J.
template <class T>
RIGSPACE_INLINE void add_growth_part(const Coefficients& c, const T* s, const T& squares, const T& J,
                                     PrincipalSystem<T>& system) {
  const Growth<T> growth(squares + J * (J - fill<T>(4.0)));
  const T slope = fill<T>(2 * c.growth) * growth.slope, bend = fill<T>(4 * c.growth) * growth.bend;
  const T b = J - fill<T>(2.0);  // half of d(J^2 - 4 J)/dJ
  const T x[3] = {madd(b, s[1] * s[2], s[0]), madd(b, s[0] * s[2], s[1]), madd(b, s[0] * s[1], s[2])};  // half of dx/ds
  for (int k = 0; k < 3; ++k) {
    system.A[k] += madd(bend, x[k] * x[k], slope);
    system.twist[k] += slope, system.flip[k] += slope;
  }
  system.A[3] += bend * x[0] * x[1], system.A[4] += bend * x[0] * x[2], system.A[5] += bend * x[1] * x[2];
  add_volume_part<T>(s, slope * b, slope, system);
}

template <MaterialKind kind, class T>
RIGSPACE_INLINE PrincipalSystem<T> principal_system(const Coefficients& c, const T* s) {
  constexpr int kFirst[3] = {1, 0, 0}, kSecond[3] = {2, 2, 1};
  const T mu = fill<T>(c.mu), lambda = fill<T>(c.lambda), one = fill<T>(1.0), zero = fill<T>(0.0);
  PrincipalSystem<T> r;
  const T squares = s[0] * s[0] + s[1] * s[1] + s[2] * s[2];
  const T J = s[0] * s[1] * s[2];
  if constexpr (contains_stable_neo_hookean(kind)) {
    const T inverse = one / (squares + one);
    const T shear = mu - mu * inverse, coupling = fill<T>(2.0) * mu * inverse * inverse;
    for (int k = 0; k < 3; ++k) {
      r.A[k] = madd(coupling, s[k] * s[k], shear);
      r.twist[k] = r.flip[k] = shear;
    }
    r.A[3] = coupling * s[0] * s[1], r.A[4] = coupling * s[0] * s[2], r.A[5] = coupling * s[1] * s[2];
    add_volume_part(s, lambda * (J - fill<T>(c.alpha)), lambda, r);
    if constexpr (kind == MaterialKind::stiffening) add_growth_part(c, s, squares, J, r);
  } else if constexpr (kind == MaterialKind::neo_hookean) {
    for (int k = 0; k < 3; ++k) r.A[k] = r.twist[k] = r.flip[k] = mu;
    r.A[3] = r.A[4] = r.A[5] = zero;
    const T pull = lambda * natural_log(J) - mu;
    add_volume_part<T>(s, pull / J, (lambda - pull) / (J * J), r);
  } else if constexpr (kind == MaterialKind::corotational) {
    // Twisting has no stiffness to speak of where two stretches sum to zero: there psi has a kink.
    const T bend = fill<T>(2.0) * lambda * (s[0] + s[1] + s[2] - fill<T>(3.0)) - fill<T>(4.0) * mu;
    for (int k = 0; k < 3; ++k) {
      r.A[k] = fill<T>(2.0) * mu + lambda, r.A[3 + k] = lambda;
      r.flip[k] = fill<T>(2.0) * mu;
      r.twist[k] = fill<T>(2.0) * mu + bend / larger(s[kFirst[k]] + s[kSecond[k]], fill<T>(1e-6));
    }
  } else {
    const bool bulky = kind == MaterialKind::st_venant_kirchhoff;
    const T bulk = bulky ? fill<T>(0.5) * lambda * (squares - fill<T>(3.0)) : zero, modulus = bulky ? lambda : zero;
    for (int k = 0; k < 3; ++k) {
      r.A[k] = madd(fill<T>(3.0) * mu + modulus, s[k] * s[k], bulk - mu);
      const T a = s[kFirst[k]], b = s[kSecond[k]];
      const T even = madd(mu, a * a + b * b - one, bulk), odd = mu * a * b;
      r.flip[k] = even + odd, r.twist[k] = even - odd;
    }
    r.A[3] = modulus * s[0] * s[1], r.A[4] = modulus * s[0] * s[2], r.A[5] = modulus * s[1] * s[2];
    if constexpr (kind == MaterialKind::modified_st_venant_kirchhoff) add_volume_part(s, lambda * (J - one), lambda, r);
  }
  return r;
}

/// A (00 11 22 01 02 12) without its negative eigenvalues, in the lanes that have any; Jacobi's method.
template <class T>
inline void clamp_symmetric3(T* A) {
  const T zero = fill<T>(0.0), one = fill<T>(1.0);
  const auto safe0 = A[0] > 0;
  const T pivot0 = select(safe0, A[0], one);
  const T l1 = A[3] / pivot0, l2 = A[4] / pivot0;
  const T pivot1 = A[1] - l1 * A[3], cross12 = A[5] - l1 * A[4];
  const auto safe1 = pivot1 > 0;
  const T pivot2 = A[2] - l2 * A[4] - cross12 * cross12 / select(safe1, pivot1, one);
  const auto bad = !(safe0 & safe1 & (pivot2 > 0));
  if (!any(bad)) return;
  Matrix3<T> S, Q = identity3<T>();
  S(0, 0) = A[0], S(1, 1) = A[1], S(2, 2) = A[2];
  S(0, 1) = S(1, 0) = A[3], S(0, 2) = S(2, 0) = A[4], S(1, 2) = S(2, 1) = A[5];
  constexpr int kPairs[3][2] = {{0, 1}, {0, 2}, {1, 2}};
  for (int sweep = 0; sweep < 6; ++sweep)  // cubic convergence: 3x3 is done to rounding after 4
    for (const auto& [p, q] : kPairs) {
      const T off = S(p, q), difference = S(q, q) - S(p, p);
      const T root = square_root(difference * difference + fill<T>(4.0) * off * off);
      const T denominator = magnitude(difference) + root;
      const auto live = denominator > 0;
      const T t = select(
          live, select(difference < 0, fill<T>(-2.0), fill<T>(2.0)) * off / select(live, denominator, one), zero);
      const T cosine = one / square_root(madd(t, t, one)), sine = cosine * t;
      svd3_detail::rotate(S.column(p), S.column(q), cosine, sine);
      svd3_detail::rotate(Q.column(p), Q.column(q), cosine, sine);
      for (int k = 0; k < 3; ++k) {
        const T a = S(p, k), b = S(q, k);
        S(p, k) = cosine * a - sine * b;
        S(q, k) = sine * a + cosine * b;
      }
    }
  constexpr int kRow[6] = {0, 1, 2, 0, 0, 1}, kColumn[6] = {0, 1, 2, 1, 2, 2};
  for (int e = 0; e < 6; ++e) {
    T sum = zero;
    for (int k = 0; k < 3; ++k) sum += larger(S(k, k), zero) * Q(kRow[e], k) * Q(kColumn[e], k);
    A[e] = select(bad, sum, A[e]);
  }
}

template <class T>
RIGSPACE_INLINE void clamp(PrincipalSystem<T>& system) {
  const T zero = fill<T>(0.0);
  for (int k = 0; k < 3; ++k) {
    system.twist[k] = larger(system.twist[k], zero);
    system.flip[k] = larger(system.flip[k], zero);
  }
  clamp_symmetric3(system.A);
}

/// Calls body.template operator()<kind>().
template <class Body>
decltype(auto) dispatch(MaterialKind kind, Body&& body) {
  switch (kind) {
    case MaterialKind::neo_hookean: return body.template operator()<MaterialKind::neo_hookean>();
    case MaterialKind::st_venant_kirchhoff: return body.template operator()<MaterialKind::st_venant_kirchhoff>();
    case MaterialKind::modified_st_venant_kirchhoff:
      return body.template operator()<MaterialKind::modified_st_venant_kirchhoff>();
    case MaterialKind::corotational: return body.template operator()<MaterialKind::corotational>();
    case MaterialKind::stiffening: return body.template operator()<MaterialKind::stiffening>();
    case MaterialKind::stable_neo_hookean: break;
  }
  return body.template operator()<MaterialKind::stable_neo_hookean>();
}

}  // namespace rigspace
