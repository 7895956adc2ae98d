#include "rigspace/geometry/solid_voxels.h"

#include "rigspace/base/error.h"
#include "rigspace/base/parallel.h"
#include "rigspace/base/require.h"
#include "rigspace/geometry/closest_point.h"
#include "solids.h"

#include <algorithm>
#include <cmath>
#include <queue>

namespace rigspace {
namespace {

constexpr double kBridgeFactor = 3;  // a gap counts as so many times its width

/// Islands of voxels that links join, by voxel.
std::vector<int> islands_of(const SolidVoxels& voxels, int& count) {
  std::vector<int> island(voxels.count(), -1), front;
  count = 0;
  for (int seed = 0; seed < voxels.count(); ++seed) {
    if (island[seed] >= 0) continue;
    island[seed] = count;
    front.push_back(seed);
    while (!front.empty()) {
      const int v = front.back();
      front.pop_back();
      for (const SolidVoxels::Link& link : voxels.links(v))
        if (island[link.to] < 0) island[link.to] = count, front.push_back(link.to);
    }
    ++count;
  }
  return island;
}

/// The island that stands for a set of joined ones.
int leader_of(std::vector<int>& leader, int island) {
  while (leader[island] != island) island = leader[island] = leader[leader[island]];
  return island;
}

}  // namespace

void VoxelOptions::validate() const {
  require_option(across >= 8 && across <= 400, "number of voxels", across, "give 8 to 400 along the longest side");
}

SolidVoxels::SolidVoxels(const TriMesh& surface, const VoxelOptions& options) {
  options.validate();
  surface.validate("the surface");
  if (surface.triangles.empty())
    throw Error({.element = "the surface", .problem = "has no triangles", .remedy = "give a mesh"});
  lay_out(surface, options.across);
  fill(surface);
  std::vector<Box> boxes(count());
  for (int v = 0; v < count(); ++v) boxes[v].include(center(v));
  tree_ = Bvh(boxes);
  link();
  bridge();
}

void SolidVoxels::lay_out(const TriMesh& surface, int across) {
  Box box;
  for (const Triangle& t : surface.triangles)
    for (const int v : t) box.include(point(surface.points, v));
  const double longest = box.size().maxCoeff();
  if (!(longest > 0))
    throw Error({.element = "the surface",
                 .problem = "has no size: all its points are at one place",
                 .remedy = "give a mesh with triangles of some area"});
  cell_ = longest / across;
  for (int k = 0; k < 3; ++k) size_[k] = static_cast<int>(std::ceil(box.size()[k] / cell_)) + 2;
  // The grid's middle is the box's: a symmetric surface gets symmetric voxels.
  for (int k = 0; k < 3; ++k) origin_[k] = box.center()[k] - 0.5 * cell_ * size_[k];
}

std::array<int, 3> SolidVoxels::grid_of(const Vec3& x) const {
  std::array<int, 3> g;
  for (int k = 0; k < 3; ++k) g[k] = static_cast<int>(std::floor(std::clamp((x[k] - origin_[k]) / cell_, -1e6, 1e6)));
  return g;
}

bool SolidVoxels::holds(const std::array<int, 3>& g) const {
  return g[0] >= 0 && g[1] >= 0 && g[2] >= 0 && g[0] < size_[0] && g[1] < size_[1] && g[2] < size_[2];
}

/// Cells of the grid whose centres are nearer to a triangle than `reach`.
std::vector<char> SolidVoxels::touched(const TriMesh& surface, double reach) const {
  std::vector<char> touched(static_cast<std::size_t>(size_[0]) * size_[1] * size_[2], 0);
  for (const Triangle& t : surface.triangles) {
    const Vec3 a = point(surface.points, t[0]), b = point(surface.points, t[1]), c = point(surface.points, t[2]);
    Box box;
    box.include(a), box.include(b), box.include(c);
    std::array<int, 3> low = grid_of(box.low - Vec3::Constant(reach)), high = grid_of(box.high + Vec3::Constant(reach));
    for (int k = 0; k < 3; ++k) low[k] = std::max(low[k], 0), high[k] = std::min(high[k], size_[k] - 1);
    std::array<int, 3> g;
    for (g[2] = low[2]; g[2] <= high[2]; ++g[2])
      for (g[1] = low[1]; g[1] <= high[1]; ++g[1])
        for (g[0] = low[0]; g[0] <= high[0]; ++g[0]) {
          char& own = touched[index_of(g)];
          if (own != 0) continue;
          const Vec3 x = origin_ + cell_ * Vec3(g[0] + 0.5, g[1] + 0.5, g[2] + 0.5);
          const Vec3 l = closest_barycentric(x, a, b, c);
          own = (l[0] * a + l[1] * b + l[2] * c - x).squaredNorm() <= reach * reach;
        }
  }
  return touched;
}

// A cell that no triangle is near has the label of its neighbour in the row; only near the surface, and near holes, is
// a winding number needed for each.
void SolidVoxels::fill(const TriMesh& surface) {
  const Solids solids(surface);
  const std::vector<char> on = touched(surface, 0.5 * cell_), near = touched(surface, 1.01 * cell_);
  std::vector<char> in(on.size(), 0);
  const bool any = std::any_of(solids.parts().begin(), solids.parts().end(), [](const SkinPart& p) { return p.solid; });
  if (any)
    parallel_ranges(size_[1] * size_[2], 8, [&](int begin, int end) {
      for (int row = begin; row < end; ++row)
        for (int i = 0; i < size_[0]; ++i) {
          const int at = row * size_[0] + i;
          const Vec3 x = origin_ + cell_ * Vec3(i + 0.5, row % size_[1] + 0.5, row / size_[1] + 0.5);
          const bool copied = i > 0 && near[at] == 0 && near[at - 1] == 0 && !solids.near_hole(x);
          in[at] = copied ? in[at - 1] : static_cast<char>(solids.inside(x));
        }
    });
  voxel_of_.assign(on.size(), -1);
  for (std::size_t at = 0; at < on.size(); ++at) {
    if (on[at] == 0 && in[at] == 0) continue;
    voxel_of_[at] = count();
    cells_.push_back(static_cast<int>(at));
    inside_.push_back(in[at]);
  }
}

Vec3 SolidVoxels::center(int voxel) const {
  const int at = cells_[voxel];
  const int i = at % size_[0], j = at / size_[0] % size_[1], k = at / size_[0] / size_[1];
  return origin_ + cell_ * Vec3(i + 0.5, j + 0.5, k + 0.5);
}

int SolidVoxels::at(const Vec3& x) const {
  const std::array<int, 3> g = grid_of(x);
  return holds(g) ? voxel_of_[index_of(g)] : -1;
}

int SolidVoxels::nearest(const Vec3& x) const {
  double best = kFar;
  return tree_.nearest(x, best, [&](int v) { return (center(v) - x).squaredNorm(); });
}

bool SolidVoxels::sees(const Vec3& from, const Vec3& to) const {
  const int steps = static_cast<int>(std::ceil((to - from).norm() / (0.5 * cell_)));
  for (int s = 1; s < steps; ++s)
    if (at(from + static_cast<double>(s) / steps * (to - from)) < 0) return false;
  return true;
}

std::vector<std::pair<int, double>> SolidVoxels::along(const Vec3& from, const Vec3& to) const {
  std::vector<std::pair<int, double>> found;
  const Vec3 way = to - from;
  const double length2 = way.squaredNorm();
  const auto to_segment = [&](const Vec3& x) {
    const double t = length2 > 0 ? std::clamp((x - from).dot(way) / length2, 0.0, 1.0) : 0.0;
    return (from + t * way - x).norm();
  };
  const int steps = std::max(1, static_cast<int>(std::ceil(std::sqrt(length2) / cell_)));
  for (int s = 0; s <= steps; ++s) {
    const int voxel = at(from + static_cast<double>(s) / steps * way);
    if (voxel >= 0 && (found.empty() || found.back().first != voxel))
      found.emplace_back(voxel, to_segment(center(voxel)));
  }
  if (found.empty()) {
    const int voxel = nearest(0.5 * (from + to));
    found.emplace_back(voxel, to_segment(center(voxel)));
  }
  return found;
}

void SolidVoxels::link() {
  start_.assign(1, 0);
  for (int v = 0; v < count(); ++v) {
    const int at = cells_[v];
    const std::array<int, 3> g = {at % size_[0], at / size_[0] % size_[1], at / size_[0] / size_[1]};
    for (int step = 0; step < 27; ++step) {
      const std::array<int, 3> d = {step % 3 - 1, step / 3 % 3 - 1, step / 9 - 1};
      const std::array<int, 3> h = {g[0] + d[0], g[1] + d[1], g[2] + d[2]};
      if (step == 13 || !holds(h) || voxel_of_[index_of(h)] < 0) continue;
      links_.push_back({voxel_of_[index_of(h)], cell_ * std::sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2])});
    }
    start_.push_back(static_cast<int>(links_.size()));
  }
}

// Boruvka's rounds: each island gets a bridge to the voxel nearest to one of its own, until there is one island.
void SolidVoxels::bridge() {
  int islands = 0;
  const std::vector<int> island = islands_of(*this, islands);
  if (islands < 2) return;
  std::vector<int> leader(islands);
  for (int i = 0; i < islands; ++i) leader[i] = i;
  std::vector<std::array<int, 2>> joined;
  for (int left = islands; left > 1;) {
    struct Gap {
      double squared = kFar;
      int from = -1, to = -1;
    };
    std::vector<Gap> gap(islands);
    std::vector<int> size(islands, 0), own(count());
    for (int v = 0; v < count(); ++v) ++size[own[v] = leader_of(leader, island[v])];
    const int largest = static_cast<int>(std::max_element(size.begin(), size.end()) - size.begin());
    for (int v = 0; v < count(); ++v) {
      if (own[v] == largest) continue;
      Gap& best = gap[own[v]];
      double squared = best.squared;
      const Vec3 x = center(v);
      const int to =
          tree_.nearest(x, squared, [&](int w) { return own[w] == own[v] ? kFar : (center(w) - x).squaredNorm(); });
      if (to >= 0) best = {squared, v, to};
    }
    for (const Gap& each : gap) {
      if (each.from < 0) continue;
      const int a = leader_of(leader, island[each.from]), b = leader_of(leader, island[each.to]);
      if (a == b) continue;
      leader[a] = b;
      joined.push_back({each.from, each.to});
      --left;
    }
  }
  bridges_ = static_cast<int>(joined.size());
  std::vector<std::vector<Link>> extra(count());
  for (const auto& [a, b] : joined) {
    const double length = kBridgeFactor * (center(a) - center(b)).norm();
    extra[a].push_back({b, length});
    extra[b].push_back({a, length});
  }
  std::vector<Link> all;
  std::vector<int> start = {0};
  for (int v = 0; v < count(); ++v) {
    for (const Link& each : links(v)) all.push_back(each);
    all.insert(all.end(), extra[v].begin(), extra[v].end());
    start.push_back(static_cast<int>(all.size()));
  }
  links_ = std::move(all);
  start_ = std::move(start);
}

Vec SolidVoxels::distances(std::span<const std::pair<int, double>> seeds, const Vec* limit, std::vector<int>* from,
                           std::span<const double> cost) const {
  Vec distance = Vec::Constant(count(), kFar);
  if (from != nullptr) from->assign(count(), -1);
  using Entry = std::pair<double, int>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
  for (const auto& [v, length] : seeds)
    if (length < distance[v]) distance[v] = length, queue.emplace(length, v);
  while (!queue.empty()) {
    const auto [d, v] = queue.top();
    queue.pop();
    if (d > distance[v] || (limit != nullptr && d > (*limit)[v])) continue;
    for (const Link& each : links(v)) {
      const double further = d + each.length * (cost.empty() ? 1.0 : cost[each.to]);
      if (further >= distance[each.to]) continue;
      distance[each.to] = further;
      if (from != nullptr) (*from)[each.to] = v;
      queue.emplace(further, each.to);
    }
  }
  return distance;
}

Vec voxel_depths(const SolidVoxels& voxels, const TriMesh& surface) {
  const TriangleTree tree(surface);
  Vec depths = Vec::Zero(voxels.count());
  parallel_ranges(voxels.count(), 256, [&](int begin, int end) {
    for (int v = begin; v < end; ++v)
      if (voxels.inside(v)) depths[v] = tree.closest(voxels.center(v)).distance;
  });
  return depths;
}

}  // namespace rigspace
