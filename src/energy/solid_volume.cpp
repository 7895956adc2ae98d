// Volume ratios of Solid, and how far a step may go before an element inverts.

#include "rigspace/energy/solid.h"
#include "tet_batch.h"

#include <array>
#include <limits>

namespace rigspace {
namespace {

// The first t in (0, 1] where the cubic d[0] + d[1] t + d[2] t^2 + d[3] t^3 falls to `floor` < d[0], from below; 1 if
// it never does. Between its turning points the cubic is monotone, so bisection cannot miss the first crossing.
double first_crossing(const double* d, double floor) {
  const auto at = [&](double t) { return d[0] + t * (d[1] + t * (d[2] + t * d[3])); };
  std::array<double, 3> stops = {1, 1, 1};
  const double a = 3 * d[3], b = d[2], root = b * b - a * d[1];  // of a t^2 + 2 b t + d1
  if (root > 0) {
    const double q = -(b + std::copysign(std::sqrt(root), b));
    for (const double t : {q != 0 ? d[1] / q : -1.0, a != 0 ? q / a : -1.0})
      if (t > 0 && t < 1) stops[stops[0] < 1 ? 1 : 0] = t;
    if (stops[1] < stops[0]) std::swap(stops[0], stops[1]);
  }
  double from = 0;
  for (const double stop : stops) {
    if (!(at(stop) > floor)) {
      double low = from, high = stop;
      for (int k = 0; k < 60; ++k) {
        const double middle = 0.5 * (low + high);
        (at(middle) > floor ? low : high) = middle;
      }
      return low;
    }
    from = stop;
  }
  return 1;
}

// Part of the present volume that a step leaves at least.
constexpr double kLeastVolume = 1e-6;
// A margin for the rounding of the points that Newton makes from the fraction.
constexpr double kMargin = 0.9;

double allowed_fraction(const Matrix3<double>& F0, const Matrix3<double>& dF) {
  const Matrix3<double> K0 = cofactor(F0), K1 = cofactor(dF);
  double d[4] = {determinant(F0), 0, 0, determinant(dF)};
  for (int k = 0; k < 9; ++k) d[1] += K0.m[k] * dF.m[k], d[2] += K1.m[k] * F0.m[k];
  if (!(d[0] > 0)) return 0;
  const double floor = kLeastVolume * d[0];
  // The control values of a cubic bound it: most elements end here.
  if (d[0] + d[1] / 3 > floor && d[0] + (2 * d[1] + d[2]) / 3 > floor && d[0] + d[1] + d[2] + d[3] > floor) return 1;
  const double crossing = first_crossing(d, floor);
  return crossing < 1 ? kMargin * crossing : 1;
}

Matrix3<double> lane_of(const Matrix3<Lanes>& F, int lane) {
  Matrix3<double> one;
  for (int k = 0; k < 9; ++k) one.m[k] = F.m[k][lane];
  return one;
}

}  // namespace

// The least of per_batch(tet), chunk by chunk, so parallel.
template <class PerBatch>
double Solid::minimum(PerBatch&& per_batch) const {
  constexpr int kChunk = 32;
  const int chunks = (batches() + kChunk - 1) / kChunk;
  const detail::BlockScratch scratch(static_cast<std::size_t>(std::max(1, chunks)));
  double* least = scratch.data();
  parallel_ranges(batches(), kChunk, [&](int begin, int end) {
    double smallest = std::numeric_limits<double>::infinity();
    for (int b = begin; b < end; ++b) {
      const TetBatch tet{tets_.data() + 16 * b, rest_.data() + static_cast<std::size_t>(b) * kBatchDoubles};
      smallest = std::min(smallest, per_batch(tet));
    }
    least[begin / kChunk] = smallest;
  });
  double smallest = std::numeric_limits<double>::infinity();
  for (int k = 0; k < chunks; ++k) smallest = std::min(smallest, least[k]);
  return smallest;
}

double Solid::max_step(const State&, In x_from, In x_trial) const {
  if (!forbids_inversion(material_.kind)) return 1;
  return std::min(1.0, minimum([&](const TetBatch& tet) {
                    const Matrix3<Lanes> F0 = deformation(tet, x_from.data()), F1 = deformation(tet, x_trial.data());
                    Matrix3<Lanes> dF;
                    for (int k = 0; k < 9; ++k) dF.m[k] = F1.m[k] - F0.m[k];
                    double fraction = 1;
                    for (int lane = 0; lane < kLanes; ++lane)
                      fraction = std::min(fraction, allowed_fraction(lane_of(F0, lane), lane_of(dF, lane)));
                    return fraction;
                  }));
}

double Solid::smallest_volume_ratio(In x) const {
  return minimum([&](const TetBatch& tet) {
    const Lanes J = determinant(deformation(tet, x.data())), volume = tet.volume();
    double smallest = std::numeric_limits<double>::infinity();
    for (int lane = 0; lane < kLanes; ++lane)
      if (volume[lane] != 0) smallest = std::min(smallest, J[lane]);
    return smallest;
  });
}

Mat3 Solid::deformation_gradient(In x, int element) const {
  const int b = element / kLanes;
  const TetBatch tet{tets_.data() + 16 * b, rest_.data() + static_cast<std::size_t>(b) * kBatchDoubles};
  const Matrix3<double> F = lane_of(times_gradients(edges(tet, x.data()), tet), element % kLanes);
  return Eigen::Map<const Mat3>(F.m);
}

}  // namespace rigspace
