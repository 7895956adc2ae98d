#pragma once
// What a rig file consists of: itself, and the files that it names.

#include <filesystem>
#include <string>
#include <vector>

namespace rigspace {

/// The rig file, its mesh and its clips, as far as they are named in it. It has been loaded before: what is wrong with
/// it was said then.
std::vector<std::filesystem::path> files_of_rig(const std::filesystem::path& rig_file);

/// The mesh that a rig file names; empty where the file cannot be read or names none, which its loader says.
std::filesystem::path mesh_of_rig(const std::filesystem::path& rig_file);

/// Of all of them by what they hold: comments, spaces and the order of fields do not count, and neither does the file
/// of clips `without`, which a run of the rig itself wrote.
std::string rig_file_hash(const std::filesystem::path& rig_file, const std::filesystem::path& without);

/// Of any file by what it holds: of a rig file and a .gltf with all that they name.
std::string file_hash(const std::filesystem::path& file);

/// How a recipe names a file: from its own folder, with /.
std::string path_from_recipe(const std::filesystem::path& file, const std::filesystem::path& recipe);

/// True if both are there, and one file.
bool is_same_file(const std::filesystem::path& a, const std::filesystem::path& b);

}  // namespace rigspace
