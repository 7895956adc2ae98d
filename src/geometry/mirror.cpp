#include "rigspace/geometry/mirror.h"

#include "rigspace/geometry/closest_point.h"

#include <algorithm>

namespace rigspace {
namespace {

constexpr double kMirrorReach = 0.01;  // of the diagonal: a point's mirror image is on the surface
constexpr double kMirrored = 0.95;     // share of points for which it is so

}  // namespace

int mirror_axis_of(const TriMesh& mesh) {
  const TriangleTree tree(mesh);
  const Box box = bounding_box(mesh.points);
  const double reach = kMirrorReach * box.diagonal();
  int best = -1;
  double best_share = kMirrored;
  for (const int axis : {0, 2, 1}) {
    const int stride = std::max(1, mesh.point_count() / 3000);
    int same = 0, all = 0;
    for (int i = 0; i < mesh.point_count(); i += stride, ++all) {
      Vec3 x = point(mesh.points, i);
      x[axis] = 2 * box.center()[axis] - x[axis];
      same += tree.closest(x, reach).triangle >= 0;
    }
    // Nearly flat or round bodies have several planes: the first one that is as good is taken.
    const double share = static_cast<double>(same) / std::max(1, all);
    if (share > best_share + (best < 0 ? 0 : 0.02)) best = axis, best_share = share;
  }
  return best;
}

}  // namespace rigspace
