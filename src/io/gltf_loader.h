#pragma once
// A Character under construction from a document; each function below adds its part.

#include "gltf_document.h"
#include "gltf_scene.h"
#include "rigspace/anim/character.h"
#include "rigspace/rig/deformer.h"
#include "rigspace/rig/graph.h"

#include <memory>

namespace rigspace {

struct GltfLoader {
  explicit GltfLoader(const GltfDocument& from) : document(from) {}

  const GltfDocument& document;
  GltfScene scene;
  std::shared_ptr<ControlGraph> graph = std::make_shared<ControlGraph>();
  std::vector<int> slot;                         ///< transform of each node of the file, -1 if not in the scene
  std::vector<std::vector<int>> morph_slots;     ///< of each node of the file
  std::vector<std::vector<int>> morph_controls;  ///< the controls that those slots pass on
  std::vector<double> points;                    ///< flattened
  std::vector<std::shared_ptr<const Deformer>> deformers;
  Character character;

  void warn(std::string sentence) { character.warnings.push_back(std::move(sentence)); }
};

void load_nodes(GltfLoader&);       ///< graph, morph weights, bones
void load_materials(GltfLoader&);   ///< with the images that they show
void load_meshes(GltfLoader&);      ///< points, pieces, deformers
void load_animations(GltfLoader&);  ///< clips

/// The skin of one primitive: joints and normalised weights. `node` is the mesh's; `first_point` and `count`: the rig's
/// points. Nothing where the primitive has no joints.
std::unique_ptr<Deformer> load_skin(GltfLoader&, int node, const Json& primitive, int first_point, int count,
                                    const std::string& element);

/// uv' of KHR_texture_transform on a material's base colour; and which TEXCOORD it reads.
struct TextureUse {
  int set = 0;
  Eigen::Matrix<float, 2, 3> transform = Eigen::Matrix<float, 2, 3>::Identity();
};
TextureUse texture_use(const GltfDocument&, int material);

/// All of it. The rest pose is finite.
Character build_character(const GltfDocument&);

}  // namespace rigspace
