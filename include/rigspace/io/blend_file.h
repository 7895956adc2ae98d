#pragma once
// Characters in .blend files: a headless Blender evaluates the rig, as any rig in another process (process_rig.h); and
// results back into a copy of the file, as layers above the artist's animation. docs/blender.md is the manual.

#include "rigspace/anim/character.h"
#include "rigspace/base/progress.h"

#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace rigspace {

struct BlendOptions {
  std::filesystem::path file;
  std::string object = {};     ///< the mesh; empty: the only one that is rigged, or the largest of those
  int processes = 0;           ///< see ProcessRigOptions
  double answer_seconds = 60;  ///< longest silence of Blender
  bool joints = false;  ///< where Blender stays the rig: the bones that deform the mesh too, as points of the rig
  bool skin = false;    ///< the mesh bound to its bones too, for parts to be found on (anim/bound_skin.h)
  ProgressCallback progress = {};

  void validate() const;
};

/// True if the path ends as .blend files do.
bool is_blend_file(const std::filesystem::path& path);

/// Opens the file in Blender, which is $RIGSPACE_BLENDER or on the PATH: its mesh, the channels that an animator turns
/// as controls, its actions as clips. Points are Y up; controls are Blender's own channels in their own space. Blender
/// is the rig; one that is an armature with shape keys and nothing else is built of our own parts instead, if it is the
/// same to 1e-5 at random poses, and Blender ends; a warning names the one in use, unless $RIGSPACE_BLENDER_TRANSLATE
/// is 0. Scripts in the file are not run unless $RIGSPACE_BLENDER_TRUST is 1. Throws Error: no Blender, no such object,
/// a linked object, keys that are not finite, and what ProcessRig throws.
Character load_blend(const BlendOptions& options);

/// A character whose rig was built of our own parts, with these parts and its joints to be seen: same points and
/// controls. For who needs to know where joints are; physics takes it as it is loaded, so that results do not depend on
/// who computes the rig. Any other character comes back as it is.
Character with_joints(Character character);

/// A result for a .blend.
struct BlendLayer {
  std::string base;     ///< the artist's clip above which it lies
  Animation deviation;  ///< its name is that of the new action; values are the rest pose with the deviation in it
};

/// Writes a copy of the file in which each layer is an action of its own on an NLA track above the artist's, which is
/// neither changed nor moved in time: COMBINE adds places and angles, multiplies turns. Muting these tracks gives back
/// the artist's animation. Returns sentences about what cannot be written. Throws Error; written beside and renamed.
std::vector<std::string> write_blend(const BlendOptions& options, const std::filesystem::path& output,
                                     std::span<const BlendLayer> layers);

}  // namespace rigspace
