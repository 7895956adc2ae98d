"""What tests of the add-on inside Blender share: the hero opened afresh for each test, and what plays and what a file holds.

The arguments behind "--" are those of addon_inside.py."""
import math
import sys
import unittest

import bpy
import numpy

ZIP, HERO, FOLDER, *TESTS = sys.argv[sys.argv.index("--") + 1 :]
FRAMES = (1, 4, 7.5, 10, 13, 30)


def points(name="Body"):
    graph = bpy.context.evaluated_depsgraph_get()
    mesh = bpy.data.objects[name].evaluated_get(graph)
    values = numpy.empty(3 * len(mesh.data.vertices), numpy.float32)
    mesh.data.vertices.foreach_get("co", values)
    return values


def played(name="Body", frames=FRAMES):
    shown = []
    for frame in frames:
        bpy.context.scene.frame_set(int(frame), subframe=frame - int(frame))
        shown.append(points(name))
    return numpy.stack(shown)


def curves_of(action):
    return {(curve.data_path, curve.array_index): [tuple(key.co) for key in curve.keyframe_points] for curve in action.fcurves}


def state():
    """All that a file says of its animation."""
    actions = {action.name: curves_of(action) for action in bpy.data.actions}
    stacks = {}
    for owner in (*bpy.data.objects, *bpy.data.shape_keys, *bpy.data.lattices):
        data = owner.animation_data
        if data and (data.action or data.nla_tracks):
            stacks[owner.name] = (data.action.name if data.action else None, data.action_blend_type,
                                  [(track.name, track.mute, [strip.action.name for strip in track.strips]) for track in data.nla_tracks])
    return actions, stacks


class AddonCase(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        bpy.ops.preferences.addon_install(filepath=ZIP)
        bpy.ops.preferences.addon_enable(module="rigspace_addon")

    def setUp(self):
        self.open(HERO)

    def open(self, file):
        bpy.ops.wm.open_mainfile(filepath=str(file))
        bpy.context.view_layer.objects.active = bpy.data.objects["Body"]
        self.rig = bpy.data.objects["Rig"]

    def set_up(self, parts=(("belly.t?", "belly"), ("tail?.r?", "tail"))):
        bpy.ops.rigspace.set_up()
        character = bpy.context.scene.rigspace.characters[-1]
        for pattern, preset in parts:
            part = character.parts.add()
            part.pattern, part.preset, part.use_rate, part.rate = pattern, preset, True, 3.0
        character.use_range, character.first, character.last, character.loop = True, 1, 13, "no"
        return character

    def simulated(self, **arguments):
        character = self.set_up(**arguments)
        self.assertEqual(bpy.ops.rigspace.simulate(), {"FINISHED"})
        return character

    def track(self, name, owner=None):
        return (owner or self.rig).animation_data.nla_tracks[name]

    def fails(self, words, operator, **arguments):
        with self.assertRaisesRegex(RuntimeError, words):
            operator(**arguments)

    def curves_that_go_on(self):
        """The artist's curves do something outside their keys, each in its way, those of soft parts too. Returns (datablock, data
        path, index) of them."""
        places = []
        for frame in (1, 9, 24):
            for name, path, value in (("tail1", "rotation_quaternion", (1, 0.01 * frame, 0.1, 0)), ("belly", "location", (0, 0.002 * frame, 0)),
                                      ("tail2", "rotation_euler", (0.02 * frame, 0.1, 0))):
                bone = self.rig.pose.bones[name]
                setattr(bone, path, value)
                bone.keyframe_insert(path, frame=frame)
        for owner in (self.rig, bpy.data.objects["Body"].data.shape_keys):
            action = owner.animation_data.action if owner.animation_data else None
            for k, curve in enumerate(action.fcurves if action else ()):
                if k % 3 == 0:
                    curve.modifiers.new("CYCLES")
                elif k % 3 == 1:
                    curve.extrapolation = "LINEAR"
                else:
                    curve.modifiers.new("CYCLES").mode_after = "REPEAT_OFFSET"
                places.append((owner, curve.data_path, curve.array_index))
            if action:
                action.update_tag()  # Blender does not see by itself that a modifier is new
        return places

    def values(self, places, frames):
        told = []
        for frame in frames:
            bpy.context.scene.frame_set(math.floor(frame), subframe=frame - math.floor(frame))
            found = [(owner.path_resolve(path), index) for owner, path, index in places]
            told.append([value[index] if hasattr(value, "__len__") else value for value, index in found])
        return told
