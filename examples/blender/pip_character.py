"""The character of docs/blender-addon.md: Pip, a pear with ears, a belly and a tail, who hops. From an empty file.

    blender --factory-startup --python examples/blender/pip_character.py                     to look at
    blender -b --factory-startup --python examples/blender/pip_character.py -- pip.blend     to keep

An armature and weights, nothing else: what an artist makes in ten minutes. The bone `belly` has the flesh in front of the
body, the ears are chains of three, the tail one of two."""
import math
import os
import sys

import bmesh
import bpy
from mathutils import Matrix, Vector

LAST = 41  # frames from 1: a hop of 20, twice

BONES = {  # head, tail, parent, connected
    "root": ((0, 0, 0), (0, 0, 0.12), None, False),
    "body": ((0, 0, 0.12), (0, 0, 0.62), "root", False),
    "head": ((0, 0, 0.62), (0, 0, 0.95), "body", True),
    "belly": ((0, -0.18, 0.36), (0, -0.36, 0.36), "body", False),
    "tail1": ((0, 0.26, 0.24), (0, 0.40, 0.27), "body", False),
    "tail2": ((0, 0.40, 0.27), (0, 0.54, 0.32), "tail1", True),
}
for side, x in (("L", 1), ("R", -1)):
    places = [(0.10 * x, 0.02, 0.86), (0.15 * x, 0.04, 1.06), (0.19 * x, 0.07, 1.26), (0.22 * x, 0.12, 1.45)]
    for k in range(3):
        BONES[f"ear{k + 1}.{side}"] = (places[k], places[k + 1], f"ear{k}.{side}" if k else "head", k > 0)


def distance(point, bone):
    head, tail = Vector(BONES[bone][0]), Vector(BONES[bone][1])
    along = max(0.0, min(1.0, (point - head).dot(tail - head) / (tail - head).length_squared))
    return (point - head - along * (tail - head)).length


def blob(mesh, matrix, segments, rings):
    return bmesh.ops.create_uvsphere(mesh, u_segments=segments, v_segments=rings, radius=1, matrix=matrix)["verts"]


def along(head, tail, width, depth):
    """A long ball from head to tail."""
    axis = Vector(tail) - Vector(head)
    turn = axis.to_track_quat("Z", "Y").to_matrix().to_4x4()
    return Matrix.Translation((Vector(head) + Vector(tail)) / 2) @ turn @ Matrix.Diagonal((width, depth, axis.length / 2, 1))


def make_mesh():
    mesh = bmesh.new()
    shells = {"pear": blob(mesh, Matrix.Translation((0, 0, 0.5)) @ Matrix.Diagonal((0.3, 0.3, 0.5, 1)), 40, 32)}
    for vertex in shells["pear"]:  # wide below, narrow above, and a belly in front
        up = (vertex.co.z - 0.5) / 0.5
        wide = 1.12 - 0.3 * up
        vertex.co.x *= wide
        vertex.co.y *= wide
        if vertex.co.y < 0:
            vertex.co.y *= 1 + 0.3 * math.exp(-((vertex.co.z - 0.36) / 0.22) ** 2)
    for side in "LR":
        shells["ear." + side] = blob(mesh, along(Vector(BONES[f"ear1.{side}"][0]) - Vector((0, 0, 0.04)), BONES[f"ear3.{side}"][1], 0.07, 0.04), 16, 24)
    shells["tail"] = blob(mesh, along(BONES["tail1"][0], BONES["tail2"][1], 0.07, 0.07), 16, 16)
    mesh.verts.index_update()
    groups = {name: [vertex.index for vertex in vertices] for name, vertices in shells.items()}
    data = bpy.data.meshes.new("Pip")
    mesh.to_mesh(data)
    mesh.free()
    for polygon in data.polygons:
        polygon.use_smooth = True
    skin = bpy.data.materials.new("skin")
    skin.diffuse_color = (0.93, 0.55, 0.32, 1)
    data.materials.append(skin)
    pip = bpy.data.objects.new("Pip", data)
    bpy.context.scene.collection.objects.link(pip)
    return pip, groups


def make_armature():
    armature = bpy.data.armatures.new("Bones")
    rig = bpy.data.objects.new("Bones", armature)
    bpy.context.scene.collection.objects.link(rig)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    for name, (head, tail, parent, connected) in BONES.items():
        bone = armature.edit_bones.new(name)
        bone.head, bone.tail = head, tail
        if parent:
            bone.parent, bone.use_connect = armature.edit_bones[parent], connected
    bpy.ops.object.mode_set(mode="OBJECT")
    rig.show_in_front, armature.display_type = True, "STICK"
    return rig


def weights_at(point, shell):
    if shell != "pear":
        kind, _, side = shell.partition(".")
        near = [bone for bone in BONES if bone.startswith(kind) and bone.endswith(side)]
        return {bone: 1 / (1e-4 + distance(point, bone) ** 2) ** 2 for bone in near}
    weights = {bone: 1 / (1e-4 + distance(point, bone) ** 2) ** 2 for bone in ("body", "head")}
    whole = sum(weights.values())
    gap = (point - Vector((0, -0.33, 0.36)))
    soft = 0.85 * math.exp(-((gap.x / 0.2) ** 2 + (gap.y / 0.2) ** 2 + (gap.z / 0.2) ** 2))
    return {"belly": soft * whole / (1 - soft), **weights}


def skin(pip, groups, rig):
    for shell, indices in groups.items():
        for index in indices:
            weights = weights_at(pip.data.vertices[index].co, shell)
            whole = sum(weights.values())
            for bone, weight in weights.items():
                if weight > 1e-4 * whole:
                    group = pip.vertex_groups.get(bone) or pip.vertex_groups.new(name=bone)
                    group.add([index], weight / whole, "REPLACE")
    pip.parent = rig
    pip.modifiers.new("Armature", "ARMATURE").object = rig


def animate(rig):
    """Crouch, leap, land: the root's height, a lean of the body and a nod."""
    rig.animation_data_create()
    rig.animation_data.action = bpy.data.actions.new("Hop")
    bones = rig.pose.bones
    for bone in ("body", "head"):
        bones[bone].rotation_mode = "XYZ"
    hop = {1: (-0.04, 0.16, -0.10), 5: (-0.07, 0.22, -0.16), 9: (0.22, -0.10, 0.08), 12: (0.34, 0.0, 0.1), 15: (0.22, 0.12, 0.0),
           18: (-0.05, 0.24, -0.2), 21: (-0.04, 0.16, -0.10)}
    for start in (0, 20):
        for frame, (height, lean, nod) in hop.items():
            bones["root"].location = (0, height, 0)
            bones["body"].rotation_euler = (lean, 0, 0.12 * math.sin(math.pi * (frame + start - 1) / 20))
            bones["head"].rotation_euler = (nod, 0, 0)
            bones["root"].keyframe_insert("location", frame=frame + start)
            bones["body"].keyframe_insert("rotation_euler", frame=frame + start)
            bones["head"].keyframe_insert("rotation_euler", frame=frame + start)


def build():
    """Into the scene, which is empty."""
    scene = bpy.context.scene
    scene.render.fps, scene.frame_start, scene.frame_end = 24, 1, LAST
    pip, groups = make_mesh()
    rig = make_armature()
    skin(pip, groups, rig)
    animate(rig)
    scene.frame_set(1)
    bpy.context.view_layer.objects.active = pip
    return pip, rig


if __name__ == "__main__":
    bpy.ops.wm.read_homefile(use_empty=True)
    build()
    if "--" in sys.argv:
        bpy.ops.wm.save_as_mainfile(filepath=os.path.abspath(sys.argv[sys.argv.index("--") + 1]), check_existing=False)
