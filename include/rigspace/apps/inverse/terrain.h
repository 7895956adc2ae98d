#pragma once
// Ground and paths from files, for along_path.

#include "rigspace/apps/inverse/edit_motion.h"
#include "rigspace/geometry/tri_mesh.h"

#include <filesystem>
#include <string>

namespace rigspace {

/// The uppermost surface of a mesh above (x, z), scene units; beside the mesh, the height of its nearest point there.
/// Throws Error without triangles.
Terrain terrain_of(TriMesh mesh);

/// From .obj (v and f alone count) or the rest pose of a character's file. Throws Error naming file and line.
Terrain load_terrain(const std::filesystem::path& file);

/// Points of the ground: each word "x,z", or one word that is a file with "x,z" in each line (# begins a comment).
/// Throws Error that names the word, or the file and line.
std::vector<Vec3> read_path(std::span<const std::string> words);

}  // namespace rigspace
