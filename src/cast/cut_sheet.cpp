#include "cut_sheet.h"

#include "rigspace/base/parallel.h"
#include "rigspace/geometry/polygonise.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <map>
#include <set>
#include <utility>

namespace rigspace {
namespace {

constexpr double kDifference = 1e-5;  // metres, of gradients

Vec3 onto_zero(const ScalarField& field, const Vec3& p, double most) {
  const Vec3 g = gradient(field, p, kDifference);
  if (g.squaredNorm() < 1e-9) return p;
  const Vec3 step = -field(p) / g.squaredNorm() * g;
  return p + std::min(1.0, most / std::max(step.norm(), 1e-300)) * step;
}

Vec3 onto_solid(const CutSheetPlan& plan, Vec3 p, double most) {
  for (int round = 0; round < 3; ++round) p = onto_zero(plan.solid, p, most);
  return p;
}

Vec3 onto_border(const CutSheetPlan& plan, Vec3 p, double most) {
  for (int round = 0; round < 8; ++round) p = onto_zero(plan.solid, onto_zero(plan.cut, p, most), most);
  return p;
}

/// The part of a closed mesh with negative cut. Points near the cut are moved onto it, so that no edge is divided near
/// its end.
TriMesh clipped(const CutSheetPlan& plan, const TriMesh& closed, double cell) {
  std::vector<Vec3> points;
  std::vector<double> side;
  for (int i = 0; i < closed.point_count(); ++i) {
    points.emplace_back(point(closed.points, i));
    side.push_back(plan.cut(points.back()));
  }
  const EdgeTable edges = edge_table(closed);
  std::vector<char> snap(points.size(), 0);
  for (const auto& [i, j] : edges.edges) {
    if (side[i] * side[j] >= 0) continue;
    const double t = side[i] / (side[i] - side[j]);
    if (t < 0.33) snap[i] = 1;
    if (t > 0.67) snap[j] = 1;
  }
  for (std::size_t i = 0; i < points.size(); ++i)
    if (snap[i]) points[i] = onto_border(plan, points[i], cell), side[i] = 0;
  std::map<std::array<int, 2>, int> between;
  const auto crossing = [&](int i, int j) {
    const auto [place, fresh] = between.try_emplace({std::min(i, j), std::max(i, j)}, static_cast<int>(points.size()));
    if (fresh) {
      const double t = side[i] / (side[i] - side[j]);
      points.push_back(onto_border(plan, points[i] + t * (points[j] - points[i]), cell));
      side.push_back(0);
    }
    return place->second;
  };
  std::vector<Triangle> kept;
  for (const Triangle& t : closed.triangles) {
    std::vector<int> polygon;
    for (int k = 0; k < 3; ++k) {
      const int i = t[k], j = t[(k + 1) % 3];
      if (side[i] <= 0) polygon.push_back(i);
      if (side[i] * side[j] < 0) polygon.push_back(crossing(i, j));
    }
    const bool inside = std::any_of(polygon.begin(), polygon.end(), [&](int v) { return side[v] < 0; });
    if (!inside || polygon.size() < 3) continue;
    if (polygon.size() == 4 &&
        (points[polygon[0]] - points[polygon[2]]).norm() > (points[polygon[1]] - points[polygon[3]]).norm())
      std::rotate(polygon.begin(), polygon.begin() + 1, polygon.end());
    for (std::size_t k = 2; k < polygon.size(); ++k) kept.push_back({polygon[0], polygon[k - 1], polygon[k]});
  }
  TriMesh whole{.points = Vec(3 * static_cast<Eigen::Index>(points.size())), .triangles = std::move(kept)};
  for (std::size_t i = 0; i < points.size(); ++i) point(whole.points, static_cast<int>(i)) = points[i];
  // The largest part: a cut may leave crumbs beyond it.
  const Components components = connected_components(whole);
  const auto largest =
      std::max_element(components.parts.begin(), components.parts.end(),
                       [](const Component& a, const Component& b) { return a.triangles < b.triangles; });
  return extract(whole, components, static_cast<int>(largest - components.parts.begin()));
}

/// Divides the longest edges, one after another, until there are as many points as wanted.
class EdgeDivider {
 public:
  EdgeDivider(const CutSheetPlan& plan, const TriMesh& mesh) : plan_(plan), triangles_(mesh.triangles) {
    for (int i = 0; i < mesh.point_count(); ++i) points_.emplace_back(point(mesh.points, i));
    for (int t = 0; t < mesh.triangle_count(); ++t) add_edges(t);
  }

  TriMesh run() {
    while (static_cast<int>(points_.size()) < plan_.points) divide_longest();
    TriMesh mesh{.points = Vec(3 * static_cast<Eigen::Index>(points_.size())), .triangles = triangles_};
    for (std::size_t i = 0; i < points_.size(); ++i) point(mesh.points, static_cast<int>(i)) = points_[i];
    return mesh;
  }

 private:
  using Edge = std::array<int, 2>;

  static Edge edge(int i, int j) { return {std::min(i, j), std::max(i, j)}; }
  double length(const Edge& e) const { return (points_[e[0]] - points_[e[1]]).norm(); }
  void add_edges(int t) {
    for (int k = 0; k < 3; ++k) {
      const Edge e = edge(triangles_[t][k], triangles_[t][(k + 1) % 3]);
      around_[e].insert(t);
      queue_.emplace(-length(e), e);
    }
  }
  void remove_edges(int t) {
    for (int k = 0; k < 3; ++k) {
      const Edge e = edge(triangles_[t][k], triangles_[t][(k + 1) % 3]);
      around_[e].erase(t);
      if (!around_[e].empty()) continue;
      around_.erase(e);
      queue_.erase({-length(e), e});
    }
  }
  void divide_longest() {
    const Edge e = queue_.begin()->second;
    const std::set<int> sides = around_.at(e);
    const Vec3 middle = 0.5 * (points_[e[0]] + points_[e[1]]);
    const double most = 0.25 * length(e);
    const int fresh = static_cast<int>(points_.size());
    points_.push_back(sides.size() == 1 ? onto_border(plan_, middle, most) : onto_solid(plan_, middle, most));
    for (const int t : sides) {
      remove_edges(t);
      Triangle other = triangles_[t];
      std::replace(triangles_[t].begin(), triangles_[t].end(), e[0], fresh);
      std::replace(other.begin(), other.end(), e[1], fresh);
      triangles_.push_back(other);
      add_edges(t);
      add_edges(static_cast<int>(triangles_.size()) - 1);
    }
  }

  const CutSheetPlan& plan_;
  std::vector<Vec3> points_;
  std::vector<Triangle> triangles_;
  std::map<Edge, std::set<int>> around_;
  std::set<std::pair<double, Edge>> queue_;
};

/// Spreads the points evenly: to the mean of the neighbours (on a border, of the two along it), then back onto the
/// solid or the border.
void relax(const CutSheetPlan& plan, TriMesh& mesh) {
  const EdgeTable edges = edge_table(mesh);
  std::vector<char> border(mesh.point_count(), 0);
  for (int e = 0; e < edges.count(); ++e)
    if (edges.uses(e).size() == 1) border[edges.edges[e][0]] = border[edges.edges[e][1]] = 1;
  for (int round = 0; round < 12; ++round) {
    Vec sum = Vec::Zero(mesh.points.size());
    std::vector<int> count(mesh.point_count(), 0);
    double length = 0;
    for (int e = 0; e < edges.count(); ++e) {
      const auto [i, j] = edges.edges[e];
      length += (point(mesh.points, i) - point(mesh.points, j)).norm() / edges.count();
      for (const auto& [at, other] : {std::pair{i, j}, std::pair{j, i}}) {
        if (border[at] && edges.uses(e).size() != 1) continue;
        point(sum, at) += point(mesh.points, other);
        ++count[at];
      }
    }
    parallel_ranges(mesh.point_count(), 256, [&](int begin, int end) {
      for (int i = begin; i < end; ++i) {
        const Vec3 moved = 0.5 * point(mesh.points, i) + 0.5 / count[i] * point(sum, i);
        point(mesh.points, i) = border[i] ? onto_border(plan, moved, length) : onto_solid(plan, moved, length);
      }
    });
  }
}

}  // namespace

TriMesh cut_sheet(const CutSheetPlan& plan) {
  assert(plan.points >= 200);
  const auto at_cell = [&](double cell) {
    return clipped(plan, polygonise(plan.solid, {.low = plan.low, .high = plan.high, .cell = cell}), cell);
  };
  // Points go with the inverse square of the cell.
  double cell = (plan.high - plan.low).maxCoeff() / 40;
  TriMesh sheet = at_cell(cell);
  for (int round = 0; round < 12; ++round) {
    if (sheet.point_count() <= plan.points && sheet.point_count() >= 0.97 * plan.points) break;
    cell *= std::sqrt(sheet.point_count() / ((0.985 - 0.002 * round) * plan.points));
    sheet = at_cell(cell);
  }
  assert(sheet.point_count() <= plan.points);
  sheet = EdgeDivider(plan, sheet).run();
  relax(plan, sheet);
  return sheet;
}

}  // namespace rigspace
