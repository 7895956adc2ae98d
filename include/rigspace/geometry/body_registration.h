#pragma once
// One body deformed onto another one of its kind, in another pose and of another build: where each place of the first
// is in the second.

#include "rigspace/base/progress.h"
#include "rigspace/geometry/body_tips.h"
#include "rigspace/geometry/deformation_graph.h"

#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace rigspace {

/// A point evenly spread over a surface.
struct SurfaceSample {
  int triangle = 0;
  Vec3 barycentric = Vec3::Zero();
  Vec3 position = Vec3::Zero();
  Vec3 normal = Vec3::Zero();  ///< of the triangle, unit length
};
/// The same ones on every run; about as many to each unit of area.
std::vector<SurfaceSample> spread_samples(const TriMesh& mesh, int count);

struct RegistrationOptions {
  int voxels = 64;      ///< along the longest side of each body
  int nodes = 260;      ///< of the deformation
  int samples = 1600;   ///< of each surface
  double least = 0.12;  ///< shorter limbs are no landmarks, see find_body_tips
  /// About the vertical, degrees, from the first body's heading to the second one's; none: 0, 90, 180 and 270 are
  /// tried.
  std::optional<double> heading;
  /// Places of the first body and where they are in the second, given by hand.
  std::vector<std::pair<Vec3, Vec3>> landmarks;
  ProgressCallback progress;

  void validate() const;
};

/// Places of the first body in the second one. Y is up in both.
class BodyRegistration {
 public:
  /// Bodies are welded surfaces that face outward. Tips of limbs are matched (places, lengths, ways between them), then
  /// nodes within the first body are moved by Gauss and Newton, from stiff to soft:
  ///
  ///   sum_edges |s_i R_i (g_j - g_i) - (p_j - p_i)|^2 / |g_j - g_i|^2  +  landmarks  +  closest points, both ways
  ///
  /// Throws Error if either body has no inside.
  BodyRegistration(const TriMesh& from, const TriMesh& to, const RegistrationOptions& options);

  Vec3 operator()(const Vec3& x) const { return unit_ * (*graph_)(x) + origin_; }
  /// How the body turns at a place, scene axes.
  Mat3 turn(const Vec3& x) const { return graph_->turn(graph_->weights_at(x)); }
  /// Where the first alignment, a similarity, takes a place: for what stands beside the body.
  Vec3 aligned(const Vec3& x) const { return scale_ * (facing_ * x) + shift_; }
  const Mat3& facing() const { return facing_; }  ///< about the vertical
  double scale() const { return scale_; }

  /// Pairs of tips: of the first body, of the second one.
  const std::vector<std::pair<int, int>>& matches() const { return matches_; }
  const BodyTips& from_tips() const { return from_tips_; }
  const BodyTips& to_tips() const { return to_tips_; }
  const SolidVoxels& from_voxels() const { return *from_voxels_; }
  const SolidVoxels& to_voxels() const { return *to_voxels_; }

  /// Root mean square distance of the deformed first surface from the second one, and back, the farthest tenth of each
  /// left out, as a share of `size`.
  double residual() const { return residual_; }
  double size() const { return unit_; }  ///< the longest side of the second body's box, scene units

 private:
  std::shared_ptr<const SolidVoxels> from_voxels_, to_voxels_;
  std::shared_ptr<DeformationGraph> graph_;  // to the second body, with its size as unit, from origin_
  BodyTips from_tips_, to_tips_;
  std::vector<std::pair<int, int>> matches_;
  Mat3 facing_ = Mat3::Identity();
  double scale_ = 1, unit_ = 1, residual_ = 0;
  Vec3 shift_ = Vec3::Zero(), origin_ = Vec3::Zero();
};

}  // namespace rigspace
