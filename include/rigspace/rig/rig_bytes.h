#pragma once
// Rigs of glTF nodes, plain numbers, linear skins and blend shapes as bytes (base/packed.h): restricted ones too, with
// no more than the points that they have. What is read evaluates to the same bits as what was written.

#include "rigspace/base/packed.h"
#include "rigspace/rig/built_in_rig.h"

#include <memory>

namespace rigspace {

/// Throw Error naming the first part that is of another kind: a constraint, IK, a lattice.
void pack_graph(Packer& out, const ControlGraph& graph);
void pack_points(Packer& out, const BuiltInRig& rig);

/// Throw Error where the bytes are not those of a graph, or of a rig on this graph.
std::shared_ptr<const ControlGraph> unpack_graph(Unpacker& in);
std::shared_ptr<const BuiltInRig> unpack_points(Unpacker& in, std::shared_ptr<const ControlGraph> graph);

}  // namespace rigspace
