#include "rigspace/apps/sketch/automatic.h"
#include "rigspace/base/error.h"
#include "seen_raster.h"

#include <algorithm>
#include <cmath>

namespace rigspace {
namespace {

constexpr int kOutlineCells = 512;  // of the raster, along the longer side of the character
constexpr double kStandsOut = 0.015,
                 kStandsOutSomewhere = 0.04;  // share of the size: a line stands out by these everywhere, and somewhere
constexpr double kOutlineSmoothing = 1.25;  // cells: standard deviation along the line, against the steps of the raster

/// Where the ray of a cell meets its triangle.
CurvePlace place_on(const Vec& points, const Triangle& t, const Vec3& from, const Vec3& along) {
  const Vec3 a = point(points, t[0]), e1 = point(points, t[1]) - a, e2 = point(points, t[2]) - a, h = along.cross(e2);
  const double det = e1.dot(h);
  Vec3 weights(1, 0, 0);
  if (std::abs(det) > 1e-300) {
    const Vec3 s = from - a;
    const double u = std::clamp(s.dot(h) / det, 0.0, 1.0), v = std::clamp(along.dot(s.cross(e1)) / det, 0.0, 1.0 - u);
    weights = Vec3(1 - u - v, u, v);
  }
  CurvePlace place;
  for (int k = 0; k < 3; ++k)
    if (weights[k] > 1e-9) place.push_back({.point = t[k], .weight = weights[k]});
  return place;
}

/// Centres of the cells, averaged along the line.
std::vector<Vec2> smoothed_centers(const SeenRaster& raster, const RasterContour& contour) {
  constexpr int kReach = 3;
  const int n = static_cast<int>(contour.cells.size());
  std::vector<Vec2> result;
  for (int k = 0; k < n; ++k) {
    Vec2 sum = Vec2::Zero();
    double weight = 0;
    const int reach = contour.closed ? kReach : std::min({kReach, k, n - 1 - k});
    for (int d = -reach; d <= reach; ++d) {
      const double w = std::exp(-0.5 * d * d / (kOutlineSmoothing * kOutlineSmoothing));
      sum += w * raster.center(contour.cells[static_cast<std::size_t>((k + d + n) % n)]), weight += w;
    }
    result.emplace_back(sum / weight);
  }
  return result;
}

struct Run {
  const RasterContour* contour;
  std::vector<Vec2> z;
  double length;
};

}  // namespace

SketchAbstraction outline(const Character& character, In p, const Camera& camera, const OutlineOptions& options) {
  const TriMesh mesh = rest_surface(character);
  Vec points;
  character.rig->evaluate(*character.rig->make_workspace(), p, points);
  const ViewPlane view(camera);
  const Box box = bounding_box(points);
  const double size = box.diagonal() * view.scale(box.center());
  SeenRaster raster = framed_raster(points, mesh.triangles, view, kOutlineCells);
  draw_depths(points, mesh.triangles, view, raster);
  const std::vector<RasterContour> contours =
      raster_contours(raster, kStandsOut * box.diagonal(), kStandsOutSomewhere * box.diagonal());
  std::vector<Run> runs;
  double whole = 0;
  for (const RasterContour& contour : contours) {
    Run run{&contour, smoothed_centers(raster, contour), 0};
    run.length = DrawnCurve{.points = run.z, .closed = contour.closed}.length();
    if (run.length < options.shortest_curve * size || run.z.size() < 3) continue;
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
    SketchCurve curve{.name = "outline" + std::to_string(result.curves.size() + 1), .closed = run.contour->closed};
    double since = spacing;
    for (std::size_t k = 0; k < run.z.size(); ++k) {
      if (k > 0) since += (run.z[k] - run.z[k - 1]).norm();
      if (since < spacing && k + 1 < run.z.size()) continue;
      since = std::fmod(since, spacing);
      const int triangle = raster.triangle[static_cast<std::size_t>(run.contour->cells[k])];
      curve.places.push_back(place_on(points, mesh.triangles[static_cast<std::size_t>(triangle)],
                                      view.ray_origin(run.z[k]), view.ray_direction(run.z[k])));
    }
    result.curves.push_back(std::move(curve));
  }
  return result;
}

}  // namespace rigspace
