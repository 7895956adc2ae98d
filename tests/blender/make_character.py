"""A character with all that rigs in Blender are made of: armature, lattice with hooks, IK, driver, shape keys, properties.

    blender -b --factory-startup --python-exit-code 3 --python tests/blender/make_character.py -- OUT.blend

It stands 1.3 m high on one leg that follows its foot by IK. `belly` is a bone that moves lattice points by hooks, `tail1..3`
deform the mesh itself (tail2 turns by Euler angles), `chest["breath"]` drives the shape key `breath`, `puff` is keyed, and
`Walk` moves the hips, the chest and the foot; `Turn` is a second, shorter clip. Frames 1 to 49 at 24 frames a second."""
import math
import os
import sys

import bmesh
import bpy
from mathutils import Euler, Matrix, Vector

FPS, FIRST, LAST = 24, 1, 49


def ball(mesh, centre, radii, segments=16, rings=12):
    matrix = Matrix.Translation(centre) @ Matrix.Diagonal((*radii, 1))
    return bmesh.ops.create_uvsphere(mesh, u_segments=segments, v_segments=rings, radius=1, matrix=matrix)["verts"]


def make_mesh():
    """Three closed shells: the body, the tail behind it (+y), the leg below."""
    mesh = bmesh.new()
    shells = {"body": ball(mesh, (0, 0, 0.9), (0.28, 0.26, 0.4), 20, 16),
              "tail": ball(mesh, (0, 0.6, 0.75), (0.07, 0.4, 0.07), 12, 20),
              "leg": ball(mesh, (0, 0, 0.32), (0.1, 0.1, 0.32), 12, 18)}
    mesh.verts.index_update()
    groups = {name: [vertex.index for vertex in vertices] for name, vertices in shells.items()}
    data = bpy.data.meshes.new("Body")
    mesh.to_mesh(data)
    mesh.free()
    body = bpy.data.objects.new("Body", data)
    bpy.context.scene.collection.objects.link(body)
    return body, groups


BONES = {  # head, tail, parent, connected, turns by
    "hips": ((0, 0, 0.62), (0, 0, 0.75), None, False, "QUATERNION"),
    "chest": ((0, 0, 0.75), (0, 0, 1.2), "hips", True, "QUATERNION"),
    "belly": ((0, -0.2, 0.85), (0, -0.35, 0.85), "chest", False, "QUATERNION"),
    "tail1": ((0, 0.22, 0.75), (0, 0.5, 0.75), "hips", False, "QUATERNION"),
    "tail2": ((0, 0.5, 0.75), (0, 0.75, 0.75), "tail1", True, "XYZ"),
    "tail3": ((0, 0.75, 0.75), (0, 1.0, 0.75), "tail2", True, "QUATERNION"),
    "thigh": ((0, 0, 0.62), (0, -0.02, 0.33), "hips", False, "QUATERNION"),
    "shin": ((0, -0.02, 0.33), (0, 0, 0.04), "thigh", True, "QUATERNION"),
    "foot": ((0, 0, 0.04), (0, -0.15, 0.04), None, False, "XYZ"),
}
DEFORM = ("hips", "chest", "tail1", "tail2", "tail3", "thigh", "shin")


def make_armature():
    armature = bpy.data.armatures.new("Rig")
    rig = bpy.data.objects.new("Rig", armature)
    bpy.context.scene.collection.objects.link(rig)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    for name, (head, tail, parent, connected, _) in BONES.items():
        bone = armature.edit_bones.new(name)
        bone.head, bone.tail, bone.use_deform = head, tail, name in DEFORM
        if parent:
            bone.parent, bone.use_connect = armature.edit_bones[parent], connected
    bpy.ops.object.mode_set(mode="OBJECT")
    for name, (*_, mode) in BONES.items():
        rig.pose.bones[name].rotation_mode = mode
    ik = rig.pose.bones["shin"].constraints.new("IK")
    ik.target, ik.subtarget, ik.chain_count = rig, "foot", 2
    limit = rig.pose.bones["tail2"].constraints.new("LIMIT_ROTATION")
    limit.use_limit_x, limit.min_x, limit.max_x, limit.owner_space = True, -1.2, 1.2, "LOCAL"
    rig.pose.bones["foot"].lock_scale = (True, True, True)
    chest = rig.pose.bones["chest"]
    chest["breath"] = 0.0
    chest.id_properties_ui("breath").update(min=-1, max=1, default=0.0)
    return rig


def near(point, bone):
    """A weight that falls with the distance from a bone."""
    head, tail = Vector(BONES[bone][0]), Vector(BONES[bone][1])
    along = max(0.0, min(1.0, (point - head).dot(tail - head) / (tail - head).length_squared))
    return 1 / (1e-4 + (point - head - along * (tail - head)).length_squared) ** 2


def skin(body, groups, rig):
    followers = {"body": ("hips", "chest"), "tail": ("tail1", "tail2", "tail3"), "leg": ("thigh", "shin")}
    for shell, bones in followers.items():
        for name in bones:
            body.vertex_groups.new(name=name)
        for index in groups[shell]:
            point = body.data.vertices[index].co
            weights = [near(point, name) for name in bones]
            for name, weight in zip(bones, weights):
                body.vertex_groups[name].add([index], weight / sum(weights), "REPLACE")
    soft = body.vertex_groups.new(name="soft")
    soft.add(groups["body"], 1.0, "REPLACE")
    body.parent = rig
    modifier = body.modifiers.new("Armature", "ARMATURE")
    modifier.object = rig


def add_lattice(body, rig):
    """Around the belly, carried by the chest; the bone `belly` pulls the points in front by a hook."""
    data = bpy.data.lattices.new("Cage")
    data.points_u, data.points_v, data.points_w = 3, 3, 3
    cage = bpy.data.objects.new("Cage", data)
    bpy.context.scene.collection.objects.link(cage)
    cage.scale, cage.location = (0.7, 0.7, 0.6), (0, 0, 0.85)
    bpy.context.view_layer.update()
    world = cage.matrix_world.copy()
    cage.parent, cage.parent_type, cage.parent_bone = rig, "BONE", "chest"
    bpy.context.view_layer.update()
    cage.matrix_world = world
    hook = cage.modifiers.new("belly", "HOOK")
    hook.object, hook.subtarget = rig, "belly"
    front = [i for i, point in enumerate(data.points) if point.co.y < -0.4]
    hook.vertex_indices_set(front)
    hook.center = Vector(BONES["belly"][0])
    bpy.context.view_layer.update()
    bone = rig.matrix_world @ rig.pose.bones["belly"].matrix
    hook.matrix_inverse = bone.inverted() @ cage.matrix_world
    modifier = body.modifiers.new("Lattice", "LATTICE")
    modifier.object, modifier.vertex_group = cage, "soft"


def add_shapes(body, groups, rig):
    body.shape_key_add(name="Basis")
    for name, push in (("breath", Vector((0.06, 0.03, 0.0))), ("puff", Vector((0.0, 0.0, 0.08)))):
        key = body.shape_key_add(name=name, from_mix=False)
        for index in groups["body"]:
            point = body.data.vertices[index].co
            key.data[index].co = point + Vector(push[k] * (point[k] - (0, 0, 0.9)[k]) / 0.28 for k in range(3))
    driver = body.data.shape_keys.key_blocks["breath"].driver_add("value").driver
    driver.type = "SCRIPTED"
    driver.expression = "0.5 * breath + 0.5"
    variable = driver.variables.new()
    variable.name = "breath"
    variable.targets[0].id = rig
    variable.targets[0].data_path = 'pose.bones["chest"]["breath"]'


def key(owner, path, frame, value):
    target, _, attribute = path.rpartition(".")
    holder = owner.path_resolve(target) if target else owner
    setattr(holder, attribute, value)
    owner.keyframe_insert(path, frame=frame)


def animate(body, rig):
    rig.animation_data_create()
    walk = bpy.data.actions.new("Walk")
    rig.animation_data.action = walk
    for frame in range(FIRST, LAST + 1, 6):
        turn = 2 * math.pi * (frame - FIRST) / 24
        key(rig, 'pose.bones["hips"].location', frame, (0.03 * math.sin(turn), 0.06 * math.cos(2 * turn), 0))
        hips, chest = Euler((0.1 * math.sin(turn), 0.25 * math.cos(turn), 0)), Euler((0.2 * math.cos(2 * turn), -0.2 * math.cos(turn), 0))
        key(rig, 'pose.bones["hips"].rotation_quaternion', frame, hips.to_quaternion())
        key(rig, 'pose.bones["chest"].rotation_quaternion', frame, chest.to_quaternion())
        key(rig, 'pose.bones["foot"].location', frame, (0, 0.12 * math.sin(turn), 0.05 * max(0, math.cos(turn))))
    keys = body.data.shape_keys
    keys.animation_data_create()
    keys.animation_data.action = bpy.data.actions.new("WalkShapes")
    for frame in (FIRST, 13, 25, 37, LAST):
        key(keys, 'key_blocks["puff"].value', frame, 0.5 + 0.5 * math.cos(math.pi * (frame - FIRST) / 12))
    second = bpy.data.actions.new("Turn")
    second.use_fake_user = True
    rig.animation_data.action = second
    for frame, angle in ((1, 0), (9, 0.8), (17, 0)):
        key(rig, 'pose.bones["chest"].rotation_quaternion', frame, Euler((0, angle, 0)).to_quaternion())
    rig.animation_data.action = walk


def build():
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    scene.render.fps, scene.frame_start, scene.frame_end = FPS, FIRST, LAST
    body, groups = make_mesh()
    rig = make_armature()
    skin(body, groups, rig)
    add_lattice(body, rig)
    add_shapes(body, groups, rig)
    animate(body, rig)
    scene.frame_set(FIRST)
    return body, rig


if __name__ == "__main__":
    build()
    bpy.ops.wm.save_as_mainfile(filepath=os.path.abspath(sys.argv[sys.argv.index("--") + 1]), check_existing=False)
