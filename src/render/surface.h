#pragma once
// Private to render: the triangles of a character, with smoothed normals that follow its deformation.

#include "rigspace/anim/character.h"

#include <array>
#include <cstdint>
#include <vector>

namespace rigspace {

using Vec3f = Eigen::Vector3f;

/// What stays the same over all poses. Corners that share a normal have the same index in `corner_normals`.
struct Surface {
  std::vector<std::array<std::uint32_t, 3>> triangles;  ///< points of the rig
  std::vector<std::array<int, 3>> corner_normals;       ///< per triangle
  std::vector<int> piece;                               ///< per triangle, into Character::pieces
  int normal_count = 0;
};

/// Throws Error if there are no triangles or an index is out of range.
Surface make_surface(const Character& character);

/// Unit normals, each the mean of its triangles' normals weighted by area; zero where all of them are degenerate.
std::vector<Vec3f> smooth_normals(const Surface& surface, const std::vector<Vec3f>& points);

}  // namespace rigspace
