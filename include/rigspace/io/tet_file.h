#pragma once
// Tetrahedral meshes in files: Gmsh .msh (2.2 and 4.1, text and binary) and MEDIT .mesh (text). Read as they are: all
// points in the file's order, all linear tetrahedra; triangles and other elements are passed over. Every count and
// index is checked before use; memory stays below 64 MiB plus 64 times the file's size.

#include "rigspace/geometry/tet_mesh.h"

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rigspace {

struct TetFile {
  TetMesh mesh;
  int turned = 0;          ///< tetrahedra that the file lists inside out; two of their corners were exchanged
  int other_elements = 0;  ///< of a .msh, passed over
};

/// By the extension: .msh or .mesh. Throws Error naming the file, with the line where it is text.
TetFile read_tets(const std::filesystem::path& path);
/// The same from memory; `name` stands for the file in messages and gives the extension.
TetFile read_tets(std::span<const std::byte> bytes, const std::string& name);

struct MshOptions {
  bool version_2 = false;  ///< 2.2, which more programs read; otherwise 4.1
  bool binary = false;     ///< the machine's own byte order, as Gmsh does; little endian
};

std::string to_msh(const TetMesh& mesh, MshOptions options = {});
/// With the boundary as triangles, which most readers of .mesh expect.
std::string to_medit(const TetMesh& mesh);

/// .msh (4.1, text) or .mesh, by the extension. Numbers read back as the same bits. Throws Error for any other.
void write_tets(const std::filesystem::path& path, const TetMesh& mesh);

}  // namespace rigspace
