"""The plain Rigify human of make_rigify.py with its deforming bones below each other, as its metarig has them; no action.

    blender -b --factory-startup --python-exit-code 3 --python tests/blender/make_rigify_tree.py -- PLAIN.blend OUT.blend"""
import re
import sys

import bpy

ABOVE = {"pelvis": "spine", "thigh": "spine", "shin": "thigh{}.001", "foot": "shin{}.001", "toe": "foot{}", "shoulder": "spine.003",
         "upper_arm": "shoulder{}", "forearm": "upper_arm{}.001", "hand": "forearm{}.001", "palm": "hand{}", "thumb": "palm.01{}",
         "f_index": "palm.01{}", "f_middle": "palm.02{}", "f_ring": "palm.03{}", "f_pinky": "palm.04{}"}


def above(name):
    """Of DEF-f_index.02.L the bone DEF-f_index.01.L, of DEF-shin.L the second half of the thigh."""
    part, digit, side, half = re.fullmatch(r"DEF-([a-z_]+?)(?:\.(0\d\d?))?(\.[LR])?(\.001)?", name).groups()
    side = side or ""
    if half:
        return f"DEF-{part}{side}"
    if part == "spine":
        return None if digit is None else "DEF-spine" if digit == "001" else f"DEF-spine.{int(digit) - 1:03d}"
    if digit and int(digit) > 1 and part != "palm":
        return f"DEF-{part}.{int(digit) - 1:02d}{side}"
    return "DEF-" + ABOVE[part].format(side)


source, target = sys.argv[sys.argv.index("--") + 1:]
bpy.ops.wm.open_mainfile(filepath=source)
rig = next(item for item in bpy.data.objects if item.type == "ARMATURE")
rig.animation_data_clear()
bpy.context.view_layer.objects.active = rig
bpy.ops.object.mode_set(mode="EDIT")
for bone in rig.data.edit_bones:
    if bone.name.startswith("DEF-") and above(bone.name):
        bone.parent = rig.data.edit_bones[above(bone.name)]
bpy.ops.object.mode_set(mode="OBJECT")
for bone in rig.pose.bones:
    bone.rotation_mode, bone.location, bone.rotation_euler, bone.scale = "XYZ", (0, 0, 0), (0, 0, 0), (1, 1, 1)
bpy.ops.wm.save_as_mainfile(filepath=target)
