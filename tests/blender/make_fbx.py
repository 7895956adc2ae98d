"""A .glb as an .fbx by Blender's own exporter, as an artist would: all actions, from frame 1 on.

    blender -b --factory-startup --python make_fbx.py -- IN.glb OUT.fbx FBX_SCALE_NONE|FBX_SCALE_ALL|"without mesh" """
import sys

import numpy

import bpy

SOURCE, OUT, SCALE = sys.argv[sys.argv.index("--") + 1 :]
numpy.bool = bool  # for glTF in Blender 3.4
bpy.ops.wm.read_homefile(use_empty=True)
bpy.context.scene.render.fps = 30
bpy.ops.import_scene.gltf(filepath=SOURCE)
for action in bpy.data.actions:
    for curve in action.fcurves:
        for key in curve.keyframe_points:
            for point in (key.co, key.handle_left, key.handle_right):
                point[0] += 1
kinds = {"ARMATURE"} if SCALE == "without mesh" else {"ARMATURE", "MESH", "EMPTY"}
bpy.ops.export_scene.fbx(filepath=OUT, object_types=kinds, add_leaf_bones=False, bake_anim_simplify_factor=0.0,
                         bake_anim_use_nla_strips=False, bake_anim_use_all_actions=True,
                         apply_scale_options=SCALE if SCALE.startswith("FBX") else "FBX_SCALE_NONE")
