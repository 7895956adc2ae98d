#pragma once
// A sparse block with a dense border, solved by its Schur complement (RSP 4, Thesis 3.53, signs as they must be).

#include "rigspace/optimize/dense_system.h"
#include "rigspace/optimize/sparse_system.h"

#include <vector>

namespace rigspace {

/// Unknowns (n, p): the first `interior` coordinates sparse among themselves, the last `border` coupled to anything.
///
///     [ A    B ] [u_n]   [b_n]
///     [ B^T  C ] [u_p] = [b_p]
///
/// With P A P^T = L L^T and Y = L^-1 P B:  S = C - Y^T Y,  S u_p = b_p - Y^T y,  u_n = P^T L^-T (y - Y u_p),
/// y = L^-1 P b_n. For b = -r that is S dp = -(r_p - K_pn K_nn^-1 r_n), K_nn dn = -r_n - K_np dp. Half solves only.
class BorderedSystem final : public System {
 public:
  BorderedSystem(int interior, int border, int block = 3);

  int size() const override { return interior_.size() + corner_.size(); }
  void clear() override;
  void finish() override { interior_.finish(); }
  void diagonal(Vec& d) const override;
  void multiply(In u, Vec& y) const override;
  void set_fixed(std::span<const char> mask) override;
  bool factor(double shift) override;
  void solve(In b, Vec& u) override;
  void add_coordinates(std::span<const int> coordinates, const double* H) override;
  void add(std::span<const int> points, const double* H) override;

  /// For mappings with a known structure of their Jacobian: A, B (interior x border) and C (lower triangle counts).
  SparseSystem& interior() { return interior_; }
  Mat& border() { return border_; }
  Mat& corner() { return corner_.matrix(); }

 private:
  SparseSystem interior_;
  Mat border_;
  DenseSystem corner_, schur_;
  Mat half_border_;  // Y
  Vec half_, inner_, part_, corner_scaling_;
  std::vector<char> fixed_;
  std::vector<int> inside_, place_;
  std::vector<double> gathered_;
};

}  // namespace rigspace
