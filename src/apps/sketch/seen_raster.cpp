#include "seen_raster.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace rigspace {
namespace {

constexpr float kNothing = std::numeric_limits<float>::infinity();
constexpr int kBorder = 2;  // empty cells around the surface

/// One side of a cell, from one corner of the grid to the next, with the cell to its left.
struct Crack {
  int cell = 0, from = 0, to = 0;
  bool stands_out = false, done = false;
};

}  // namespace

namespace {

/// The points as they are seen, and their depths.
void see_points(In points, const ViewPlane& view, std::vector<Vec2>& z, std::vector<double>& depth) {
  const auto n = static_cast<std::size_t>(points.size() / 3);
  z.assign(n, Vec2::Zero()), depth.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    const Vec3 x = point(points, static_cast<int>(i));
    depth[i] = view.depth(x);
    if (!view.perspective() || depth[i] > 0) z[i] = view.project(x);
  }
}

bool in_front(const Triangle& t, const ViewPlane& view, const std::vector<double>& depth) {
  return !view.perspective() || (depth[t[0]] > 0 && depth[t[1]] > 0 && depth[t[2]] > 0);
}

}  // namespace

SeenRaster framed_raster(In points, std::span<const Triangle> triangles, const ViewPlane& view, int cells) {
  std::vector<Vec2> z;
  std::vector<double> depth;
  see_points(points, view, z, depth);
  Vec2 low = Vec2::Constant(std::numeric_limits<double>::infinity()), high = -low;
  for (const Triangle& t : triangles)
    if (in_front(t, view, depth))
      for (int k = 0; k < 3; ++k) low = low.cwiseMin(z[t[k]]), high = high.cwiseMax(z[t[k]]);
  SeenRaster raster;
  if (!(high.x() >= low.x())) return raster;
  const Vec2 extent = high - low;
  raster.side = std::max(1e-12, extent.maxCoeff()) / cells;
  raster.low = low - Vec2::Constant(kBorder * raster.side);
  raster.columns = static_cast<int>(extent.x() / raster.side) + 2 * kBorder + 1;
  raster.rows = static_cast<int>(extent.y() / raster.side) + 2 * kBorder + 1;
  return raster;
}

void draw_depths(In points, std::span<const Triangle> triangles, const ViewPlane& view, SeenRaster& raster) {
  std::vector<Vec2> z;
  std::vector<double> depth;
  see_points(points, view, z, depth);
  const std::size_t count = static_cast<std::size_t>(raster.columns) * static_cast<std::size_t>(raster.rows);
  raster.depth.assign(count, kNothing);
  raster.triangle.assign(count, -1);
  for (std::size_t f = 0; f < triangles.size(); ++f) {
    const Triangle& t = triangles[f];
    if (!in_front(t, view, depth)) continue;
    std::array<Vec2, 3> c;
    std::array<double, 3> w;  // what is linear in the picture: 1 / depth, or the depth of an orthographic view
    for (int k = 0; k < 3; ++k) {
      c[k] = (z[t[k]] - raster.low) / raster.side - Vec2::Constant(0.5);
      w[k] = view.perspective() ? 1 / depth[t[k]] : depth[t[k]];
    }
    const Vec2 a = c[1] - c[0], b = c[2] - c[0];
    const double area = a.x() * b.y() - a.y() * b.x();
    if (std::abs(area) < 1e-12) continue;
    const int left = std::max(0, static_cast<int>(std::ceil(std::min({c[0].x(), c[1].x(), c[2].x()})))),
              right =
                  std::min(raster.columns - 1, static_cast<int>(std::floor(std::max({c[0].x(), c[1].x(), c[2].x()})))),
              bottom = std::max(0, static_cast<int>(std::ceil(std::min({c[0].y(), c[1].y(), c[2].y()})))),
              top = std::min(raster.rows - 1, static_cast<int>(std::floor(std::max({c[0].y(), c[1].y(), c[2].y()}))));
    // Barycentric u, v and the depth are linear in the picture.
    const Vec2 du(b.y() / area, -b.x() / area), dv(-a.y() / area, a.x() / area);
    const Vec2 dw = (w[1] - w[0]) * du + (w[2] - w[0]) * dv;
    for (int j = bottom; j <= top; ++j) {
      const Vec2 d = Vec2(left, j) - c[0];
      double u = du.dot(d), v = dv.dot(d), at = w[0] + dw.dot(d);
      const std::size_t row = static_cast<std::size_t>(j) * static_cast<std::size_t>(raster.columns);
      for (int i = left; i <= right; ++i, u += du.x(), v += dv.x(), at += dw.x()) {
        if (u < -1e-12 || v < -1e-12 || u + v > 1 + 1e-12) continue;
        const auto far = static_cast<float>(view.perspective() ? 1 / at : at);
        const std::size_t cell = row + static_cast<std::size_t>(i);
        if (far < raster.depth[cell]) raster.depth[cell] = far, raster.triangle[cell] = static_cast<int>(f);
      }
    }
  }
}

std::vector<RasterContour> raster_contours(const SeenRaster& raster, double low, double high) {
  // Right, up, left, down: the corners that a side runs between with its cell to the left.
  const int columns = raster.columns, stride = columns + 1, rows = raster.rows;
  const std::array<std::array<int, 2>, 4> ends{{{1, 1 + stride}, {1 + stride, stride}, {stride, 0}, {0, 1}}};
  const std::array<int, 4> beside{1, columns, -1, -columns};
  std::vector<Crack> cracks;
  for_each_contour_side(raster, low, [&](int cell, int side) {
    const int corner = cell / columns * stride + cell % columns;
    const bool stands_out = raster.depth[cell + beside[side]] - raster.depth[cell] > high;
    cracks.push_back({cell, corner + ends[side][0], corner + ends[side][1], stands_out});
  });
  // Cracks that begin, and that end, at a corner: at most four each.
  std::vector<std::array<int, 4>> out(static_cast<std::size_t>(stride) * static_cast<std::size_t>(rows + 1),
                                      {-1, -1, -1, -1}),
      in = out;
  const auto put = [](std::array<int, 4>& list, int k) { *std::find(list.begin(), list.end(), -1) = k; };
  for (int k = 0; k < static_cast<int>(cracks.size()); ++k) put(out[cracks[k].from], k), put(in[cracks[k].to], k);
  // The crack that follows: most similar in depth, and taken by none yet.
  const auto next = [&](int k, const std::array<int, 4>& list) {
    int best = -1;
    float least = kNothing;
    for (const int other : list) {
      if (other < 0 || cracks[other].done) continue;
      const float off = std::abs(raster.depth[cracks[other].cell] - raster.depth[cracks[k].cell]);
      if (off < least) least = off, best = other;
    }
    return best;
  };
  std::vector<RasterContour> contours;
  // Nearest first: a line in front goes on where it meets one behind.
  std::vector<int> order(cracks.size());
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = static_cast<int>(k);
  std::stable_sort(order.begin(), order.end(),
                   [&](int a, int b) { return raster.depth[cracks[a].cell] < raster.depth[cracks[b].cell]; });
  for (const int start : order) {
    if (cracks[start].done) continue;
    cracks[start].done = true;
    std::vector<int> run{start}, back;
    for (int k = start; (k = next(k, out[cracks[k].to])) >= 0;) cracks[k].done = true, run.push_back(k);
    const bool closed = run.size() > 2 && cracks[run.back()].to == cracks[start].from;
    if (!closed)
      for (int k = start; (k = next(k, in[cracks[k].from])) >= 0;) cracks[k].done = true, back.push_back(k);
    const auto stands_out = [&](int k) { return cracks[k].stands_out; };
    if (std::none_of(run.begin(), run.end(), stands_out) && std::none_of(back.begin(), back.end(), stands_out))
      continue;
    RasterContour contour{.closed = closed};
    const auto add = [&](int k) {
      if (contour.cells.empty() || contour.cells.back() != cracks[k].cell) contour.cells.push_back(cracks[k].cell);
    };
    std::for_each(back.rbegin(), back.rend(), add);
    std::for_each(run.begin(), run.end(), add);
    contours.push_back(std::move(contour));
  }
  return contours;
}

}  // namespace rigspace
