#pragma once
// Four doubles at a time (GCC vector extensions), and the same vocabulary for one double, so that each kernel is
// written once: the scalar instance is the public material, the vector instance runs over batches of elements.

#include <algorithm>
#include <cmath>
#include <cstring>
#if defined(__AVX__)
#include <immintrin.h>
#else
#pragma GCC diagnostic ignored "-Wpsabi"  // without AVX vectors pass differently; none leaves this folder
#endif

namespace rigspace {

constexpr int kLanes = 4;
typedef double Lanes __attribute__((vector_size(8 * kLanes)));
using LaneMask = decltype(Lanes{} < Lanes{});

#define RIGSPACE_INLINE inline __attribute__((always_inline))

RIGSPACE_INLINE Lanes load(const double* from) {
  Lanes v;
  std::memcpy(&v, from, sizeof v);
  return v;
}
RIGSPACE_INLINE void store(double* to, const Lanes& v) { std::memcpy(to, &v, sizeof v); }

RIGSPACE_INLINE Lanes select(const LaneMask& mask, const Lanes& a, const Lanes& b) { return mask ? a : b; }
RIGSPACE_INLINE double select(bool mask, double a, double b) { return mask ? a : b; }

RIGSPACE_INLINE bool any(const LaneMask& mask) {
#if defined(__AVX__)
  return _mm256_movemask_pd((__m256d)mask) != 0;
#else
  return (mask[0] | mask[1] | mask[2] | mask[3]) != 0;
#endif
}
RIGSPACE_INLINE bool any(bool mask) { return mask; }

RIGSPACE_INLINE Lanes square_root(const Lanes& v) {
#if defined(__AVX__)
  return (Lanes)_mm256_sqrt_pd((__m256d)v);
#else
  return Lanes{std::sqrt(v[0]), std::sqrt(v[1]), std::sqrt(v[2]), std::sqrt(v[3])};
#endif
}
RIGSPACE_INLINE double square_root(double v) { return std::sqrt(v); }

/// a b + c, fused where the machine can; the same in both instances.
RIGSPACE_INLINE Lanes madd(const Lanes& a, const Lanes& b, const Lanes& c) {
#if defined(__FMA__)
  return (Lanes)_mm256_fmadd_pd((__m256d)a, (__m256d)b, (__m256d)c);
#else
  return a * b + c;
#endif
}
RIGSPACE_INLINE double madd(double a, double b, double c) {
#if defined(__FMA__)
  return __builtin_fma(a, b, c);
#else
  return a * b + c;
#endif
}

template <class T>
RIGSPACE_INLINE T larger(const T& a, const T& b) {
  return select(a > b, a, b);
}
template <class T>
RIGSPACE_INLINE T magnitude(const T& a) {
  return select(a < 0, -a, a);
}

inline Lanes log_one_plus(const Lanes& v) {
  return Lanes{std::log1p(v[0]), std::log1p(v[1]), std::log1p(v[2]), std::log1p(v[3])};
}
inline double log_one_plus(double v) { return std::log1p(v); }

/// A constant in every lane.
template <class T>
RIGSPACE_INLINE T fill(double value);
template <>
RIGSPACE_INLINE double fill<double>(double value) {
  return value;
}
template <>
RIGSPACE_INLINE Lanes fill<Lanes>(double value) {
  return Lanes{value, value, value, value};
}

/// 3x3, by columns.
template <class T>
struct Matrix3 {
  T m[9];
  RIGSPACE_INLINE T& operator()(int row, int column) { return m[row + 3 * column]; }
  RIGSPACE_INLINE const T& operator()(int row, int column) const { return m[row + 3 * column]; }
  RIGSPACE_INLINE T* column(int c) { return m + 3 * c; }
  RIGSPACE_INLINE const T* column(int c) const { return m + 3 * c; }
};

template <class T>
RIGSPACE_INLINE T dot(const T* a, const T* b) {
  return madd(a[2], b[2], madd(a[1], b[1], a[0] * b[0]));
}
template <class T>
RIGSPACE_INLINE void cross(const T* a, const T* b, T* c) {
  c[0] = a[1] * b[2] - a[2] * b[1];
  c[1] = a[2] * b[0] - a[0] * b[2];
  c[2] = a[0] * b[1] - a[1] * b[0];
}
template <class T>
RIGSPACE_INLINE Matrix3<T> identity3() {
  Matrix3<T> I;
  for (int k = 0; k < 9; ++k) I.m[k] = fill<T>(k % 4 == 0 ? 1.0 : 0.0);
  return I;
}
/// dJ/dF, whose columns are the cross products of those of F.
template <class T>
RIGSPACE_INLINE Matrix3<T> cofactor(const Matrix3<T>& F) {
  Matrix3<T> K;
  cross(F.column(1), F.column(2), K.column(0));
  cross(F.column(2), F.column(0), K.column(1));
  cross(F.column(0), F.column(1), K.column(2));
  return K;
}

}  // namespace rigspace
