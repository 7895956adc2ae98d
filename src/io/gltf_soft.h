#pragma once
// Soft joints and soft morphs in a document. What they do to points is computed on the character that the document
// gives, by with_soft_joints and with_soft_morphs; here it is written down.

#include "gltf_patch.h"
#include "rigspace/anim/soft_joints.h"

namespace rigspace {

/// A primitive as a node shows it.
struct ShownPrimitive {
  int node, mesh, primitive;
};

/// The primitives of the document's pieces, in the character's order.
std::vector<ShownPrimitive> shown_primitives(const GltfDocument&, const GltfScene&);

/// See GltfFile. Both check everything first and then change the document.
void append_soft_joints(GltfDocument&, const SoftJoints&, int max_influences);
void append_soft_morphs(GltfDocument&, const SoftJoints&);

}  // namespace rigspace
