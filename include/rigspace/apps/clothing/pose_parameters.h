#pragma once
// Few numbers that say how a body is posed, for its clothes: principal components of the skinned garment (Thesis 6.2 to
// 6.4), so that distance is difference in shape whatever controls the rig has.

#include "rigspace/apps/clothing/worn_skin.h"
#include "rigspace/base/types.h"

#include <span>
#include <vector>

namespace rigspace {

struct PoseParameterOptions {
  int dimensions = 0;             ///< u; 0: chosen by the two below (the Thesis has 4 for all)
  double variance = 0.95;         ///< as many dimensions as explain this share,
  double least_deviation = 0.05;  ///< none with a smaller standard deviation than this share of the first
  int most_dimensions = 8;

  void validate() const;
};

/// z(x) = D^-1 U^T (x - mean), D the standard deviations: every dimension varies by 1 over the examples, which 6.2.2
/// asks for and (6.4) as printed does not do; centred, unlike (6.4). Constants alone once fitted.
class PoseParameters {
 public:
  PoseParameters() = default;
  /// `shapes`: one skinned garment a column (6.2), root motion removed. Throws Error if there are fewer than two
  /// different ones.
  PoseParameters(const Mat& shapes, const PoseParameterOptions& options = {});
  /// As they were stored.
  PoseParameters(Vec mean, Mat axes, Vec deviations, double explained);

  int dimensions() const { return static_cast<int>(deviations_.size()); }
  Vec position(In shape) const;
  const Vec& mean() const { return mean_; }
  const Mat& axes() const { return axes_; }              ///< U, 3n x u, orthonormal
  const Vec& deviations() const { return deviations_; }  ///< descending, unit of the shapes times sqrt(n)
  double explained() const { return explained_; }        ///< share of the variance, 0 to 1

 private:
  Vec mean_, deviations_;
  Mat axes_;
  double explained_ = 0;
};

/// Transforms of the joints relative to one of them: C_j <- C_root^-1 C_j. -1 leaves them.
void remove_root_motion(int root, std::vector<Affine>& C);

}  // namespace rigspace
