#pragma once
// How near one motion of a garment is to another.

#include "rigspace/geometry/tri_mesh.h"

#include <array>
#include <vector>

namespace rigspace::bench {

inline constexpr int kOctaves = 3;

/// Curvature by size of folds: |L (y_k - y_(k+1))|^2, L the mean of the neighbours less the point, y_0 = x and y_k
/// smoothed by 1, 4, 16 steps half way to the neighbours' mean, so that each octave has folds twice as wide.
class FoldSpectrum {
 public:
  explicit FoldSpectrum(const TriMesh& mesh);
  std::array<double, kOctaves> of(In x) const;

 private:
  Vec to_neighbours(In x) const;
  std::vector<std::vector<int>> neighbours_;
};

/// Mean distance of points, m.
double mean_distance(In a, In b);

/// Stretch of edges against their rest: the largest, and that which one edge in a thousand exceeds; shares of lengths.
struct EdgeStretch {
  double largest = 0, thousandth = 0;
};
EdgeStretch edge_stretch(const TriMesh& rest, In x);

}  // namespace rigspace::bench
