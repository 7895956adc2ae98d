#pragma once
// Rig-space materials (RSP 5): an animator says how stiff each control is to be, relative to a homogeneous body; what
// comes out is a factor on the material of every element.

#include "rigspace/body/rig_space.h"
#include "rigspace/energy/material.h"
#include "rigspace/geometry/tet_mesh.h"

#include <span>
#include <string>
#include <vector>

namespace rigspace {

/// A body in rig space at rest: the mesh's points are the nodes of the map, unstressed.
struct ControlledBody {
  RigSpaceDescription map;  ///< interior nodes follow statically; held ones stay
  TetMesh mesh;
  Material material = {};
};

/// A pose in which the body is unstressed too, as when it follows an animation.
struct ControlledPose {
  Vec p;  ///< all controls
  Vec x;  ///< all nodes, flattened, scene units
};

/// The stiffness of the free controls, H_pp = sum_e mu_e U_e^T H_e U_e at rest: U = [-K_nn^-1 K_ns J; J] moves the
/// interior so that no force is left on it. Factors mu_e, one an element, are 1 if empty. In joules per control units.
Mat control_hessian(const ControlledBody& body, std::span<const double> factors = {});

struct ControlStiffnessOptions {
  /// Least factor, of the smallest scale asked for, or of 1 if all are above. Where not all can be met, lower floors
  /// buy the stiffness of one control with softness that nobody asked for.
  double floor = 0.8;
  double ceiling = 4;            ///< largest factor, of the largest scale, or of 1 if all are below
  double regularisation = 1e-5;  ///< of (mu_e / m_e - 1)^2, its mean over the volume: independent of mesh and units
  double tolerance = 0.05;       ///< relative: a control nearer than this to what was asked is feasible
  double accuracy = 1e-3;        ///< of stiffnesses: settled when another round changes none by more
  int max_rounds = 30;
  std::vector<ControlledPose> poses;  ///< beside the rest pose; the equations of all are stacked

  void validate() const;
};

struct ScaledControl {
  int control = 0;      ///< of the rig
  double asked = 1;     ///< of its stiffness in the homogeneous body
  double achieved = 1;  ///< H_pp(mu) over H_pp(1), anew with the final factors; the mean over the poses
  bool resists = true;  ///< otherwise nothing is strained by it, and no material makes it stiff or soft
  bool feasible = true;
};

struct ControlStiffness {
  std::vector<double> factors;          ///< mu_e, one an element
  std::vector<ScaledControl> controls;  ///< those that are free, in order
  int rounds = 0;
  bool settled = true;
  bool from_cache = false;  ///< from an earlier run, not fitted now

  bool feasible() const;
};

/// Factors for one scale S_i > 0 per free control. What is asked for is sqrt(S) H_pp(1) sqrt(S), which is symmetric
/// where S H_pp of RSP (6) is not: p (p + 1) / 2 equations, each over sqrt(H_ii H_jj), less those of controls that the
/// homogeneous body does not couple (below 2 % of that), by least squares within the bounds. The regulariser holds each
/// factor at m_e, the geometric mean of the scales by the element's share in each control's stiffness (RSP's holds them
/// at 1): so the same scale for all controls gives a homogeneous body.
///
/// U depends on mu_e, so the equations are linear for frozen U alone. H_pp is the minimum over the interior, so that
/// dH_pp/dmu_e = U_e^T H_e U_e: the linear problem at the present U is the Gauss-Newton step of the true one, and it is
/// taken as far as it lowers the true residual, until it settles. There are thousands of elements and few equations, so
/// each linear problem is solved through its dual: with y the residual of the equations and b_e an element's column,
/// mu_e = m_e + m_e^2 b_e . y / (r v_e) within the bounds, v_e the share of the volume, and y is found by Newton's
/// method, a system of the equations' size.
///
/// A control that no stiffness resists (it moves the body as a whole, or not at all) is left out of the equations.
/// Throws Error for scales that are not positive or not as many as free controls.
ControlStiffness control_stiffness(const ControlledBody& body, std::span<const double> scales,
                                   const ControlStiffnessOptions& options = {});

/// "p4: asked 10, reached 6.9; no material gives all of it together": of all controls that were asked for anything but
/// 1, or miss it.
std::string stiffness_in_words(const ControlStiffness& stiffness, std::span<const Control> controls);

}  // namespace rigspace
