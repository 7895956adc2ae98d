#include "multifrontal.h"

#include "rigspace/base/parallel.h"

#include <Eigen/Cholesky>

#include <algorithm>
#include <atomic>
#include <cassert>
#include <cmath>

namespace rigspace {
namespace {

using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Front = Eigen::Map<Mat>;

// Fixed, so that bits do not depend on threads.
constexpr double kLeastTask = 5e5;  // multiplications worth a task of their own
constexpr double kTasks = 24;       // about so many, enough to even out
constexpr int kColumns = 12;        // right-hand sides solved together

// Memory stays, with some to spare, over patterns that differ by a few contacts: fresh pages take as long as a factor.
void reserve(Vec& memory, std::size_t size) {
  if (static_cast<std::size_t>(memory.size()) < size) memory.resize(static_cast<Eigen::Index>(size + size / 8));
}

}  // namespace

void Multifrontal::analyze(Supernodes supernodes, const SparseAssembly& pattern) {
  tree_ = std::move(supernodes);
  const int count = tree_.count();
  panel_start_.assign(static_cast<std::size_t>(count) + 1, 0);
  for (int s = 0; s < count; ++s)
    panel_start_[s + 1] = panel_start_[s] + static_cast<std::size_t>(tree_.height(s)) * tree_.columns(s);
  reserve(panels_, panel_start_.back());
  find_family();
  find_runs();
  find_entries(pattern);
  cut_into_tasks();
  place_complements();
}

double Supernodes::work() const {
  double sum = 0;
  for (int s = 0; s < count(); ++s) {
    const double h = height(s), b = below(s);
    sum += (h * h * h - b * b * b) / 3;
  }
  return sum;
}

// The parent holds the first row below a supernode's own columns.
void Multifrontal::find_family() {
  const int count = tree_.count();
  std::vector<int> owner(static_cast<std::size_t>(tree_.size()));
  for (int s = 0; s < count; ++s) std::fill(owner.begin() + tree_.first[s], owner.begin() + tree_.first[s + 1], s);
  parent_.assign(static_cast<std::size_t>(count), -1);
  child_start_.assign(static_cast<std::size_t>(count) + 1, 0);
  for (int s = 0; s < count; ++s) {
    if (tree_.below(s) == 0) continue;
    parent_[s] = owner[tree_.rows[tree_.row_start[s] + tree_.columns(s)]];
    ++child_start_[parent_[s] + 1];
  }
  for (int s = 0; s < count; ++s) child_start_[s + 1] += child_start_[s];
  children_.resize(static_cast<std::size_t>(child_start_.back()));
  std::vector<int> next(child_start_.begin(), child_start_.end() - 1);
  for (int s = 0; s < count; ++s)
    if (parent_[s] >= 0) children_[next[parent_[s]]++] = s;
}

void Multifrontal::find_runs() {
  run_start_.assign(1, 0);
  runs_.clear();
  for (int s = 0; s < tree_.count(); ++s) {
    const int up = parent_[s], below = tree_.below(s);
    const int* own = tree_.rows.data() + tree_.row_start[s] + tree_.columns(s);
    for (int a = 0, at = 0; a < below; ++a, ++at) {
      const int* theirs = tree_.rows.data() + tree_.row_start[up];
      while (theirs[at] != own[a]) ++at;  // a child's rows are rows of its parent
      const bool goes_on = a > 0 && runs_.back().to + runs_.back().length == at && at != tree_.columns(up);
      if (goes_on)
        ++runs_.back().length;
      else
        runs_.push_back({a, 1, at});
    }
    run_start_.push_back(static_cast<int>(runs_.size()));
  }
}

void Multifrontal::find_entries(const SparseAssembly& pattern) {
  const int n = tree_.size(), count = tree_.count();
  std::vector<int> position(static_cast<std::size_t>(n)), owner(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) position[tree_.order[i]] = i;
  for (int s = 0; s < count; ++s) std::fill(owner.begin() + tree_.first[s], owner.begin() + tree_.first[s + 1], s);
  entry_start_.assign(static_cast<std::size_t>(count) + 1, 0);
  const auto for_each = [&](auto&& visit) {
    for (int c = 0; c < n; ++c)
      for (int e = pattern.column_start()[c]; e < pattern.column_start()[c + 1]; ++e) {
        const int i = position[pattern.rows()[e]], j = position[c];
        visit(e, std::max(i, j), std::min(i, j));
      }
  };
  for_each([&](int, int, int column) { ++entry_start_[owner[column] + 1]; });
  for (int s = 0; s < count; ++s) entry_start_[s + 1] += entry_start_[s];
  entry_.resize(static_cast<std::size_t>(entry_start_.back()));
  entry_place_.resize(entry_.size());
  std::vector<int> next(entry_start_.begin(), entry_start_.end() - 1);
  for_each([&](int e, int row, int column) {
    const int s = owner[column], at = next[s]++;
    const auto rows = tree_.rows.begin() + tree_.row_start[s];
    const auto found = std::lower_bound(rows, rows + tree_.height(s), row) - rows;
    entry_[at] = e;
    entry_place_[at] = static_cast<std::size_t>(found) +
                       static_cast<std::size_t>(column - tree_.first[s]) * static_cast<std::size_t>(tree_.height(s));
  });
}

// Whole subtrees below a share of the work are one task each; what is above goes level by level.
void Multifrontal::cut_into_tasks() {
  const int count = tree_.count();
  std::vector<double> work(static_cast<std::size_t>(count));
  std::vector<int> first_descendant(static_cast<std::size_t>(count)), level(static_cast<std::size_t>(count), 0);
  double total = 0;
  for (int s = 0; s < count; ++s) {
    const double h = tree_.height(s), b = tree_.below(s);
    work[s] = (h * h * h - b * b * b) / 3;
    total += work[s];
    first_descendant[s] = s;
    for (int k = child_start_[s]; k < child_start_[s + 1]; ++k) {
      work[s] += work[children_[k]];
      first_descendant[s] = std::min(first_descendant[s], first_descendant[children_[k]]);
    }
  }
  const double share = std::max(kLeastTask, total / kTasks);
  subtrees_.clear();
  levels_.clear();
  for (int s = 0; s < count; ++s) {
    if (work[s] > share) {
      for (int k = child_start_[s]; k < child_start_[s + 1]; ++k)
        level[s] = std::max(level[s], level[children_[k]] + 1);
      level[s] = std::max(level[s], 1);
      if (static_cast<int>(levels_.size()) < level[s]) levels_.resize(static_cast<std::size_t>(level[s]));
      levels_[level[s] - 1].push_back(s);
    } else if (parent_[s] < 0 || work[parent_[s]] > share) {
      subtrees_.push_back({first_descendant[s], s + 1});
    }
  }
}

// Within a subtree complements live on two stacks, one for even and one for odd depths: a supernode leaves its own on
// one while it takes its children's from the top of the other. Outside, each has its place.
void Multifrontal::place_complements() {
  complement_start_.assign(static_cast<std::size_t>(tree_.count()), 0);
  std::size_t used = 0;
  const auto size_of = [&](int s) { return static_cast<std::size_t>(tree_.below(s)) * tree_.below(s); };
  std::vector<int> depth(static_cast<std::size_t>(tree_.count()), 0);
  for (const Subtree& subtree : subtrees_) {
    std::size_t top[2] = {0, 0}, most[2] = {0, 0};
    for (int s = subtree.end - 2; s >= subtree.begin; --s) depth[s] = depth[parent_[s]] + 1;
    for (int s = subtree.begin; s < subtree.end; ++s) {
      const int own = depth[s] % 2;
      complement_start_[s] = top[own];
      top[own] += size_of(s);
      most[own] = std::max(most[own], top[own]);
      for (int k = child_start_[s]; k < child_start_[s + 1]; ++k) top[1 - own] -= size_of(children_[k]);
    }
    for (int s = subtree.begin; s < subtree.end; ++s) complement_start_[s] += used + (depth[s] % 2 == 1 ? most[0] : 0);
    used += most[0] + most[1];
  }
  for (const std::vector<int>& level : levels_)
    for (const int s : level) complement_start_[s] = used, used += size_of(s);
  reserve(complements_, used);
}

void Multifrontal::assemble_child(int child, int parent) {
  const int columns = tree_.columns(parent), height = tree_.height(parent), below = tree_.below(child);
  double* const panel_of_parent = panel(parent);
  double* const complement_of_parent = complements_.data() + complement_start_[parent];
  const double* const from = complements_.data() + complement_start_[child];
  for (int q = run_start_[child]; q < run_start_[child + 1]; ++q) {
    for (int k = 0; k < runs_[q].length; ++k) {
      const int column = runs_[q].to + k;
      // Row 0 of the front in this column, in whichever of the two holds it.
      double* const to =
          column < columns
              ? panel_of_parent + static_cast<std::size_t>(column) * height
              : complement_of_parent + static_cast<std::size_t>(column - columns) * tree_.below(parent) - columns;
      const double* const source = from + static_cast<std::size_t>(runs_[q].from + k) * below;
      for (int r = q; r < run_start_[child + 1]; ++r) {
        const Run& run = runs_[r];
        for (int i = r == q ? k : 0; i < run.length; ++i) to[run.to + i] += source[run.from + i];
      }
    }
  }
}

// [A11 .; A21 A22] -> L11 = chol(A11), L21 = A21 L11^-T, and A22 - L21 L21^T for the parent.
bool Multifrontal::eliminate(int s, const double* values) {
  const int columns = tree_.columns(s), height = tree_.height(s), below = tree_.below(s);
  Front front(panel(s), height, columns), rest(complements_.data() + complement_start_[s], below, below);
  front.setZero();
  for (int k = entry_start_[s]; k < entry_start_[s + 1]; ++k) panel(s)[entry_place_[k]] = values[entry_[k]];
  for (int j = 0; j < below; ++j) std::fill_n(&rest(j, j), below - j, 0.0);
  for (int k = child_start_[s]; k < child_start_[s + 1]; ++k) assemble_child(children_[k], s);

  auto L11 = front.topRows(columns);
  const Eigen::LLT<Eigen::Ref<Mat>> llt(L11);
  if (llt.info() != Eigen::Success) return false;
  for (int i = 0; i < columns; ++i)  // Eigen lets not-a-number pass
    if (!std::isfinite(L11(i, i))) return false;
  if (below == 0) return true;
  auto L21 = front.bottomRows(below);
  L11.triangularView<Eigen::Lower>().transpose().solveInPlace<Eigen::OnTheRight>(L21);
  rest.selfadjointView<Eigen::Lower>().rankUpdate(L21, -1.0);
  return true;
}

bool Multifrontal::factor(const double* values) {
  std::atomic<bool> positive{true};
  const auto eliminate_or_note = [&](int s) {
    if (positive && !eliminate(s, values)) positive = false;
  };
  parallel_ranges(static_cast<int>(subtrees_.size()), 1, [&](int begin, int end) {
    for (int t = begin; t < end; ++t)
      for (int s = subtrees_[t].begin; s < subtrees_[t].end; ++s) eliminate_or_note(s);
  });
  for (const std::vector<int>& level : levels_)
    parallel_ranges(static_cast<int>(level.size()), 1, [&](int begin, int end) {
      for (int k = begin; k < end; ++k) eliminate_or_note(level[k]);
    });
  return positive;
}

// Columns begin .. end of B, in rows of their own so that the rows of a supernode are gathered whole.
void Multifrontal::forward(Eigen::Ref<Mat> B, int begin, int end) {
  const int n = tree_.size(), width = end - begin;
  Vec &memory = right_sides_[begin / kColumns], &scratch = products_[begin / kColumns];
  memory.resize(static_cast<Eigen::Index>(n) * width);
  scratch.resize(static_cast<Eigen::Index>(n) * width);
  Eigen::Map<Rows> X(memory.data(), n, width);
  for (int j = 0; j < width; ++j)
    for (int i = 0; i < n; ++i) X(i, j) = B(tree_.order[i], begin + j);
  for (int s = 0; s < tree_.count(); ++s) {
    const int columns = tree_.columns(s), below = tree_.below(s);
    const Front L(panel(s), tree_.height(s), columns);
    auto own = X.middleRows(tree_.first[s], columns);
    L.topRows(columns).triangularView<Eigen::Lower>().solveInPlace(own);
    if (below == 0) continue;
    Eigen::Map<Rows> product(scratch.data(), below, width);
    product.noalias() = L.bottomRows(below) * own;
    const int* rows = tree_.rows.data() + tree_.row_start[s] + columns;
    for (int a = 0; a < below; ++a) X.row(rows[a]) -= product.row(a);
  }
  B.middleCols(begin, width) = X;
}

void Multifrontal::half_solve(Eigen::Ref<Mat> B) {
  const std::size_t chunks = static_cast<std::size_t>((B.cols() + kColumns - 1) / kColumns);
  if (right_sides_.size() < chunks) right_sides_.resize(chunks), products_.resize(chunks);
  parallel_ranges(static_cast<int>(B.cols()), kColumns, [&](int begin, int end) { forward(B, begin, end); });
}

void Multifrontal::back_solve(Vec& y, Vec& u) {
  if (products_.empty()) right_sides_.resize(1), products_.resize(1);
  products_[0].resize(std::max<Eigen::Index>(products_[0].size(), y.size()));
  for (int s = tree_.count() - 1; s >= 0; --s) {
    const int columns = tree_.columns(s), below = tree_.below(s);
    const Front L(panel(s), tree_.height(s), columns);
    auto own = y.segment(tree_.first[s], columns);
    const int* rows = tree_.rows.data() + tree_.row_start[s] + columns;
    auto later = products_[0].head(below);
    for (int a = 0; a < below; ++a) later(a) = y(rows[a]);
    if (below > 0) own.noalias() -= L.bottomRows(below).transpose() * later;
    L.topRows(columns).triangularView<Eigen::Lower>().transpose().solveInPlace(own);
  }
  u.resize(y.size());
  for (int i = 0; i < y.size(); ++i) u(tree_.order[i]) = y(i);
}

}  // namespace rigspace
