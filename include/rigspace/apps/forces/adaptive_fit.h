#pragma once
// Forces from a sculpt on a lattice that is made finer where the sculpt is missed (PBR 4.5).

#include "rigspace/apps/forces/adaptive_body.h"
#include "rigspace/apps/forces/surface_fit.h"

namespace rigspace {

struct AdaptiveFitOptions {
  double tolerance = 0;  ///< epsilon: points of the skin that miss by more have the basis made finer, scene units
  int levels = 2;        ///< of functions above those of the whole lattice, at most
  int rounds = 8;        ///< of fits, at most
  SurfaceFitOptions fit;

  void validate() const;
};

struct AdaptiveFit {
  struct Round {
    int unknowns, cells;
    double after;  ///< root mean square distance of the chosen points, scene units
    int missed;    ///< points farther off than the tolerance
  };
  SplitLattice lattice;
  std::shared_ptr<const ForceBody> body;
  SurfaceFit fit;  ///< on that body
  std::vector<Round> rounds;
};

/// Fits; activates the functions of the next level nearest to each point that is missed; and again, until none is
/// missed or the levels are used up.
AdaptiveFit fit_adaptively(const AdaptiveBody& bodies, std::span<const Affine> joints, const TriMesh& target,
                           const AdaptiveFitOptions& options);

/// As rig_of_fit, with what is split.
ForceRigPart rig_of_fit(std::string name, std::string control, double none_at, double at, const AdaptiveFit& fit);

}  // namespace rigspace
