#include "rigspace/geometry/exact_orientation.h"

#include <array>
#include <cmath>
#include <limits>

namespace rigspace {
namespace {

/// A sum of doubles that do not overlap, smallest first: its sign is that of the last one. Room for `N`.
template <int N>
struct Expansion {
  std::array<double, N> terms;
  int count = 0;

  int sign() const { return count == 0 ? 0 : terms[count - 1] > 0 ? 1 : -1; }
};

// sum + error = a + b exactly (Knuth).
void two_sum(double a, double b, double& sum, double& error) {
  sum = a + b;
  const double b_seen = sum - a, a_seen = sum - b_seen;
  error = (a - a_seen) + (b - b_seen);
}

/// e + b, zeros left out (grow-expansion).
template <int N>
void grow(Expansion<N>& e, double b) {
  double carry = b;
  int kept = 0;
  for (int k = 0; k < e.count; ++k) {
    double error;
    two_sum(carry, e.terms[k], carry, error);
    if (error != 0) e.terms[kept++] = error;
  }
  if (carry != 0) e.terms[kept++] = carry;
  e.count = kept;
}

/// a - b, exact.
Expansion<2> difference(double a, double b) {
  Expansion<2> result;
  double sum, error;
  two_sum(a, -b, sum, error);
  if (error != 0) result.terms[result.count++] = error;
  if (sum != 0) result.terms[result.count++] = sum;
  return result;
}

template <int N, int M>
Expansion<2 * N * M> product(const Expansion<N>& a, const Expansion<M>& b) {
  Expansion<2 * N * M> result;
  for (int i = 0; i < a.count; ++i)
    for (int j = 0; j < b.count; ++j) {
      const double high = a.terms[i] * b.terms[j];
      grow(result, std::fma(a.terms[i], b.terms[j], -high));
      grow(result, high);
    }
  return result;
}

template <int N>
Expansion<2 * N> minus(const Expansion<N>& a, const Expansion<N>& b) {
  Expansion<2 * N> result;
  for (int k = 0; k < a.count; ++k) grow(result, a.terms[k]);
  for (int k = 0; k < b.count; ++k) grow(result, -b.terms[k]);
  return result;
}

int exact_orientation(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  const auto minor = [&](int i, int j) {
    return minus(product(difference(b[i], a[i]), difference(c[j], a[j])),
                 product(difference(b[j], a[j]), difference(c[i], a[i])));
  };
  Expansion<3 * 64> total;
  for (int k = 0; k < 3; ++k) {
    const auto term = product(minor((k + 1) % 3, (k + 2) % 3), difference(d[k], a[k]));
    for (int t = 0; t < term.count; ++t) grow(total, term.terms[t]);
  }
  return total.sign();
}

constexpr double kHalfUlp = std::numeric_limits<double>::epsilon() / 2;

int sign_of(double value) { return value > 0 ? 1 : value < 0 ? -1 : 0; }

}  // namespace

int orientation(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  const Vec3 u = b - a, v = c - a, w = d - a;
  double value = 0, size = 0;
  for (int k = 0; k < 3; ++k) {
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    value += (u[i] * v[j] - u[j] * v[i]) * w[k];
    size += (std::abs(u[i] * v[j]) + std::abs(u[j] * v[i])) * std::abs(w[k]);
  }
  // Shewchuk's bound for this order of operations, (7 + 56 eps) eps, rounded up.
  return std::abs(value) > 8 * kHalfUlp * size ? sign_of(value) : exact_orientation(a, b, c, d);
}

int planar_orientation(const Vec3& a, const Vec3& b, const Vec3& c, int dropped) {
  const int i = (dropped + 1) % 3, j = (dropped + 2) % 3;
  const double left = (b[i] - a[i]) * (c[j] - a[j]), right = (b[j] - a[j]) * (c[i] - a[i]);
  // Likewise (3 + 16 eps) eps.
  if (std::abs(left - right) > 4 * kHalfUlp * (std::abs(left) + std::abs(right))) return sign_of(left - right);
  return minus(product(difference(b[i], a[i]), difference(c[j], a[j])),
               product(difference(b[j], a[j]), difference(c[i], a[i])))
      .sign();
}

}  // namespace rigspace
