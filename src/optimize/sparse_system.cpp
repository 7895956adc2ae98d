#include "rigspace/optimize/sparse_system.h"

#include "sparse_factor.h"

namespace rigspace {

SparseSystem::SparseSystem(int size, int block) : assembly_(size, block), factor_(sparse_back_end().make()) {}
SparseSystem::~SparseSystem() = default;

void SparseSystem::finish() {
  if (assembly_.finish()) pattern_changed_ = true;
}

void SparseSystem::diagonal(Vec& d) const {
  d.resize(size());
  for (int i = 0; i < size(); ++i) d(i) = assembly_.diagonal(i);
}

void SparseSystem::set_fixed(std::span<const char> mask) { fixed_.assign(mask.begin(), mask.end()); }

bool SparseSystem::factor(double shift) {
  if (size() == 0) return true;
  if (pattern_changed_) {
    factor_->analyze(assembly_);
    pattern_changed_ = false;
    ++analyses_;
  }
  const auto start = assembly_.column_start(), rows = assembly_.rows();
  shifted_.assign(assembly_.values().begin(), assembly_.values().end());
  if (shift != 0) {
    diagonal(scaling_);
    positive_scaling(scaling_, scaling_);
    for (int c = 0; c < size(); ++c) shifted_[static_cast<std::size_t>(start[c + 1]) - 1] += shift * scaling_(c);
  }
  if (!fixed_.empty()) {
    for (int c = 0; c < size(); ++c)
      for (int e = start[c]; e < start[c + 1]; ++e)
        if (fixed_[c] || fixed_[rows[e]]) shifted_[e] = rows[e] == c ? 1.0 : 0.0;
  }
  return factor_->factor(shifted_.data());
}

void SparseSystem::half_solve(Mat& B) {
  if (B.size() > 0) factor_->half_solve(B);
}

void SparseSystem::half_solve(Vec& b) {
  if (b.size() > 0) factor_->half_solve(b);
}

void SparseSystem::back_solve(Vec& y, Vec& u) {
  u.resize(size());
  if (size() > 0) factor_->back_solve(y, u);
}

void SparseSystem::solve(In b, Vec& u) {
  half_ = b;
  for (int i = 0; i < static_cast<int>(fixed_.size()); ++i)
    if (fixed_[i]) half_(i) = 0;
  half_solve(half_);
  back_solve(half_, u);
}

}  // namespace rigspace
