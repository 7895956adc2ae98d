#include "rigspace/optimize/bordered_system.h"

#include "dense_kernels.h"

namespace rigspace {

BorderedSystem::BorderedSystem(int interior, int border, int block)
    : interior_(interior, block), border_(Mat::Zero(interior, border)), corner_(border), schur_(border) {}

void BorderedSystem::clear() {
  interior_.clear();
  border_.setZero();
  corner_.clear();
}

void BorderedSystem::diagonal(Vec& d) const {
  d.resize(size());
  const int n = interior_.size();
  for (int i = 0; i < n; ++i) d(i) = interior_.assembly().diagonal(i);
  d.tail(corner_.size()) = corner_.matrix().diagonal();
}

void BorderedSystem::multiply(In u, Vec& y) const {
  const int n = interior_.size(), m = corner_.size();
  Vec inner, outer;  // not on the path of a solve
  interior_.multiply(u.head(n), inner);
  corner_.multiply(u.tail(m), outer);
  y.resize(n + m);
  y.head(n) = inner + border_ * u.tail(m);
  y.tail(m) = outer + border_.transpose() * u.head(n);
}

void BorderedSystem::set_fixed(std::span<const char> mask) {
  fixed_.assign(mask.begin(), mask.end());
  const std::size_t n = mask.empty() ? 0 : static_cast<std::size_t>(interior_.size());
  interior_.set_fixed(mask.first(n));
}

void BorderedSystem::add_coordinates(std::span<const int> coordinates, const double* H) {
  const int n = interior_.size(), k = static_cast<int>(coordinates.size());
  inside_.clear();
  place_.clear();
  for (int a = 0; a < k; ++a)
    if (coordinates[a] < n) {
      inside_.push_back(coordinates[a]);
      place_.push_back(a);
    }
  const int inside = static_cast<int>(inside_.size());
  if (inside == k) return interior_.add_coordinates(coordinates, H);
  gathered_.resize(static_cast<std::size_t>(inside) * static_cast<std::size_t>(inside));
  for (int b = 0; b < inside; ++b)
    for (int a = 0; a < inside; ++a) gathered_[a + inside * b] = H[place_[a] + k * place_[b]];
  if (inside > 0) interior_.add_coordinates(inside_, gathered_.data());
  for (int b = 0; b < k; ++b) {
    if (coordinates[b] < n) continue;
    const int j = coordinates[b] - n;
    for (int a = 0; a < k; ++a) {
      if (coordinates[a] < n)
        border_(coordinates[a], j) += H[a + k * b];
      else if (coordinates[a] - n >= j)
        corner_.matrix()(coordinates[a] - n, j) += H[a + k * b];
    }
  }
}

void BorderedSystem::add(std::span<const int> points, const double* H) {
  for (const int point : points)
    if (3 * point + 2 >= interior_.size()) return BlockSink::add(points, H);
  interior_.add(points, H);
}

bool BorderedSystem::factor(double shift) {
  const int n = interior_.size(), m = corner_.size();
  if (!interior_.factor(shift)) return false;
  half_border_ = border_;
  for (int i = 0; i < static_cast<int>(fixed_.size()); ++i) {
    if (!fixed_[i]) continue;
    if (i < n)
      half_border_.row(i).setZero();
    else
      half_border_.col(i - n).setZero();
  }
  interior_.half_solve(half_border_);

  Mat& S = schur_.matrix();
  S = corner_.matrix();
  corner_scaling_ = corner_.matrix().diagonal();
  positive_scaling(corner_scaling_, corner_scaling_);
  S.diagonal() += shift * corner_scaling_;
  for (int j = 0; j < m && !fixed_.empty(); ++j) {
    if (!fixed_[n + j]) continue;
    S.row(j).setZero();
    S.col(j).setZero();
    S(j, j) = 1;
  }
  add_symmetric_product(S, half_border_, half_border_, -1.0);
  return schur_.factor(0);
}

void BorderedSystem::solve(In b, Vec& u) {
  const int n = interior_.size(), m = corner_.size();
  half_ = b.head(n);
  part_ = b.tail(m);
  for (int i = 0; i < static_cast<int>(fixed_.size()); ++i)
    if (fixed_[i]) (i < n ? half_(i) : part_(i - n)) = 0;
  interior_.half_solve(half_);
  if (half_border_.size() > 0) part_.noalias() -= half_border_.transpose() * half_;
  schur_.solve(part_, part_);
  if (half_border_.size() > 0) half_.noalias() -= half_border_ * part_;
  u.resize(n + m);
  u.tail(m) = part_;
  interior_.back_solve(half_, inner_);
  u.head(n) = inner_;
}

}  // namespace rigspace
