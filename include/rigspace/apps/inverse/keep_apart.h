#pragma once
// Pieces of a character that stay out of others while a motion is mapped onto it (IRM figure 8: the squirrel's teeth
// and its chest).

#include "rigspace/apps/inverse/inverse_model.h"
#include "rigspace/energy/collider.h"

#include <array>
#include <span>
#include <string>
#include <vector>

namespace rigspace {

struct KeepApartOptions {
  double gap = 0.003;   ///< share of the size: as far as points are kept from the surface
  double near = 0.05;   ///< the same: what of the surface is nearer than this to the pieces at rest does not count
  double reach = 0.15;  ///< the same: deeper than this nothing is found
  double weight = 30;   ///< of the mean squared depth, beside that of the features' mean squared distance
  int max_iterations = 20;
  int most_points = 300;  ///< of the pieces that are kept out

  void validate() const;
};

/// After the refinement of a frame, where points are too deep:
///
///   min  |x(y) - x*|^2 / (j size^2) + w/m (y - y*)^T C^-1 (y - y*) + weight/n sum_i max(0, gap - d_i(y) / size)^2
///
/// d_i = n . (x_i - s) is the distance of a point of the pieces from the nearest place s on the others' surface, which
/// moves too; n and the place are found anew at each step. Gauss-Newton steps with a line search, within limits. One
/// thread at a time.
class KeepApart {
 public:
  /// Pieces by patterns. Throws Error for one that matches none, and where nothing of the surface is far enough from
  /// the pieces at rest. The character must outlive this.
  KeepApart(const Character& character, std::span<const std::string> pieces, std::span<const std::string> from,
            const KeepApartOptions& options = {});

  /// Share of the size: how deep the deepest point is behind the surface; 0: none.
  double depth(In p) const;
  /// `x`: the targets that the pose was found for. Sets y, p and joint_error; false if the pose was left as it is.
  bool refine(const InverseModel& model, In x, const RefineOptions& refinement, InversePose& pose) const;

 private:
  struct Found;  // what of the character counts
  struct Place {
    int point = 0;                 // of the pieces, in points_
    std::array<int, 3> corners{};  // of the surface, in points_
    Vec3 weights = Vec3::Zero(), normal = Vec3::Zero();
    double gap = 0;  // share of the size
  };
  KeepApart(const Character& character, const KeepApartOptions& options, Found found);
  /// Points that are nearer than options_.gap, or behind, in this shape of points_.
  std::vector<Place> places(In x) const;
  /// The mean squared depth.
  double cost(const std::vector<Place>& found) const;

  KeepApartOptions options_;
  FeatureRig points_;                // of the pieces and of the surface
  std::vector<int> kept_out_;        // of these, of the pieces
  std::vector<Triangle> triangles_;  // of the surface, by points_
  double size_ = 1;                  // of the character at rest
  mutable SidedMesh surface_;
};

}  // namespace rigspace
