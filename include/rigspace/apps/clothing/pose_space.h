#pragma once
// Where a pose lies among those of a training set (Thesis 6.2.2, 6.2.3): two poses are near if the shapes that they
// give the garment are near, whatever controls made them.

#include "rigspace/base/types.h"

#include <vector>

namespace rigspace {

struct PoseSpaceOptions {
  double variance = 0.95;  ///< of the shapes, that the axes keep: this chooses how many there are,
  int most_axes = 8;       ///< at most so many
  int most_points = 1000;  ///< of the garment that are looked at: skinned shapes are smooth

  void validate() const;
};

/// z(s) = L^-1 U^T (a(s) - mean): a(s) the shape without its root motion (turned and moved as near as it can be to the
/// first one), U the principal axes of the training shapes, L their standard deviations, so that all axes count alike.
class PoseSpace {
 public:
  PoseSpace() = default;
  /// `shapes`: the garment as its skin gives it, one flattened column a training pose. Throws Error if there are none.
  explicit PoseSpace(const Mat& shapes, const PoseSpaceOptions& options = {});
  /// As stored: see below.
  PoseSpace(std::vector<int> points, Vec reference, Vec mean, Mat axes);

  int dimensions() const { return static_cast<int>(axes_.cols()); }
  /// Of a shape of the whole garment.
  Vec place(In shape) const;

  // What it consists of, for files.
  const std::vector<int>& points() const { return points_; }  ///< of the garment, that are looked at
  const Vec& reference() const { return reference_; }         ///< those, in the shape that others are turned to
  const Vec& mean() const { return mean_; }
  const Mat& axes() const { return axes_; }  ///< U L^-1

 private:
  Vec without_root_motion(In shape) const;

  std::vector<int> points_;
  Vec reference_, mean_;
  Mat axes_;
};

}  // namespace rigspace
