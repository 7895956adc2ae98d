#pragma once
// The body-centred cubic lattice: corners and middles of a grid of cubes. Each point has 14 neighbours, 6 at the edge
// of a cube (long edges) and 8 at half its diagonal (short ones). A tetrahedron is a long edge between corners and a
// long edge between middles, around each other; all are alike.

#include "rigspace/base/types.h"

#include <array>
#include <cstdint>
#include <vector>

namespace rigspace {

inline constexpr int kDirections = 14;
inline constexpr int kForward = 7;

/// In half cubes. The first seven are the forward ones; opposite(d) points back.
inline constexpr int kOffset[kDirections][3] = {{2, 0, 0},    {0, 2, 0},   {0, 0, 2},  {1, 1, 1},   {-1, 1, 1},
                                                {1, -1, 1},   {-1, -1, 1}, {1, 1, -1}, {-1, 1, -1}, {1, -1, -1},
                                                {-1, -1, -1}, {0, 0, -2},  {0, -2, 0}, {-2, 0, 0}};

constexpr int opposite(int direction) { return kDirections - 1 - direction; }
constexpr bool is_long(int direction) { return direction < 3 || direction > 10; }

/// The direction with this offset, or -1.
constexpr int direction_of(int x, int y, int z) {
  for (int d = 0; d < kDirections; ++d)
    if (kOffset[d][0] == x && kOffset[d][1] == y && kOffset[d][2] == z) return d;
  return -1;
}

/// between[d][e]: from the neighbour at d to the neighbour at e, or -1 where they are no neighbours.
struct LinkTable {
  std::array<std::array<int, kDirections>, kDirections> between{};
};
constexpr LinkTable make_link_table() {
  LinkTable table;
  for (int d = 0; d < kDirections; ++d)
    for (int e = 0; e < kDirections; ++e)
      table.between[d][e] =
          direction_of(kOffset[e][0] - kOffset[d][0], kOffset[e][1] - kOffset[d][1], kOffset[e][2] - kOffset[d][2]);
  return table;
}
inline constexpr LinkTable kLink = make_link_table();

struct BccLattice {
  Vec3 origin = Vec3::Zero();  ///< corner 0, scene space
  double cell = 1;             ///< edge of a cube
  std::array<int, 3> cubes{};  ///< along x, y, z

  int corner_count() const { return (cubes[0] + 1) * (cubes[1] + 1) * (cubes[2] + 1); }
  int middle_count() const { return cubes[0] * cubes[1] * cubes[2]; }
  int count() const { return corner_count() + middle_count(); }

  /// In half cubes: all even for corners, all odd for middles.
  std::array<int, 3> coordinates(int v) const {
    const int odd = v >= corner_count() ? 1 : 0;
    const int nx = cubes[0] + 1 - odd, ny = cubes[1] + 1 - odd;
    const int i = odd ? v - corner_count() : v;
    return {2 * (i % nx) + odd, 2 * (i / nx % ny) + odd, 2 * (i / (nx * ny)) + odd};
  }
  /// -1 outside of the grid.
  int at(int x, int y, int z) const {
    const int odd = x & 1;
    if (x < 0 || y < 0 || z < 0 || x > 2 * cubes[0] || y > 2 * cubes[1] || z > 2 * cubes[2]) return -1;
    const int nx = cubes[0] + 1 - odd, ny = cubes[1] + 1 - odd;
    return (odd ? corner_count() : 0) + ((z / 2) * ny + y / 2) * nx + x / 2;
  }
  int neighbour(int v, int direction) const {
    const auto c = coordinates(v);
    return at(c[0] + kOffset[direction][0], c[1] + kOffset[direction][1], c[2] + kOffset[direction][2]);
  }
  Vec3 position(int v) const {
    const auto c = coordinates(v);
    return origin + 0.5 * cell * Vec3(c[0], c[1], c[2]);
  }
  double length(int direction) const { return is_long(direction) ? cell : 0.86602540378443865 * cell; }
};

}  // namespace rigspace
