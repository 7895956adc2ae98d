#pragma once
// Force rigs as files: JSON that people read and write. Named .rig.json they are characters to every command.

#include "rigspace/apps/forces/adaptive_body.h"

#include <filesystem>
#include <optional>
#include <string>

namespace rigspace {

/// What a file says; angles in radians, lengths in scene units.
struct ForcesPlan {
  std::string mesh;  ///< the character's file, beside this one
  ForceBodyOptions options;
  std::optional<GivenLattice> lattice;  ///< unset: made from options.cover
  std::vector<ForceRigPart> rigs;       ///< guides are whole
};

struct ForcesFile {
  ForcesPlan plan;
  Character base;                              ///< as its own file has it
  std::shared_ptr<const AdaptiveBody> bodies;  ///< of the lattice, with more or fewer of its cells split
  std::shared_ptr<const ForceRig> rig;         ///< of all rigs, with all cells split that any of them needs
  Character character;                         ///< with the force rig
};

/// Throws Error naming file, line and field.
ForcesFile read_forces_file(const std::filesystem::path& path);
ForcesFile parse_forces_file(std::string text, const std::string& name, const std::filesystem::path& folder);

/// A file from what the body and its rigs are. Angles of controls in `character` are written in degrees.
std::string to_forces_json(const ForcesPlan& plan, const ForceRig& rig);

/// Adds `"kind": "forces"` to rig files, see io/rig_file.h.
void register_forces_kind();

}  // namespace rigspace
