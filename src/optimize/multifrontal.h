#pragma once
// Numeric Cholesky by fronts (Duff, Reid 1983): every supernode assembles what its children left of their Schur
// complements, eliminates its own columns with dense kernels, and leaves the rest to its parent.

#include "rigspace/base/types.h"
#include "rigspace/optimize/sparse_assembly.h"

#include <span>
#include <vector>

namespace rigspace {

/// The structure of P A P^T = L L^T: groups of consecutive columns that share their rows, children before parents and
/// subtrees contiguous. Rows may include some that are zero.
struct Supernodes {
  std::vector<int> order;      ///< column i of L is column order[i] of A
  std::vector<int> first;      ///< supernode s has the columns first[s] .. first[s + 1] of L
  std::vector<int> row_start;  ///< and the rows rows[row_start[s] .. row_start[s + 1]], ascending, its columns first
  std::vector<int> rows;

  int count() const { return static_cast<int>(first.size()) - 1; }
  int size() const { return first.back(); }
  int columns(int s) const { return first[s + 1] - first[s]; }
  int height(int s) const { return row_start[s + 1] - row_start[s]; }
  int below(int s) const { return height(s) - columns(s); }
  double work() const;  ///< multiplications of a factorisation, about
};

/// L for a fixed structure. Subtrees are factored in parallel, each front in a fixed order of sums: the same bits for
/// any number of threads. All memory of its own is taken by analyze.
class Multifrontal {
 public:
  /// `pattern` is the upper triangle of A in its own order.
  void analyze(Supernodes supernodes, const SparseAssembly& pattern);
  /// `values` in the order of the pattern's entries. False if not positive definite or not finite.
  bool factor(const double* values);
  /// B <- L^-1 P B.
  void half_solve(Eigen::Ref<Mat> B);
  /// u = P^T L^-T y; y is used as scratch.
  void back_solve(Vec& y, Vec& u);

 private:
  // Rows from .. from + length of a child's Schur complement are rows to .. of its parent's front, all of them columns
  // of the parent or all of them below.
  struct Run {
    int from, length, to;
  };
  struct Subtree {
    int begin, end;  // supernodes
  };

  void find_family();
  void find_runs();
  void find_entries(const SparseAssembly& pattern);
  void cut_into_tasks();
  void place_complements();
  bool eliminate(int s, const double* values);
  void assemble_child(int child, int parent);
  double* panel(int s) { return panels_.data() + panel_start_[s]; }
  void forward(Eigen::Ref<Mat> B, int begin, int end);

  Supernodes tree_;
  std::vector<int> parent_, child_start_, children_;
  std::vector<std::size_t> panel_start_, complement_start_;
  std::vector<int> run_start_;
  std::vector<Run> runs_;
  std::vector<int> entry_start_, entry_;     // per supernode: which entries of A
  std::vector<std::size_t> entry_place_;     // and where in its panel
  std::vector<Subtree> subtrees_;            // factored side by side
  std::vector<std::vector<int>> levels_;     // the supernodes above them, by distance
  Vec panels_;                               // L, supernode by supernode, column-major, upper triangles unused
  Vec complements_;                          // Schur complements that wait for their parents, lower triangles
  std::vector<Vec> right_sides_, products_;  // of the solves, one a chunk of columns
};

}  // namespace rigspace
