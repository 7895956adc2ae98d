"""Characters that are an armature with shape keys, in all the ways that Blender has for it, and some that are a little more.

    blender -b --factory-startup --python-exit-code 3 --python tests/blender/make_plain.py -- FOLDER [NAMES..]

plain.blend: bones in all orders of Euler angles, by quaternions and by axis and angle, connected and free, with and without local
location, channels locked off their rest, a limit, an IK that is muted; weights that do not add up to one, vertices without any;
shape keys relative to others, masked by a group, muted; armature and mesh placed, turned, scaled and with deltas; `Walk` moves
bones, armature and shapes. The others are plain.blend with one thing changed, which VARIANTS says."""
import math
import pathlib
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import bpy  # noqa: E402
from make_character import FIRST, FPS, LAST, key, make_mesh  # noqa: E402
from mathutils import Euler, Matrix, Vector  # noqa: E402

BONES = {  # head, tail, roll, parent, connected, turns by
    "root": ((0, 0, 0), (0, 0.3, 0), 0, None, False, "QUATERNION"),
    "hips": ((0, 0, 0.62), (0, 0.02, 0.75), 0.4, "root", False, "ZXY"),
    "chest": ((0, 0.02, 0.75), (0, 0, 1.2), -0.2, "hips", True, "QUATERNION"),
    "tail1": ((0, 0.22, 0.75), (0, 0.4, 0.76), 0.3, "hips", False, "XYZ"),
    "tail2": ((0, 0.4, 0.76), (0, 0.55, 0.75), 0, "tail1", True, "XZY"),
    "tail3": ((0, 0.55, 0.75), (0, 0.7, 0.77), 1.1, "tail2", True, "YXZ"),
    "tail4": ((0, 0.7, 0.77), (0, 0.85, 0.75), 0, "tail3", True, "YZX"),
    "tail5": ((0, 0.85, 0.75), (0, 1.0, 0.75), -0.6, "tail4", True, "ZYX"),
    "thigh": ((0.02, 0, 0.62), (0, -0.02, 0.33), 0, "hips", False, "AXIS_ANGLE"),
    "shin": ((0, -0.05, 0.31), (0, 0, 0.04), 0.2, "thigh", False, "QUATERNION"),
    "foot": ((0, 0, 0.04), (0, -0.15, 0.04), 0, None, False, "XYZ"),
}
SHELLS = {"body": ("hips", "chest"), "tail": ("tail1", "tail2", "tail3", "tail4", "tail5"), "leg": ("thigh", "shin", "root")}


def make_armature():
    armature = bpy.data.armatures.new("Rig")
    rig = bpy.data.objects.new("Rig", armature)
    bpy.context.scene.collection.objects.link(rig)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    for name, (head, tail, roll, parent, connected, _) in BONES.items():
        bone = armature.edit_bones.new(name)
        bone.head, bone.tail, bone.roll = head, tail, roll
        if parent:
            bone.parent, bone.use_connect = armature.edit_bones[parent], connected
    bpy.ops.object.mode_set(mode="OBJECT")
    for name, (*_, mode) in BONES.items():
        rig.pose.bones[name].rotation_mode = mode
    armature.bones["shin"].use_local_location = armature.bones["root"].use_local_location = False
    armature.bones["foot"].use_deform = False
    tail = rig.pose.bones["tail2"]
    tail.lock_rotation[1], tail.rotation_euler[1] = True, 0.3
    tail.lock_scale, tail.scale = (True, True, True), (1, 1.1, 0.9)
    limit = rig.pose.bones["tail3"].constraints.new("LIMIT_ROTATION")
    limit.use_limit_x, limit.min_x, limit.max_x, limit.owner_space = True, -0.8, 0.7, "LOCAL"
    ik = rig.pose.bones["shin"].constraints.new("IK")
    ik.target, ik.subtarget, ik.chain_count, ik.mute = rig, "foot", 2, True
    return rig


def skin(body, groups, rig):
    """By distance, not normalised; the uppermost of the body follow nothing, and `foot` does not deform."""
    for shell, bones in SHELLS.items():
        for name in bones:
            body.vertex_groups.new(name=name)
        for index in groups[shell]:
            point = body.data.vertices[index].co
            if point.z > 1.25:
                continue
            for name in bones:
                head, tail = Vector(BONES[name][0]), Vector(BONES[name][1])
                along = max(0.0, min(1.0, (point - head).dot(tail - head) / (tail - head).length_squared))
                distance = (point - head - along * (tail - head)).length
                body.vertex_groups[name].add([index], min(1.0, 0.01 / (0.01 + distance * distance)), "REPLACE")
    for name in ("foot", "soft"):
        body.vertex_groups.new(name=name).add(groups["leg"], 0.5, "REPLACE")
    modifier = body.modifiers.new("Armature", "ARMATURE")
    modifier.object, modifier.use_bone_envelopes = rig, False


def place(body, rig):
    world = bpy.data.objects.new("World", None)
    bpy.context.scene.collection.objects.link(world)
    world.location, world.rotation_euler = (0.2, -0.1, 0.05), (0, 0, 0.6)
    rig.parent, rig.matrix_parent_inverse = world, Matrix.Translation((0.1, 0, 0)) @ Matrix.Rotation(0.2, 4, "X")
    rig.rotation_mode, rig.rotation_euler = "XZY", (0.2, -0.3, 0.4)
    rig.scale, rig.delta_location, rig.delta_rotation_euler, rig.delta_scale = (1.3, 1.3, 1.3), (0, 0, 0.1), (0.1, 0, 0), (0.9, 0.9, 0.9)
    body.parent, body.matrix_parent_inverse = rig, Matrix.Rotation(0.3, 4, "Z")
    body.rotation_mode, body.rotation_quaternion = "QUATERNION", Euler((0.1, 0.2, 0)).to_quaternion()
    body.location, body.scale = (0.02, 0.03, -0.02), (0.9, 0.8, 1.0)


def add_shapes(body, groups):
    body.shape_key_add(name="Basis")
    made = {}
    for name, relative, push in (("puff", "Basis", (0.06, 0.05, 0.0)), ("lift", "puff", (0.0, 0.0, 0.08)), ("off", "Basis", (1, 1, 1))):
        block = made[name] = body.shape_key_add(name=name, from_mix=False)
        block.relative_key = body.data.shape_keys.key_blocks[relative]
        for index in groups["body"]:
            point = body.data.vertices[index].co
            block.data[index].co = point + Vector(push[k] * (point[k] - (0, 0, 0.9)[k]) / 0.28 for k in range(3))
    half = body.vertex_groups.new(name="half")
    for index in groups["body"]:
        half.add([index], max(0.0, min(1.0, 0.5 + 2 * body.data.vertices[index].co.x)), "REPLACE")
    made["lift"].vertex_group, made["lift"].slider_min, made["lift"].slider_max = "half", -1, 2
    made["off"].value, made["off"].mute = 0.7, True


def animate(body, rig):
    rig.animation_data_create()
    rig.animation_data.action = bpy.data.actions.new("Walk")
    for frame in range(FIRST, LAST + 1, 6):
        turn = 2 * math.pi * (frame - FIRST) / 24
        key(rig, 'pose.bones["hips"].location', frame, (0.03 * math.sin(turn), 0.06 * math.cos(2 * turn), 0))
        key(rig, 'pose.bones["hips"].rotation_euler', frame, (0.1 * math.sin(turn), 0.5 * math.cos(turn), 0.2))
        key(rig, 'pose.bones["chest"].rotation_quaternion', frame, Euler((0.2 * math.cos(2 * turn), -0.4 * math.cos(turn), 0)).to_quaternion())
        key(rig, 'pose.bones["shin"].location', frame, (0.02 * math.sin(turn), 0, 0.05 * math.cos(turn)))
        key(rig, "location", frame, (0.1 * math.sin(turn), 0.2 * math.cos(turn), 0))
    keys = body.data.shape_keys
    keys.animation_data_create()
    keys.animation_data.action = bpy.data.actions.new("WalkShapes")
    for frame in (FIRST, 13, 25, 37, LAST):
        key(keys, 'key_blocks["puff"].value', frame, 0.5 + 0.5 * math.cos(math.pi * (frame - FIRST) / 12))


def inverse_kinematics(body, rig):
    rig.pose.bones["shin"].constraints["IK"].mute = False


def hinge(body, rig):
    rig.data.bones["chest"].use_inherit_rotation = False


def unscaled(body, rig):
    rig.data.bones["tail4"].inherit_scale = "NONE"


def bent(body, rig):
    rig.data.bones["tail1"].bbone_segments = 4


def drive(owner, path, index, expression, **reads):
    """reads: variable = (datablock, data path)."""
    driver = owner.driver_add(path, index).driver
    driver.type, driver.expression = "SCRIPTED", expression
    for name, (target, source) in reads.items():
        variable = driver.variables.new()
        variable.name, variable.targets[0].id_type = name, "OBJECT" if isinstance(target, bpy.types.Object) else "KEY"
        variable.targets[0].id, variable.targets[0].data_path = target, source


def driven(body, rig):
    """By sums and products of properties, a place, an angle and a shape."""
    chest = rig.pose.bones["chest"]
    chest["breath"] = 0.2
    chest.id_properties_ui("breath").update(min=-1, max=1)
    keys = body.data.shape_keys
    drive(keys, 'key_blocks["lift"].value', -1, "0.5 + 2*breath - max(0, x)", breath=(rig, 'pose.bones["chest"]["breath"]'),
          x=(rig, 'pose.bones["hips"].location[0]'))
    drive(rig, 'pose.bones["tail5"].rotation_euler', 0, "-(turn + 0.1) / 2", turn=(rig, 'pose.bones["tail4"].rotation_euler[0]'))
    drive(rig, 'pose.bones["thigh"].scale', 1, "1 + 0.3 * abs(puff)", puff=(keys, 'key_blocks["puff"].value'))


def driven_more(body, rig):
    drive(rig, 'pose.bones["tail5"].rotation_euler', 0, "sin(turn)", turn=(rig, 'pose.bones["tail4"].rotation_euler[0]'))


def apart(body, rig):
    """The armature moves, and the mesh is not its child."""
    body.parent = None


def still_apart(body, rig):
    """The same where nothing moves it."""
    body.parent = rig.parent = None
    action = rig.animation_data.action
    for curve in [curve for curve in action.fcurves if curve.data_path == "location"]:
        action.fcurves.remove(curve)


def on_a_bone(body, rig):
    """Shape keys on a mesh that a bone carries."""
    body.modifiers.clear()
    body.parent_type, body.parent_bone = "BONE", "chest"


def smooth(body, rig):
    body.modifiers.new("Smooth", "SMOOTH").iterations = 2


def volume(body, rig):
    """Dual quaternions."""
    body.modifiers["Armature"].use_deform_preserve_volume = True


VARIANTS = {"plain": lambda body, rig: None, "ik": inverse_kinematics, "hinge": hinge, "unscaled": unscaled, "bent": bent, "driven": driven,
            "driven_more": driven_more, "apart": apart, "still_apart": still_apart, "on_a_bone": on_a_bone, "smooth": smooth, "volume": volume}


def build():
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    scene.render.fps, scene.frame_start, scene.frame_end = FPS, FIRST, LAST
    body, groups = make_mesh()
    rig = make_armature()
    skin(body, groups, rig)
    place(body, rig)
    add_shapes(body, groups)
    animate(body, rig)
    scene.frame_set(FIRST)
    return body, rig


if __name__ == "__main__":
    folder, *names = sys.argv[sys.argv.index("--") + 1 :]
    for name in names or VARIANTS:
        VARIANTS[name](*build())
        bpy.context.view_layer.update()
        bpy.ops.wm.save_as_mainfile(filepath=str(pathlib.Path(folder).resolve() / f"{name}.blend"), check_existing=False)
