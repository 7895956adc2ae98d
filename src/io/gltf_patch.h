#pragma once
// Appending to a document, and writing it.

#include "gltf_document.h"
#include "gltf_scene.h"
#include "rigspace/anim/animation.h"
#include "rigspace/io/gltf.h"
#include "rigspace/rig/deformer.h"

namespace rigspace {

/// Appends bytes, aligned to four, to the last buffer (a new one if there is none) and a view of them.
int append_view(GltfDocument&, std::span<const std::byte> bytes, int target);
int append_accessor(GltfDocument&, const GltfAccessor&);
int append_node(GltfDocument&, const GltfNode&);

/// Appends to a top-level list, made if need be; returns the index. References into the document's JSON end with it.
int append_item(GltfDocument&, const char* list, Json value);

/// Joints and weights of vertices: sets of four, largest first, float32 weights that sum to one as exactly as they can;
/// joints in bytes while those hold `joint_count`. Returns the attributes JOINTS_0, WEIGHTS_0, JOINTS_1 ..
Json append_influences(GltfDocument&, std::span<const std::vector<Influence>> influences, int joint_count);

template <class Number>
std::span<const std::byte> bytes_of(const std::vector<Number>& numbers) {
  return std::as_bytes(std::span(numbers));
}

/// See GltfFile::add_animation. `scene` is the document's own.
int append_animation(GltfDocument&, const GltfScene& scene, const Animation&);

/// The document as one GLB: buffers joined into the BIN chunk, other chunks after it. `taken` pictures come with it.
std::vector<std::byte> write_glb(GltfDocument document);
void save_document(GltfDocument document, const std::filesystem::path& path, GltfFile::SaveOptions options);

}  // namespace rigspace
