#pragma once
// What people do to a force rig: templates placed, dragged and changed, shapes fitted, all rigs taken to another
// character. The command line, Python and the studio call these.

#include "rigspace/apps/forces/adaptive_fit.h"
#include "rigspace/apps/forces/forces_file.h"
#include "rigspace/apps/forces/lattice_transfer.h"
#include "rigspace/apps/forces/template_drag.h"

namespace rigspace {

/// A character as flesh, no rigs yet. `mesh`: the name of its file, beside which the force rig will lie.
ForcesFile make_forces_file(Character base, std::string mesh, ForceBodyOptions options = {});
/// After plan.rigs were changed: makes rig and character anew. Throws Error for rigs that are not valid.
void renew_rigs(ForcesFile& file);

/// A template on the joint's bone, at the size of the limb, with a control of its own: `<joint>_<template>`.
ForceRigPart template_on_bone(const ForceBody& body, ForceTemplate kind, const std::string& joint);
/// A template at the place of the skin nearest to `near`, at rest; its control has its name. `radius` in scene units;
/// 0: two and a half cells.
ForceRigPart template_on_skin(const ForceBody& body, ForceTemplate kind, const Vec3& near, std::string name,
                              double radius = 0);
/// `<template>`, or the first of `<template>2`, `<template>3`.. that no rig and no control has.
std::string free_rig_name(const ForcesFile& file, ForceTemplate kind);

/// The rig of this name; throws Error with the names that there are.
ForceRigPart& rig_named(ForcesFile& file, std::string_view name);
/// The sample of a rig that is nearest to its control in the pose p of file.rig.
std::size_t sample_at(const ForcesFile& file, const ForceRigPart& part, In p);
/// Sets a number of a template at a sample: strength, radius, along.. in scene units and radians. Throws Error for a
/// name that it lacks and for values that are not valid, and leaves the rig as it was.
void set_template_number(ForcesFile& file, std::string_view name, std::size_t sample, std::string_view number,
                         double value);

/// A hand on the skin, in one pose: the numbers of one template follow.
class RigDrag {
 public:
  /// `p`: the pose, controls of file.rig; the template's control is taken to the nearest sample that has strength. All
  /// other rigs act. Throws Error for a rig that is no template, and as TemplateDrag does.
  RigDrag(const ForcesFile& file, std::string_view name, Vec p, std::vector<DragTarget> targets);

  /// From where the last one ended.
  DragResult move(std::span<const Vec3> places, const DragOptions& options = {});
  /// The skin as the last `move` left it.
  void surface(Vec& s);
  const Vec& parameters() const { return g_; }
  std::size_t sample() const { return sample_; }
  const std::string& name() const { return name_; }
  /// Into the rig.
  void keep(ForcesFile& file) const;

 private:
  std::string name_;
  TemplateForce force_;
  std::size_t sample_;
  std::shared_ptr<const ForceRig> rig_;
  PosedLattice lattice_;
  Vec others_, g_, start_;
  std::unique_ptr<TemplateDrag> drag_;
};

struct RigFitOptions {
  std::string name = "shape";  ///< of the rig; one of this name is replaced
  std::string control = {};    ///< that brings the shape: none of it at rest, all in the pose; empty: one of its own
  Vec p = {};                  ///< the pose of the target, controls of file.rig; empty: rest
  /// Patterns of controls that are found together with the forces, from p on (fit_pose_and_forces); few.
  std::vector<std::string> free = {};
  AdaptiveFitOptions fit;  ///< tolerance 0: no cell is split
};

struct RigFit {
  SurfaceFit found;
  Vec p;  ///< the pose, controls of the rig that was there
  std::string control;
};

/// Fits forces to a target and adds them to the file's rigs. Throws Error, and leaves the file as it was.
RigFit fit_rig(ForcesFile& file, const TriMesh& target, const RigFitOptions& options);

struct RigTransfer {
  ForcesFile file;
  LatticeMap map;
};

/// All rigs on another character, joints as match_joints has them; `options.joints`: those that are given. `mesh`: the
/// name of its file. Where the mapped lattice cannot be pulled over all of the skin (map.lacking), the character gets a
/// lattice of its own, and displacements are interpolated.
RigTransfer transfer_forces(const ForcesFile& from, Character to, std::string mesh,
                            const LatticeMapOptions& options = {}, const ProgressCallback& progress = {});

}  // namespace rigspace
