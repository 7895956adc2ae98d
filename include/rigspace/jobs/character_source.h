#pragma once
// Where a job's character comes from: a file, which may be Blender's, or a rig in another process.

#include "rigspace/anim/character.h"
#include "rigspace/jobs/events.h"

#include <string>

namespace rigspace {

struct CharacterSource {
  std::string file;     ///< .glb, .gltf, .vrm, .bvh, .rig.json, .blend, .fbx
  std::string object;   ///< of a .blend: the mesh; empty: the largest that is rigged
  std::string command;  ///< of a rig in another process; instead of a file
  int processes = 0;    ///< see ProcessRigOptions
  double timeout = 60;  ///< seconds of silence
  bool skin = false;    ///< of a .blend: for parts to be found on (anim/bound_skin.h)

  /// Whether the file is a .blend.
  bool is_blend() const;
  /// What messages call it.
  const std::string& name() const { return command.empty() ? file : command; }

  /// Throws Error unless there is one of file and command; starts the command where there is one. What was repaired is
  /// reported by events.warn.
  Character load(const JobEvents& events) const;
};

}  // namespace rigspace
