#include "body_planes.h"

#include "rigspace/base/parallel.h"

#include <algorithm>
#include <cmath>

namespace rigspace {

BodyPlace nearest_body(const TriangleTree& tree, In body_next, In normals, const Vec3& x, double reach) {
  const SurfacePoint near = tree.closest(x, reach);
  BodyPlace place;
  if (near.triangle < 0) return place;
  const Triangle& t = tree.mesh().triangles[static_cast<std::size_t>(near.triangle)];
  Vec3 normal = Vec3::Zero();
  place.now = near.position, place.next.setZero();
  for (int k = 0; k < 3; ++k) {
    place.next += near.barycentric[k] * point(body_next, t[k]);
    normal += near.barycentric[k] * point(normals, t[k]);
  }
  if (!(normal.norm() > 0)) return place;
  place.triangle = near.triangle;
  place.normal = normal.normalized();
  place.gap = std::copysign(near.distance, place.normal.dot(x - near.position));
  return place;
}

std::vector<HalfSpaces::Plane> planes_of_body(TriangleTree& tree, In body_now, In body_next, In x,
                                              const PlaneReach& reach, const PlaneMaker& make) {
  tree.refit(body_now);
  Vec normals;
  vertex_normals(body_next, tree.mesh().triangles, normals);
  std::vector<HalfSpaces::Plane> planes(static_cast<std::size_t>(x.size() / 3));
  parallel_ranges(static_cast<int>(planes.size()), 32, [&](int begin, int end) {
    for (int i = begin; i < end; ++i) {
      HalfSpaces::Plane& plane = planes[static_cast<std::size_t>(i)];
      plane.point = i;
      const BodyPlace near = nearest_body(tree, body_next, normals, point(x, i), reach(i));
      if (near.triangle >= 0) make(i, near, plane);
    }
  });
  return planes;
}

void lay_plane(HalfSpaces::Plane& plane, const BodyPlace& place, const Vec3& x, double height, double stiffness) {
  plane.normal = place.normal;
  plane.offset = place.normal.dot(place.next) + height;
  plane.stiffness = stiffness;
  plane.stuck = x + place.next - place.now;
}

std::vector<char> triangles_near(const TriMesh& cloth, In body_points, std::span<const Triangle> triangles) {
  constexpr double kNear = 0.05;  // m
  const Box box = bounding_box(cloth.points);
  double cell = std::max(kNear, box.diagonal() / 60);
  for (const Triangle& t : cloth.triangles)
    for (int k = 0; k < 3; ++k)
      cell = std::max(cell, (point(cloth.points, t[k]) - point(cloth.points, t[(k + 1) % 3])).norm());
  const Vec3 low = box.low.array() - 1.5 * cell;
  const Eigen::Vector3i size = ((box.size().array() / cell).ceil() + 4).cast<int>();
  const auto cell_of = [&](const Vec3& p) { return Eigen::Vector3i(((p - low) / cell).array().floor().cast<int>()); };
  const auto index = [&](const Eigen::Vector3i& c) {
    return static_cast<std::size_t>(c[0] + size[0] * (c[1] + size[1] * c[2]));
  };
  std::vector<char> filled(static_cast<std::size_t>(size.prod()), 0);
  for (int i = 0; i < cloth.point_count(); ++i) {
    const Eigen::Vector3i at = cell_of(point(cloth.points, i));
    for (int k = 0; k < 27; ++k) filled[index(at + Eigen::Vector3i(k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1))] = 1;
  }
  std::vector<char> near(triangles.size(), 0);
  for (std::size_t t = 0; t < near.size(); ++t) {
    Box own;
    for (const int i : triangles[t]) own.include(point(body_points, i));
    near[t] = own.diagonal() > 2 * cell;
    for (const int i : triangles[t]) {
      const Eigen::Vector3i at = cell_of(point(body_points, i));
      if ((at.array() >= 0).all() && (at.array() < size.array()).all() && filled[index(at)]) near[t] = 1;
    }
  }
  return near;
}

BodyPlanes::BodyPlanes(const TriMesh& body, const Options& options) : options_(options) {
  if (!body.triangles.empty()) tree_ = TriangleTree(body);
}

const HalfSpaces& BodyPlanes::find(In x, In body_now, In body_next, std::span<const char> absent, In stiffness) {
  if (tree_.mesh().triangles.empty()) return planes_;
  const auto make = [&](int i, const BodyPlace& near, HalfSpaces::Plane& plane) {
    if (!absent.empty() && absent[static_cast<std::size_t>(near.triangle)]) return;
    lay_plane(plane, near, point(x, i), options_.distance + (lifts_.size() > 0 ? lifts_[i] : 0), stiffness[i]);
    if (forces_.size() > 0) plane.friction = options_.friction * forces_[i], plane.slip = options_.slip;
  };
  planes_.set(planes_of_body(
      tree_, body_now, body_next, x, [&](int) { return options_.reach; }, make));
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
