#include "rigspace/geometry/split_lattice.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace rigspace::split_test {
namespace {

/// n x n x n cubes, each vertex moved a little, so that cells are no boxes.
HexLattice cubes(int n) {
  HexLattice lattice;
  const auto at = [n](int x, int y, int z) { return x + (n + 1) * (y + (n + 1) * z); };
  for (int z = 0; z <= n; ++z)
    for (int y = 0; y <= n; ++y)
      for (int x = 0; x <= n; ++x)
        lattice.vertices.push_back(Vec3(x, y, z) + 0.1 * Vec3(std::sin(y + 2 * z), std::sin(z + 2 * x), std::sin(x)));
  for (int z = 0; z < n; ++z)
    for (int y = 0; y < n; ++y)
      for (int x = 0; x < n; ++x) {
        std::array<int, 8> cell{};
        for (int c = 0; c < 8; ++c) cell[c] = at(x + (c & 1), y + (c >> 1 & 1), z + (c >> 2));
        lattice.cells.push_back(cell);
      }
  return lattice;
}

SplitLattice three_levels() {
  SplitLattice lattice(cubes(3));
  lattice.split(0);
  lattice.split(lattice.cell(0).first_child +
                7);  // in the corner that cells 1, 3, 4, 9, .. share: these are split first
  return lattice;
}

TEST(SplitLattice, OfAllCellsIsTheFinerLattice) {
  SplitLattice lattice(cubes(2));
  for (int k = 0; k < 8; ++k) lattice.split(k);
  EXPECT_EQ(lattice.vertex_count(), 125);
  EXPECT_EQ(lattice.leaves().size(), 64u);
  EXPECT_TRUE(lattice.hanging().empty());
  lattice.leaf_lattice().validate("finer");
}

TEST(SplitLattice, KeepsCellsThatMeetWithinALevel) {
  const SplitLattice lattice = three_levels();
  EXPECT_EQ(lattice.splits().size(), 9u);  // the eight around the corner, and the child
  const HexLattice leaves = lattice.leaf_lattice();
  const std::vector<int> numbers = lattice.leaves();
  std::vector<std::pair<int, int>> range(lattice.vertex_count(), {9, -1});
  const auto count = [&](int vertex, int level) {
    range[vertex] = {std::min(range[vertex].first, level), std::max(range[vertex].second, level)};
  };
  for (std::size_t k = 0; k < numbers.size(); ++k)
    for (const int i : leaves.cells[k]) count(i, lattice.cell(numbers[k]).level);
  for (const auto& [low, high] : range) {
    if (high >= 0) {
      EXPECT_LE(high - low, 1);
    }
  }
}

// A field given at the free vertices is one field: leaves that meet agree, whatever their size.
TEST(SplitLattice, HasContinuousFields) {
  const SplitLattice lattice = three_levels();
  const auto hanging = lattice.hanging();
  ASSERT_GT(hanging.size(), 20u);
  HexLattice field = lattice.leaf_lattice();
  for (int i = 0; i < lattice.vertex_count(); ++i)
    field.vertices[i] = Vec3(std::sin(3.0 * i), std::cos(5.0 * i), i % 7);
  for (const HangingVertex& each : hanging) {
    EXPECT_FALSE(lattice.parents(each.vertex).empty());
    double sum = 0;
    field.vertices[each.vertex].setZero();
    for (const auto& [other, weight] : each.others) {
      field.vertices[each.vertex] += weight * field.vertices[other];
      EXPECT_TRUE(std::none_of(hanging.begin(), hanging.end(), [&](const auto& h) { return h.vertex == other; }));
      sum += weight;
    }
    EXPECT_NEAR(sum, 1, 1e-14);
  }
  const double e = 1e-9;
  const std::vector<int> numbers = lattice.leaves();
  const auto value = [&](int cell, const Vec3& u) {
    const HexPlace leaf = lattice.leaf_at({cell, u});
    return field.position(static_cast<int>(std::find(numbers.begin(), numbers.end(), leaf.cell) - numbers.begin()),
                          leaf.u);
  };
  for (int k = 0; k < 40; ++k) {
    const Vec3 u(0.5 + 0.5 * std::sin(k), 0.5 + 0.5 * std::sin(7.0 * k), 0);
    EXPECT_LT((value(1, Vec3(1 - e, u.x(), u.y())) - value(2, Vec3(e, u.x(), u.y()))).norm(), 1e-6);
    EXPECT_LT((value(0, Vec3(0.5 - e, u.x(), u.y())) - value(0, Vec3(0.5 + e, u.x(), u.y()))).norm(), 1e-6);
    EXPECT_LT((value(4, Vec3(u.x(), 1 - e, u.y())) - value(7, Vec3(u.x(), e, u.y()))).norm(), 1e-6);
  }
}

TEST(SplitLattice, HasTheSameNumbersAgainAndFindsThemInALargerOne) {
  const SplitLattice lattice = three_levels();
  SplitLattice again(cubes(3)), larger(cubes(3));
  for (const int k : lattice.splits()) again.split(k);
  ASSERT_EQ(again.vertex_count(), lattice.vertex_count());
  EXPECT_EQ(again.leaf_lattice().cells, lattice.leaf_lattice().cells);
  larger.split(26);
  larger.include(lattice);
  const auto numbers = larger.vertices_of(lattice);
  const HexLattice part = lattice.leaf_lattice(), whole = larger.leaf_lattice();
  for (int i = 0; i < lattice.vertex_count(); ++i) {
    ASSERT_GE(numbers[i], 0);
    EXPECT_LT((part.vertices[i] - whole.vertices[numbers[i]]).norm(), 1e-14);
  }
  const auto back = lattice.vertices_of(larger);
  EXPECT_GT(std::count(back.begin(), back.end(), -1), 10);
}

TEST(SplitLattice, FreesTheFunctionsAroundAVertex) {
  SplitLattice lattice(cubes(3));
  lattice.split_around(lattice.cell(0).corners[7], 0);
  const int before = lattice.vertex_count(), hung = static_cast<int>(lattice.hanging().size());
  EXPECT_EQ(before, 64 + 125 - 27);
  EXPECT_EQ(before - hung, 64 + (4 * 4 * 4 - 2 * 2 * 2));  // those that no whole cell meets
}

}  // namespace
}  // namespace rigspace::split_test
