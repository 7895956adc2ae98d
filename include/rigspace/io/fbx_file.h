#pragma once
// Characters in FBX files, through Blender: read as the glTF that Blender makes of them, and written of one.
// docs/fbx.md is the manual.

#include "rigspace/anim/character.h"
#include "rigspace/base/progress.h"

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace rigspace {

/// True if the path ends as FBX files do.
bool is_fbx_file(const std::filesystem::path& path);

/// A file as glTF: metres, Y up, a clip for each take with one key a frame from time 0 on.
struct FbxAsGltf {
  std::vector<std::byte> glb;
  std::vector<std::string> warnings;  ///< what was left out, one sentence each
};

/// Starts Blender, which is $RIGSPACE_BLENDER or on the PATH; kept in the cache by what the file holds (pictures that
/// lie beside it do not count). Progress is "reading hero.fbx with Blender". Throws Error: no binary FBX, one without a
/// mesh or that Blender cannot read (bad_input); no Blender, or one that fails (external_process); Cancelled.
FbxAsGltf read_fbx(const std::filesystem::path& path, const ProgressCallback& progress = {});

/// The same as a character.
Character load_fbx(const std::filesystem::path& path, const ProgressCallback& progress = {});

/// Writes a .glb as binary FBX 7.4: centimetres, Y up, a take for each clip, of the clip's name, a key a frame at the
/// lowest usual rate that has all keys of the clips on frames; joints keep their own axes; pictures are inside the
/// file. Throws Error (external_process), Cancelled; the old file or the whole new one is left.
void write_fbx(std::span<const std::byte> glb, const std::filesystem::path& output,
               const ProgressCallback& progress = {});

}  // namespace rigspace
