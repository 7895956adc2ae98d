#pragma once
// A few points that stand for a surface.

#include "rigspace/geometry/tri_mesh.h"

#include <vector>

namespace rigspace {

struct Representative {
  int point = 0;    ///< of the mesh
  double area = 0;  ///< that it stands for, square scene units
};

/// k-means clusters of the points of a mesh, weighted by the area around each; of each cluster the point nearest to its
/// centre, with the area of the cluster (Thesis 5.2.3). At most `count`, in ascending order of points; points without
/// area are left out. Starts from points far from each other: the same result on every run.
std::vector<Representative> representatives(const TriMesh& mesh, int count);

}  // namespace rigspace
