// The body as a simulation meets it: where it is, what of it takes part in contact, and how cloth goes along with it.

#include "cloth_data.h"
#include "rigspace/base/error.h"
#include "rigspace/base/parallel.h"
#include "rigspace/geometry/surface_crossings.h"

#include <algorithm>
#include <cmath>

namespace rigspace {

void ClothSimulation::Data::body_at(double at, Vec& points) const {
  points = body.mesh.points;
  if (body.points) body.points(at, points);
  if (points.size() != body.mesh.points.size() || !points.allFinite())
    throw Error({.element = "body", .problem = "has no finite points at " + std::to_string(at) + " s"});
}

// Triangles where the body passes through itself leave contact for the step: cloth between them could not be kept
// apart from both. Only those near the cloth are looked at.
void ClothSimulation::Data::find_absent(In points) {
  constexpr double kNear = 0.1;  // m
  Box near = bounding_box(integrator.x());
  near.low.array() -= kNear, near.high.array() += kNear;
  absent = self_crossing_triangles({points, body.mesh.triangles}, near);
  report.absent = std::max(report.absent, static_cast<int>(std::count(absent.begin(), absent.end(), 1)));
  keep_released();
  contact.set_absent(absent);
  if (impulses) impulses->set_absent(absent);
}

// What caught cloth stays out of contact while cloth passes through it.
void ClothSimulation::Data::keep_released() {
  if (released.empty()) return;
  const TriMesh cloth{integrator.x(), garment.mesh.triangles}, shape{body_now, body.mesh.triangles};
  const EdgeTable edges = edge_table(cloth), body_edges = edge_table(shape);
  std::vector<char> crossed(released.size(), 0);
  for (const Crossing& c : edge_crossings(cloth.points, edges.edges, shape, false))
    crossed[static_cast<std::size_t>(c.triangle)] = 1;
  for (const Crossing& c : edge_crossings(shape.points, body_edges.edges, cloth, false))
    for (const int half_edge : body_edges.uses(c.edge)) crossed[static_cast<std::size_t>(half_edge / 3)] = 1;
  bool any = false;
  for (std::size_t t = 0; t < released.size(); ++t) {
    released[t] = released[t] && crossed[t];
    any = any || released[t];
    if (released[t]) absent[t] = 1;
  }
  if (!any) released.clear();
}

// Triangles that stop the body, with those around them, leave contact: counted.
void ClothSimulation::Data::release(const SurfaceMotion& motion) {
  const std::vector<char> blocking = contact.blocking_points(motion);
  released.resize(body.mesh.triangles.size(), 0);
  for (std::size_t t = 0; t < body.mesh.triangles.size(); ++t)
    for (const int i : body.mesh.triangles[t])
      if (blocking[static_cast<std::size_t>(i)] && !absent[t]) released[t] = absent[t] = 1, ++report.released;
  contact.set_absent(absent);
}

// A plane through the body's surface for each point near it: where the body is now, carried on to the end of the step.
// For contact by impulses; friction acts with the plane's force of the step before.
void ClothSimulation::Data::find_outside(In x, double scale) {
  constexpr double kStiffer = 100;  // than inertia
  if (body.mesh.triangles.empty()) return;
  body_tree.refit(body_now);
  Vec normals;
  vertex_normals(body_next, body.mesh.triangles, normals);
  const double distance = options.contact.distance, reach = 4 * distance;
  const double h = integrator.step().h, offset = 1.25 * distance;
  double most = 0;
  for (int i = 0; i < body_now.size() / 3; ++i)
    most = std::max(most, (point(body_next, i) - point(body_now, i)).norm());
  std::vector<HalfSpaces::Plane> planes(static_cast<std::size_t>(garment.mesh.point_count()));
  parallel_ranges(garment.mesh.point_count(), 32, [&](int begin, int end) {
    for (int i = begin; i < end; ++i) {
      const double by = h * point(integrator.v(), i).norm() + most;  // m: how far the two may approach
      const SurfacePoint near = body_tree.closest(point(x, i), reach + by);
      HalfSpaces::Plane& plane = planes[static_cast<std::size_t>(i)];
      plane.point = i;
      if (near.triangle < 0 || absent[static_cast<std::size_t>(near.triangle)]) continue;
      const Triangle& t = body.mesh.triangles[static_cast<std::size_t>(near.triangle)];
      Vec3 place = Vec3::Zero(), normal = Vec3::Zero();
      for (int k = 0; k < 3; ++k) {
        place += near.barycentric[k] * point(body_next, t[k]);
        normal += near.barycentric[k] * point(normals, t[k]);
      }
      if (!(normal.norm() > 0)) continue;
      plane.normal = normal.normalized();
      plane.offset = plane.normal.dot(place) + offset;
      plane.stiffness = kStiffer * scale * masses[i];
      plane.friction = options.contact.friction * plane_forces(i);
      plane.stuck = point(x, i) + place - near.position;
      // One step of Newton's takes friction as a spring, of 2 F / slip: by the sliding of the step before it gives F.
      const Vec3 slid = h * point(integrator.v(), i) - (place - near.position);
      plane.slip = std::max(options.contact.slip_speed * h, 2 * slid.cross(plane.normal).norm());
    }
  });
  outside.set(std::move(planes));
}

// Where the points go if those at the body move along with it: at the surface fully, less with the distance, so that
// the cloth is not crumpled by more than a third.
void ClothSimulation::Data::carry(In x, In body_from, In body_to, Vec& moved) {
  moved = x;
  double most = 0;
  for (int i = 0; i < body_from.size() / 3; ++i)
    most = std::max(most, (point(body_to, i) - point(body_from, i)).squaredNorm());
  most = std::sqrt(most);
  if (most == 0) return;
  body_tree.refit(body_from);
  const double whole = 2 * options.contact.distance, reach = whole + std::max(10 * options.contact.distance, 3 * most);
  parallel_ranges(garment.mesh.point_count(), 32, [&](int begin, int end) {
    for (int i = begin; i < end; ++i) {
      const SurfacePoint near = body_tree.closest(point(x, i), reach);
      if (near.triangle < 0) continue;
      const Triangle& t = body.mesh.triangles[static_cast<std::size_t>(near.triangle)];
      Vec3 by = Vec3::Zero();
      for (int k = 0; k < 3; ++k) by += near.barycentric[k] * (point(body_to, t[k]) - point(body_from, t[k]));
      point(moved, i) += std::clamp((reach - near.distance) / (reach - whole), 0.0, 1.0) * by;
    }
  });
}

}  // namespace rigspace
