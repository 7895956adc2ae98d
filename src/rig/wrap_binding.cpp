#include "wrap_binding.h"

#include "rigspace/base/error.h"
#include "rigspace/base/parallel.h"
#include "rigspace/base/require.h"
#include "rigspace/geometry/closest_point.h"

#include <Eigen/LU>

#include <algorithm>
#include <cmath>

namespace rigspace {
namespace {

double mean_edge(const TriMesh& mesh) {
  double sum = 0;
  for (const Triangle& triangle : mesh.triangles)
    for (int c = 0; c < 3; ++c)
      sum += (point(mesh.points, triangle[c]) - point(mesh.points, triangle[(c + 1) % 3])).norm();
  return sum / (3.0 * mesh.triangle_count());
}

/// Triangles that x hangs on, with their weights, heaviest first. Where there are more than `most`, the width shrinks
/// to that of the first too many: which of several alike are left out does not show.
void neighbours(const TriangleTree& tree, const Vec3& x, double width, std::size_t most,
                std::vector<std::pair<double, int>>& found) {
  const double nearest = tree.closest(x).distance, reach = nearest + width;
  found.clear();
  tree.bvh().traverse([&](const Bvh::Node& node) { return squared_distance(x, node.low, node.high) < reach * reach; },
                      [&](int triangle) {
                        const auto& corners = tree.mesh().triangles[static_cast<std::size_t>(triangle)];
                        const Vec3 a = point(tree.mesh().points, corners[0]), b = point(tree.mesh().points, corners[1]);
                        const Vec3 c = point(tree.mesh().points, corners[2]);
                        const Vec3 share = closest_barycentric(x, a, b, c);
                        const double distance = (share[0] * a + share[1] * b + share[2] * c - x).norm();
                        const double e = std::max(distance - nearest, 0.0) / width;
                        if (e < 1) found.push_back({e, triangle});
                      });
  std::sort(found.begin(), found.end());
  double reached = 1;
  if (found.size() > most) {
    if (found[most].first > 0) reached = found[most].first;
    found.resize(most);
  }
  for (auto& [e, triangle] : found) e = std::pow(std::max(0.0, 1 - (e / reached) * (e / reached)), 2);
  while (found.size() > 1 && found.back().first == 0) found.pop_back();
}

}  // namespace

TriangleFrame::TriangleFrame(const Triangle& triangle, In points)
    : a(point(points, triangle[0])), e1(point(points, triangle[1]) - a), e2(point(points, triangle[2]) - a) {
  const Vec3 c = e1.cross(e2);
  const double length = c.norm();
  if (length > 0) {
    const Vec3 unit = c / length;
    normal = c / std::sqrt(length);
    slope = (Mat3::Identity() - 0.5 * unit * unit.transpose()) / std::sqrt(length);
  } else {
    normal.setZero();
    slope.setZero();
  }
}

void TriangleFrame::add_by_corners(const Hanger& hanger, Mat3* by_corner) const {
  // d(e1 x e2) = -[e2] de1 + [e1] de2
  const Mat3 I = Mat3::Identity();
  const Mat3 by_e1 = hanger.e1 * I - hanger.n * slope * cross_matrix(e2);
  const Mat3 by_e2 = hanger.e2 * I + hanger.n * slope * cross_matrix(e1);
  by_corner[hanger.corner[0]] += hanger.a * I - by_e1 - by_e2;
  by_corner[hanger.corner[1]] += by_e1;
  by_corner[hanger.corner[2]] += by_e2;
}

void WrapBinding::finish() {
  std::vector<int> number(triangles.size(), -1);
  std::vector<Triangle> used;
  std::vector<Mat3> used_frames;
  for (Hanger& hanger : hangers) {
    int& mine = number[hanger.triangle];
    if (mine < 0) {
      mine = static_cast<int>(used.size());
      used.push_back(triangles[hanger.triangle]);
      used_frames.push_back(to_frame[hanger.triangle]);
    }
    hanger.triangle = mine;
  }
  triangles = std::move(used);
  to_frame = std::move(used_frames);
  corner_start.assign(1, 0);
  corners.clear();
  for (int i = 0; i < wrapped_count(); ++i) {
    std::vector<int> own;
    for (int h = start[i]; h < start[i + 1]; ++h)
      own.insert(own.end(), triangles[hangers[h].triangle].begin(), triangles[hangers[h].triangle].end());
    std::sort(own.begin(), own.end());
    own.erase(std::unique(own.begin(), own.end()), own.end());
    for (int h = start[i]; h < start[i + 1]; ++h)
      for (int c = 0; c < 3; ++c)
        hangers[h].corner[c] =
            static_cast<int>(std::lower_bound(own.begin(), own.end(), triangles[hangers[h].triangle][c]) - own.begin());
    corners.insert(corners.end(), own.begin(), own.end());
    corner_start.push_back(static_cast<int>(corners.size()));
  }
}

WrapBinding WrapBinding::of(std::span<const int> wrapped) const {
  WrapBinding part;
  part.triangles = triangles;
  part.to_frame = to_frame;
  for (const int k : wrapped) {
    part.hangers.insert(part.hangers.end(), hangers.begin() + start[k], hangers.begin() + start[k + 1]);
    part.start.push_back(static_cast<int>(part.hangers.size()));
  }
  part.finish();
  return part;
}

void WrapBinding::renumber(std::span<const int> kept) {
  const auto rename = [&](int& i) {
    i = static_cast<int>(std::lower_bound(kept.begin(), kept.end(), i) - kept.begin());
  };
  std::for_each(passed.begin(), passed.end(), rename);
  std::for_each(corners.begin(), corners.end(), rename);
  for (Triangle& triangle : triangles) std::for_each(triangle.begin(), triangle.end(), rename);
}

void pose_frames(const WrapBinding& binding, In base_points, std::vector<TriangleFrame>& frames) {
  frames.resize(binding.triangles.size());
  for (std::size_t t = 0; t < frames.size(); ++t) frames[t] = TriangleFrame(binding.triangles[t], base_points);
}

Vec3 wrapped_point(const WrapBinding& binding, const std::vector<TriangleFrame>& frames, int wrapped) {
  Vec3 sum = Vec3::Zero();
  for (int h = binding.start[wrapped]; h < binding.start[wrapped + 1]; ++h)
    sum += frames[binding.hangers[h].triangle].at(binding.hangers[h]);
  return sum;
}

void wrapped_by_corners(const WrapBinding& binding, const std::vector<TriangleFrame>& frames, int wrapped,
                        Mat3* by_corner) {
  std::fill_n(by_corner, binding.corner_start[wrapped + 1] - binding.corner_start[wrapped], Mat3::Zero());
  for (int h = binding.start[wrapped]; h < binding.start[wrapped + 1]; ++h)
    frames[binding.hangers[h].triangle].add_by_corners(binding.hangers[h], by_corner);
}

Mat3 wrapped_slope(const WrapBinding& binding, const std::vector<TriangleFrame>& frames, int wrapped) {
  Mat3 slope = Mat3::Zero();
  for (int h = binding.start[wrapped]; h < binding.start[wrapped + 1]; ++h) {
    const Hanger& hanger = binding.hangers[h];
    slope += hanger.a * frames[hanger.triangle].axes() * binding.to_frame[hanger.triangle];
  }
  return slope;
}

void WrapOptions::validate() const {
  require_option(blend > 0 && std::isfinite(blend), "wrap's blend", blend, "give a positive number of edge lengths");
  require_option(max_triangles >= 1 && max_triangles <= kMaxWrapTriangles, "wrap's max_triangles", max_triangles,
                 "give 1 to " + std::to_string(kMaxWrapTriangles));
}

WrapBinding bind_wrap(const TriMesh& mesh, In wrapped_rest, const WrapOptions& options) {
  options.validate();
  mesh.validate("the wrap's base");
  require_option(mesh.triangle_count() > 0, "wrap's number of base triangles", 0, "give a mesh with triangles");
  require_option(wrapped_rest.allFinite() && wrapped_rest.size() % 3 == 0, "wrap's number of coordinates",
                 static_cast<double>(wrapped_rest.size()), "give three finite numbers per point");
  WrapBinding binding;
  binding.triangles = mesh.triangles;
  std::vector<TriangleFrame> frames;
  for (int t = 0; t < mesh.triangle_count(); ++t) {
    frames.emplace_back(mesh.triangles[static_cast<std::size_t>(t)], mesh.points);
    const double longest = std::max(frames.back().e1.norm(), frames.back().e2.norm());
    require_option(frames.back().normal.norm() > 1e-5 * longest, "triangle without area of the wrap's base", t,
                   "leave such triangles out");
    Mat3 frame;
    frame << frames.back().e1, frames.back().e2, frames.back().normal;
    binding.to_frame.push_back(frame.inverse());
  }
  const TriangleTree tree(mesh);
  const double width = options.blend * mean_edge(mesh);
  const int count = static_cast<int>(wrapped_rest.size() / 3);
  std::vector<std::vector<Hanger>> lists(static_cast<std::size_t>(count));
  parallel_ranges(count, 64, [&](int begin, int end) {
    std::vector<std::pair<double, int>> found;
    for (int i = begin; i < end; ++i) {
      const Vec3 x = point(wrapped_rest, i);
      neighbours(tree, x, width, static_cast<std::size_t>(options.max_triangles), found);
      double sum = 0;
      for (const auto& [weight, triangle] : found) sum += weight;
      for (const auto& [weight, triangle] : found) {
        const Vec3 local = binding.to_frame[triangle] * (x - frames[triangle].a), scaled = weight / sum * local;
        lists[i].push_back({triangle, {}, weight / sum, scaled[0], scaled[1], scaled[2]});
      }
    }
  });
  for (const auto& list : lists) {
    binding.hangers.insert(binding.hangers.end(), list.begin(), list.end());
    binding.start.push_back(static_cast<int>(binding.hangers.size()));
  }
  binding.finish();
  return binding;
}

}  // namespace rigspace
