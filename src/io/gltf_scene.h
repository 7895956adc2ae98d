#pragma once
// The node hierarchy of a document, checked, and the names that its nodes, morphs and clips go by. Loading and writing
// share it, so that a control of a loaded character is found again in the document it came from.

#include "gltf_document.h"

namespace rigspace {

/// A node's transform as the file gives it:  T * R * S * K, see NodeDescription.
struct NodeTransform {
  Vec3 translation = Vec3::Zero();
  Quat rotation = Quat::Identity();
  Vec3 scale = Vec3::Ones();
  Affine constant = Affine::Identity();

  Affine matrix() const;
};

struct GltfScene {
  std::vector<int> parent;               ///< of each node of the file, -1 for roots
  std::vector<std::string> names;        ///< of each node of the file: unique, never empty
  std::vector<char> present;             ///< whether the default scene (or a joint of it) needs the node
  std::vector<int> order;                ///< the present nodes, parents first, else in file order
  std::vector<NodeTransform> transform;  ///< of each node of the file
  std::vector<Affine> world;             ///< at rest, of each present node
};

/// Throws Error where the hierarchy is no forest; adds sentences about what was repaired.
GltfScene read_scene(const GltfDocument&, std::vector<std::string>& warnings);

/// Unique names of a mesh's morph targets: extras.targetNames, else morph0 ..
std::vector<std::string> morph_names(const GltfDocument&, int mesh);

/// Unique names of all clips.
std::vector<std::string> clip_names(const GltfDocument&);

/// Appends #2, #3 .. to repeated names, in order. The results differ from each other.
std::vector<std::string> unique_names(std::vector<std::string> names);

/// Splits a matrix. Where it has shear, `constant` takes it.
NodeTransform decompose(const Affine& matrix);

}  // namespace rigspace
