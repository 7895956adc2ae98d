#pragma once
// Rig-space materials (RSP 5): an animator sets how stiff each control is, relative to a homogeneous body; the result
// is a factor on the stiffness of each element that achieves it.

#include "rigspace/base/progress.h"
#include "rigspace/body/rig_space.h"
#include "rigspace/energy/material.h"
#include "rigspace/geometry/tet_mesh.h"

#include <span>
#include <string>
#include <vector>

namespace rigspace {

/// A body in rig space at rest: the points of the mesh are the nodes of the map, without stress.
struct ControlledBody {
  RigSpaceDescription map;  ///< interior nodes are in static balance; held nodes do not move
  TetMesh mesh;
  Material material = {};
};

/// Another pose, in which the body is taken to be without stress as well, as when it follows an animation.
struct ControlledPose {
  Vec p;  ///< all controls
  Vec x;  ///< all nodes, flattened, scene units
};

/// The stiffness of the free controls at rest, H_pp = sum_e mu_e U_e^T H_e U_e, in J per product of control units.
/// U = [-K_nn^-1 K_ns J; J] moves the interior nodes with the controls so that no force is left on them. `factors`:
/// mu_e, one an element; empty: 1.
Mat control_hessian(const ControlledBody& body, std::span<const double> factors = {});

struct ControlStiffnessOptions {
  /// Smallest factor on an element, as a multiple of the smallest requested scale, or of 1 if that is larger than 1. A
  /// lower floor would, where not all scales can be met, stiffen one control by softening elements of others.
  double floor = 0.8;
  double ceiling = 4;            ///< largest factor, of the largest scale, or of 1 if all are below
  double regularisation = 1e-5;  ///< of (mu_e / m_e - 1)^2, its mean over the volume: independent of mesh and units
  double tolerance = 0.05;       ///< relative: a control nearer than this to its requested scale is feasible
  double accuracy = 1e-3;        ///< of stiffnesses: settled when another round changes none by more
  int max_rounds = 30;
  ProgressCallback progress = {};     ///< of the rounds; Cancelled is thrown when it returns false
  std::vector<ControlledPose> poses;  ///< beside the rest pose; the equations of all are stacked

  void validate() const;
};

struct ScaledControl {
  int control = 0;       ///< of the rig
  double asked = 1;      ///< requested stiffness, as a multiple of that in the homogeneous body
  double achieved = 1;   ///< H_ii(mu) / H_ii(1) with the final factors, the mean over the poses
  bool resists = true;   ///< false: the control strains no element, so that no material makes it stiff or soft
  bool feasible = true;  ///< `achieved` is within the tolerance of `asked`; without resistance: `asked` is 1
};

struct ControlStiffness {
  std::vector<double> factors;          ///< mu_e, one an element
  std::vector<ScaledControl> controls;  ///< the free controls, in order
  int rounds = 0;
  bool settled = true;      ///< false: max_rounds ended the fit
  bool from_cache = false;  ///< read from the cache, not fitted now

  bool feasible() const;
};

/// Factors mu_e for one scale S_i > 0 per free control. The target is sqrt(S) H_pp(1) sqrt(S), which is symmetric,
/// while S H_pp of RSP (6) is not. Its p (p + 1) / 2 entries are the equations, each divided by sqrt(H_ii H_jj);
/// entries that are below 2 % of that in the homogeneous body are left out. They are solved by least squares within the
/// bounds. The regulariser pulls each factor to m_e, the geometric mean of the scales, weighted by the element's share
/// in each control's stiffness (in RSP: to 1), so that equal scales for all controls give a homogeneous body.
///
/// U depends on mu, so the equations are linear in mu only for fixed U. H_pp is a minimum over the interior nodes,
/// hence dH_pp/dmu_e = U_e^T H_e U_e: the linear problem at the present U is the Gauss-Newton step of the nonlinear
/// one. Each step is shortened until it lowers the nonlinear residual. There are thousands of elements and few
/// equations, so each linear problem is solved in its dual: with y the residual of the equations, b_e the column and
/// v_e the share of the volume of an element, and r the regularisation, mu_e = m_e + m_e^2 b_e . y / (r v_e), clamped
/// to the bounds. y is found by Newton's method, in a system of the size of the equations.
///
/// A control with ScaledControl::resists false (it moves the body rigidly, or not at all) has no equations.
/// Throws Error for scales that are not positive or not as many as free controls.
ControlStiffness control_stiffness(const ControlledBody& body, std::span<const double> scales,
                                   const ControlStiffnessOptions& options = {});

/// "p4: asked 10, reached 6.9; no material gives all of it together". Lists the controls with a scale other than 1 and
/// those that are not feasible.
std::string stiffness_in_words(const ControlStiffness& stiffness, std::span<const Control> controls);

}  // namespace rigspace
