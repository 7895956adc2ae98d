#pragma once
// The energies of one step of a body in rig space, and how they enter an objective.

#include "rigspace/body/stepped_body.h"
#include "rigspace/energy/damping.h"
#include "rigspace/energy/gravity.h"
#include "rigspace/energy/limit.h"
#include "rigspace/energy/momentum.h"
#include "rigspace/energy/rods.h"
#include "rigspace/energy/solid.h"
#include "rigspace/optimize/objective.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace rigspace {

/// f(q) = sum of these, with x the nodes and q = (interior nodes, free controls). Targets, keys and forces of a step
/// are set on the terms themselves; until then they are 0. An objective refers to the terms: they stay where they are
/// made.
class StepTerms {
 public:
  /// `x_rest`: all nodes, the shape of the flesh without stress. `first_control`: the place of the first free control
  /// in q, a multiple of three. The body is not referred to.
  StepTerms(const SteppedBody& body, In x_rest, MaterialKind material, int first_control);
  StepTerms(const StepTerms&) = delete;
  StepTerms& operator=(const StepTerms&) = delete;

  std::vector<Momentum> momenta;            ///< one a group of masses
  std::optional<Solid> solid;               ///< of bodies with tetrahedra
  std::optional<Damping> damping;           ///< of a solid with stiffness damping
  std::optional<Rods> rods;                 ///< on the free controls
  std::optional<CoordinatePrior> springs;   ///< on each free control
  std::optional<CoordinatePrior> coupling;  ///< between free controls
  std::optional<Limit> limit;               ///< of each three free controls, on q
  std::optional<Limit> reach_limit;         ///< of each node that is not held
  Load load;                                ///< forces on the nodes

  /// All of them, in the order above. The order is that of the sums, so that results keep their bits.
  void add_to(Objective& objective) const;
  /// What stores energy by deforming: the solid, with what couples its controls, and the rods.
  void add_elastic_to(Objective& objective) const;

  // Other numbers on the same nodes and controls, where a term exists. Targets are then 0 until they are set.
  /// Stiffness of flesh, rods, springs and coupling. `from`: the body that they were set from last.
  void set_stiffness(const SteppedBody& from, const SteppedBody& to);
  void set_springs(const Vec& stiffness);  ///< per free control
  void set_coupling(const Mat& stiffness);
  void set_limits(std::span<const double> limits, double stiffness);
  void set_reach_limit(double farthest, double stiffness);  ///< scene units, of any node

 private:
  int first_control_;
  std::vector<std::string> names_;    // of the groups
  std::vector<double> reach_limits_;  // scratch: one a node that is not held
};

}  // namespace rigspace
