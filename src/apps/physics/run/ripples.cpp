#include "ripples.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace rigspace {
namespace {

constexpr double kVisible = 12;       // Hz: oscillations above are ripples
constexpr double kMostShare = 0.008;  // of the energy, above which rows are filtered; a little below the test's bound
constexpr double kHalfWidth = 1.0 / 30;  // s: half the base of the triangle filter

/// The share of the energy of some rows at frequencies above kVisible, by a discrete Fourier transform of the rows
/// under a Hann window.
double quick_share(const Mat& deviation, std::span<const int> rows, double h) {
  const auto n = static_cast<int>(deviation.cols());
  Mat windowed(static_cast<Eigen::Index>(rows.size()), n);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const auto row = deviation.row(rows[r]);
    const double mean = row.mean();
    for (int k = 0; k < n; ++k)
      windowed(static_cast<Eigen::Index>(r), k) =
          (0.5 - 0.5 * std::cos(2 * std::numbers::pi * k / (n - 1))) * (row[k] - mean);
  }
  double slow = 0, quick = 0;
  Vec c(n), s(n);
  for (int f = 1; f < n / 2; ++f) {
    for (int k = 0; k < n; ++k) {
      const double angle = 2 * std::numbers::pi * std::fmod(static_cast<double>(f) * k, n) / n;
      c[k] = std::cos(angle), s[k] = std::sin(angle);
    }
    (f / (n * h) > kVisible ? quick : slow) += (windowed * c).squaredNorm() + (windowed * s).squaredNorm();
  }
  return slow + quick > 0 ? quick / (slow + quick) : 0;
}

/// Each value as the mean under the triangle.
void average(Mat& deviation, std::span<const int> rows, int reach, bool looped) {
  const Eigen::Index n = deviation.cols();
  const auto place = [&](Eigen::Index k) {
    if (looped) return ((k % (n - 1)) + (n - 1)) % (n - 1);
    return std::clamp<Eigen::Index>(k, 0, n - 1);
  };
  for (const int row : rows) {
    const Vec before = deviation.row(row).transpose();
    for (Eigen::Index k = 0; k < n; ++k) {
      double sum = 0, weights = 0;
      bool still = true;  // a constant stretch keeps its value to the bit
      // Toward the ends of a clip that does not loop the filter narrows, so that the first and last values stay.
      const Eigen::Index room = looped ? reach : std::min<Eigen::Index>(reach, std::min(k, n - 1 - k));
      for (Eigen::Index j = -room; j <= room; ++j) {
        const double weight = 1 - std::abs(static_cast<double>(j)) / static_cast<double>(reach);
        sum += weight * before[place(k + j)], weights += weight;
        still = still && before[place(k + j)] == before[k];
      }
      deviation(row, k) = still ? before[k] : sum / weights;
    }
    if (looped) deviation(row, n - 1) = deviation(row, 0);
  }
}

}  // namespace

double calm_ripples(Mat& deviation, std::span<const int> rows, double h, bool looped) {
  constexpr int kMostPasses = 3;
  const Eigen::Index n = deviation.cols();
  const int reach = static_cast<int>(std::lround(kHalfWidth / h));
  if (n < 8 || n > 4000 || reach < 2) return 0;
  const Mat before = deviation(std::vector<int>(rows.begin(), rows.end()), Eigen::all);
  int passes = 0;
  while (passes < kMostPasses && quick_share(deviation, rows, h) > kMostShare)
    average(deviation, rows, reach, looped), ++passes;
  double changed = 0;
  for (std::size_t r = 0; passes > 0 && r < rows.size(); ++r) {
    const auto was = before.row(static_cast<Eigen::Index>(r));
    if (const double largest = was.cwiseAbs().maxCoeff(); largest > 0)
      changed = std::max(changed, (deviation.row(rows[r]) - was).cwiseAbs().maxCoeff() / largest);
  }
  return changed;
}

}  // namespace rigspace
