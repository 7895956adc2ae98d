#include "rigspace/base/parallel.h"
#include "rigspace/optimize/sparse_system.h"
#include "skin_weight_methods.h"

#include <algorithm>
#include <cmath>

namespace rigspace {
namespace {

/// The nearest bone of a point that is seen from it, else the nearest of all.
struct HeatSource {
  double distance = 0;
  bool seen = false;
  std::vector<int> joints;  // equally near
};

HeatSource heat_source(const Vec3& x, std::span<const SkinJoint> joints, const SolidVoxels& voxels) {
  struct Candidate {
    double distance;
    int joint;
    Vec3 at;
  };
  std::vector<Candidate> candidates;
  for (int j = 0; j < std::ssize(joints); ++j) {
    Vec3 at = Vec3::Zero();
    const double distance = distance_to_bones(joints[j], x, &at);
    if (!joints[j].bones.empty()) candidates.push_back({distance, j, at});
  }
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.distance < b.distance; });
  HeatSource source;
  for (const Candidate& each : candidates) {
    if (source.seen && each.distance > source.distance * (1 + 1e-4)) break;
    if (!voxels.sees(x, each.at)) continue;
    if (!source.seen) source.distance = each.distance, source.seen = true;
    source.joints.push_back(each.joint);
  }
  if (!source.seen) source.distance = candidates[0].distance, source.joints = {candidates[0].joint};
  return source;
}

/// Adds K, with half cotangents that are negative left out, so that no weight leaves 0 to 1. Areas of the points in M.
void assemble_surface(const TriMesh& mesh, double mean_area, SparseSystem& system, Vec& M) {
  for (const Triangle& t : mesh.triangles) {
    Mat3 K = Mat3::Zero();
    for (int k = 0; k < 3; ++k) {
      const Vec3 tip = point(mesh.points, t[k]);
      const int a = (k + 1) % 3, b = (k + 2) % 3;
      const Vec3 u = point(mesh.points, t[a]) - tip, v = point(mesh.points, t[b]) - tip;
      const double own = std::max(u.cross(v).norm(), 1e-3 * mean_area);
      const double weight = std::max(0.5 * u.dot(v) / own, 1e-4);
      K(a, a) += weight, K(b, b) += weight, K(a, b) -= weight, K(b, a) -= weight;
      M[t[k]] += own / 6;
    }
    system.add_coordinates(t, K.data());
  }
}

}  // namespace

Mat heat_weights(const TriMesh& mesh, std::span<const SkinJoint> joints, const SkinWeightOptions& options) {
  const SolidVoxels voxels(mesh, {.across = options.voxels});
  report(options.progress, "finding the bones that are seen", 0.2);
  const int count = mesh.point_count();
  std::vector<HeatSource> sources(count);
  parallel_ranges(count, 64, [&](int begin, int end) {
    for (int i = begin; i < end; ++i) sources[i] = heat_source(point(mesh.points, i), joints, voxels);
  });
  // Parts of the surface from which no bone is seen, sheets among them, are heated by the nearest of all.
  std::vector<char> heated(count, 0);
  const Components parts = connected_components(mesh);
  std::vector<char> part_heated(parts.parts.size(), 0), in_triangle(count, 0);
  for (int t = 0; t < mesh.triangle_count(); ++t)
    for (const int v : mesh.triangles[t]) in_triangle[v] = 1, part_heated[parts.of_triangle[t]] |= sources[v].seen;
  for (int t = 0; t < mesh.triangle_count(); ++t)
    for (const int v : mesh.triangles[t]) heated[v] |= sources[v].seen || part_heated[parts.of_triangle[t]] == 0;

  report(options.progress, "solving for heat", 0.6);
  SparseSystem system(count, 1);
  Vec M = Vec::Zero(count), MH = Vec::Zero(count);
  const double mean_area = area(mesh) / std::max(1, mesh.triangle_count());
  system.clear();
  assemble_surface(mesh, mean_area, system, M);
  const double least = 1e-4 * bounding_box(mesh.points).diagonal();
  for (int i = 0; i < count; ++i) {
    const double d = std::max(sources[i].distance, least);
    MH[i] = heated[i] != 0 || in_triangle[i] == 0 ? std::max(M[i], 1e-3 * mean_area) / (d * d) : 0;
    system.add_coordinates(std::array{i}, &MH[i]);
  }
  system.finish();
  for (double shift = 0; !system.factor(shift) && shift < 1; shift = std::max(10 * shift, 1e-14)) {
  }
  Mat W = Mat::Zero(count, std::ssize(joints));
  Vec b, w;
  for (int j = 0; j < std::ssize(joints); ++j) {
    b.setZero(count);
    for (int i = 0; i < count; ++i)
      if (std::find(sources[i].joints.begin(), sources[i].joints.end(), j) != sources[i].joints.end())
        b[i] = MH[i] / static_cast<double>(sources[i].joints.size());
    if (b.isZero(0)) continue;
    system.solve(b, w);
    W.col(j) = w.cwiseMax(0);
  }
  return W;
}

}  // namespace rigspace
