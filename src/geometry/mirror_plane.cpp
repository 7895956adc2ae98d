#include "rigspace/geometry/mirror_plane.h"

#include "rigspace/geometry/tri_mesh.h"

#include <algorithm>
#include <limits>

namespace rigspace {
namespace {

/// The number and the squared distance of the point nearest to x.
std::pair<int, double> nearest(In points, const Vec3& x) {
  const Eigen::Map<const Eigen::Matrix3Xd> all(points.data(), 3, points.size() / 3);
  Eigen::Index found = -1;
  const double squared = all.cols() == 0 ? std::numeric_limits<double>::infinity()
                                         : (all.colwise() - x).colwise().squaredNorm().minCoeff(&found);
  return {static_cast<int>(found), squared};
}

}  // namespace

std::optional<MirrorPlane> find_mirror_plane(In points, double tolerance) {
  constexpr int kTried = 400;
  constexpr double kEnough = 0.9;
  const int count = static_cast<int>(points.size() / 3), stride = std::max(1, count / kTried);
  const Box box = bounding_box(points);
  const double reach = tolerance * box.diagonal();
  std::optional<MirrorPlane> best;
  double most = kEnough;
  for (const int axis : {0, 2}) {
    const MirrorPlane plane{axis, box.center()[axis]};
    int tried = 0, met = 0;
    for (int i = 0; i < count; i += stride, ++tried)
      met += nearest(points, plane.image(point(points, i))).second <= reach * reach ? 1 : 0;
    if (tried > 0 && met > most * tried) most = static_cast<double>(met) / tried, best = plane;
  }
  return best;
}

int nearest_to_image(In points, const MirrorPlane& plane, const Vec3& x, double tolerance) {
  const double reach = tolerance * bounding_box(points).diagonal();
  const auto [found, squared] = nearest(points, plane.image(x));
  return squared <= reach * reach ? found : -1;
}

}  // namespace rigspace
