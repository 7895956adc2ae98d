#pragma once
// A rig of nodes, shapes and one skin as another program describes it, so that it can be built here: what
// blender/rigspace_addon/translation.py writes of a plain armature with shape keys.
//
// {"nodes":  [{"name", "parent": a node before it or -1, "before", "axes", "after": 9 numbers by rows, "origin": 3,
//              "place": 3 channels, "angles": 3, "order": "XYZ" .. or "key": 4 (x y z w), "scale": 3, "bone": true if
//              it is a joint rather than an object}, ..],
//  "rest": float64, 3 a point, before any shape,
//  "shapes": [{"name", "value": a channel, "points": int32, "offsets": float64, 3 a point}, ..],
//  "joints": [{"node", "bind": 12 numbers by rows}, ..],
//  "start": int32, one more than points, "joint": int32, "weight": float64,
//  "volume": a node: rotations blend as dual quaternions (volume_skin.h), and this node carries what comes out}
//
// A node is a PosedNode; a channel is a number, [column] of a control, or {"expression": (expression.h), "variables":
// {name: a channel}}, in inner units; arrays are little endian in base64.

#include "rigspace/anim/character.h"
#include "rigspace/rig/built_in_rig.h"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace rigspace {

/// Its rig on exactly these controls; those that it does not read have no effect. Throws Error (external_process) whose
/// file is `source` unless it is whole and has `point_count` points. `bones`, if it is given, is filled with its
/// joints.
std::shared_ptr<const BuiltInRig> build_plain_rig(const std::string& description, std::span<const Control> controls,
                                                  int point_count, const std::string& source,
                                                  std::vector<Bone>* bones = nullptr);

}  // namespace rigspace
