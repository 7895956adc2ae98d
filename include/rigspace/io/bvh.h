#pragma once
// Biovision's BVH: a hierarchy of joints and one line of numbers a frame.
//
// Read: any order of channels, positions on any joint (they replace its offset), several roots, names with blanks,
// CRLF, numbers as the file has them. A frame time that was rounded to its digits (.0083333) becomes the whole rate
// behind it (120). At most 4096 joints, 256 deep; memory stays below 128 MiB plus 64 times the file's size. BVH has no
// unit: lengths are kept.

#include "rigspace/anim/character.h"

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace rigspace {

enum class BvhChannel { x_position, y_position, z_position, x_rotation, y_rotation, z_rotation };

struct BvhJoint {
  std::string name;                  ///< of an end site: its parent's with `_end`
  int parent = -1;                   ///< -1: a root
  Vec3 offset = Vec3::Zero();        ///< from the parent, in its axes
  std::vector<BvhChannel> channels;  ///< none at an end site. R = R_1 R_2 R_3 in this order: the last turns first
  bool end_site = false;
};

struct BvhMotion {
  std::string name;
  std::vector<BvhJoint> joints;       ///< depth first, as in the file, end sites too; names differ
  double rate = 30;                   ///< frames per second
  Mat frames;                         ///< column k is frame k: file units and degrees, all channels of all joints
  std::vector<std::string> warnings;  ///< one sentence each
};

/// Throws Error with the line.
BvhMotion read_bvh(const std::filesystem::path& path);
/// The same from memory; `name` stands for the file in messages, and gives the motion its name.
BvhMotion read_bvh(std::span<const std::byte> bytes, const std::string& name);

/// Numbers read back as the same bits, the rate too.
std::string to_bvh(const BvhMotion& motion);

/// Joints and end sites as glTF nodes, at rest without rotation; a body of one octahedron a bone, each on its joint;
/// one clip, named as the motion (none without frames).
Character to_character(const BvhMotion& motion);

struct BvhOptions {
  double fps = 0;                   ///< frames per second, 1 to 1000; 0: the rate of most keys
  const BvhMotion* like = nullptr;  ///< joints of the same name get its order of channels; others Z X Y
};

/// A clip of a character, from the places of its bones (of all nodes, if it has none): the rest pose is the pose of all
/// zeros, offsets are in the scene's axes. A bone that moves against its parent gets six channels; scales show in the
/// positions alone. Leaves without keys whose names end in `_end` become end sites; other leaves get one. Angles are
/// rounded to a millionth of a degree, lengths to about 1e-8 of the size, so that reading and writing again changes
/// nothing.
BvhMotion to_motion(const Character& character, const Animation& animation, const BvhOptions& options = {});

}  // namespace rigspace
