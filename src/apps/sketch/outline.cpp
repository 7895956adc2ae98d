#include "rigspace/apps/sketch/automatic.h"
#include "rigspace/base/error.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace rigspace {
namespace {

/// A place on an edge of the welded surface where it turns away from the eye.
struct ContourPoint {
  int a = 0, b = 0;  // welded points
  double t = 0;      // from a to b
  Vec3 x, n;
  Vec2 z;
  std::vector<int> next;  // contour points across the triangles of its edge
  bool visible = false, done = false;
};

/// The contour generator: g = n.v changes sign along an edge; each triangle with a change joins two such places.
std::vector<ContourPoint> contour(const TriMesh& mesh, const ViewPlane& view) {
  const Vec normals = vertex_normals(mesh);
  std::vector<double> facing(static_cast<std::size_t>(mesh.point_count()));
  for (int i = 0; i < mesh.point_count(); ++i) {
    const Vec3 x = point(mesh.points, i);
    facing[static_cast<std::size_t>(i)] = -point(normals, i).dot(view.direction(x));
    if (facing[static_cast<std::size_t>(i)] == 0) facing[static_cast<std::size_t>(i)] = 1e-12;
  }
  std::vector<ContourPoint> points;
  std::map<std::pair<int, int>, int> of_edge;
  const auto on_edge = [&](int a, int b) {
    if (a > b) std::swap(a, b);
    const auto [known, fresh] = of_edge.emplace(std::pair{a, b}, static_cast<int>(points.size()));
    if (fresh) {
      const double fa = facing[static_cast<std::size_t>(a)], fb = facing[static_cast<std::size_t>(b)];
      ContourPoint made{.a = a, .b = b, .t = fa / (fa - fb)};
      made.x = (1 - made.t) * point(mesh.points, a) + made.t * point(mesh.points, b);
      made.n = ((1 - made.t) * point(normals, a) + made.t * point(normals, b)).normalized();
      made.z = view.project(made.x);
      points.push_back(std::move(made));
    }
    return known->second;
  };
  for (const Triangle& t : mesh.triangles) {
    std::vector<int> ends;
    for (int k = 0; k < 3; ++k)
      if ((facing[static_cast<std::size_t>(t[k])] > 0) != (facing[static_cast<std::size_t>(t[(k + 1) % 3])] > 0))
        ends.push_back(on_edge(t[k], t[(k + 1) % 3]));
    if (ends.size() != 2 || ends[0] == ends[1]) continue;
    points[static_cast<std::size_t>(ends[0])].next.push_back(ends[1]);
    points[static_cast<std::size_t>(ends[1])].next.push_back(ends[0]);
  }
  return points;
}

/// The visible run through contour point k, from end to end.
std::vector<int> run_through(std::vector<ContourPoint>& points, int k, bool& closed) {
  std::vector<int> run{k};
  points[static_cast<std::size_t>(k)].done = true;
  closed = false;
  for (const bool forward : {true, false}) {
    for (int at = k;;) {
      int on = -1;
      for (const int next : points[static_cast<std::size_t>(at)].next) {
        const ContourPoint& other = points[static_cast<std::size_t>(next)];
        if (other.visible && !other.done) on = next;
        if (forward && next == k && run.size() > 2 && at != k) closed = true;
      }
      if (on < 0) break;
      points[static_cast<std::size_t>(on)].done = true;
      run.insert(forward ? run.end() : run.begin(), on);
      at = on;
    }
    if (closed) break;
  }
  return run;
}

}  // namespace

SketchAbstraction outline(const Character& character, In p, const Camera& camera, const OutlineOptions& options) {
  const SeenSurface surface(character, p, camera);
  const TriMesh& posed = surface.mesh();
  // Unwelded files repeat points along seams of textures: what coincides at rest is one point here.
  const Weld welded = weld(rest_surface(character));
  std::vector<int> old(static_cast<std::size_t>(welded.mesh.point_count()), -1);
  for (int i = 0; i < posed.point_count(); ++i)
    if (int& first = old[static_cast<std::size_t>(welded.point[static_cast<std::size_t>(i)])]; first < 0) first = i;
  TriMesh mesh = welded.mesh;
  for (int i = 0; i < mesh.point_count(); ++i)
    point(mesh.points, i) = point(posed.points, old[static_cast<std::size_t>(i)]);
  std::vector<ContourPoint> points = contour(mesh, surface.view());
  for (ContourPoint& each : points) each.visible = surface.visible(each.x, each.n);

  const Box box = bounding_box(posed.points);
  const double size = box.diagonal() * surface.view().scale(box.center());
  struct Run {
    std::vector<int> points;
    bool closed;
    double length;
  };
  std::vector<Run> runs;
  double whole = 0;
  for (std::size_t k = 0; k < points.size(); ++k) {
    if (!points[k].visible || points[k].done) continue;
    Run run;
    run.points = run_through(points, static_cast<int>(k), run.closed);
    std::vector<Vec2> z;
    for (const int i : run.points) z.push_back(points[static_cast<std::size_t>(i)].z);
    run.length = DrawnCurve{.points = z, .closed = run.closed}.length();
    if (run.length < options.shortest_curve * size || run.points.size() < 3) continue;
    // With the body to the left: the outward normal, as seen, lies to the right of the way.
    const ContourPoint& middle = points[static_cast<std::size_t>(run.points[run.points.size() / 2])];
    const Vec2 way = z[run.points.size() / 2] - z[run.points.size() / 2 - 1];
    const Vec2 out = surface.view().project(middle.x + 1e-3 * box.diagonal() * middle.n) - middle.z;
    if (way.x() * out.y() - way.y() * out.x() > 0) std::reverse(run.points.begin(), run.points.end());
    whole += run.length;
    runs.push_back(std::move(run));
  }
  if (runs.empty())
    throw Error({.file = character.name,
                 .element = "outline",
                 .problem = "is empty: nothing of the character is seen by this camera",
                 .remedy = "point the camera at the character"});
  std::stable_sort(runs.begin(), runs.end(), [](const Run& a, const Run& b) { return a.length > b.length; });
  SketchAbstraction result{
      .name = "outline", .correspondence = Correspondence::nearest, .pooled = true, .follows_view = true};
  const double spacing = whole / options.places;
  for (const Run& run : runs) {
    SketchCurve curve{.name = "outline" + std::to_string(result.curves.size() + 1), .closed = run.closed};
    double since = spacing;
    for (std::size_t k = 0; k < run.points.size(); ++k) {
      const ContourPoint& each = points[static_cast<std::size_t>(run.points[k])];
      if (k > 0) since += (each.z - points[static_cast<std::size_t>(run.points[k - 1])].z).norm();
      if (since < spacing && k + 1 < run.points.size()) continue;
      since = std::fmod(since, spacing);
      curve.places.push_back({{.point = old[static_cast<std::size_t>(each.a)], .weight = 1 - each.t},
                              {.point = old[static_cast<std::size_t>(each.b)], .weight = each.t}});
    }
    result.curves.push_back(std::move(curve));
  }
  return result;
}

}  // namespace rigspace
