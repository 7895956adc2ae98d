#include "rigspace/geometry/lattice_samples.h"

#include <Eigen/LU>

#include <cmath>

namespace rigspace {
namespace {

void add_gauss(const HexLattice& lattice, int cell, double share, std::vector<LatticeSample>& samples) {
  const double near = 0.5 - 0.5 / std::sqrt(3.0);
  for (int c = 0; c < 8; ++c) {
    Vec3 u;
    for (int a = 0; a < 3; ++a) u[a] = (c >> a & 1) != 0 ? 1 - near : near;
    samples.push_back({cell, u, share * lattice.jacobian(cell, u).determinant() / 8});
  }
}

}  // namespace

std::vector<LatticeSample> lattice_samples(const HexLattice& lattice, const std::function<bool(const Vec3&)>& inside,
                                           const SampleOptions& options) {
  std::vector<LatticeSample> samples;
  const int n = options.per_edge, all = n * n * n;
  for (int cell = 0; cell < lattice.cell_count(); ++cell) {
    const std::size_t begin = samples.size();
    for (int k = 0; k < all; ++k) {
      const Vec3 u((k % n + 0.5) / n, (k / n % n + 0.5) / n, (k / (n * n) + 0.5) / n);
      if (inside(lattice.position(cell, u)))
        samples.push_back({cell, u, lattice.jacobian(cell, u).determinant() / all});
    }
    const double share = static_cast<double>(samples.size() - begin) / all;
    if (share == 1) {
      samples.resize(begin);
      add_gauss(lattice, cell, 1, samples);
    } else {
      add_gauss(lattice, cell, options.filling * (1 - share), samples);
    }
  }
  return samples;
}

}  // namespace rigspace
