"""A glTF face as a Blender file: its shapes as shape keys, its bones with Euler angles.

    blender -b --factory-startup --python-exit-code 3 --python tests/blender/make_face.py -- IN.glb OUT.blend"""
import sys

import bpy
import numpy

numpy.bool = bool  # the importer of 3.4 reads this name
source, target = sys.argv[sys.argv.index("--") + 1:]
bpy.ops.wm.read_factory_settings(use_empty=True)
bpy.ops.import_scene.gltf(filepath=source)
for item in bpy.data.objects:
    if item.type == "ARMATURE":
        for bone in item.pose.bones:
            bone.rotation_mode = "XYZ"
    if item.animation_data:
        item.animation_data_clear()
bpy.ops.wm.save_as_mainfile(filepath=target)
