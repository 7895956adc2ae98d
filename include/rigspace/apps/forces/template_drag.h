#pragma once
// Direct manipulation: points of the skin are dragged, and the parameters of a template follow (PBR 4.2.2).

#include "rigspace/apps/forces/force_rigs.h"
#include "rigspace/apps/forces/posed_lattice.h"
#include "rigspace/base/progress.h"
#include "rigspace/optimize/summary.h"

#include <span>

namespace rigspace {

struct DragTarget {
  int point;   ///< of the skin
  Vec3 place;  ///< where it should go, in the pose, scene units
};

struct DragOptions {
  double prior = 1e-3;           ///< xi of (19), of all parameters in their ordinary changes, in edges of a cell
  std::vector<char> fixed = {};  ///< 1 for parameters that stay; empty: none
  int max_iterations = 40;
  double tolerance = 1e-3;  ///< of the gradient, relative to what it is at the start

  void validate(int parameters) const;
};

struct DragResult {
  Vec parameters;
  Summary summary;
  double before = 0, after = 0;  ///< root mean square distance of the points from their targets, scene units
};

/// C(g) = sum_j |p_j(q(g)) - p_j^|^2 + sum_j (xi_j (g0_j - g_j))^2  (17 to 19), minimised by L-BFGS-B. In one pose the
/// points are linear in the forces,  p = p_0 + W Q,  W = (A^-1 E^T)^T R  with E the points' rows of the lattice, so
/// that W is computed once, three solves a point. Then  dC/dg = (W^T dC/dp)^T dQ/dg  (20) takes no solve, only the
/// integrals of the template.
class TemplateDrag {
 public:
  /// More points than these take one solve a shape and one a gradient in place of W.
  static constexpr int kResponsePoints = 64;

  /// The pose is that of `lattice`, which must stay as it is; `others`: Q of all other rigs, empty for none. Throws
  /// Error for a point that is not there, and for one point dragged to two places.
  TemplateDrag(PosedLattice& lattice, TemplateForce force, std::vector<DragTarget> targets, Vec others = {});

  /// The hand moved: where the targets' points should go now, in the order that they were given.
  void move(std::span<const Vec3> places);

  /// With `preferred` as g0.
  double cost(In g, In preferred, const DragOptions& options, Vec& gradient);
  DragResult solve(In start, const DragOptions& options = {}, const ProgressCallback& progress = {});
  /// Ordinary changes of the parameters: what the solver counts in.
  Vec typical(In g) const;
  double distance(In g);

 private:
  void respond();
  double miss_at(In g);
  void pull_miss(Vec& v);

  PosedLattice* lattice_;
  TemplateForce force_;
  std::vector<DragTarget> targets_;
  HexEmbedding points_;
  Vec others_, Q_, y_, miss_;
  Mat response_;  ///< W; empty: of too many points
  Vec still_;     ///< p_0, under `others` alone
};

}  // namespace rigspace
