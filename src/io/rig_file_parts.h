#pragma once
// The parts of a rig file, one function each way: a new kind of part is a struct in rig/rig_plan.h, a reader and a
// writer (rig_file_read.cpp, rig_file_deformers.cpp, rig_file_write.cpp), and a line in read_parts and write_parts.

#include "rigspace/io/json_text.h"
#include "rigspace/rig/rig_plan.h"

#include <nlohmann/json.hpp>

namespace rigspace {

/// How many of the file's deformers stand before the mesh's own shapes, and before its skin.
struct MeshPlace {
  std::size_t shapes = 0, skin = 0;
};

/// Reads every section that describes the rig (not mesh, clips and pieces) and appends it to the plan. The entries
/// {"type": "shapes"}, {"type": "skin"} and {"type": "mesh"}, which is both, give the place of the mesh's deformers:
/// the skin last and the shapes right before it by default.
MeshPlace read_parts(const Field& root, RigPlan& plan);

/// Appends one entry of "deformers" to the plan.
void read_deformer(const Field& field, RigPlan& plan);

/// The sections of a plan, without skins and shapes, which the mesh file holds.
Field::Json write_parts(const RigPlan& plan);

}  // namespace rigspace
