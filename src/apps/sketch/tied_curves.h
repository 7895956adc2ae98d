#pragma once
// An abstraction tied to its character's rig: curves as places on a few points, and what priors read of the surface.

#include "kept_jacobian.h"
#include "match_solver.h"
#include "rigspace/apps/sketch/sketch_poser.h"
#include "rigspace/geometry/representatives.h"

#include <memory>
#include <vector>

namespace rigspace {

class TiedCurves {
 public:
  /// In the pose p. The surface's representatives are taken from `former`, of the same character, where that is given.
  TiedCurves(const Character& character, const SketchAbstraction& abstraction, In p, const SketchOptions& options,
             const TiedCurves* former = nullptr);

  /// The pose before the strokes: where priors hold to, and controls that are not free stay.
  void start_at(In p);

  /// x of the points, in a pose.
  const Vec& points_at(In p) { return solver->points_at(solver->coordinates(p)); }

  /// (5.11) and (5.12) as means over the area, at the pose before the strokes; lengths in sizes of the character. The
  /// rig is linearised there: K = J^T M J, with the rows of the representatives alone. `drawn`: of each curve, whether
  /// a stroke stands for it.
  const Mat& surface_prior(const std::vector<char>& drawn, const Camera& camera, double size,
                           const SketchOptions& options);

  /// Of a black box the poses that it was evaluated in; else poses and Jacobians of the points.
  long evaluations() const { return box ? *box->counter() : counted + solver->evaluations(); }

  std::shared_ptr<const Rig> rig;        ///< the character's, extended by points that bones carry
  std::shared_ptr<KeptJacobianRig> box;  ///< of a black box the points with their Jacobian; else none
  std::vector<int> points;               ///< of `rig`, ascending: those of the curves; of a black box the surface's too
  std::vector<CharacterCurve> curves;    ///< on these
  SketchControls controls;
  std::unique_ptr<MatchSolver> solver;
  long counted = 0;  ///< evaluations of former ones

 private:
  bool moves_curves() const;
  void add_places(const Character& character, const SketchAbstraction& abstraction);

  std::vector<Representative> surface_;
  std::vector<int> surface_rows_;           // of surface_jacobian_, of each representative
  std::shared_ptr<const Rig> surface_rig_;  // restricted to the representatives; none of a black box
  Vec p_start_, surface_start_;             // where they are before the strokes
  BlockJacobian surface_jacobian_;
  std::vector<char> prior_drawn_;  // what prior_ was found for
  Mat prior_;
};

}  // namespace rigspace
