#pragma once
// A small dense system: Cholesky.

#include "rigspace/optimize/system.h"

#include <vector>

namespace rigspace {

class DenseSystem final : public System {
 public:
  explicit DenseSystem(int size);

  int size() const override { return static_cast<int>(H_.rows()); }
  void clear() override { H_.setZero(); }
  void finish() override {}
  void diagonal(Vec& d) const override { d = H_.diagonal(); }
  void multiply(In u, Vec& y) const override;
  void set_fixed(std::span<const char> mask) override { fixed_.assign(mask.begin(), mask.end()); }
  bool factor(double shift) override;
  void solve(In b, Vec& u) override;
  void add_coordinates(std::span<const int> coordinates, const double* H) override;

  /// For mappings that add whole matrices: the lower triangle counts, the upper is ignored.
  Mat& matrix() { return H_; }
  const Mat& matrix() const { return H_; }

 private:
  Mat H_, L_;
  Vec scaling_;
  std::vector<char> fixed_;
};

}  // namespace rigspace
