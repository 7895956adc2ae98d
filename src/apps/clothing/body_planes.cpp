#include "body_planes.h"

#include "rigspace/base/parallel.h"

namespace rigspace {

BodyPlanes::BodyPlanes(const TriMesh& body, const Options& options) : options_(options) {
  if (!body.triangles.empty()) tree_ = TriangleTree(body);
}

const HalfSpaces& BodyPlanes::find(In x, In body_now, In body_next, std::span<const char> absent, In stiffness) {
  const std::vector<Triangle>& triangles = tree_.mesh().triangles;
  if (triangles.empty()) return planes_;
  tree_.refit(body_now);
  Vec normals;
  vertex_normals(body_next, triangles, normals);
  std::vector<HalfSpaces::Plane> planes(static_cast<std::size_t>(x.size() / 3));
  parallel_ranges(static_cast<int>(planes.size()), 32, [&](int begin, int end) {
    for (int i = begin; i < end; ++i) {
      const SurfacePoint near = tree_.closest(point(x, i), options_.reach);
      HalfSpaces::Plane& plane = planes[static_cast<std::size_t>(i)];
      plane.point = i;
      if (near.triangle < 0 || (!absent.empty() && absent[static_cast<std::size_t>(near.triangle)])) continue;
      const Triangle& t = triangles[static_cast<std::size_t>(near.triangle)];
      Vec3 place = Vec3::Zero(), normal = Vec3::Zero();
      for (int k = 0; k < 3; ++k) {
        place += near.barycentric[k] * point(body_next, t[k]);
        normal += near.barycentric[k] * point(normals, t[k]);
      }
      if (!(normal.norm() > 0)) continue;
      plane.normal = normal.normalized();
      plane.offset = plane.normal.dot(place) + options_.distance;
      plane.stiffness = stiffness[i];
      if (forces_.size() == 0) continue;
      plane.friction = options_.friction * forces_[i];
      // Carried along with the place below it.
      Vec3 by = place;
      for (int k = 0; k < 3; ++k) by -= near.barycentric[k] * point(body_now, t[k]);
      plane.carried = point(x, i) + by;
    }
  });
  planes_.set(std::move(planes), options_.slip);
  return planes_;
}

void BodyPlanes::keep_forces(In x) {
  forces_.resize(static_cast<Eigen::Index>(planes_.planes().size()));
  for (std::size_t k = 0; k < planes_.planes().size(); ++k) forces_[static_cast<Eigen::Index>(k)] = planes_.force(k, x);
}

}  // namespace rigspace
