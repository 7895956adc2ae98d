#pragma once
// What a file holds once it is loaded: a rig, the surface that it moves, and clips.

#include "rigspace/anim/animation.h"
#include "rigspace/geometry/tri_mesh.h"
#include "rigspace/rig/rig.h"

#include <array>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace rigspace {

struct Image {
  std::string name;
  std::vector<std::byte> encoded;  ///< PNG or JPEG, as in the file; not decoded
};

struct SurfaceMaterial {
  std::string name;
  Eigen::Vector4f base_color{1, 1, 1, 1};  ///< linear
  int image = -1;                          ///< into Character::images, multiplied with base_color; sRGB
  bool double_sided = false;
};

/// One drawn part: triangles over a contiguous run of the rig's points.
struct Piece {
  std::string name;
  int first_point = 0;
  int point_count = 0;
  std::vector<std::array<int, 3>> triangles;  ///< indices of the rig's points (not relative to first_point)
  int material = -1;                          ///< into Character::materials
  std::vector<Eigen::Vector2f> uv;            ///< empty, or one per point of the piece; glTF convention, v down
  std::vector<Eigen::Vector4f> colors;        ///< empty, or one per point of the piece; linear
  std::vector<Eigen::Vector3f> rest_normals;  ///< empty, or one per point of the piece, in the mesh's own space
  bool drawn = true;                          ///< false for what only carries physics: a proxy
};

/// A joint as pictures and lists show it.
struct Bone {
  std::string name;
  int parent = -1;  ///< into Character::bones
  int slot = -1;    ///< of its world transform in the built-in rig's control graph
};

/// Data of another room, kept with a character: a sketch abstraction, a cage, settings of its own. Opaque here; it
/// never changes once it is made, so copies of a character share it.
class CharacterExtension {
 public:
  virtual ~CharacterExtension() = default;
};

struct Character {
  std::string name;
  std::shared_ptr<const Rig> rig;
  std::vector<Piece> pieces;
  std::vector<SurfaceMaterial> materials;
  std::vector<Image> images;
  std::vector<Bone> bones;
  std::vector<Animation> clips;
  std::vector<std::string> warnings;  ///< one sentence each, about what was repaired or ignored
  /// By the name under which a rig file holds it: see register_rig_block (io/rig_blocks.h).
  std::map<std::string, std::shared_ptr<const CharacterExtension>, std::less<>> extensions = {};

  /// The clip with this name, or nullptr.
  const Animation* clip(std::string_view clip_name) const;
};

/// The surface at the rest pose: all points of the rig, the triangles of all drawn pieces.
TriMesh rest_surface(const Character& character);

/// All control values of a character at a time, in seconds, of a clip (none: the rest pose). For many times make a
/// Sampler.
Vec pose_at(const Character& character, const Animation* clip, double time);

}  // namespace rigspace
