// The body as a simulation meets it: where it is, what of it takes part in contact, and how cloth goes along with it.

#include "cloth_data.h"
#include "rigspace/base/error.h"
#include "rigspace/base/parallel.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace rigspace {

void ClothSimulation::Data::body_at(double at, Vec& points) const {
  points = body.mesh.points;
  if (body.points) body.points(at, points);
  if (points.size() != body.mesh.points.size() || !points.allFinite())
    throw Error({.element = "body", .problem = "has no finite points at " + std::to_string(at) + " s"});
}

// Triangles where parts of the body that face each other pass through each other leave contact for the step: cloth
// between them could not be kept apart from both. Layers that cross, both outward, hold cloth off together, and where a
// hand passes into the hip beneath a skirt, the hand yields. What cloth passes through already stays out of contact
// until the cloth has come out of it.
void ClothSimulation::Data::find_absent(In points) {
  constexpr double kFacing = -0.2;  // cosine of normals
  const std::vector<char> before = absent,
                          near = triangles_near({integrator.x(), garment.mesh.triangles}, points, body.mesh.triangles);
  absent = body_crossings.find(points, near, kFacing, worn);
  let_limbs_through(pinching_points(points, near), points);
  find_caught(pass_through(before));
  report.absent = std::max(report.absent, static_cast<int>(std::count(absent.begin(), absent.end(), 1)));
  contact.set_absent(absent);
  if (impulses) impulses->set_absent(absent);
}

// Those candidates that the cloth passes through become absent, of what the garment is not worn on with all around
// them. Returns the points of the cloth there, where it is worn.
std::vector<int> ClothSimulation::Data::pass_through(std::span<const char> candidates) {
  std::vector<int> points;
  if (std::find(candidates.begin(), candidates.end(), 1) == candidates.end()) return points;
  const TriMesh cloth{integrator.x(), garment.mesh.triangles};
  TriMesh part{body_now, {}};
  std::vector<int> number;
  for (std::size_t t = 0; t < candidates.size(); ++t)
    if (candidates[t]) part.triangles.push_back(body.mesh.triangles[t]), number.push_back(static_cast<int>(t));
  const EdgeTable part_edges = edge_table(part);
  std::vector<char> around(static_cast<std::size_t>(body.mesh.point_count()), 0);
  const auto cross = [&](int k, std::span<const int> corners) {
    const auto t = static_cast<std::size_t>(number[static_cast<std::size_t>(k)]);
    absent[t] = 1;
    if (worn[t])
      points.insert(points.end(), corners.begin(), corners.end());
    else
      for (const int i : body.mesh.triangles[t]) around[static_cast<std::size_t>(i)] = 1;
  };
  for (const Crossing& c : edge_crossings(cloth.points, edges.edges, part, false))
    cross(c.triangle, edges.edges[static_cast<std::size_t>(c.edge)]);
  for (const Crossing& c : edge_crossings(part.points, part_edges.edges, cloth, false))
    for (const int half_edge : part_edges.uses(c.edge))
      cross(half_edge / 3, cloth.triangles[static_cast<std::size_t>(c.triangle)]);
  let_limbs_through(around, body_now);
  return points;
}

// Points of the cloth inside the body, from those where it passes through it on to their neighbours. What is above them
// leaves contact, or it would hold them inside.
void ClothSimulation::Data::find_caught(std::vector<int> seeds) {
  constexpr double kDeepest = 0.03;  // m
  caught.clear();
  if (seeds.empty()) return;
  body_tree.refit(body_now);
  Vec normals;
  vertex_normals(body_now, body.mesh.triangles, normals);
  if (neighbours.empty()) {
    neighbours.resize(static_cast<std::size_t>(garment.mesh.point_count()));
    for (const auto& [a, b] : edges.edges)
      neighbours[static_cast<std::size_t>(a)].push_back(b), neighbours[static_cast<std::size_t>(b)].push_back(a);
  }
  caught.assign(static_cast<std::size_t>(garment.mesh.point_count()), 0);
  std::vector<char> seen = caught, freed(static_cast<std::size_t>(body.mesh.point_count()), 0);
  while (!seeds.empty()) {
    const int i = seeds.back();
    seeds.pop_back();
    if (std::exchange(seen[static_cast<std::size_t>(i)], 1)) continue;
    const BodyPlace near = nearest_body(body_tree, body_now, normals, point(integrator.x(), i), kDeepest);
    if (near.triangle < 0 || near.gap >= 0) continue;
    caught[static_cast<std::size_t>(i)] = 1;
    for (const int corner : body.mesh.triangles[static_cast<std::size_t>(near.triangle)])
      freed[static_cast<std::size_t>(corner)] = 1;
    const auto& next = neighbours[static_cast<std::size_t>(i)];
    seeds.insert(seeds.end(), next.begin(), next.end());
  }
  for (std::size_t t = 0; t < absent.size(); ++t)
    for (const int corner : body.mesh.triangles[t])
      if (freed[static_cast<std::size_t>(corner)] && !absent[t]) absent[t] = 1, ++report.released;
}

void ClothSimulation::Data::find_worn() {
  worn = body.worn.size() == body.mesh.triangles.size()
             ? body.worn
             : triangles_near({integrator.x(), garment.mesh.triangles}, body_now, body.mesh.triangles);
  TriMesh part{body_now, {}};
  for (std::size_t t = 0; t < worn.size(); ++t)
    if (worn[t]) part.triangles.push_back(body.mesh.triangles[t]);
  if (!part.triangles.empty()) worn_tree = TriangleTree(part);
}

// Points of what the garment is not worn on that come so near to what it is worn on that they would pinch it.
std::vector<char> ClothSimulation::Data::pinching_points(In points, std::span<const char> near) {
  const double pinched = 5 * options.contact.distance;
  std::vector<char> found(static_cast<std::size_t>(body.mesh.point_count()), 0), limb = found;
  if (worn_tree.mesh().triangles.empty()) return found;
  for (std::size_t t = 0; t < near.size(); ++t)
    for (const int i : body.mesh.triangles[t])
      if (near[t] && !worn[t]) limb[static_cast<std::size_t>(i)] = 1;
  for (std::size_t t = 0; t < near.size(); ++t)  // where both join nothing is pinched
    for (const int i : body.mesh.triangles[t])
      if (worn[t]) limb[static_cast<std::size_t>(i)] = 0;
  if (std::find(limb.begin(), limb.end(), 1) == limb.end()) return found;
  worn_tree.refit(points);
  Vec normals;
  vertex_normals(points, body.mesh.triangles, normals);
  parallel_ranges(static_cast<int>(limb.size()), 64, [&](int begin, int end) {
    for (int i = begin; i < end; ++i) {
      if (!limb[static_cast<std::size_t>(i)]) continue;
      const SurfacePoint at = worn_tree.closest(point(points, i), pinched);
      found[static_cast<std::size_t>(i)] = at.triangle >= 0 && worn_tree.normal(at.triangle).dot(point(normals, i)) < 0;
    }
  });
  return found;
}

// Parts of the body that the garment is not worn on leave contact around these points: a hand that presses a skirt to
// the hip passes through it, and the skirt stays on the hip. Returns their number.
int ClothSimulation::Data::let_limbs_through(std::span<const char> around, In body_at) {
  constexpr double kAround = 0.05;  // m
  std::vector<Box> places;
  for (int i = 0; i < body.mesh.point_count(); ++i)
    if (around[static_cast<std::size_t>(i)]) places.emplace_back().include(point(body_at, i));
  if (places.empty()) return 0;
  const Bvh tree(places);
  int let = 0;
  for (std::size_t t = 0; t < absent.size(); ++t) {
    if (absent[t] || worn[t]) continue;
    const Vec3 at = point(body_at, body.mesh.triangles[t][0]);
    double best = kAround * kAround;
    const auto to = [&](int k) { return (places[static_cast<std::size_t>(k)].low - at).squaredNorm(); };
    if (tree.nearest(at, best, to) >= 0) absent[t] = 1, ++let;
  }
  return let;
}

// A plane through the body's surface for each point near it. For contact by impulses, with friction by the plane's
// force of the step before. The barrier needs planes only beneath triangles out of contact: there they draw points out
// of the body, by a few millimetres a step.
void ClothSimulation::Data::find_outside(In x, double scale) {
  constexpr double kStiffer = 100, kStifferOut = 20;  // than inertia
  constexpr double kDeepest = 0.03, kDrawn = 0.004;   // m: of caught points; in a step
  if (body.mesh.triangles.empty()) return;
  if (!impulses && std::find(absent.begin(), absent.end(), 1) == absent.end()) return outside.set({});
  const double distance = options.contact.distance, h = integrator.step().h;
  double most = 0;
  for (int i = 0; i < body_now.size() / 3; ++i)
    most = std::max(most, (point(body_next, i) - point(body_now, i)).norm());
  const auto inside = [&](int i) { return !caught.empty() && caught[static_cast<std::size_t>(i)]; };
  const auto reach = [&](int i) {
    const double by = h * point(integrator.v(), i).norm() + most;  // m: how far the two may approach
    return inside(i) ? kDeepest : impulses ? 4 * distance + by : distance;
  };
  const auto make = [&](int i, const BodyPlace& near, HalfSpaces::Plane& plane) {
    const auto t = static_cast<std::size_t>(near.triangle);
    if (inside(i) || absent[t]) {
      if (near.gap <= distance && (inside(i) || (near.gap >= 0 && worn[t])))
        lay_plane(plane, near, point(x, i), std::min(distance, near.gap + kDrawn), kStifferOut * scale * masses[i]);
      return;
    }
    if (!impulses) return;
    lay_plane(plane, near, point(x, i), 1.25 * distance, kStiffer * scale * masses[i]);
    plane.friction = options.contact.friction * plane_forces(i);
    // One step of Newton's takes friction as a spring, of 2 F / slip: by the sliding of the step before it gives F.
    const Vec3 slid = h * point(integrator.v(), i) - (near.next - near.now);
    plane.slip = std::max(options.contact.slip_speed * h, 2 * slid.cross(plane.normal).norm());
  };
  outside.set(planes_of_body(body_tree, body_now, body_next, x, reach, make));
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
