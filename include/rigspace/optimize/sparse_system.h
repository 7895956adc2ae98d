#pragma once
// A sparse system: Cholesky with METIS ordering, the symbolic factorisation kept while the pattern holds.

#include "rigspace/optimize/sparse_assembly.h"
#include "rigspace/optimize/system.h"

#include <memory>
#include <vector>

namespace rigspace {

class SparseFactor;  // CHOLMOD or Eigen, private

class SparseSystem final : public System {
 public:
  /// block: 3 where the unknowns are points, else 1; see SparseAssembly.
  explicit SparseSystem(int size, int block = 3);
  ~SparseSystem() override;

  int size() const override { return assembly_.size(); }
  void clear() override { assembly_.clear(); }
  void finish() override;
  void diagonal(Vec& d) const override;
  void multiply(In u, Vec& y) const override { assembly_.multiply(u, y); }
  void set_fixed(std::span<const char> mask) override;
  bool factor(double shift) override;
  void solve(In b, Vec& u) override;
  void add_coordinates(std::span<const int> coordinates, const double* H) override {
    assembly_.add_coordinates(coordinates, H);
  }
  void add(std::span<const int> points, const double* H) override { assembly_.add(points, H); }

  /// With P H P^T = L L^T of the last factorisation: B <- L^-1 P B, and u = P^T L^-T y. Then u = back(half(b)), and
  /// half(B)^T half(B) = B^T H^-1 B, which is what Schur complements need.
  void half_solve(Mat& B);
  void half_solve(Vec& b);
  void back_solve(Vec& y, Vec& u);

  /// How often the pattern was analysed; for tests of reuse.
  int analyses() const { return analyses_; }
  const SparseAssembly& assembly() const { return assembly_; }

 private:
  SparseAssembly assembly_;
  std::unique_ptr<SparseFactor> factor_;
  std::vector<double> shifted_;
  std::vector<char> fixed_;
  Vec scaling_, half_;
  bool pattern_changed_ = true;
  int analyses_ = 0;
};

}  // namespace rigspace
