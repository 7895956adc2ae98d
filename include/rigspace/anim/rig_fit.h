#pragma once
// The rig of one character on a mesh that has none: joints, weights, controls and clips carried over by a
// correspondence of surfaces (Thesis 7.2).

#include "rigspace/anim/character.h"
#include "rigspace/geometry/body_registration.h"
#include "rigspace/rig/rig_plan.h"
#include "rigspace/rig/skeleton_extraction.h"

#include <map>
#include <span>
#include <string>
#include <vector>

namespace rigspace {

struct RigFitOptions {
  RegistrationOptions registration;
  /// Joints of the template whose place in the mesh is given by hand, scene space: they are landmarks, too.
  std::map<std::string, Vec3> places;
  /// Transforms of the template's bones in the pose that is compared with the mesh, where its rest pose is not the one
  /// in which it was modelled: see reference_pose (parts/reference_pose.h). Empty: the rest pose.
  std::vector<Affine> reference;
  bool symmetric = true;  ///< a symmetric template in a symmetric mesh gets joints that are mirror images
  int keep = 4;           ///< weights of a point at most
  /// Surfaces that stay farther apart than this, root mean square, as a share of the mesh's longest side, are no two
  /// bodies of one kind: Error.
  double most_residual = 0.03;

  void validate() const;
};

struct RigFit {
  Character character;
  RigPlan plan;         ///< that `character.rig` was built from
  double residual = 0;  ///< see BodyRegistration
  double scale = 1;     ///< new lengths against the template's
  int tips = 0;         ///< limbs that were matched
  int template_tips = 0, mesh_tips = 0;
  std::vector<std::string> warnings;  ///< one sentence each: what could not be carried over
};

/// `source`: the template, whose rig `plan` builds. Of `shape` the surface at rest counts; its own rig is left out.
/// Nodes keep their names and hierarchy, and local rotations of clips stay as they are: each limb is turned at rest by
/// what the bodies' poses differ. Translations are scaled by the length of the bone, those of the whole body by how
/// high its first joint stands. IK, constraints, drivers and helpers stay, with targets, poles and pivots at their new
/// places; lengths in their expressions are not scaled. Deformers other than skins, and shapes, are left out. Another
/// heading of the mesh becomes a node "facing" above all others. Throws Error for a template without a skin, a mesh
/// without inside, places of joints that the template does not have, and bodies that do not match.
RigFit fit_rig(const Character& source, const RigPlan& plan, const Character& shape, const RigFitOptions& options = {});

/// The same for characters whose rig is of nodes and skins.
RigFit fit_rig(const Character& source, const Character& shape, const RigFitOptions& options = {});

}  // namespace rigspace
