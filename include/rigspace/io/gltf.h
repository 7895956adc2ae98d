#pragma once
// glTF 2.0 in and out (.gltf with its buffers, .glb).
//
// In: the whole default scene becomes one Character. Every node has its controls, every mesh its points, in scene
// space: nodes in file order, then primitives in file order, unwelded; a mesh that two nodes show gives its points
// twice. A skinned mesh does not feel its own node (glTF's rule). Every count and offset of a file is checked before
// use; what cannot be read throws Error with the element's name, what can be repaired is repaired and reported in
// Character::warnings. A document of n bytes, all its files together, takes at most 128 MiB + 128 n of memory to load.
//
// Out: GltfFile changes the document that came in. Bytes of its buffers stay where they are and new ones follow them;
// JSON keeps its values and the order of its keys; textures, cameras, extensions and other animations are untouched.

#include "rigspace/anim/character.h"
#include "rigspace/anim/soft_joints.h"
#include "rigspace/base/progress.h"

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rigspace {

/// A character from a .gltf or .glb; buffers and images beside it are read.
Character load_gltf(const std::filesystem::path& path);
/// The same from memory. `name` stands for the file in messages; references to other files are an error.
Character load_gltf(std::span<const std::byte> bytes, std::string name);

/// A new GLB of a character whose rig is built of glTF nodes, linear blend skins, rigid parts and blend shapes. Normals
/// that it lacks are computed from the rest positions. Throws Error for any other rig.
std::vector<std::byte> to_glb(const Character& character);

/// Numbers for a document, tightly packed.
struct GltfAccessor {
  std::string type = "SCALAR";  ///< SCALAR, VEC2, VEC3, VEC4 or MAT4
  int component_type = 5126;    ///< 5121 unsigned byte, 5123 unsigned short, 5125 unsigned int, 5126 float
  bool normalized = false;
  std::span<const std::byte> bytes;
  int target = 0;       ///< 34962 vertex data, 34963 indices, 0 anything else
  bool bounds = false;  ///< write min and max, which glTF demands of POSITION and key times
};

struct GltfNode {
  std::string name;
  int parent = -1;  ///< node in the file; -1: a root of the default scene
  Vec3 translation = Vec3::Zero();
  Quat rotation = Quat::Identity();
  Vec3 scale = Vec3::Ones();
};

/// A document that can be changed and written again. Indices are those of the file's own lists.
class GltfFile {
 public:
  struct SaveOptions {
    bool embed = false;  ///< .gltf only: buffers as data: in the JSON, as against one .bin beside it
  };

  /// Another format of characters (formats.h) gives a new document of its character, see to_glb; where glTF cannot
  /// hold its rig, that is played out as joints and shapes (plain_character). An FBX is what Blender makes of it
  /// (fbx_file.h), which takes its time: `progress`.
  explicit GltfFile(const std::filesystem::path& path, const ProgressCallback& progress = {});
  GltfFile(std::span<const std::byte> bytes, std::string name);
  ~GltfFile();
  GltfFile(GltfFile&&) noexcept;
  GltfFile& operator=(GltfFile&&) noexcept;

  /// As it was loaded; changes below do not show in it.
  const Character& character() const;

  /// The node that the character's controls call by this name, or -1.
  int node(std::string_view name) const;

  /// Each appends, and returns the new element's index.
  int add_buffer_view(std::span<const std::byte> bytes, int target = 0);
  int add_accessor(const GltfAccessor& accessor);
  int add_node(const GltfNode& node);
  /// Tracks of the character's own controls: `<node>.t*`, `.s*`, `.r*`, rotations, `<mesh node>:<morph>`. Step, linear
  /// and cubic curves come out exactly, to float32; B-splines with eight keys a piece; where `.r*` is keyed, the
  /// product of both rotations at 60 Hz. What a curve does before its first and after its last key is not written.
  int add_animation(const Animation& animation);

  /// with_soft_joints in the document: leaves below their parents' nodes, named as they are, appended to the joints of
  /// the skins that hold their points, with inverse bind matrices; new weights for the primitives that they touch,
  /// largest first, joints in bytes while those hold them. Parents count in the bones, and shares in the points, of the
  /// document as it is now. Loaded again it moves as with_soft_joints defines, to float32. Throws Error, and leaves the
  /// document alone, if it cannot: a mesh that two nodes show needs the same shares in both.
  void add_soft_joints(const SoftJoints& soft, int max_influences = 4);
  /// with_soft_morphs in the document: targets appended to the meshes that the joints touch, named in
  /// extras.targetNames; weights of meshes, nodes and animations get zeros for them. Weights may be negative and beyond
  /// one, which Blender 3.4 cuts off unless the sliders' range is widened there.
  void add_soft_morphs(const SoftJoints& soft);

  /// The last piece of what with_worn_piece (anim/worn_piece.h) made of the document's character: a mesh with a skin on
  /// the document's joints and morph targets, whose weights become channels of the animations that are there. Throws
  /// Error, and leaves the document alone, if the character is another one.
  void add_worn_piece(const Character& worn);

  /// The JSON at a pointer such as "/skins/0/joints"; "" is the whole document. Throws Error if there is none.
  std::string json(std::string_view pointer) const;
  /// Sets it; a last part "-" appends to a list. Nothing is checked: the caller keeps the document valid.
  void set_json(std::string_view pointer, std::string_view json_text);

  /// By extension. Several buffers become one. Pictures that lie beside a .gltf are taken into the buffer where the new
  /// file could not find them. Nothing is left half-written.
  void save(const std::filesystem::path& path, SaveOptions options) const;
  void save(const std::filesystem::path& path) const { save(path, SaveOptions{}); }
  std::vector<std::byte> to_glb() const;

 private:
  struct Content;
  std::unique_ptr<Content> content_;
};

}  // namespace rigspace
