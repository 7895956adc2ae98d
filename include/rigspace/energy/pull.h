#pragma once
// Springs of zero length from points of a body to targets in space:  E(x) = sum_k s_k/2 |sum_a w_ka x_a - t_k|^2.

#include "rigspace/optimize/energy.h"

#include <array>
#include <memory>
#include <span>
#include <vector>

namespace rigspace {

/// A point, or an affine combination of up to four: on an edge, in a triangle or a tet by barycentric weights. Unused
/// places have the weight 0 and may name any point.
struct Anchor {
  std::array<int, 4> points = {0, 0, 0, 0};
  std::array<double, 4> weights = {1, 0, 0, 0};
};

struct Pull {
  Anchor anchor;
  Vec3 target = Vec3::Zero();  ///< m
  double stiffness = 1;        ///< N/m, zero or more
};

/// Each pull is an element.
class Pulls final : public Energy {
 public:
  /// For bodies of `points` points; throws Error for an anchor outside them or a bad stiffness.
  Pulls(int points, std::vector<Pull> pulls);

  void set_target(int pull, const Vec3& target) { pulls_[static_cast<std::size_t>(pull)].target = target; }
  void set_stiffness(int pull, double stiffness);
  const std::vector<Pull>& pulls() const { return pulls_; }
  /// Where the anchor of a pull is.
  Vec3 position(In x, int pull) const;

  double value(const State&, In x) const override;
  void add_gradient(const State&, In x, double weight, Vec& g) const override;
  void add_hessian(const State&, In x, double weight, HessianMode, BlockSink&) const override;
  int element_count() const override { return static_cast<int>(pulls_.size()); }
  std::unique_ptr<Energy> sampled(std::span<const WeightedElement>) const override;
  std::span<const int> support() const override { return support_; }

 private:
  int points_;
  std::vector<Pull> pulls_;
  std::vector<int> support_;
};

}  // namespace rigspace
