#pragma once
// Few columns of a matrix with non-negative weights that sum to what all of them do: how a sum over thousands of
// elements becomes one over hundreds (An, Kim and James 2008; von Tycowicz et al. 2013).

#include "rigspace/base/types.h"
#include "rigspace/optimize/energy.h"

#include <vector>

namespace rigspace {

struct ColumnSelectionOptions {
  double tolerance = 0.02;   ///< of |A_S w - b| / |b|
  int most = 1000;           ///< columns chosen
  int at_once = 0;           ///< columns that join in a round; 0: a twentieth of those chosen, 2 to 12
  int looked_at = 4000;      ///< columns among which those of a round are sought, another set each round
  double least_gain = 1e-3;  ///< stops where ten rounds lower the error by less than this fraction of it

  void validate() const;
};

struct ColumnSelection {
  std::vector<WeightedElement> columns;  ///< ascending; weights > 0
  double error = 1;                      ///< |A_S w - b| / |b|, measured; 0 if b is zero
  bool reached = false;                  ///< the tolerance
  int rounds = 0;
};

/// Greedy pursuit: columns of greatest cosine with the residual join, several at a time; weights are the non-negative
/// least squares of those chosen; columns whose weight falls to zero leave. The same bits for the same input on any
/// number of threads.
class ColumnSelector {
 public:
  /// A: rows x candidates. Columns of zeros are no candidates. Throws Error unless A and b fit and are finite.
  ColumnSelector(Mat A, Vec b);

  /// Chooses further columns until the error is at most the tolerance, or can fall no more.
  const ColumnSelection& reach(const ColumnSelectionOptions& options = {});

  /// Adds rows to A and b, and weights the chosen columns anew.
  void add_rows(Mat A_rows, In b_rows);

  /// From now on only the flagged columns may be chosen, one flag a column; chosen ones stay. At first all may.
  void allow(std::vector<char> columns);

  double target_norm() const { return b_.norm(); }
  const ColumnSelection& selection() const { return selection_; }

 private:
  std::vector<int> best_candidates(int at_once, int looked_at) const;
  void join(const std::vector<int>& columns);
  void leave(const std::vector<char>& leaving);
  void factor_from(int first);
  void solve_weights();
  void measure();
  Vec column(int c) const;
  void measure_columns(const Mat& rows);
  void gather();

  std::vector<Mat> parts_;  // rows as they were given, one below the other
  Vec b_, norms_, residual_;
  int rounds_ = 0;
  std::vector<char> is_active_, allowed_;
  // Chosen columns, in the order in which they joined, and what belongs to them in the leading parts of larger
  // matrices: unit columns, products A_S^T A_S and their Cholesky factor, products with b, weights of unit columns.
  std::vector<int> active_;
  Mat columns_, gram_, factor_;
  Vec right_, weights_;
  ColumnSelection selection_;
};

/// One selection.
ColumnSelection select_columns(Mat A, Vec b, const ColumnSelectionOptions& options = {});

}  // namespace rigspace
