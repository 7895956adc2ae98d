#pragma once
// Flat patterns of curved sheets.

#include "rigspace/geometry/tri_mesh.h"

#include <array>
#include <functional>
#include <vector>

namespace rigspace {

using FlatCorners = std::array<Eigen::Vector2d, 3>;

/// Of each triangle's corners the place in the plane, in the unit of the mesh, each panel (a label per triangle) for
/// itself, so that lengths change as little as can be: as-rigid-as-possible (Liu et al. 2008), `rounds` of it, from a
/// first guess of a point's place. Triangles of a panel that are not joined by a corner are laid out apart from each
/// other only as the guess puts them.
std::vector<FlatCorners> flatten_panels(const TriMesh& sheet, const std::vector<int>& panel,
                                        const std::function<Eigen::Vector2d(int panel, const Vec3&)>& guess,
                                        int rounds = 40);

}  // namespace rigspace
