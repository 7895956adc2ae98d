#include "rigspace/geometry/winding_number.h"

#include "rigspace/geometry/closest_point.h"

#include <array>
#include <cmath>
#include <numbers>

namespace rigspace {
namespace {

constexpr double kBeta = 2;  // an expansion holds beyond this many radii (Barill et al. 2018, section 3)

}  // namespace

// Van Oosterom and Strackee 1983:  tan(Omega / 2) = a.(b x c) / (|a||b||c| + (a.b)|c| + (b.c)|a| + (c.a)|b|).
double solid_angle(const Vec3& x, const Vec3& a_world, const Vec3& b_world, const Vec3& c_world) {
  const Vec3 a = a_world - x, b = b_world - x, c = c_world - x;
  const double la = a.norm(), lb = b.norm(), lc = c.norm();
  const double above = a.dot(b.cross(c));
  const double below = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
  if (above == 0 && below <= 0) return 0;  // in the triangle's own plane
  return std::atan2(above, below) / (2 * std::numbers::pi);
}

WindingTree::WindingTree(const TriMesh& mesh) : mesh_(mesh), bvh_(triangle_boxes(mesh)) {
  struct Face {
    Vec3 centroid, area;
  };
  std::vector<Face> faces;
  faces.reserve(mesh_.triangles.size());
  for (const Triangle& t : mesh_.triangles) {
    const Vec3 a = point(mesh_.points, t[0]), b = point(mesh_.points, t[1]), c = point(mesh_.points, t[2]);
    faces.push_back({(a + b + c) / 3, 0.5 * (b - a).cross(c - a)});
  }
  const auto nodes = bvh_.nodes();
  const auto items = bvh_.items();
  expansions_.resize(nodes.size());
  // Children follow their parents, so that going backwards finds them ready. Moments move from centre to centre:
  // M about c' = M about c + (c - c') dipole^T.
  std::vector<double> areas(nodes.size(), 0);
  for (int i = static_cast<int>(nodes.size()) - 1; i >= 0; --i) {
    const Bvh::Node& node = nodes[i];
    Expansion& e = expansions_[i];
    const std::array<int, 2> children{i + 1, node.right};
    if (node.leaf()) {
      for (int k = 0; k < node.count; ++k) {
        const Face& face = faces[items[node.first + k]];
        areas[i] += face.area.norm();
        e.center += face.area.norm() * face.centroid;
        e.dipole += face.area;
      }
    } else {
      for (const int child : children) {
        areas[i] += areas[child];
        e.center += areas[child] * expansions_[child].center;
        e.dipole += expansions_[child].dipole;
      }
    }
    e.center = areas[i] > 0 ? Vec3(e.center / areas[i]) : Vec3(0.5 * (node.low + node.high));
    if (node.leaf()) {
      for (int k = 0; k < node.count; ++k) {
        const Face& face = faces[items[node.first + k]];
        e.moment += (face.centroid - e.center) * face.area.transpose();
      }
    } else {
      for (const int child : children) {
        const Expansion& part = expansions_[child];
        e.moment += part.moment + (part.center - e.center) * part.dipole.transpose();
      }
    }
    const double radius = (node.high - e.center).cwiseMax(e.center - node.low).norm();
    e.radius2 = kBeta * kBeta * radius * radius;
  }
}

double WindingTree::at_triangle(int triangle, const Vec3& x) const {
  const Triangle& t = mesh_.triangles[triangle];
  return solid_angle(x, point(mesh_.points, t[0]), point(mesh_.points, t[1]), point(mesh_.points, t[2]));
}

// Taylor expansion of  w(x) = 1/(4 pi) sum area n . (y - x) / |y - x|^3  in y about the node's centre:
//   dipole . r / r^3  +  trace(M) / r^3  -  3 r^T M r / r^5,   r = centre - x.
double WindingTree::operator()(const Vec3& x) const {
  double exact_part = 0, far_part = 0;
  const Bvh::Node* first = bvh_.nodes().data();
  bvh_.traverse(
      [&](const Bvh::Node& node) {
        const Expansion& e = expansions_[static_cast<std::size_t>(&node - first)];
        const Vec3 r = e.center - x;
        const double r2 = r.squaredNorm();
        if (r2 <= e.radius2) return true;
        const double r3_inv = 1 / (r2 * std::sqrt(r2));
        far_part += r3_inv * (e.dipole.dot(r) + e.moment.trace() - 3 * r.dot(e.moment * r) / r2);
        return false;
      },
      [&](int triangle) { exact_part += at_triangle(triangle, x); });
  return exact_part + far_part / (4 * std::numbers::pi);
}

double WindingTree::exact(const Vec3& x) const {
  double sum = 0;
  for (int t = 0; t < mesh_.triangle_count(); ++t) sum += at_triangle(t, x);
  return sum;
}

}  // namespace rigspace
