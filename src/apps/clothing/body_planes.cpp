#include "body_planes.h"

#include "rigspace/base/parallel.h"

#include <algorithm>

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
      plane.offset = plane.normal.dot(place) + options_.distance + (lifts_.size() > 0 ? lifts_[i] : 0);
      plane.stiffness = stiffness[i];
      if (forces_.size() == 0) continue;
      plane.friction = options_.friction * forces_[i];
      // Carried along with the place below it.
      Vec3 by = place;
      for (int k = 0; k < 3; ++k) by -= near.barycentric[k] * point(body_now, t[k]);
      plane.stuck = point(x, i) + by;
      plane.slip = options_.slip;
    }
  });
  planes_.set(std::move(planes));
  return planes_;
}

void BodyPlanes::keep(In proposed, In safe, In inertia) {
  constexpr double kSinking = 0.9;
  const auto& planes = planes_.planes();
  if (lifts_.size() == 0) lifts_ = Vec::Zero(std::ssize(planes));
  forces_.resize(std::ssize(planes));
  for (std::size_t k = 0; k < planes.size(); ++k) {
    const HalfSpaces::Plane& plane = planes[k];
    const auto i = static_cast<Eigen::Index>(k);
    const double pushed = std::max(0.0, plane.normal.dot(point(safe, plane.point) - point(proposed, plane.point)));
    const double height = plane.normal.dot(point(safe, plane.point)) - (plane.offset - lifts_[i]);
    forces_[i] = planes_.force(plane, proposed) + inertia[i] * pushed;
    lifts_[i] = plane.stiffness > 0 && pushed > 1e-3 * options_.distance
                    ? std::clamp(height, kSinking * lifts_[i], 5 * options_.distance)
                    : kSinking * lifts_[i];
  }
}

}  // namespace rigspace
