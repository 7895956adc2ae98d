#include "rigspace/base/parallel.h"
#include "skin_weight_methods.h"

#include <algorithm>
#include <cmath>

namespace rigspace {
namespace {

// A joint reaches no farther than where others are so many times nearer: 1 / 6^power of the weight is nothing.
constexpr double kReach = 6;

/// Where a point stands among the voxels: those around it with the way to their centres.
struct Footing {
  std::vector<std::pair<int, double>> voxels;
};

Footing footing_of(const SolidVoxels& voxels, const Vec3& x) {
  Footing result;
  const int own = voxels.nearest(x);
  result.voxels.emplace_back(own, (voxels.center(own) - x).norm());
  for (const SolidVoxels::Link& link : voxels.links(own))
    if (link.length < 2 * voxels.cell()) result.voxels.emplace_back(link.to, (voxels.center(link.to) - x).norm());
  return result;
}

std::vector<std::pair<int, double>> seeds_of(const SolidVoxels& voxels, const SkinJoint& joint) {
  std::vector<std::pair<int, double>> seeds;
  for (const BoneLine& bone : joint.bones)
    for (const auto& seed : voxels.along(bone.from, bone.to)) seeds.push_back(seed);
  return seeds;
}

}  // namespace

Mat voxel_weights(const TriMesh& mesh, std::span<const SkinJoint> joints, const SkinWeightOptions& options) {
  report(options.progress, "making voxels", 0);
  const SolidVoxels voxels(mesh, {.across = options.voxels});
  const int count = mesh.point_count(), joint_count = static_cast<int>(joints.size());
  std::vector<Footing> footing(count);
  parallel_ranges(count, 64, [&](int begin, int end) {
    for (int i = begin; i < end; ++i) footing[i] = footing_of(voxels, point(mesh.points, i));
  });
  std::vector<std::vector<std::pair<int, double>>> seeds;
  std::vector<std::pair<int, double>> all;
  for (const SkinJoint& joint : joints) {
    seeds.push_back(seeds_of(voxels, joint));
    all.insert(all.end(), seeds.back().begin(), seeds.back().end());
  }
  const Vec limit = (kReach * voxels.distances(all)).array() + 4 * voxels.cell();
  report(options.progress, "finding ways through the body", 0.3);
  Mat D = Mat::Constant(count, joint_count, SolidVoxels::kFar);
  parallel_ranges(joint_count, 1, [&](int begin, int end) {
    for (int j = begin; j < end; ++j) {
      if (seeds[j].empty()) continue;
      const Vec distance = voxels.distances(seeds[j], &limit);
      for (int i = 0; i < count; ++i) {
        for (const auto& [v, way] : footing[i].voxels) D(i, j) = std::min(D(i, j), distance[v] + way);
        // Ways along voxels have corners; where the bone is seen the straight way is the shortest.
        if (D(i, j) == SolidVoxels::kFar) continue;
        Vec3 at;
        const double straight = distance_to_bones(joints[j], point(mesh.points, i), &at);
        D(i, j) = voxels.sees(point(mesh.points, i), at) ? straight : std::max(D(i, j), straight);
      }
    }
  });
  const double least = 1e-6 * bounding_box(mesh.points).diagonal();
  for (int i = 0; i < count; ++i) {
    const Eigen::ArrayXd own = D.row(i).transpose().array().max(least);
    D.row(i) = (own.minCoeff() / own).pow(options.power).matrix().transpose();
  }
  return D;
}

}  // namespace rigspace
