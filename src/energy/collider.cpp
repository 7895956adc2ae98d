#include "rigspace/energy/collider.h"

#include "rigspace/base/affine.h"
#include "rigspace/base/error.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace rigspace {
namespace {

constexpr double kAlong = 0.1;  // cosine: a face that turns further from the side a point is on is another side

[[noreturn]] void refuse(const char* what, double value, const char* remedy) {
  throw Error({.code = ErrorCode::usage,
               .element = what,
               .value = std::to_string(value),
               .problem = "is " + std::to_string(value),
               .remedy = remedy});
}

}  // namespace

Collider Collider::plane(const Vec3& on, const Vec3& normal) {
  if (!(normal.norm() > 0) || !on.allFinite()) refuse("length of a plane's normal", normal.norm(), "expected more");
  return Collider(Plane{on, normal.normalized()});
}

Collider Collider::sphere(const Vec3& center, double radius) { return capsule(center, center, radius); }

Collider Collider::capsule(const Vec3& a, const Vec3& b, double radius) {
  if (!(radius > 0) || !std::isfinite(radius)) refuse("radius of a collider", radius, "expected more than 0");
  if (!a.allFinite() || !b.allFinite()) refuse("place of a collider", a.sum() + b.sum(), "expected finite numbers");
  return Collider(Capsule{a, b, radius});
}

Collider Collider::mesh(const TriMesh& mesh) {
  return Collider(Mesh{SidedMesh(mesh), mesh.points, mesh.points, mesh.points});
}

void Collider::place(const Affine& from, const Affine& to) {
  from_ = from, to_ = to;
  if (!is_mesh()) return;
  const auto moved = [&](const Affine& pose) {
    Vec points = std::get<Mesh>(shape_).made;
    for (int i = 0; i < points.size() / 3; ++i) point(points, i) = apply(pose, point(points, i)).eval();
    return points;
  };
  place_points(moved(from), moved(to));
}

void Collider::place_points(In from, In to) {
  if (!is_mesh()) return;
  Mesh& mesh = std::get<Mesh>(shape_);
  if (from.size() != mesh.made.size() || to.size() != mesh.made.size())
    refuse("number of points of a moved collider", static_cast<double>(to.size() / 3), "expected as many as it has");
  mesh.from = from;
  if (mesh.to == to) return;
  mesh.to = to;
  mesh.surface.move(to);
}

Touch Collider::nearest(const Vec3& x, double within, const Vec3& facing) const {
  if (const auto* mesh = std::get_if<Mesh>(&shape_)) return mesh->surface.nearest(x, within, facing);
  Touch touch;
  if (const auto* plane = std::get_if<Plane>(&shape_)) {
    touch.normal = linear(to_) * plane->normal;
    touch.gap = touch.normal.dot(x - apply(to_, plane->on));
  } else {
    const Capsule& capsule = std::get<Capsule>(shape_);
    const Vec3 a = apply(to_, capsule.a), along = apply(to_, capsule.b) - a;
    const double length2 = along.squaredNorm();
    const Vec3 axis = a + (length2 > 0 ? std::clamp((x - a).dot(along) / length2, 0.0, 1.0) : 0.0) * along;
    const double distance = (x - axis).norm();
    touch.gap = distance - capsule.radius;
    touch.normal = distance > 0 ? Vec3((x - axis) / distance) : Vec3(Vec3::UnitY());
  }
  touch.found = touch.gap < within;
  touch.position = x - touch.gap * touch.normal;
  return touch;
}

Vec3 Collider::displacement(const Touch& touch) const {
  if (const auto* mesh = std::get_if<Mesh>(&shape_))
    return mesh->surface.place(mesh->to, touch.triangle, touch.barycentric) -
           mesh->surface.place(mesh->from, touch.triangle, touch.barycentric);
  return apply(compose(to_, inverse(from_)), touch.position) - touch.position;
}

double Collider::motion_in(const Box& box, const Vec3& common) const {
  if (const auto* mesh = std::get_if<Mesh>(&shape_)) return mesh->surface.motion_in(box, mesh->from, mesh->to, common);
  const Affine motion = compose(to_, inverse(from_));
  const auto moved = [&](const Vec3& p) { return (apply(motion, p) - p - common).norm(); };
  if (const auto* capsule = std::get_if<Capsule>(&shape_))  // spinning about itself takes it nowhere
    return std::max(moved(apply(from_, capsule->a)), moved(apply(from_, capsule->b)));
  double most = 0;
  for (int corner = 0; corner < 8; ++corner)
    most = std::max(most, moved(Vec3(corner & 1 ? box.high[0] : box.low[0], corner & 2 ? box.high[1] : box.low[1],
                                     corner & 4 ? box.high[2] : box.low[2])));
  return most;
}

SidedMesh::SidedMesh(const TriMesh& mesh) {
  mesh.validate("collider");
  if (mesh.triangles.empty())
    throw Error({.element = "collider", .problem = "has no triangles", .remedy = "give a surface"});
  Weld welded = weld(mesh);
  weld_ = welded.point;
  first_.assign(static_cast<std::size_t>(welded.mesh.point_count()), -1);
  for (std::size_t i = 0; i < weld_.size(); ++i)
    if (first_[weld_[i]] < 0) first_[weld_[i]] = static_cast<int>(i);
  tree_ = TriangleTree(welded.mesh);
  const EdgeTable edges = edge_table(welded.mesh);
  const std::size_t points = first_.size();
  across_.assign(3 * welded.mesh.triangles.size(), -1);
  open_.assign(points, 0);
  for (int e = 0; e < edges.count(); ++e) {
    const auto uses = edges.uses(e);
    if (uses.size() == 2)
      across_[uses[0]] = uses[1] / 3, across_[uses[1]] = uses[0] / 3;
    else
      for (const int end : edges.edges[e]) open_[end] = 1;
  }
  fan_start_.assign(points + 1, 0);
  for (const Triangle& t : welded.mesh.triangles)
    for (const int corner : t) ++fan_start_[corner + 1];
  for (std::size_t i = 0; i < points; ++i) fan_start_[i + 1] += fan_start_[i];
  fan_.resize(3 * welded.mesh.triangles.size());
  std::vector<int> filled(fan_start_.begin(), fan_start_.end() - 1);
  for (int t = 0; t < welded.mesh.triangle_count(); ++t)
    for (const int corner : welded.mesh.triangles[t]) fan_[filled[corner]++] = t;
}

void SidedMesh::move(In points) {
  Vec welded(3 * static_cast<Eigen::Index>(first_.size()));
  for (std::size_t i = 0; i < first_.size(); ++i) point(welded, static_cast<int>(i)) = point(points, first_[i]);
  tree_.refit(welded);
}

Vec3 SidedMesh::place(In points, int triangle, const Vec3& barycentric) const {
  Vec3 sum = Vec3::Zero();
  for (int k = 0; k < 3; ++k) sum += barycentric[k] * point(points, first_[tree_.mesh().triangles[triangle][k]]);
  return sum;
}

double SidedMesh::motion_in(const Box& box, In from, In to, const Vec3& common) const {
  double most = 0;
  tree_.bvh().traverse(
      [&](const Bvh::Node& node) {
        return (node.low.array() <= box.high.array()).all() && (node.high.array() >= box.low.array()).all();
      },
      [&](int triangle) {
        for (const int corner : tree_.mesh().triangles[triangle]) {
          const int i = first_[corner];
          most = std::max(most, (point(to, i) - point(from, i) - common).norm());
        }
      });
  return most;
}

Touch SidedMesh::nearest(const Vec3& x, double within, const Vec3& facing) const {
  const bool any = facing.isZero(0);
  const SurfacePoint at =
      any ? tree_.closest(x, within)
          : tree_.closest(x, within, [&](int triangle) { return tree_.normal(triangle).dot(facing) > kAlong; });
  if (at.triangle < 0) return {};
  const Side side = side_at(at, facing);
  const Vec3 away = x - at.position;
  Touch touch{.found = true, .gap = at.distance, .normal = side.normal, .position = at.position};
  touch.triangle = at.triangle, touch.barycentric = at.barycentric;
  if (!side.rim && away.dot(side.normal) < 0) touch.gap = -at.distance;
  // The nearest place on a face lies along its normal; of what is almost on the surface only the normal is sure.
  const bool on_face = (at.barycentric.array() > 0).all();
  if (!on_face && at.distance > 1e-9 * (1 + x.cwiseAbs().maxCoeff())) touch.normal = away / touch.gap;
  return touch;
}

SidedMesh::Side SidedMesh::side_at(const SurfacePoint& at, const Vec3& facing) const {
  const Triangle& t = tree_.mesh().triangles[at.triangle];
  for (int k = 0; k < 3; ++k)
    if (at.barycentric[(k + 1) % 3] == 0 && at.barycentric[(k + 2) % 3] == 0) return side_of_point(t[k], facing);
  for (int k = 0; k < 3; ++k)
    if (at.barycentric[k] == 0) return side_of_edge(at.triangle, k, facing);
  return {tree_.normal(at.triangle), false};
}

SidedMesh::Side SidedMesh::side_of_edge(int triangle, int opposite, const Vec3& facing) const {
  const int other = across_[3 * triangle + (opposite + 1) % 3];
  const Vec3 own = tree_.normal(triangle);
  if (other < 0) return {own, true};
  const Vec3 beyond = tree_.normal(other), sum = own + beyond;
  const bool rim = !facing.isZero(0) && beyond.dot(facing) <= kAlong;
  return {sum.norm() > 1e-6 ? Vec3(sum.normalized()) : own, rim};
}

/// Normals weighted by the angles at the point.
SidedMesh::Side SidedMesh::side_of_point(int at, const Vec3& facing) const {
  Vec3 sum = Vec3::Zero();
  bool rim = open_[at] != 0;
  for (int f = fan_start_[at]; f < fan_start_[at + 1]; ++f) {
    const Triangle& t = tree_.mesh().triangles[fan_[f]];
    const int k = t[0] == at ? 0 : t[1] == at ? 1 : 2;
    const Vec& points = tree_.mesh().points;
    const Vec3 u = point(points, t[(k + 1) % 3]) - point(points, at),
               v = point(points, t[(k + 2) % 3]) - point(points, at);
    const Vec3 normal = tree_.normal(fan_[f]);
    sum += std::atan2(u.cross(v).norm(), u.dot(v)) * normal;
    rim = rim || (!facing.isZero(0) && normal.dot(facing) <= kAlong);
  }
  return {sum.norm() > 0 ? Vec3(sum.normalized()) : Vec3(Vec3::UnitY()), rim};
}

}  // namespace rigspace
