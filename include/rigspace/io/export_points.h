#pragma once
// Evaluated points of a character as plain geometry files, for other programs and for looking at numbers.
// `points` are flattened, in scene space, as Rig::evaluate gives them for `character`.

#include "rigspace/anim/character.h"

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace rigspace {

/// Wavefront OBJ: all points in order with 17 digits, texture coordinates (v up) and one group a piece.
std::string to_obj(const Character& character, In points);

/// PLY, binary little endian: double x y z, triangles of all pieces.
std::vector<std::byte> to_ply(const Character& character, In points);

/// NumPy's .npy, version 1.0: float64, shape (N, 3), C order.
std::vector<std::byte> to_npy(In points);

/// One of them, by the extension of `path`. Throws Error for any other extension.
void write_points(const std::filesystem::path& path, const Character& character, In points);

}  // namespace rigspace
