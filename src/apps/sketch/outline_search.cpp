#include "outline_search.h"

#include "rigspace/rig/built_in_rig.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace rigspace {
namespace {

constexpr int kCoarseCells = 96;           // of the raster, for the size of the character
constexpr int kTriangles = 2500;           // of the coarse surface
constexpr double kCoarseStep = 0.03;       // share of the size: what stands out by more has a line
constexpr double kSearchMargin = 0.25;     // of the size, around the drawing
constexpr int kBeside = 3, kDiagonal = 4;  // steps of the distance transform, thirds of a cell

constexpr int kFarAway = 1 << 20;
constexpr int kTries = 8;  // of a joint in a sweep; every other one turns the next joint too
/// The surface with points that are joined by edges within one cell of a grid made one: neighbours on the surface, not
/// in space, so that an arm stays apart from the body beside it.
std::vector<Triangle> coarse_surface(const TriMesh& surface) {
  const Weld welded = weld(surface);
  const TriMesh& mesh = welded.mesh;
  std::vector<int> old(static_cast<std::size_t>(mesh.point_count()), -1);
  for (int i = 0; i < surface.point_count(); ++i)
    if (int& first = old[static_cast<std::size_t>(welded.point[static_cast<std::size_t>(i)])]; first < 0) first = i;
  const Box box = bounding_box(mesh.points);
  std::vector<Triangle> result;
  for (double side = box.diagonal() / 100;; side *= 1.3) {
    std::vector<int> parent(old.size());
    std::iota(parent.begin(), parent.end(), 0);
    const auto top = [&](int i) {
      while (parent[static_cast<std::size_t>(i)] != i) i = parent[static_cast<std::size_t>(i)];
      return i;
    };
    const auto cell = [&](int i) {
      const Vec3 at = (point(mesh.points, i) - box.low) / side;
      return std::array<int, 3>{static_cast<int>(at.x()), static_cast<int>(at.y()), static_cast<int>(at.z())};
    };
    for (const Triangle& t : mesh.triangles)
      for (int k = 0; k < 3; ++k)
        if (cell(t[k]) == cell(t[(k + 1) % 3])) {
          const int a = top(t[k]), b = top(t[(k + 1) % 3]);
          parent[static_cast<std::size_t>(std::max(a, b))] = std::min(a, b);
        }
    result.clear();
    for (const Triangle& t : mesh.triangles) {
      const Triangle kept{old[top(t[0])], old[top(t[1])], old[top(t[2])]};
      if (kept[0] != kept[1] && kept[1] != kept[2] && kept[2] != kept[0]) result.push_back(kept);
    }
    if (static_cast<int>(result.size()) <= kTriangles || side > 0.2 * box.diagonal()) return result;
  }
}

}  // namespace

OutlineSearch::OutlineSearch(const Character& character, const Camera& camera, double size, double view_size)
    : triangles_(coarse_surface(rest_surface(character))), view_(camera), size_(size), view_size_(view_size) {
  std::vector<int> points;
  for (const Triangle& t : triangles_) points.insert(points.end(), t.begin(), t.end());
  std::sort(points.begin(), points.end());
  points.erase(std::unique(points.begin(), points.end()), points.end());
  for (Triangle& t : triangles_)
    for (int& corner : t)
      corner = static_cast<int>(std::lower_bound(points.begin(), points.end(), corner) - points.begin());
  rig_ = character.rig->restricted(points);
  workspace_ = rig_->make_workspace();
  // Nodes in the order of their first control: parents come before what they carry.
  std::map<std::string, std::size_t> of_node;
  const std::span<const Control> controls = rig_->controls();
  for (int c = 0; c < static_cast<int>(controls.size()); ++c) {
    if (controls[c].unit != Unit::angle) continue;
    const auto [known, fresh] = of_node.emplace(controls[c].node, joints_.size());
    if (fresh) joints_.emplace_back();
    joints_[known->second].push_back(c);
  }
}

void OutlineSearch::set_strokes(std::span<const Stroke> strokes) {
  Vec2 low = strokes.front().points.front(), high = low;
  for (const Stroke& stroke : strokes)
    for (const Vec2& z : stroke.points) low = low.cwiseMin(z), high = high.cwiseMax(z);
  raster_.side = view_size_ / kCoarseCells;
  raster_.low = low - Vec2::Constant(kSearchMargin * view_size_);
  const Vec2 extent = high - low + Vec2::Constant(2 * kSearchMargin * view_size_);
  raster_.columns = static_cast<int>(extent.x() / raster_.side) + 1;
  raster_.rows = static_cast<int>(extent.y() / raster_.side) + 1;
  drawn_.clear();
  for (const Stroke& stroke : strokes) {
    const int samples = 2 + static_cast<int>(2 * stroke.length() / raster_.side);
    for (const Vec2& z : resampled(stroke.points, stroke.closed, samples)) {
      const Vec2 at = (z - raster_.low) / raster_.side;
      const int cell = static_cast<int>(at.y()) * raster_.columns + static_cast<int>(at.x());
      if (drawn_.empty() || drawn_.back() != cell) drawn_.push_back(cell);
    }
  }
  mark(drawn_, far_drawn_);
}

// Borgefors' distance transform, 3 to a neighbour and 4 across a corner, in two passes.
void OutlineSearch::mark(const std::vector<int>& cells, std::vector<int>& far) const {
  const int columns = raster_.columns, rows = raster_.rows;
  far.assign(static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows), kFarAway);
  int* f = far.data();
  for (const int cell : cells) f[cell] = 0;
  for (int j = 1; j < rows; ++j)
    for (int c = j * columns + 1; c + 1 < (j + 1) * columns; ++c)
      f[c] = std::min({f[c], f[c - 1] + kBeside, f[c - columns] + kBeside, f[c - columns - 1] + kDiagonal,
                       f[c - columns + 1] + kDiagonal});
  for (int j = rows - 2; j >= 0; --j)
    for (int c = (j + 1) * columns - 2; c > j * columns; --c)
      f[c] = std::min({f[c], f[c + 1] + kBeside, f[c + columns] + kBeside, f[c + columns + 1] + kDiagonal,
                       f[c + columns - 1] + kDiagonal});
}

double OutlineSearch::distance(In p, double reach) {
  ++evaluations_;
  rig_->evaluate(*workspace_, p, x_);
  draw_depths(x_, triangles_, view_, raster_);
  contour_.clear();
  for_each_contour_side(raster_, kCoarseStep * size_, [&](int cell, int) {
    if (contour_.empty() || contour_.back() != cell) contour_.push_back(cell);
  });
  if (contour_.empty()) return reach * reach;
  mark(contour_, far_contour_);
  const double cell = 1.0 / (kBeside * kCoarseCells), most = reach / cell;
  const auto mean = [&](const std::vector<int>& cells, const std::vector<int>& far) {
    double sum = 0;
    for (const int c : cells) sum += std::pow(std::min<double>(far[static_cast<std::size_t>(c)], most), 2);
    return sum / static_cast<double>(cells.size());
  };
  return 0.5 * cell * cell * (mean(contour_, far_drawn_) + mean(drawn_, far_contour_));
}

Vec OutlineSearch::better_pose(In p, const SketchControls& controls, std::uint32_t seed,
                               const ProgressCallback& progress) {
  struct Sweep {
    double turn, reach;  // radians, share of the size
  };
  constexpr std::array<Sweep, 3> kSweeps{{{70 * kDegree, 0.15}, {45 * kDegree, 0.1}, {25 * kDegree, 0.06}}};
  std::mt19937 random(seed);
  const auto share = [&] { return 2 * (random() / 4294967295.0) - 1; };
  Vec best = p, trial;
  std::vector<int> place(rig_->controls().size(), -1);
  for (std::size_t k = 0; k < controls.free.size(); ++k)
    if (!std::isinf(controls.lower[static_cast<Eigen::Index>(k)]))
      place[static_cast<std::size_t>(controls.free[k])] = static_cast<int>(k);
  int sweep = 0;
  for (const auto& [turn, reach] : kSweeps) {
    double least = distance(best, reach);
    if (wants_cancel(progress, "looking for a pose", sweep++ / 3.0)) throw Cancelled();
    for (std::size_t joint = 0; joint < joints_.size(); ++joint)
      for (int t = 0; t < kTries; ++t) {
        trial = best;
        bool any = false;
        for (std::size_t j = joint; j < std::min(joints_.size(), joint + 1 + t % 2); ++j)
          for (const int c : joints_[j]) {
            const int k = place[static_cast<std::size_t>(c)];
            const double by = turn * share();
            if (k < 0) continue;
            trial[c] = std::clamp(best[c] + by, controls.lower[k], controls.upper[k]), any = true;
          }
        if (!any) break;
        const double found = distance(trial, reach);
        if (found < least) least = found, best.swap(trial);
      }
  }
  return best;
}

}  // namespace rigspace
