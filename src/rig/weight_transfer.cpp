#include "rigspace/rig/weight_transfer.h"

#include "rigspace/base/error.h"
#include "rigspace/base/parallel.h"
#include "rigspace/base/require.h"
#include "rigspace/geometry/closest_point.h"
#include "weight_inpainting.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <string>

namespace rigspace {
namespace {

constexpr double kSmoothingShare = 0.5;  // of a round, half-way to the neighbours

struct ClosestOnBody {
  SurfacePoint at;
  double facing = 0;  // cosine between the garment's normal and the body's
};

std::vector<ClosestOnBody> closest_on_body(const TriMesh& body, const TriMesh& garment) {
  const TriangleTree tree(body);
  const Vec body_normals = vertex_normals(body), normals = vertex_normals(garment);
  std::vector<ClosestOnBody> result(garment.point_count());
  parallel_ranges(garment.point_count(), 64, [&](int begin, int end) {
    for (int i = begin; i < end; ++i) {
      ClosestOnBody& own = result[i];
      own.at = tree.closest(point(garment.points, i));
      Vec3 normal = Vec3::Zero();
      for (int k = 0; k < 3; ++k)
        normal += own.at.barycentric[k] * point(body_normals, body.triangles[own.at.triangle][k]);
      const double size = normal.norm();
      own.facing = point(normals, i).dot(size > 1e-6 ? Vec3(normal / size) : tree.normal(own.at.triangle));
    }
  });
  return result;
}

/// The points of each part that triangles join; points without triangles are parts of their own.
std::vector<std::vector<int>> parts_of_points(const TriMesh& mesh) {
  const Components components = connected_components(mesh);
  std::vector<int> part(mesh.point_count(), -1);
  for (int t = 0; t < mesh.triangle_count(); ++t)
    for (const int v : mesh.triangles[t]) part[v] = components.of_triangle[t];
  std::vector<std::vector<int>> points(components.parts.size());
  for (int i = 0; i < mesh.point_count(); ++i) {
    if (part[i] >= 0)
      points[part[i]].push_back(i);
    else
      points.push_back({i});
  }
  std::erase_if(points, [](const std::vector<int>& own) { return own.empty(); });
  return points;
}

class TrustedPoints {
 public:
  TrustedPoints(const TriMesh& garment, std::span<const ClosestOnBody> closest, const WeightTransferOptions& options)
      : closest_(closest), options_(options), reach_(options.distance * bounding_box(garment.points).diagonal()) {}

  /// Marks the points of one part whose closest points count; where there is none, those that lead a part astray.
  void mark(std::span<const int> part, TransferredWeights& result) const {
    const double agree = std::cos(options_.angle * kDegree);
    int outward = 0, inward = 0;
    for (const int i : part) {
      if (closest_[i].at.distance > reach_) continue;
      outward += closest_[i].facing >= agree, inward += closest_[i].facing <= -agree;
    }
    const bool turned = !options_.either_side && inward > outward;
    result.turned += turned;
    const auto faces = [&](int i) {
      const double facing = turned ? -closest_[i].facing : closest_[i].facing;
      return (options_.either_side ? std::abs(facing) : facing) >= agree;
    };
    int found = 0;
    for (const int i : part) {
      result.trusted[i] = !options_.inpaint || (closest_[i].at.distance <= reach_ && faces(i));
      found += result.trusted[i];
    }
    if (found > 0) return;
    ++result.astray;
    double nearest = 1e300;
    for (const int i : part) nearest = std::min(nearest, closest_[i].at.distance);
    for (const int i : part) result.trusted[i] = closest_[i].at.distance <= nearest;
  }

 private:
  std::span<const ClosestOnBody> closest_;
  const WeightTransferOptions& options_;
  double reach_;
};

std::vector<Influence> kept_influences(const Eigen::Ref<const Eigen::RowVectorXd>& row, std::span<const int> joints,
                                       const WeightTransferOptions& options) {
  std::vector<Influence> list;
  const double largest = row.maxCoeff();
  for (Eigen::Index k = 0; k < row.size(); ++k)
    if (row[k] >= std::min(options.drop_below, largest) && row[k] > 0) list.push_back({joints[k], row[k]});
  if (options.most_influences > 0 && static_cast<int>(list.size()) > options.most_influences) {
    std::stable_sort(list.begin(), list.end(),
                     [](const Influence& a, const Influence& b) { return a.weight > b.weight; });
    list.resize(options.most_influences);
    std::sort(list.begin(), list.end(), [](const Influence& a, const Influence& b) { return a.joint < b.joint; });
  }
  const double sum = std::accumulate(list.begin(), list.end(), 0.0,
                                     [](double total, const Influence& own) { return total + own.weight; });
  for (Influence& own : list) own.weight /= sum;
  return list;
}

void check_body(const SkinnedSurface& body) {
  if (body.surface.triangles.empty())
    throw Error({.code = ErrorCode::usage,
                 .element = "the body",
                 .problem = "has no triangles",
                 .remedy = "weights are carried over from its surface"});
  if (static_cast<int>(body.influences.size()) != body.surface.point_count())
    throw Error({.code = ErrorCode::usage,
                 .element = "the body",
                 .value = std::to_string(body.influences.size()),
                 .problem = "has weights for " + std::to_string(body.influences.size()) + " points of " +
                            std::to_string(body.surface.point_count()),
                 .remedy = "give one list per point"});
}

}  // namespace

void WeightTransferOptions::validate() const {
  require_option(distance > 0, "distance of a weight transfer", distance, "give a share of the diagonal above 0");
  require_option(angle >= 0 && angle <= 90, "angle of a weight transfer", angle, "give 0 to 90 degrees");
  require_option(smoothing >= 0, "smoothing of a weight transfer", smoothing, "give a number of rounds, 0 for none");
  require_option(most_influences >= 0, "most_influences", most_influences, "give 0 for all, or a number");
  require_option(drop_below >= 0 && drop_below < 0.25, "drop_below", drop_below, "give 0 to 0.25");
}

TransferredWeights transfer_weights(const SkinnedSurface& body, const TriMesh& garment,
                                    const WeightTransferOptions& options) {
  options.validate();
  check_body(body);
  garment.validate("the garment");
  std::map<int, int> column;
  for (const std::vector<Influence>& list : body.influences)
    for (const Influence& own : list) column.emplace(own.joint, 0);
  std::vector<int> joints;
  for (auto& [joint, at] : column) at = static_cast<int>(joints.size()), joints.push_back(joint);

  const Weld welded = weld(garment, 1e-9);
  const int count = welded.mesh.point_count();
  const std::vector<ClosestOnBody> closest = closest_on_body(body.surface, welded.mesh);
  TransferredWeights result;
  result.trusted.assign(count, 0);
  const TrustedPoints trusted(welded.mesh, closest, options);
  for (const std::vector<int>& part : parts_of_points(welded.mesh)) trusted.mark(part, result);

  Mat W = Mat::Zero(count, static_cast<Eigen::Index>(joints.size()));
  for (int i = 0; i < count; ++i) {
    if (!result.trusted[i]) continue;
    for (int k = 0; k < 3; ++k)
      for (const Influence& own : body.influences[body.surface.triangles[closest[i].at.triangle][k]])
        W(i, column.at(own.joint)) += closest[i].at.barycentric[k] * own.weight;
    W.row(i) /= W.row(i).sum();
  }
  inpaint_weights(welded.mesh, result.trusted, W);
  result.most_negative = std::max(0.0, -W.minCoeff());
  W = W.cwiseMax(0.0);
  for (Eigen::Index i = 0; i < W.rows(); ++i) W.row(i) /= W.row(i).sum();
  const EdgeTable edges = edge_table(welded.mesh);
  for (int round = 0; round < options.smoothing; ++round) smooth_over_edges(edges, kSmoothingShare, W);

  const std::vector<char> trusted_welded = std::move(result.trusted);
  result.trusted.clear();
  for (const int i : welded.point) {
    result.influences.push_back(kept_influences(W.row(i), joints, options));
    result.trusted.push_back(trusted_welded[i]);
  }
  return result;
}

}  // namespace rigspace
