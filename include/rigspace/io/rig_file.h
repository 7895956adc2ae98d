#pragma once
// Rig files, `.rig.json`: a mesh (glTF, with its joints, skin, shapes and clips) and everything that a rigger puts on
// top of it: controls, drivers, constraints, IK, deformers. JSON, comments allowed; docs/rig-files.md is the manual,
// docs/rig.schema.json the schema.

#include "rigspace/anim/character.h"
#include "rigspace/rig/rig_plan.h"

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace rigspace {

struct RiggedCharacter {
  Character character;
  RigPlan plan;  ///< that `character.rig` was built from; its pieces are the character's
};

/// Throws Error naming file, line and field. Files that it names are looked for beside it.
RiggedCharacter read_rig_file(const std::filesystem::path& path);
/// The same from memory; `name` stands for the file in messages.
RiggedCharacter parse_rig_file(std::string text, const std::string& name, const std::filesystem::path& folder);

/// Writes three files: `hero.rig.json`, `hero.mesh.glb` (surface, joints, skin, shapes), and `hero.rigspace.json` if
/// there are clips. What was read back moves the same points by the same controls, to the precision of glTF's floats.
/// Throws Error if the path does not end in .rig.json, or a deformer cannot be written.
void write_rig_file(const std::filesystem::path& path, const RiggedCharacter& rigged);

/// A rig file to start from, as text: the mesh, every joint that skin follows in a group by its name, and the sections
/// that can be filled in, as comments.
std::string new_rig_file(const Character& character, const std::filesystem::path& mesh);

/// What `"kind"` in a rig file may say beside "built-in": an application adds its own. `load` gets the text and path of
/// the file; errors that it throws should name the file.
struct RigKind {
  std::string name;
  std::function<Character(const std::string& text, const std::filesystem::path& path)> load;
};
/// A later kind of the same name replaces the earlier one. Not to be called while files are read.
void add_rig_kind(RigKind kind);
std::vector<std::string> rig_kinds();

/// The character of a rig file of any kind.
Character load_rig_file(const std::filesystem::path& path);

}  // namespace rigspace
