"""The mesh bound to its bones and moved by its clips, as a glb: what the part finder looks at (docs/first-result.md). It sees names,
weights, pairs, materials and what clips turn, however the rig turns it."""
import base64
import json
import struct

import bpy
import numpy
from mathutils import Matrix

from .joints import Joints, armatures_of
from .poses import Poses

MOMENTS = 48  # of all clips together
LEAST_OF_A_CLIP = 4
SAME_SIZE = 1e-3  # scales are told where they change by more
INFLUENCES = 4
Y_UP = Matrix(((1, 0, 0, 0), (0, 0, 1, 0), (0, -1, 0, 0), (0, 0, 0, 1)))
FLOAT, SHORT, INT = 5126, 5123, 5125


class Glb:
    """A document under way: accessors are arrays, one buffer."""

    def __init__(self):
        self.data, self.views, self.accessors = b"", [], []

    def put(self, values, kind, component):
        values = numpy.ascontiguousarray(values, {FLOAT: "<f4", SHORT: "<u2", INT: "<u4"}[component])
        self.data += b"\0" * (-len(self.data) % 4)
        self.views.append({"buffer": 0, "byteOffset": len(self.data), "byteLength": values.nbytes})
        self.data += values.tobytes()
        accessor = {"bufferView": len(self.views) - 1, "componentType": component, "count": len(values), "type": kind}
        if component == FLOAT and kind in ("VEC3", "SCALAR"):
            rows = values.reshape(len(values), -1)
            accessor["min"], accessor["max"] = rows.min(0).tolist(), rows.max(0).tolist()
        self.accessors.append(accessor)
        return len(self.accessors) - 1

    def pack(self, told):
        told = {"asset": {"version": "2.0"}, **told, "buffers": [{"byteLength": len(self.data)}], "bufferViews": self.views,
                "accessors": self.accessors}
        text = json.dumps(told).encode()
        text += b" " * (-len(text) % 4)
        data = self.data + b"\0" * (-len(self.data) % 4)
        head = struct.pack("<4sII", b"glTF", 2, 28 + len(text) + len(data))
        return head + struct.pack("<I4s", len(text), b"JSON") + text + struct.pack("<I4s", len(data), b"BIN\0") + data


def y_up(matrix):
    return Y_UP @ matrix @ Y_UP.inverted()


def placed(matrix):
    """A node's translation, rotation (x y z w) and scale."""
    place, turn, size = matrix.decompose()
    return list(place), [turn.x, turn.y, turn.z, turn.w], list(size)


def weights_of(item, numbers):
    """(joints, weights) of each vertex, the largest first."""
    joints = numpy.zeros((len(item.data.vertices), INFLUENCES), int)
    weights = numpy.zeros((len(item.data.vertices), INFLUENCES))
    joint_of = {group.index: numbers[group.name] for group in item.vertex_groups if group.name in numbers}
    for k, vertex in enumerate(item.data.vertices):
        found = sorted(((group.weight, joint_of[group.group]) for group in vertex.groups if group.group in joint_of and group.weight > 0),
                       reverse=True)[:INFLUENCES]
        for column, (weight, joint) in enumerate(found):
            joints[k, column], weights[k, column] = joint, weight
    sums = weights.sum(axis=1, keepdims=True)
    return joints, numpy.where(sums > 0, weights / numpy.where(sums > 0, sums, 1), [[1.0, 0, 0, 0]])


def primitives(glb, item, numbers):
    """One for each material, with points of its own."""
    mesh = item.data
    mesh.calc_loop_triangles()
    triangles = numpy.empty(3 * len(mesh.loop_triangles), numpy.int32)
    mesh.loop_triangles.foreach_get("vertices", triangles)
    slots = numpy.empty(len(mesh.loop_triangles), numpy.int32)
    mesh.loop_triangles.foreach_get("material_index", slots)
    points = numpy.empty(3 * len(mesh.vertices), numpy.float32)
    mesh.vertices.foreach_get("co", points)
    points = numpy.c_[points.reshape(-1, 3), numpy.ones(len(mesh.vertices))] @ numpy.array(Y_UP @ item.matrix_world).T
    joints, weights = weights_of(item, numbers)
    made, materials = [], []
    for slot in numpy.unique(slots):
        used, corners = numpy.unique(triangles.reshape(-1, 3)[slots == slot].ravel(), return_inverse=True)
        material = item.material_slots[slot].material if slot < len(item.material_slots) else None
        materials.append({"name": material.name if material else item.name})
        made.append({"attributes": {"POSITION": glb.put(points[used, :3], "VEC3", FLOAT), "JOINTS_0": glb.put(joints[used], "VEC4", SHORT),
                                    "WEIGHTS_0": glb.put(weights[used], "VEC4", FLOAT)},
                     "indices": glb.put(corners.ravel(), "SCALAR", INT), "material": len(materials) - 1})
    return made, materials


class Motion:
    """What a rig's clips do to its bones, at a few moments of each."""

    def __init__(self, rig, joints):
        self.rig, self.joints = rig, joints

    def local(self, world):
        """Of each bone, to its parent."""
        return [world[above].inverted_safe() @ each if above >= 0 else each for each, above in zip(world, self.joints.parents)]

    def posed(self, p):
        self.rig.evaluate(p)
        shown = self.joints.armature.evaluated_get(self.rig.layer.depsgraph)
        return self.local([y_up(shown.matrix_world @ shown.pose.bones[name].matrix) for name in self.joints.bones])

    def clips(self, glb):
        lasting = [clip for clip in self.rig.clips if clip.last > clip.first]
        count = max(LEAST_OF_A_CLIP, MOMENTS // max(len(lasting), 1))
        for clip in lasting[: MOMENTS // LEAST_OF_A_CLIP]:
            poses, frames = Poses(self.rig, clip), numpy.linspace(clip.first, clip.last, count)
            moments = [[placed(each) for each in self.posed(poses.at(float(frame)))] for frame in frames]
            yield self.animation(glb, clip.name, (frames - frames[0]) / self.rig.fps, moments)

    def animation(self, glb, name, times, moments):
        told, at = {"name": name, "channels": [], "samplers": []}, glb.put(times, "SCALAR", FLOAT)
        for k in range(len(self.joints.bones)):
            for path, column, kind in (("translation", 0, "VEC3"), ("rotation", 1, "VEC4"), ("scale", 2, "VEC3")):
                values = numpy.array([moment[k][column] for moment in moments])
                if column != 1 and numpy.ptp(values, axis=0).max() < SAME_SIZE * (1 if column else self.joints.reach):
                    continue
                told["channels"].append({"sampler": len(told["samplers"]), "target": {"node": k, "path": path}})
                told["samplers"].append({"input": at, "output": glb.put(values, kind, FLOAT)})
        return told


def describe(rig, held):
    """Of a rig.BlenderRig, or None where no bones deform it. held: {bone: which constraint turns it}."""
    armatures = armatures_of(rig.item)
    others = [each for each in bpy.data.objects if each.type == "MESH" and armatures and armatures[0] in armatures_of(each)]
    joints = Joints(rig.item, rig.rig_size(), others)  # a cape's one bone carries the arms, whatever mesh they are of
    if not any(name in rig.item.vertex_groups for name in joints.bones):
        return None
    glb, motion = Glb(), Motion(rig, joints)
    bones = joints.armature.data.bones
    rest = [y_up(joints.armature.matrix_world @ bones[name].matrix_local) for name in joints.bones]
    nodes = [{"name": name, **dict(zip(("translation", "rotation", "scale"), placed(local)))}
             for name, local in zip(joints.bones, motion.local(rest))]
    for k, above in enumerate(joints.parents):
        if above >= 0:
            nodes[above].setdefault("children", []).append(k)
    inverse = numpy.array([[[row[column] for row in each.inverted_safe()] for column in range(4)] for each in rest])
    made, materials = primitives(glb, rig.item, {name: k for k, name in enumerate(joints.bones)})
    skin = {"joints": list(range(len(nodes))), "inverseBindMatrices": glb.put(inverse.reshape(-1, 16), "MAT4", FLOAT)}
    animations = list(motion.clips(glb))
    nodes.append({"name": rig.item.name, "mesh": 0, "skin": 0})
    roots = [k for k, above in enumerate(joints.parents) if above < 0]
    told = {"scene": 0, "scenes": [{"nodes": [*roots, len(nodes) - 1]}], "nodes": nodes, "skins": [skin], "materials": materials,
            "meshes": [{"name": rig.item.data.name, "primitives": made}], **({"animations": animations} if animations else {})}
    return {"glb": base64.b64encode(glb.pack(told)).decode(), "held": held}
