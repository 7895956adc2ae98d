"""What Blender itself shows of a character, frame by frame, in its own scene.

    blender -b --factory-startup hero.blend --python-exit-code 3 --python tests/blender/play.py -- OUT.npz OBJECT ACTION MUTED FRAMES..

ACTION, unless it is -, becomes the armature's; tracks whose names end in MUTED, unless it is -, are muted. The file gets
`points` (frames, vertices, 3), Y up, `keys`, every key of every action that is not ours, and `bones`, the channels of all pose
bones (frames, bones, 10: place, quaternion or Euler angles and a zero, scale)."""
import sys

import bpy
import numpy

out, name, action, muted, *frames = sys.argv[sys.argv.index("--") + 1 :]
item = bpy.data.objects[name, None]
rig = next(modifier.object for modifier in item.modifiers if modifier.type == "ARMATURE")
if action != "-":
    rig.animation_data.action = bpy.data.actions[action]
    for bone in rig.pose.bones:  # what another action left there
        bone.matrix_basis.identity()
for owner in (*bpy.data.objects, *bpy.data.shape_keys, *bpy.data.lattices):
    for track in owner.animation_data.nla_tracks if muted != "-" and owner.animation_data else []:
        track.mute = track.mute or track.name.endswith(muted)


def points():
    shape = item.evaluated_get(bpy.context.evaluated_depsgraph_get())
    local = numpy.empty(3 * len(shape.data.vertices), numpy.float32)
    shape.data.vertices.foreach_get("co", local)
    matrix = numpy.array(shape.matrix_world)
    world = local.reshape(-1, 3).astype(float) @ matrix[:3, :3].T + matrix[:3, 3]
    return numpy.stack([world[:, 0], world[:, 2], -world[:, 1]], axis=1)


def channels(bone):
    turn = tuple(bone.rotation_quaternion) if bone.rotation_mode == "QUATERNION" else (*bone.rotation_euler, 0.0)
    return (*bone.location, *turn, *bone.scale)


shown, bones = [], []
for frame in map(float, frames):
    bpy.context.scene.frame_set(int(frame), subframe=frame - int(frame))
    shown.append(points())
    bones.append([channels(bone) for bone in rig.pose.bones])
artists = [each for each in bpy.data.actions if "rigspace_layer" not in each]  # ours say what they are
keys = [number for each in sorted(artists, key=lambda each: each.name) for curve in each.fcurves
        for key in curve.keyframe_points for number in (*key.co, *key.handle_left, *key.handle_right)]
names = [bone.name for bone in rig.pose.bones]
numpy.savez(out, points=numpy.array(shown), bones=numpy.array(bones), keys=numpy.array(keys), names=names)
