"""A human on a rig that Rigify generates, with a soft belly and long ears, walking in place.

    blender -b --factory-startup --python-exit-code 3 --python tests/blender/make_rigify.py -- OUT.blend [PLAIN.blend]

The skin is one closed surface around the rig's own DEF bones. Beside what Rigify makes there are control bones that deform:
`belly.C L R` on the spine and `longear.L longear.tip.L` (and R) on the head. `Walk` keys the feet (IK), torso, chest and
hands, and the torso looks left and right meanwhile: frames 1 to 49, two seconds, and it loops.

PLAIN.blend is the same human on an armature without constraints, as a game has it: the DEF bones, keyed in every frame, and ours."""
import math
import os
import sys

import bmesh
import bpy
import numpy
from mathutils import Euler, Matrix, Vector

FPS, FIRST, LAST, STRIDE = 24, 1, 49, 24
VOXEL = 0.024  # m: of the skin

# Radius around each DEF bone, m, by how its name begins; the first that fits counts.
RADII = (("DEF-spine.006", 0.098), ("DEF-spine.005", 0.06), ("DEF-spine.004", 0.06), ("DEF-spine.003", 0.125),
         ("DEF-spine.002", 0.13), ("DEF-spine.001", 0.125), ("DEF-spine", 0.13), ("DEF-pelvis", 0.1),
         ("DEF-shoulder", 0.065), ("DEF-upper_arm", 0.05), ("DEF-forearm", 0.042),
         ("DEF-hand", 0.045), ("DEF-palm", 0.026), ("DEF-f_", 0.018), ("DEF-thumb", 0.018), ("DEF-thigh", 0.08),
         ("DEF-shin", 0.058), ("DEF-foot", 0.05), ("DEF-toe", 0.042))

# Our own bones: head, tail, parent. The human looks along -y; lengths in metres.
SOFT = {
    "belly.C": ((0, -0.06, 1.08), (0, -0.25, 1.08), "DEF-spine.001"),
    "belly.L": ((0.06, -0.02, 1.08), (0.17, -0.14, 1.08), "DEF-spine.001"),
    "belly.R": ((-0.06, -0.02, 1.08), (-0.17, -0.14, 1.08), "DEF-spine.001"),
    "longear.L": ((0.06, 0.0, 1.80), (0.13, 0.01, 1.96), "DEF-spine.006"),
    "longear.tip.L": ((0.13, 0.01, 1.96), (0.2, 0.02, 2.12), "longear.L"),
    "longear.R": ((-0.06, 0.0, 1.80), (-0.13, 0.01, 1.96), "DEF-spine.006"),
    "longear.tip.R": ((-0.13, 0.01, 1.96), (-0.2, 0.02, 2.12), "longear.R"),
}
BELLY = (Vector((0, -0.1, 1.08)), Vector((0.175, 0.155, 0.16)))  # centre, radii of the paunch


def make_rig():
    """The human metarig, generated, and our bones in it."""
    bpy.ops.preferences.addon_enable(module="rigify")
    bpy.ops.object.armature_human_metarig_add()
    metarig = bpy.context.object
    bpy.ops.pose.rigify_generate()
    rig = next(item for item in bpy.data.objects if item.type == "ARMATURE" and item is not metarig)
    bpy.data.objects.remove(metarig)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    for name, (head, tail, parent) in SOFT.items():
        bone = rig.data.edit_bones.new(name)
        bone.head, bone.tail, bone.parent, bone.use_deform = head, tail, rig.data.edit_bones[parent], True
        bone.layers = [index == 3 for index in range(32)]
    bpy.ops.object.mode_set(mode="OBJECT")
    rig.data.layers[3] = True
    for name in SOFT:
        rig.pose.bones[name].rotation_mode = "XYZ"
    return rig


def radius_of(name):
    return next((radius for start, radius in RADII if name.startswith(start)), 0)


class Balls:
    """Many ellipsoids as one mesh; what they have inside is nobody's business."""

    def __init__(self):
        ball = bmesh.new()
        bmesh.ops.create_uvsphere(ball, u_segments=14, v_segments=10, radius=1)
        self.unit = numpy.array([vertex.co for vertex in ball.verts])
        self.unit_faces = [[vertex.index for vertex in face.verts] for face in ball.faces]
        ball.free()
        self.points, self.faces = [], []

    def add(self, centre, radii):
        first = len(self.points) * len(self.unit)
        self.points.append(self.unit * numpy.array(radii) + numpy.array(centre))
        self.faces += [[first + index for index in face] for face in self.unit_faces]

    def mesh(self, name):
        data = bpy.data.meshes.new(name)
        data.from_pydata(numpy.concatenate(self.points).tolist(), [], self.faces)
        return data


def add_rope(balls, head, tail, radii):
    """Balls from head to tail, close enough to be one thing."""
    count = max(2, math.ceil((tail - head).length / (0.35 * min(radii))))
    for k in range(count + 1):
        radius = radii[0] + (radii[1] - radii[0]) * k / count
        balls.add(head.lerp(tail, k / count), (radius,) * 3)


def make_mesh(rig):
    """Balls along the bones, made one closed surface by voxels, then smoothed."""
    balls = Balls()
    for bone in rig.data.bones:
        if radius := radius_of(bone.name):
            add_rope(balls, bone.head_local, bone.tail_local, (radius, radius))
    balls.add(*BELLY)
    for side in "LR":
        root, tip = SOFT[f"longear.{side}"], SOFT[f"longear.tip.{side}"]
        add_rope(balls, Vector(root[0]) - Vector((0, 0, 0.06)), Vector(root[1]), (0.04, 0.045))
        add_rope(balls, Vector(tip[0]), Vector(tip[1]), (0.045, 0.03))
    data = balls.mesh("Human")
    human = bpy.data.objects.new("Human", data)
    bpy.context.scene.collection.objects.link(human)
    remesh = human.modifiers.new("Skin", "REMESH")
    remesh.mode, remesh.voxel_size = "VOXEL", VOXEL
    smooth = human.modifiers.new("Smooth", "SMOOTH")
    smooth.factor, smooth.iterations = 0.5, 4
    made = bpy.data.meshes.new_from_object(human.evaluated_get(bpy.context.evaluated_depsgraph_get()))
    human.modifiers.clear()
    human.data = made
    bpy.data.meshes.remove(data)
    made.name = "Human"
    return human


def away(point, head, tail):
    along = max(0.0, min(1.0, (point - head).dot(tail - head) / (tail - head).length_squared))
    return (point - head - along * (tail - head)).length


def smooth_step(high, low, value):
    """1 below `low`, 0 above `high`, smoothly between."""
    share = max(0.0, min(1.0, (high - value) / (high - low)))
    return share * share * (3 - 2 * share)


def soft_weights(point):
    """What our bones have of a point; Rigify's have the rest."""
    shares = {}
    centre, radii = BELLY
    inside = Vector((point[k] - centre[k]) / radii[k] for k in range(3)).length
    front = smooth_step(1.35, 0.75, inside) * smooth_step(0.0, -0.1, point.y)
    if front > 0:
        near = {name: 1 / (0.01 + (point - Vector(SOFT[name][1])).length_squared) for name in SOFT if name[0] == "b"}
        shares.update({name: front * each / sum(near.values()) for name, each in near.items()})
    side = "L" if point.x > 0 else "R"
    root, tip = SOFT[f"longear.{side}"], SOFT[f"longear.tip.{side}"]
    if away(point, Vector(root[0]), Vector(tip[1])) < 0.08:
        direction = (Vector(tip[1]) - Vector(root[0])).normalized()
        along = (point - Vector(root[0])).dot(direction)
        ear = smooth_step(-0.02, 0.14, along)
        bend = smooth_step(0.06, 0.3, along)
        shares.update({f"longear.{side}": ear * (1 - bend), f"longear.tip.{side}": ear * bend})
    return {name: share for name, share in shares.items() if share > 1e-3}


def skin(human, rig):
    bones = [(bone.name, bone.head_local, bone.tail_local, radius_of(bone.name))
             for bone in rig.data.bones if radius_of(bone.name)]
    groups = {name: human.vertex_groups.new(name=name) for name, *_ in bones} | {
        name: human.vertex_groups.new(name=name) for name in SOFT}
    for vertex in human.data.vertices:
        point = vertex.co.copy()
        soft = soft_weights(point)
        rest = 1 - sum(soft.values())
        near = sorted((away(point, head, tail) / radius, name) for name, head, tail, radius in bones)[:4]
        hard = {name: 1 / (0.05 + far) ** 4 for far, name in near}
        weights = soft | {name: rest * each / sum(hard.values()) for name, each in hard.items()}
        for name, weight in weights.items():
            if weight > 1e-3:
                groups[name].add([vertex.index], weight, "REPLACE")
    human.parent = rig
    human.modifiers.new("Armature", "ARMATURE").object = rig


def key(rig, bone, frame, *, place=None, turn=None):
    pose = rig.pose.bones[bone]
    if place is not None:
        pose.location = place
        pose.keyframe_insert("location", frame=frame)
    if turn is not None:
        path = "rotation_quaternion" if pose.rotation_mode == "QUATERNION" else "rotation_euler"
        setattr(pose, path, Euler(turn).to_quaternion() if path.endswith("quaternion") else Euler(turn))
        pose.keyframe_insert(path, frame=frame)


def animate(rig):
    """A walk in place: a step is half a second. Places of IK controls are in the rig's axes: y is backwards."""
    rig.animation_data_create()
    rig.animation_data.action = bpy.data.actions.new("Walk")
    for side in "LR":  # IK for legs and arms
        for limb in ("thigh", "upper_arm"):
            rig.pose.bones[f"{limb}_parent.{side}"]["IK_FK"] = 0.0
    for frame in range(FIRST, LAST + 1, 3):
        turn = 2 * math.pi * (frame - FIRST) / STRIDE
        look = 0.15 * math.sin(2 * math.pi * (frame - FIRST) / (LAST - FIRST))
        key(rig, "torso", frame, place=(0.02 * math.sin(turn), 0, -0.05 - 0.03 * math.cos(2 * turn)),
            turn=(0.06, 0, 0.1 * math.sin(turn) + look))
        key(rig, "chest", frame, turn=(0.04 * math.cos(2 * turn), 0.12 * math.sin(turn), 0))
        for side, phase in (("L", turn), ("R", turn + math.pi)):
            key(rig, f"foot_ik.{side}", frame,
                place=(0, 0.22 * math.cos(phase), 0.1 * max(0.0, -math.sin(phase)) ** 2))
            out = 1 if side == "L" else -1
            key(rig, f"hand_ik.{side}", frame, place=(-0.12 * out, -0.16 * math.cos(phase) - 0.05, -0.18))


def make_plain(human, rig):
    """Another armature in place of the rig: bones that deform, each where it was in every frame."""
    names = [group.name for group in human.vertex_groups if group.name not in SOFT]
    scene, places = bpy.context.scene, {name: [] for name in names}
    for frame in range(FIRST, LAST + 1):
        scene.frame_set(frame)
        for name in names:
            places[name].append(rig.pose.bones[name].matrix.copy())
    plain = bpy.data.objects.new("Plain", bpy.data.armatures.new("Plain"))
    scene.collection.objects.link(plain)
    bpy.context.view_layer.objects.active = plain
    bpy.ops.object.mode_set(mode="EDIT")
    for name in (*names, *SOFT):
        old, bone = rig.data.bones[name], plain.data.edit_bones.new(name)
        bone.head, bone.tail = old.head_local, old.tail_local
        bone.matrix = old.matrix_local
        bone.parent = plain.data.edit_bones[SOFT[name][2]] if name in SOFT else None
    bpy.ops.object.mode_set(mode="OBJECT")
    for name in SOFT:
        plain.pose.bones[name].rotation_mode = "XYZ"
    bpy.data.actions.remove(bpy.data.actions["Walk"])
    plain.animation_data_create().action = bpy.data.actions.new("Walk")
    for name in names:
        bone, back = plain.pose.bones[name], plain.data.bones[name].matrix_local.inverted()
        for frame, place in enumerate(places[name], FIRST):
            bone.location, bone.rotation_quaternion, bone.scale = (back @ place).decompose()
            for path in ("location", "rotation_quaternion", "scale"):
                bone.keyframe_insert(path, frame=frame)
    human.parent, human.modifiers["Armature"].object = plain, plain
    for item in [each for each in bpy.data.objects if each not in (human, plain)]:
        bpy.data.objects.remove(item)
    bpy.ops.outliner.orphans_purge(do_recursive=True)
    scene.frame_set(FIRST)


def build():
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    scene.render.fps, scene.frame_start, scene.frame_end = FPS, FIRST, LAST
    rig = make_rig()
    human = make_mesh(rig)
    skin(human, rig)
    animate(rig)
    scene.frame_set(FIRST)
    return human, rig


if __name__ == "__main__":
    files = [os.path.abspath(file) for file in sys.argv[sys.argv.index("--") + 1 :]]
    made = build()
    bpy.ops.wm.save_as_mainfile(filepath=files[0], check_existing=False)
    if len(files) > 1:
        make_plain(*made)
        bpy.ops.wm.save_as_mainfile(filepath=files[1], check_existing=False)
