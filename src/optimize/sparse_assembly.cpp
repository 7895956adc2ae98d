#include "rigspace/optimize/sparse_assembly.h"

#include "rigspace/base/error.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <iterator>

namespace rigspace {
namespace {

// A tag: how many indices follow, and whether they are points or coordinates.
int tag_of(std::size_t count, bool points) { return 2 * static_cast<int>(count) + (points ? 1 : 0); }
int count_of(int tag) { return tag / 2; }
bool is_points(int tag) { return tag % 2 == 1; }
int pairs(int count) { return count * (count + 1) / 2; }

// Blocks of the record, sorted by column and row without repetition: first by counting, then each column.
template <class Record>
void collect_blocks(int blocks, int divisor, const Record& for_each_recorded, std::vector<int>& start,
                    std::vector<int>& rows) {
  std::vector<int> from(static_cast<std::size_t>(blocks) + 1, 1);
  from[0] = 0;  // of each column, at first how many the one before has: its diagonal, and
  for_each_recorded([&](bool points, int, int j, int&) { ++from[(points ? j : j / divisor) + 1]; });
  for (int j = 0; j < blocks; ++j) from[j + 1] += from[j];
  std::vector<int> all(static_cast<std::size_t>(from.back())), next(from.begin(), from.end() - 1);
  for (int j = 0; j < blocks; ++j) all[next[j]++] = j;
  for_each_recorded(
      [&](bool points, int i, int j, int&) { all[next[points ? j : j / divisor]++] = points ? i : i / divisor; });
  start.assign(1, 0), rows.clear();
  for (int j = 0; j < blocks; ++j) {
    const auto first = all.begin() + from[j], last = all.begin() + from[j + 1];
    std::sort(first, last);
    rows.insert(rows.end(), first, std::unique(first, last));
    start.push_back(static_cast<int>(rows.size()));
  }
}

}  // namespace

SparseAssembly::SparseAssembly(int size, int block) : size_(size), block_(block) {
  if ((block != 1 && block != 3) || size < 0 || size % block != 0)
    throw Error({.code = ErrorCode::usage,
                 .element = "sparse matrix",
                 .value = std::to_string(size),
                 .problem = "of " + std::to_string(size) + " rows in blocks of " + std::to_string(block),
                 .remedy = "blocks are 1 or 3 and divide the size"});
  build_pattern();
  values_.assign(rows_.size(), 0.0);
}

void SparseAssembly::clear() {
  std::fill(values_.begin(), values_.end(), 0.0);
  missing_.clear();
  cursor_ = 0;
}

bool SparseAssembly::matches(int tag, std::span<const int> ids) const {
  if (cursor_ + 1 + ids.size() > stream_.size() || stream_[cursor_] != tag) return false;
  return std::memcmp(stream_.data() + cursor_ + 1, ids.data(), ids.size_bytes()) == 0;
}

// The slots of a block, recorded or to be filled; fills mark with -2 what was not looked up yet.
int* SparseAssembly::record(int tag, std::span<const int> ids, int slots) {
  if (!matches(tag, ids)) {
    stream_.resize(cursor_);
    stream_.push_back(tag);
    stream_.insert(stream_.end(), ids.begin(), ids.end());
    stream_.insert(stream_.end(), static_cast<std::size_t>(slots), -2);
  }
  int* place = stream_.data() + cursor_ + 1 + ids.size();
  cursor_ += 1 + ids.size() + static_cast<std::size_t>(slots);
  return place;
}

// Offset of block (i, j), i <= j, within each of the scalar columns of j; -1 if absent.
int SparseAssembly::find_block(int i, int j) const {
  const auto first = block_rows_.begin() + block_start_[j], last = block_rows_.begin() + block_start_[j + 1];
  const auto found = std::lower_bound(first, last, i);
  return found == last || *found != i ? -1 : block_ * static_cast<int>(found - first);
}

int SparseAssembly::find_coordinate(int r, int c) const {
  const int offset = find_block(r / block_, c / block_);
  return offset < 0 ? -1 : offset + r % block_;
}

void SparseAssembly::scatter_block(int slot, int i, int j, const double* H, int stride) {
  for (int c = 0; c < 3; ++c) {
    if (slot < 0) {
      for (int r = 0; r < 3; ++r) missing_.push_back({3 * i + r, 3 * j + c, H[r + stride * c]});
      continue;
    }
    double* column = values_.data() + column_start_[3 * j + c] + slot;
    for (int r = 0; r < 3; ++r) column[r] += H[r + stride * c];
  }
}

void SparseAssembly::scatter_diagonal(int slot, int i, const double* H, int stride) {
  for (int c = 0; c < 3; ++c) {
    double* column = values_.data() + column_start_[3 * i + c] + slot;
    for (int r = 0; r <= c; ++r) column[r] += H[r + stride * c];
  }
}

void SparseAssembly::add(std::span<const int> points, const double* H) {
  const int k = static_cast<int>(points.size());
  if (block_ != 3) {
    expanded_.resize(3 * points.size());
    for (int a = 0; a < 3 * k; ++a) expanded_[static_cast<std::size_t>(a)] = 3 * points[a / 3] + a % 3;
    return add_coordinates(expanded_, H);
  }
  const int stride = 3 * k;
  int* slot = record(tag_of(points.size(), true), points, pairs(k));
  for (int b = 0; b < k; ++b)
    for (int a = 0; a <= b; ++a, ++slot) {
      const int i = std::min(points[a], points[b]), j = std::max(points[a], points[b]);
      assert(i >= 0 && 3 * j < size_);
      if (*slot == -2) *slot = find_block(i, j);
      // The upper triangle has rows of the earlier point, columns of the later one.
      const double* upper = points[a] <= points[b] ? H + 3 * a + 3 * b * stride : H + 3 * b + 3 * a * stride;
      if (i != j) {
        scatter_block(*slot, i, j, upper, stride);
        continue;
      }
      scatter_diagonal(*slot, i, upper, stride);
      if (a != b) scatter_diagonal(*slot, i, H + 3 * b + 3 * a * stride, stride);
    }
}

void SparseAssembly::add_coordinates(std::span<const int> coordinates, const double* H) {
  const int k = static_cast<int>(coordinates.size());
  int* slot = record(tag_of(coordinates.size(), false), coordinates, pairs(k));
  for (int b = 0; b < k; ++b)
    for (int a = 0; a <= b; ++a, ++slot) {
      const int r = std::min(coordinates[a], coordinates[b]), c = std::max(coordinates[a], coordinates[b]);
      assert(r >= 0 && c < size_);
      if (*slot == -2) *slot = find_coordinate(r, c);
      const double value = r == c && a != b ? 2 * H[a + k * b] : H[a + k * b];
      if (*slot < 0)
        missing_.push_back({r, c, value});
      else
        values_[static_cast<std::size_t>(column_start_[c] + *slot)] += value;
    }
}

bool SparseAssembly::finish() {
  stream_.resize(cursor_);
  if (missing_.empty()) return false;
  rebuild();
  return true;
}

template <class Visit>
void SparseAssembly::for_each_recorded(Visit&& visit) {
  for (std::size_t at = 0; at < stream_.size();) {
    const int tag = stream_[at], k = count_of(tag);
    const int* ids = stream_.data() + at + 1;
    int* slot = stream_.data() + at + 1 + k;
    for (int b = 0; b < k; ++b)
      for (int a = 0; a <= b; ++a, ++slot)
        visit(is_points(tag), std::min(ids[a], ids[b]), std::max(ids[a], ids[b]), *slot);
    at += static_cast<std::size_t>(1 + k + pairs(k));
  }
}

// What the pass did not touch stays, since contacts come back, unless that is more than a tenth of what it touched.
void SparseAssembly::build_pattern() {
  constexpr double kIdle = 1.1;
  const std::vector<int> old_start = block_start_, old_rows = block_rows_;
  const int blocks = size_ / block_;
  collect_blocks(
      blocks, block_, [&](const auto& visit) { for_each_recorded(visit); }, block_start_, block_rows_);
  if (std::ssize(old_start) == blocks + 1) {
    std::vector<int> start{0}, rows;
    rows.reserve(block_rows_.size() + old_rows.size());
    for (int j = 0; j < blocks; ++j) {
      std::set_union(block_rows_.begin() + block_start_[j], block_rows_.begin() + block_start_[j + 1],
                     old_rows.begin() + old_start[j], old_rows.begin() + old_start[j + 1], std::back_inserter(rows));
      start.push_back(static_cast<int>(rows.size()));
    }
    if (static_cast<double>(rows.size()) <= kIdle * static_cast<double>(block_rows_.size()))
      block_start_.swap(start), block_rows_.swap(rows);
  }

  column_start_.assign(static_cast<std::size_t>(size_) + 1, 0);
  rows_.clear();
  for (int c = 0; c < size_; ++c) {
    const int j = c / block_;
    for (int t = block_start_[j]; t < block_start_[j + 1]; ++t)
      for (int r = block_ * block_rows_[t]; r < block_ * (block_rows_[t] + 1) && r <= c; ++r) rows_.push_back(r);
    column_start_[c + 1] = static_cast<int>(rows_.size());
  }
}

void SparseAssembly::rebuild() {
  const std::vector<int> old_start = column_start_, old_rows = rows_;
  const std::vector<double> old_values = values_;
  build_pattern();
  values_.assign(rows_.size(), 0.0);
  // What landed before the gap was noticed moves over; an entry that this pass did not touch is zero and may vanish.
  for (int c = 0; c < size_; ++c)
    for (int old = old_start[c]; old < old_start[c + 1]; ++old) {
      const int slot = find_coordinate(old_rows[old], c);
      if (slot >= 0) values_[static_cast<std::size_t>(column_start_[c] + slot)] = old_values[old];
    }
  for_each_recorded(
      [&](bool points, int i, int j, int& slot) { slot = points ? find_block(i, j) : find_coordinate(i, j); });
  for (const Missing& m : missing_)
    values_[static_cast<std::size_t>(column_start_[m.column] + find_coordinate(m.row, m.column))] += m.value;
  missing_.clear();
}

void SparseAssembly::multiply(In u, Vec& y) const {
  y.setZero(size_);
  for (int c = 0; c < size_; ++c) {
    const int diagonal = column_start_[c + 1] - 1;
    double sum = values_[diagonal] * u(c);
    for (int e = column_start_[c]; e < diagonal; ++e) {
      y(rows_[e]) += values_[e] * u(c);
      sum += values_[e] * u(rows_[e]);
    }
    y(c) += sum;
  }
}

}  // namespace rigspace
