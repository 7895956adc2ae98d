// Laplace's natural neighbour coordinates (Belikov et al. 1997; Hiyoshi and Sugihara 1999): put x among the points of
// the cage; the face between its Voronoi cell and that of c_j has the area A_j, and
//   w_j = A_j / |c_j - x|.
// The areas times normals of the cell sum to zero: sum_j w_j (c_j - x) = 0. Each face is cut out of the plane between x
// and c_j by the half-spaces of all other points, nearest first, until the rest is too far away to cut: exact, and no
// Delaunay mesh is needed. Sibson's coordinates (stolen volumes) have one derivative more and cost the square of this.
// The cage's faces do not matter, its points alone do; within their convex hull the cell is bounded.
#include "cage_family.h"

#include "rigspace/base/error.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace rigspace {
namespace {

using Vec2 = Eigen::Vector2d;

/// Keeps what of the polygon has n.p <= d; true if something went.
bool cut(std::vector<Vec2>& polygon, std::vector<Vec2>& scratch, const Vec2& n, double d) {
  scratch.clear();
  bool any = false;
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const Vec2 &p = polygon[i], &q = polygon[(i + 1) % polygon.size()];
    const double at_p = n.dot(p) - d, at_q = n.dot(q) - d;
    if (at_p <= 0) scratch.push_back(p);
    any |= at_p > 0;
    if ((at_p < 0 && at_q > 0) || (at_p > 0 && at_q < 0)) scratch.emplace_back(p + at_p / (at_p - at_q) * (q - p));
  }
  if (any) polygon.swap(scratch);
  return any;
}

class NaturalNeighbour final : public CageBasis {
 public:
  using CageBasis::CageBasis;

  void evaluate(const Vec3& x, double* w) const override {
    const int n = size();
    thread_local std::vector<std::pair<double, int>> order;
    order.clear();
    for (int j = 0; j < n; ++j) order.emplace_back((cage_.point[j] - x).norm(), j);
    std::sort(order.begin(), order.end());
    if (order[0].first <= 1e-12 * cage_.size) {
      w[order[0].second] = 1;
      return;
    }
    for (int k = 0; k < n; ++k) w[order[k].second] = face_area(x, order, k) / order[k].first;
    normalise(w, n);
  }
  bool follows_faces() const override { return false; }
  bool ends_on_surface() const override { return true; }  // its cell has no end there
  bool extends_outside() const override { return true; }

 private:
  /// Of the face between x and order[own].
  double face_area(const Vec3& x, const std::vector<std::pair<double, int>>& order, int own) const {
    const Vec3 to_own = cage_.point[order[own].second] - x;
    const Vec3 normal = to_own / order[own].first, u = normal.unitOrthogonal(), v = normal.cross(u);
    thread_local std::vector<Vec2> polygon, scratch;
    const double far = 1e6 * cage_.size;
    polygon = {{-far, -far}, {far, -far}, {far, far}, {-far, far}};
    double reach = std::numeric_limits<double>::infinity();  // of the polygon's corners from x
    for (std::size_t k = 0; k < order.size() && polygon.size() > 2; ++k) {
      if (static_cast<int>(k) == own) continue;
      if (0.5 * order[k].first > reach) break;
      // (c_k - x) . (p - x) <= |c_k - x|^2 / 2 with p = x + to_own / 2 + a u + b v
      const Vec3 to_k = cage_.point[order[k].second] - x;
      if (!cut(polygon, scratch, {to_k.dot(u), to_k.dot(v)}, 0.5 * to_k.dot(to_k - to_own))) continue;
      reach = 0;
      for (const Vec2& p : polygon) reach = std::max(reach, std::hypot(0.5 * order[own].first, p.norm()));
    }
    double area = 0;
    for (std::size_t i = 1; i + 1 < polygon.size(); ++i) {
      const Vec2 a = polygon[i] - polygon[0], b = polygon[i + 1] - polygon[0];
      area += 0.5 * (a.x() * b.y() - a.y() * b.x());
    }
    if (reach > 0.5 * far && polygon.size() > 2)
      throw Error({.element = "cage",
                   .problem = "has a point outside the convex hull of its own points, and natural neighbour "
                              "coordinates end there",
                   .remedy = "enlarge the cage, or choose mean-value"});
    return area;
  }
};

}  // namespace

std::unique_ptr<CageBasis> make_natural_neighbour(const PreparedCage& cage) {
  return std::make_unique<NaturalNeighbour>(cage);
}

}  // namespace rigspace
