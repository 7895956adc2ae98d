#include "rigspace/rig/skin_weights.h"

#include "rigspace/base/error.h"
#include "rigspace/base/parallel.h"
#include "rigspace/base/require.h"
#include "rigspace/geometry/signed_distance.h"
#include "skin_weight_methods.h"
#include "weight_inpainting.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace rigspace {
namespace {

constexpr double kFarBone = 0.5;  // of the mesh's diagonal: a bone farther from its box is not in the body
constexpr double kHalfWay = 0.5;  // of a round of smoothing

constexpr std::array<std::string_view, 5> kMethodNames = {"nearest", "falloff", "heat", "voxels", "biharmonic"};

/// 1 for the joint whose bone is nearest.
Eigen::RowVectorXd nearest_bone_row(const Vec3& x, std::span<const SkinJoint> joints) {
  double best = std::numeric_limits<double>::infinity();
  int found = 0;
  for (int j = 0; j < std::ssize(joints); ++j)
    if (const double d = distance_to_bones(joints[j], x); d < best) best = d, found = j;
  return Eigen::RowVectorXd::Unit(std::ssize(joints), found);
}

Mat nearest_bone_weights(const TriMesh& mesh, std::span<const SkinJoint> joints) {
  Mat W(mesh.point_count(), std::ssize(joints));
  parallel_ranges(mesh.point_count(), 256, [&](int begin, int end) {
    for (int i = begin; i < end; ++i) W.row(i) = nearest_bone_row(point(mesh.points, i), joints);
  });
  return W;
}

/// 1 / d^power, scaled by the smallest distance so that nothing overflows.
Mat falloff_weights(const TriMesh& mesh, std::span<const SkinJoint> joints, double power) {
  Mat W = Mat::Zero(mesh.point_count(), std::ssize(joints));
  const double least = 1e-6 * bounding_box(mesh.points).diagonal();
  parallel_ranges(mesh.point_count(), 256, [&](int begin, int end) {
    for (int i = begin; i < end; ++i) {
      for (int j = 0; j < std::ssize(joints); ++j)
        W(i, j) = std::max(distance_to_bones(joints[j], point(mesh.points, i)), least);
      W.row(i) = (W.row(i).minCoeff() / W.row(i).array()).pow(power);
    }
  });
  return W;
}

/// The joints with those far from the mesh emptied, and a sentence for each.
std::vector<SkinJoint> joints_nearby(const TriMesh& mesh, std::span<const SkinJoint> joints, SkinWeights& result) {
  const Box box = bounding_box(mesh.points);
  const double reach = kFarBone * box.diagonal();
  std::vector<SkinJoint> near(joints.begin(), joints.end());
  int boned = 0, kept = 0;
  std::string far;
  for (SkinJoint& joint : near) {
    if (joint.bones.empty()) continue;
    ++boned;
    std::erase_if(joint.bones, [&](const BoneLine& bone) {
      return squared_distance(bone.from, box.low, box.high) > reach * reach &&
             squared_distance(bone.to, box.low, box.high) > reach * reach;
    });
    if (!joint.bones.empty()) ++kept;
    if (joint.bones.empty()) {
      if (far.empty()) far = joint.name;
      result.warnings.push_back("joint \"" + joint.name +
                                "\" lies outside the mesh, farther than half its size, and gets no weight");
    }
  }
  if (boned == 0)
    throw Error({.element = "the skeleton", .problem = "has no bone", .remedy = "give joints below each other"});
  if (kept == 0)
    throw Error({.element = "joint \"" + far + "\"",
                 .problem = "lies outside the mesh, as all others do",
                 .remedy = "check that skeleton and mesh have the same unit and place"});
  if (kept == 1) result.warnings.emplace_back("only one joint has a bone in the mesh: every point follows it as it is");
  return near;
}

void check_mesh(const TriMesh& mesh) {
  mesh.validate("the mesh");
  const int points = mesh.point_count(), triangles = mesh.triangle_count();
  if (points < 3 || triangles == 0)
    throw Error({.element = "the mesh",
                 .value = std::to_string(points),
                 .problem = "has " + std::to_string(points) + (points == 1 ? " point" : " points") + " and " +
                            std::to_string(triangles) + " triangles",
                 .remedy = "weights need a surface: give a mesh with triangles"});
  if (!(bounding_box(mesh.points).diagonal() > 0))
    throw Error(
        {.element = "the mesh", .problem = "has all its points at one place", .remedy = "give a mesh of some size"});
}

Mat weights_by(const TriMesh& mesh, std::span<const SkinJoint> joints, const SkinWeightOptions& options) {
  switch (options.method) {
    case SkinWeightMethod::nearest: return nearest_bone_weights(mesh, joints);
    case SkinWeightMethod::falloff: return falloff_weights(mesh, joints, options.power);
    case SkinWeightMethod::heat: return heat_weights(mesh, joints, options);
    case SkinWeightMethod::voxels: return voxel_weights(mesh, joints, options);
    case SkinWeightMethod::biharmonic: return biharmonic_weights(mesh, joints, options);
  }
  return {};
}

std::vector<Influence> largest_of(Eigen::Ref<const Eigen::RowVectorXd> row, const SkinWeightOptions& options) {
  std::vector<Influence> list;
  const double sum = row.sum(), largest = row.maxCoeff();
  for (Eigen::Index j = 0; j < row.size(); ++j)
    if (row[j] > 0 && row[j] >= std::min(options.drop_below * sum, largest))
      list.push_back({static_cast<int>(j), row[j]});
  if (std::ssize(list) > options.keep) {
    std::stable_sort(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.weight > b.weight; });
    list.resize(static_cast<std::size_t>(options.keep));
    std::sort(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.joint < b.joint; });
  }
  double kept = 0;
  for (const Influence& each : list) kept += each.weight;
  for (Influence& each : list) each.weight /= kept;
  return list;
}

/// finished_weights of a mesh that is welded.
std::vector<std::vector<Influence>> finish(const TriMesh& welded, Mat& W, const SkinWeightOptions& options) {
  if (options.smoothing > 0) {
    const EdgeTable edges = edge_table(welded);
    for (int round = 0; round < options.smoothing; ++round) smooth_over_edges(edges, kHalfWay, W);
  }
  std::vector<std::vector<Influence>> lists(welded.point_count());
  for (int i = 0; i < welded.point_count(); ++i) lists[i] = largest_of(W.row(i), options);
  return lists;
}

}  // namespace

void SkinWeightOptions::validate() const {
  require_option(keep >= 1, "number of weights that a point keeps", keep, "give 1 or more");
  require_option(drop_below >= 0 && drop_below < 0.25, "smallest weight", drop_below, "give 0 to 0.25");
  require_option(smoothing >= 0 && smoothing <= 1000, "rounds of smoothing", smoothing, "give 0 to 1000");
  require_option(power >= 0.5 && power <= 32, "power of the falloff", power, "give 0.5 to 32");
  require_option(nodes >= 100 && nodes <= 50'000, "number of nodes", nodes, "give 100 to 50000");
  VoxelOptions{.across = voxels}.validate();
}

std::string_view name(SkinWeightMethod method) { return kMethodNames[static_cast<std::size_t>(method)]; }

SkinWeightMethod skin_weight_method(std::string_view name) {
  const auto found = std::find(kMethodNames.begin(), kMethodNames.end(), name);
  if (found == kMethodNames.end())
    throw Error({.code = ErrorCode::usage,
                 .element = "method \"" + std::string(name) + "\"",
                 .value = std::string(name),
                 .problem = "is not known",
                 .remedy = "take nearest, falloff, heat, voxels or biharmonic"});
  return static_cast<SkinWeightMethod>(found - kMethodNames.begin());
}

double distance_to_bones(const SkinJoint& joint, const Vec3& x, Vec3* at) {
  double best = std::numeric_limits<double>::infinity();
  for (const BoneLine& bone : joint.bones) {
    const bool long_enough = (bone.to - bone.from).squaredNorm() > 0;
    const double t = long_enough ? segment_parameter(x, bone.from, bone.to) : 0;
    const Vec3 place = bone.from + t * (bone.to - bone.from);
    const double distance = (place - x).norm();
    if (distance >= best) continue;
    best = distance;
    if (at != nullptr) *at = place;
  }
  return best;
}

std::vector<std::vector<Influence>> finished_weights(const TriMesh& mesh, Mat W, const SkinWeightOptions& options) {
  const Weld welded = weld(mesh);
  Mat own = Mat::Zero(welded.mesh.point_count(), W.cols());
  for (int i = 0; i < mesh.point_count(); ++i) own.row(welded.point[i]) += W.row(i);
  const auto lists = finish(welded.mesh, own, options);
  std::vector<std::vector<Influence>> result(mesh.point_count());
  for (int i = 0; i < mesh.point_count(); ++i) result[i] = lists[welded.point[i]];
  return result;
}

SkinWeights make_skin_weights(const TriMesh& mesh, std::span<const SkinJoint> joints,
                              const SkinWeightOptions& options) {
  options.validate();
  check_mesh(mesh);
  SkinWeights result;
  const std::vector<SkinJoint> near = joints_nearby(mesh, joints, result);
  const Weld welded = weld(mesh);
  Mat W = weights_by(welded.mesh, near, options);
  for (Eigen::Index i = 0; i < W.rows(); ++i)  // what no joint reaches goes to the nearest
    if (!(W.row(i).sum() > 1e-12)) W.row(i) = nearest_bone_row(point(welded.mesh.points, static_cast<int>(i)), near);
  const auto lists = finish(welded.mesh, W, options);
  for (int i = 0; i < mesh.point_count(); ++i) result.influences.push_back(lists[welded.point[i]]);
  return result;
}

}  // namespace rigspace
