#pragma once
// A clip played with forces, and its result in files.

#include "rigspace/anim/worn_piece.h"
#include "rigspace/apps/forces/adaptive_simulation.h"
#include "rigspace/apps/forces/forces_file.h"
#include "rigspace/base/progress.h"

namespace rigspace {

struct ForcePlayOptions {
  double rate = 24;                   ///< frames a second
  bool dynamic = true;                ///< false: static equilibrium in every frame
  bool creases = false;               ///< skin that meets itself in the clip is held apart; in motion alone
  ForceSimulationOptions simulation;  ///< its step is made a whole share of a frame, never longer
  Vec pose;                           ///< controls that the clip leaves alone; empty: at rest
};

struct ForceMotion {
  std::vector<double> times;  ///< s, from 0
  std::vector<Vec> frames;    ///< all points of the rig, flattened
  int steps = 0;
  int seeds = 0, contacts = 0;  ///< of creases: pairs that met first, and the most points held apart at a time
  int unsettled = 0;            ///< steps whose active set was not final
};

/// From equilibrium at the clip's start to its end. Throws Cancelled.
ForceMotion play_forces(std::shared_ptr<const ForceRig> rig, const Animation& clip,
                        const ForcePlayOptions& options = {}, const ProgressCallback& progress = {});

/// The same with cells split only while a rig needs it.
ForceMotion play_forces(std::shared_ptr<const AdaptiveBody> bodies, const std::vector<ForceRigPart>& parts,
                        const Animation& clip, const ForcePlayOptions& options = {},
                        const ProgressCallback& progress = {});

struct PlayedGlb {
  int shapes = 0;    ///< morph targets, of all pieces
  double error = 0;  ///< largest distance of a point from the motion at its frames, scene units
};

/// The character's own file with its meshes replaced by ones on the same joints whose morph targets give the motion.
PlayedGlb write_forces_glb(const std::filesystem::path& base, const ForceRig& rig, const std::string& clip,
                           const ForceMotion& motion, const std::filesystem::path& output,
                           const WornOptions& options = {});

}  // namespace rigspace
