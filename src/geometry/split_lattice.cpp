#include "rigspace/geometry/split_lattice.h"

#include <algorithm>
#include <cassert>

namespace rigspace {
namespace {

constexpr int kGrid = 27;  // places of a split cell: its corners and all middles

int grid_at(int place, int axis) { return axis == 0 ? place % 3 : axis == 1 ? place / 3 % 3 : place / 9; }

/// The first n, ascending.
void sort_first(std::array<int, 8>& key, int n) {
  for (int i = 1; i < n; ++i)
    for (int k = i; k > 0 && key[k - 1] > key[k]; --k) std::swap(key[k - 1], key[k]);
}

/// The corners of the cell that the place is the middle of, ascending, filled with -1.
std::array<int, 8> corners_around(const std::array<int, 8>& corners, int place) {
  std::array<int, 8> key;
  key.fill(-1);
  int n = 0;
  for (int c = 0; c < 8; ++c) {
    bool within = true;
    for (int a = 0; a < 3; ++a) within = within && (grid_at(place, a) == 1 || grid_at(place, a) == 2 * (c >> a & 1));
    if (within) key[n++] = corners[c];
  }
  sort_first(key, n);
  return key;
}

int count_of(const std::array<int, 8>& key) {
  return static_cast<int>(std::find(key.begin(), key.end(), -1) - key.begin());
}

}  // namespace

SplitLattice::SplitLattice(HexLattice whole)
    : whole_(whole.cell_count()),
      vertices_(std::move(whole.vertices)),
      parents_(vertices_.size()),
      cells_at_(vertices_.size()) {
  for (Key& key : parents_) key.fill(-1);
  for (const auto& corners : whole.cells) {
    for (const int i : corners) cells_at_[i].push_back(cell_count());
    cells_.push_back({.corners = corners});
  }
}

std::span<const int> SplitLattice::parents(int vertex) const {
  return std::span(parents_[vertex]).first(count_of(parents_[vertex]));
}

int SplitLattice::find(const Key& key) const {
  const auto found = middles_.find(key);
  return found == middles_.end() ? -1 : found->second;
}

int SplitLattice::middle(const Key& key) {
  const auto [found, is_new] = middles_.try_emplace(key, vertex_count());
  if (is_new) {
    const int n = count_of(key);
    Vec3 sum = Vec3::Zero();
    for (int k = 0; k < n; ++k) sum += vertices_[key[k]];
    vertices_.push_back(sum / n);
    parents_.push_back(key);
    cells_at_.emplace_back();
  }
  return found->second;
}

// A leaf of the parent's level that meets this cell has the parent's corner of this octant as a corner.
void SplitLattice::split(int k) {
  if (cells_[k].first_child >= 0) return;
  if (cells_[k].level > 0) {
    const int corner = cells_[cells_[k].parent].corners[cells_[k].octant];
    const std::vector<int> around = cells_at_[corner];
    for (const int other : around)
      if (cells_[other].level == cells_[k].level - 1) split(other);
  }
  splits_.push_back(k);
  const Cell whole = cells_[k];
  std::array<int, kGrid> places{};
  for (int p = 0; p < kGrid; ++p) {
    const Key key = corners_around(whole.corners, p);
    places[p] = key[1] < 0 ? key[0] : middle(key);
  }
  cells_[k].first_child = cell_count();
  for (int octant = 0; octant < 8; ++octant) {
    Cell child{.corners = {}, .level = whole.level + 1, .parent = k, .octant = octant};
    for (int c = 0; c < 8; ++c) {
      const int x = (octant & 1) + (c & 1), y = (octant >> 1 & 1) + (c >> 1 & 1), z = (octant >> 2) + (c >> 2);
      child.corners[c] = places[x + 3 * y + 9 * z];
      cells_at_[child.corners[c]].push_back(cell_count());
    }
    cells_.push_back(child);
  }
}

void SplitLattice::split_around(int vertex, int level) {
  for (std::size_t k = 0; k < cells_at_[vertex].size(); ++k)  // splits bring more of them
    if (const int cell = cells_at_[vertex][k]; cells_[cell].level <= level) split(cell);
}

void SplitLattice::include(const SplitLattice& other) {
  std::vector<int> mine(other.cells_.size(), -1);
  for (int k = 0; k < other.whole_; ++k) mine[k] = k;
  for (const int k : other.splits_) {
    split(mine[k]);
    for (int octant = 0; octant < 8; ++octant)
      mine[other.cells_[k].first_child + octant] = cells_[mine[k]].first_child + octant;
  }
}

HexPlace SplitLattice::leaf_at(HexPlace place) const {
  while (cells_[place.cell].first_child >= 0) {
    int octant = 0;
    for (int a = 0; a < 3; ++a) {
      const bool upper = place.u[a] > 0.5;
      octant |= (upper ? 1 : 0) << a;
      place.u[a] = 2 * place.u[a] - (upper ? 1 : 0);
    }
    place.cell = cells_[place.cell].first_child + octant;
  }
  return place;
}

std::vector<int> SplitLattice::leaves() const {
  std::vector<int> found;
  for (int k = 0; k < cell_count(); ++k)
    if (cells_[k].first_child < 0) found.push_back(k);
  return found;
}

HexLattice SplitLattice::leaf_lattice() const {
  HexLattice lattice{.vertices = vertices_, .cells = {}};
  for (const int k : leaves()) lattice.cells.push_back(cells_[k].corners);
  return lattice;
}

std::vector<HangingVertex> SplitLattice::hanging() const {
  std::vector<char> hangs(vertices_.size(), 0);
  for (const int k : leaves())
    for (int p = 0; p < kGrid; ++p)
      if (const Key key = corners_around(cells_[k].corners, p); key[1] >= 0)
        if (const int i = find(key); i >= 0) hangs[i] = 1;
  std::vector<HangingVertex> found;
  std::vector<int> at(vertices_.size(), -1);
  for (int i = 0; i < vertex_count(); ++i) {
    if (hangs[i] == 0) continue;
    std::map<int, double> sum;  // parents come before their children: theirs are resolved
    const auto above = parents(i);
    const double share = 1.0 / static_cast<double>(above.size());
    for (const int j : above) {
      if (at[j] < 0) sum[j] += share;
      if (at[j] >= 0)
        for (const auto& [other, weight] : found[at[j]].others) sum[other] += share * weight;
    }
    at[i] = static_cast<int>(found.size());
    found.push_back({i, {sum.begin(), sum.end()}});
  }
  return found;
}

std::vector<int> SplitLattice::vertices_of(const SplitLattice& part) const {
  std::vector<int> mine(part.vertices_.size(), -1);
  for (int i = 0; i < part.vertex_count(); ++i) {
    Key key = part.parents_[i];
    const int n = count_of(key);
    if (n == 0) mine[i] = i;
    if (n == 0) continue;
    for (int k = 0; k < n; ++k) key[k] = mine[key[k]];
    sort_first(key, n);
    if (key[0] >= 0) mine[i] = find(key);
  }
  return mine;
}

}  // namespace rigspace
