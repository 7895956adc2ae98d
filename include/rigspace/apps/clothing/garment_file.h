#pragma once
// Garments from OBJ files and characters, and their motion into files that other programs play.

#include "rigspace/anim/character.h"
#include "rigspace/apps/clothing/simulate_cloth.h"

#include <filesystem>
#include <string>
#include <vector>

namespace rigspace {

/// Points in the order of the file; faces of more than three corners are cut into fans. Scene units. Throws Error that
/// names file and line.
TriMesh read_obj_mesh(const std::filesystem::path& path);

/// A piece of the character, at a time of the clip (none: at rest), its points welded. Throws Error that lists the
/// pieces if none has the name.
struct PieceGarment {
  TriMesh mesh;
  std::vector<int> weld;            ///< of each point of the piece, the point of the mesh
  std::vector<Triangle> triangles;  ///< of the piece, its points counted from 0
};
PieceGarment garment_of(const Character& character, const std::string& piece, const Animation* clip, double time);

/// How a body plays a clip. Garments from files fit the rest pose: the body begins there, and goes over to the pose of
/// the clip at `start` within the `lead` seconds before it.
struct BodyPlay {
  const Animation* clip = nullptr;  ///< none: at rest
  double start = 0, lead = 0;       ///< s
  double unit = 1;                  ///< metres per scene unit
  std::vector<char> absent = {};    ///< of each point of the rig: a triangle with such a point is no body
};

/// The surface of a character without these of its pieces, welded. The body owns what it needs of the character.
ClothBody body_of(const Character& character, const std::vector<std::string>& without, const BodyPlay& play);

/// A mesh whose points a cache gives over time, as a character with the one clip "motion": its shape at rest is the
/// mesh. What any program exports as an OBJ and an .mdd or .pc2 (`rate`: its frames a second) can wear a garment.
Character point_character(const std::filesystem::path& mesh, const std::filesystem::path& motion, double rate);

/// By ending: .mdd, .pc2 (both float32), or .obj: a sequence OUT_0000.obj, OUT_0001.obj .. . Returns the files written.
std::vector<std::string> write_cloth_motion(const std::filesystem::path& path, const std::vector<Triangle>& triangles,
                                            const std::vector<Vec>& frames, double rate);

}  // namespace rigspace
