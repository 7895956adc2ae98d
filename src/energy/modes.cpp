#include "rigspace/energy/modes.h"

#include "rigspace/energy/solid.h"
#include "rigspace/optimize/sparse_system.h"

#include <Spectra/SymEigsSolver.h>

#include <algorithm>
#include <cmath>

namespace rigspace {
namespace {

/// Passes on what free nodes have, under their numbers among the free ones.
class FreeSink final : public BlockSink {
 public:
  FreeSink(SparseSystem& system, const std::vector<int>& number) : system_(system), number_(number) {}

  void add(std::span<const int> points, const double* H) override {
    const int k = static_cast<int>(points.size()), rows = 3 * k;
    std::vector<int> kept, places;
    for (int a = 0; a < k; ++a)
      if (number_[points[a]] >= 0) kept.push_back(number_[points[a]]), places.push_back(a);
    const int size = 3 * static_cast<int>(kept.size());
    if (size == 0) return;
    std::vector<double> block(static_cast<std::size_t>(size) * size);
    for (int c = 0; c < size; ++c)
      for (int r = 0; r < size; ++r)
        block[static_cast<std::size_t>(r + c * size)] =
            H[(3 * places[r / 3] + r % 3) + (3 * places[c / 3] + c % 3) * rows];
    system_.add(kept, block.data());
  }
  void add_coordinates(std::span<const int>, const double*) override {}

 private:
  SparseSystem& system_;
  const std::vector<int>& number_;
};

/// M^1/2 K^-1 M^1/2, whose largest eigenvalues are 1 / omega^2.
class Flexibility {
 public:
  using Scalar = double;
  Flexibility(SparseSystem& K, const Vec& root_mass) : K_(K), root_mass_(root_mass) {}
  Eigen::Index rows() const { return root_mass_.size(); }
  Eigen::Index cols() const { return root_mass_.size(); }
  void perform_op(const double* in, double* out) const {
    const Vec b = root_mass_.cwiseProduct(Eigen::Map<const Vec>(in, rows()));
    Vec u;
    K_.solve(b, u);
    Eigen::Map<Vec>(out, rows()) = root_mass_.cwiseProduct(u);
  }

 private:
  SparseSystem& K_;
  const Vec& root_mass_;
};

}  // namespace

Modes slowest_modes(const TetMesh& mesh, const std::vector<char>& held, int count, double poisson) {
  std::vector<int> number(mesh.point_count(), -1), node;
  const Vec masses = lumped_masses(mesh, 1);
  for (int i = 0; i < mesh.point_count(); ++i)
    if (!held[i] && masses[i] > 0) number[i] = static_cast<int>(node.size()), node.push_back(i);
  const int n = 3 * static_cast<int>(node.size());
  count = std::min(count, n - 1);
  if (count < 1) return {};
  const Solid solid(mesh.points, mesh.tets, {.young = 1, .poisson = poisson});
  SparseSystem K(n);
  K.clear();
  FreeSink sink(K, number);
  solid.add_hessian(*solid.make_state(), mesh.points, 1, HessianMode::projected, sink);
  K.finish();
  if (!K.factor(1e-12) && !K.factor(1e-8)) return {};
  Vec root_mass(n);
  for (std::size_t k = 0; k < node.size(); ++k)
    root_mass.segment<3>(3 * static_cast<Eigen::Index>(k)).setConstant(std::sqrt(masses[node[k]]));

  Flexibility op(K, root_mass);
  Spectra::SymEigsSolver<Flexibility> eigen(op, count, std::min(n, std::max(2 * count, count + 8)));
  const Vec first = Vec::LinSpaced(n, 1, 2);  // the same every time
  eigen.init(first.data());
  eigen.compute(Spectra::SortRule::LargestAlge, 500, 1e-8);
  Modes modes;
  modes.omega_squared = eigen.eigenvalues().cwiseInverse();
  const Mat y = eigen.eigenvectors();
  modes.shapes = Mat::Zero(mesh.points.size(), y.cols());
  for (std::size_t k = 0; k < node.size(); ++k)
    modes.shapes.middleRows<3>(3 * node[k]) =
        y.middleRows<3>(3 * static_cast<Eigen::Index>(k)) / std::sqrt(masses[node[k]]);
  return modes;
}

}  // namespace rigspace
