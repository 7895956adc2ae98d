#pragma once
// A symmetric sparse matrix summed from element blocks, at the speed of a scatter once the pattern is known.

#include "rigspace/optimize/energy.h"

#include <cstdint>
#include <span>
#include <vector>

namespace rigspace {

/// The upper triangle, column-compressed, rows ascending, every diagonal entry present.
///
/// The first pass records the stream of blocks and, for each, where it lands; a later pass that brings the same stream
/// replays those places. Where a stream differs from the record it is recorded anew from there on; only entries that
/// the pattern lacks change the pattern. What the pass did not touch then stays, since contacts come back, unless that
/// is more than a tenth of what it touched: then all of it goes.
class SparseAssembly final : public BlockSink {
 public:
  /// block: 3 if coordinates come as points (the pattern is then made of whole 3x3 blocks, and ordered as such),
  /// else 1.
  SparseAssembly(int size, int block);

  int size() const { return size_; }
  int block() const { return block_; }

  void clear();
  void add(std::span<const int> points, const double* H) override;
  void add_coordinates(std::span<const int> coordinates, const double* H) override;
  /// Ends a pass. True if the pattern is another one than before.
  bool finish();

  std::span<const int> column_start() const { return column_start_; }
  std::span<const int> rows() const { return rows_; }
  std::span<const double> values() const { return values_; }
  /// The same pattern by blocks: the input of an ordering.
  std::span<const int> block_start() const { return block_start_; }
  std::span<const int> block_rows() const { return block_rows_; }

  double diagonal(int i) const { return values_[static_cast<std::size_t>(column_start_[i + 1]) - 1]; }
  /// y = H u.
  void multiply(In u, Vec& y) const;

 private:
  struct Missing {
    int row, column;
    double value;
  };

  bool matches(int tag, std::span<const int> ids) const;
  int* record(int tag, std::span<const int> ids, int slots);
  int find_block(int i, int j) const;
  int find_coordinate(int r, int c) const;
  void scatter_block(int slot, int i, int j, const double* H, int stride);
  void scatter_diagonal(int slot, int i, const double* H, int stride);
  void rebuild();
  void build_pattern();
  template <class Visit>
  void for_each_recorded(Visit&& visit);

  int size_, block_;
  std::vector<int> block_start_, block_rows_;
  std::vector<int> column_start_, rows_;
  std::vector<double> values_;
  // The record: per block a tag (3x3 points or coordinates, and how many), its indices, and for each pair of them the
  // place within the later one's column, or -1 where the pattern lacks it.
  std::vector<int> stream_;
  std::size_t cursor_ = 0;
  std::vector<Missing> missing_;
  std::vector<int> expanded_;
};

}  // namespace rigspace
