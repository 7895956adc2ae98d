"""Posing by drawing inside Blender: annotation and grease pencil strokes, seen by the matrices of a view, pose an armature.

    blender -b --factory-startup --python-exit-code 3 --python tests/addon/sketch_inside.py -- FOLDER [TEST..]

RIGSPACE_PROGRAM is the program. The character, a man of boxes who looks along -y, is made here; docs/blender-addon.md has him."""
import math
import pathlib
import sys
import unittest

import bmesh
import bpy
import numpy
from mathutils import Euler, Matrix, Vector

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "blender"))
import rigspace_addon  # noqa: E402

BONES = {  # head, tail, parent, half thickness, turns by
    "hips": ((0, 0, 1.0), (0, 0, 1.12), None, 0.13, "QUATERNION"),
    "spine": ((0, 0, 1.12), (0, 0, 1.32), "hips", 0.12, "QUATERNION"),
    "chest": ((0, 0, 1.32), (0, 0, 1.52), "spine", 0.14, "QUATERNION"),
    "head": ((0, 0, 1.56), (0, 0, 1.8), "chest", 0.1, "QUATERNION"),
    "upper_arm.L": ((0.17, 0, 1.48), (0.45, 0.02, 1.48), "chest", 0.05, "QUATERNION"),
    "forearm.L": ((0.45, 0.02, 1.48), (0.72, 0, 1.48), "upper_arm.L", 0.04, "XYZ"),
    "upper_arm.R": ((-0.17, 0, 1.48), (-0.45, 0.02, 1.48), "chest", 0.05, "QUATERNION"),
    "forearm.R": ((-0.45, 0.02, 1.48), (-0.72, 0, 1.48), "upper_arm.R", 0.04, "XYZ"),
    "thigh.L": ((0.1, 0, 0.98), (0.1, -0.02, 0.52), "hips", 0.07, "QUATERNION"),
    "shin.L": ((0.1, -0.02, 0.52), (0.1, 0, 0.08), "thigh.L", 0.055, "QUATERNION"),
    "foot.L": ((0.1, 0, 0.08), (0.1, -0.18, 0.04), "shin.L", 0.04, "QUATERNION"),
    "thigh.R": ((-0.1, 0, 0.98), (-0.1, -0.02, 0.52), "hips", 0.07, "QUATERNION"),
    "shin.R": ((-0.1, -0.02, 0.52), (-0.1, 0, 0.08), "thigh.R", 0.055, "QUATERNION"),
    "foot.R": ((-0.1, 0, 0.08), (-0.1, -0.18, 0.04), "shin.R", 0.04, "QUATERNION"),
}


def make_man():
    bpy.ops.wm.read_factory_settings(use_empty=True)
    armature = bpy.data.armatures.new("Rig")
    rig = bpy.data.objects.new("Rig", armature)
    bpy.context.scene.collection.objects.link(rig)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    for name, (head, tail, parent, _, _) in BONES.items():
        bone = armature.edit_bones.new(name)
        bone.head, bone.tail, bone.parent = head, tail, armature.edit_bones[parent] if parent else None
        bone.use_connect = bool(parent) and Vector(BONES[parent][1]) == Vector(head)
    bpy.ops.object.mode_set(mode="OBJECT")
    mesh, owner = bmesh.new(), []
    for name, (head, tail, _, thick, mode) in BONES.items():
        rig.pose.bones[name].rotation_mode = mode
        head, tail = Vector(head), Vector(tail)
        turn = Vector((0, 0, 1)).rotation_difference(tail - head).to_matrix().to_4x4()
        place = Matrix.Translation((head + tail) / 2) @ turn @ Matrix.Diagonal((2 * thick, 2 * thick, 0.96 * (tail - head).length, 1))
        cut = bmesh.ops.create_cube(mesh, size=1, matrix=place)["verts"]
        owner += [name] * len(cut)
    data = bpy.data.meshes.new("Body")
    mesh.to_mesh(data)
    mesh.free()
    body = bpy.data.objects.new("Body", data)
    bpy.context.scene.collection.objects.link(body)
    for name in BONES:
        body.vertex_groups.new(name=name).add([k for k, of in enumerate(owner) if of == name], 1.0, "REPLACE")
    body.parent = rig
    body.modifiers.new("Armature", "ARMATURE").object = rig
    return rig, body


def front(roll=0.0, distance=6.0, orthographic=False):
    """view and window matrices of a picture from the front; rolled about the line of sight."""
    placed = Matrix.Translation((0, -distance, 1)) @ Euler((math.radians(90), 0, 0)).to_matrix().to_4x4() @ Matrix.Rotation(roll, 4, "Z")
    window = Matrix.Identity(4)
    if orthographic:
        window[0][0] = window[1][1] = 2 / 3.0
        window[2][2] = -0.01
    else:
        window[0][0] = window[1][1] = 1 / math.tan(math.radians(15))
        window[2][2], window[2][3], window[3][2], window[3][3] = -1, -0.2, -1, 0
    return placed.inverted(), window


def flat(matrix):
    return [value for row in matrix for value in row]


class Drawn(unittest.TestCase):
    def setUp(self):
        self.rig, self.body = make_man()
        bpy.ops.rigspace.set_up()
        self.character = bpy.context.scene.rigspace.characters[0]

    def layer(self, pencil=False):
        """An empty layer at this frame: of the scene's annotations, or of a grease pencil object."""
        data = bpy.data.grease_pencils.new("Notes")
        if pencil:
            item = bpy.data.objects.new("Pencil", data)
            bpy.context.scene.collection.objects.link(item)
            item.select_set(True)
        else:
            bpy.context.scene.grease_pencil = data
        return data.layers.new("lines").frames.new(bpy.context.scene.frame_current)

    def draw(self, frame, points, mode="3DSPACE"):
        stroke = frame.strokes.new()
        stroke.display_mode = mode
        stroke.points.add(len(points))
        for point, at in zip(stroke.points, points):
            point.co = at
        return stroke

    def pose(self, view=None, **options):
        view_matrix, window_matrix = view or front()
        return bpy.ops.rigspace.sketch(view_matrix=flat(view_matrix), window_matrix=flat(window_matrix), **options)

    def refused(self, words, view=None):
        before = self.stored()
        with self.assertRaisesRegex(RuntimeError, words) as caught:
            self.pose(view)
        self.assertEqual(len(str(caught.exception).strip().splitlines()), 1, caught.exception)
        self.assertEqual(self.stored(), before)

    def stored(self):
        return {bone.name: (tuple(bone.location), tuple(bone.rotation_quaternion), tuple(bone.rotation_euler), tuple(bone.scale))
                for bone in self.rig.pose.bones}

    def arm(self, side=1, up=0.9, count=12):
        """From the shoulder outward and up by this angle, in the plane of the picture."""
        shoulder, along = Vector((0.17 * side, 0, 1.48)), Vector((side * math.cos(up), 0, math.sin(up)))
        return [shoulder + 0.55 * k / (count - 1) * along for k in range(count)]

    def tip(self, name):
        bpy.context.view_layer.update()
        return self.rig.matrix_world @ self.rig.pose.bones[name].tail

    def test_a_drawn_arm_is_raised_and_nothing_else(self):
        frame = self.layer()
        self.draw(frame, self.arm())
        before = self.stored()
        bpy.ops.ed.undo_push(message="before")
        self.assertEqual(self.pose(), {"FINISHED"})
        bpy.ops.ed.undo_push(message="drawn")
        hand, drawn = self.tip("forearm.L"), self.arm()[-1]
        self.assertLess((Vector((hand.x, hand.z)) - Vector((drawn.x, drawn.z))).length, 0.06)
        moved = {name for name, values in self.stored().items() if numpy.abs(numpy.subtract(values[1], before[name][1])).max() > 0.03}
        self.assertIn("upper_arm.L", moved)
        self.assertFalse(moved - {"upper_arm.L", "forearm.L", "chest", "spine", "upper_arm.R"}, moved)  # these reach for it a little
        self.assertLess((self.tip("forearm.R") - Vector((-0.72, 0, 1.48))).length, 0.1)
        self.assertEqual(len(bpy.context.scene.grease_pencil.layers["lines"].frames[0].strokes), 0)  # used, and taken away
        self.assertIsNone(self.rig.animation_data)  # without auto-key nothing is keyed
        bpy.ops.ed.undo()
        self.rig = bpy.data.objects["Rig"]
        self.assertEqual(self.stored(), before)
        self.assertEqual(len(bpy.context.scene.grease_pencil.layers["lines"].frames[0].strokes), 1)

    def test_selected_bones_turn_alone_keys_are_set_and_strokes_may_stay(self):
        self.character.sketch_clear = False
        bpy.context.scene.tool_settings.use_keyframe_insert_auto = True
        bpy.context.scene.frame_set(7)
        self.draw(self.layer(), self.arm(side=-1))
        bpy.context.view_layer.objects.active = self.rig
        bpy.ops.object.mode_set(mode="POSE")
        for bone in self.rig.data.bones:
            bone.select = bone.name == "upper_arm.R"
        before = self.stored()
        self.pose()
        changed = {name for name, values in self.stored().items() if values != before[name]}
        self.assertEqual(changed, {"upper_arm.R"})
        self.assertEqual(len(bpy.context.scene.grease_pencil.layers["lines"].frames[0].strokes), 1)
        curves = self.rig.animation_data.action.fcurves
        self.assertEqual({curve.data_path for curve in curves}, {'pose.bones["upper_arm.R"].rotation_quaternion'})
        self.assertEqual({key.co.x for curve in curves for key in curve.keyframe_points}, {7})

    def test_a_second_drawing_goes_on_from_the_pose_of_the_first(self):
        self.draw(self.layer(), self.arm())
        self.pose()
        first = self.tip("forearm.L").copy()
        self.draw(self.layer(), self.arm(side=-1, up=-0.7))
        self.pose()
        self.assertLess((self.tip("forearm.L") - first).length, 0.03)
        hand = self.tip("forearm.R")
        self.assertLess((Vector((hand.x, hand.z)) - Vector((self.arm(-1, -0.7)[-1].x, self.arm(-1, -0.7)[-1].z))).length, 0.06)

    def test_grease_pencil_rolled_and_orthographic_views_and_lines_of_the_screen_are_one(self):
        ends = []
        for number, view in enumerate((front(), front(roll=0.5), front(orthographic=True), front())):
            self.setUp()
            frame = self.layer(pencil=number == 1)
            if number == 3:  # lines of the screen, in percent of the region
                matrix, seen = view[1] @ view[0], []
                for at in self.arm():
                    x, y, _, w = matrix @ at.to_4d()
                    seen.append((50 + 50 * x / w, 50 + 50 * y / w, 0))
                self.draw(frame, seen, "SCREEN")
            else:
                self.draw(frame, self.arm())
            self.pose(view)
            ends.append(self.tip("forearm.L"))
        for end in ends[1:]:
            self.assertLess((end - ends[0]).length, 0.05, ends)

    def test_limits_of_constraints_hold_and_what_is_not_reached_is_named(self):
        limit = self.rig.pose.bones["forearm.L"].constraints.new("LIMIT_ROTATION")
        limit.owner_space = "LOCAL"
        for axis in "xyz":
            setattr(limit, f"use_limit_{axis}", True)
            setattr(limit, f"min_{axis}", -0.1)
            setattr(limit, f"max_{axis}", 0.1)
        corners = [Vector((x, 0, z)) for x, z in ((0.2, 1.5), (0.9, 1.5), (0.2, 0.8), (0.9, 0.8), (0.2, 0.1))]  # longer than any limb
        folded = [a.lerp(b, k / 8) for a, b in zip(corners, corners[1:]) for k in range(8)] + corners[-1:]
        self.draw(self.layer(), folded)
        from rigspace_addon import sketch

        said = []
        original = sketch.missed
        sketch.missed = lambda strokes: said.append(original(strokes)) or said[-1]
        self.addCleanup(setattr, sketch, "missed", original)
        self.pose()
        self.assertTrue(all(abs(angle) <= 0.1 + 1e-5 for angle in self.rig.pose.bones["forearm.L"].rotation_euler))
        self.assertRegex(said[0], r"not reached: stroke 1 \(\S+\) is \d+ % of the size away")

    def test_outlines_lines_of_action_and_lines_drawn_over(self):
        self.character.sketch_lines = "over"
        frame = self.layer()
        self.draw(frame, [Vector((0.2 + 0.05 * k, -0.06, 1.48)) for k in range(11)])
        self.draw(frame, [Vector((0.2 + 0.04 * k, -0.06, 1.48 + 0.03 * k)) for k in range(11)])
        self.pose()
        self.assertGreater(self.tip("forearm.L").z, 1.6)
        self.setUp()
        self.character.sketch_lines = "action"
        self.draw(self.layer(), [Vector((0.25 * (1 - k / 20) ** 2, 0, 1.78 - 1.72 * k / 20)) for k in range(21)])
        self.pose()
        self.assertGreater(self.tip("head").x, 0.1)
        self.setUp()
        self.character.sketch_lines = "outline"
        self.draw(self.layer(), [Vector((0.12 + 0.6 * k / 20, 0, 1.55 + 0.2 * k / 20)) for k in range(21)])
        self.assertEqual(self.pose(), {"FINISHED"})

    def test_bad_drawings_are_one_sentence_and_the_pose_stays(self):
        self.refused("has no strokes at this frame")
        frame = self.layer()
        self.draw(frame, [])
        self.refused("stroke 1 has no points")
        frame.strokes.remove(frame.strokes[0])
        self.draw(frame, [(0, 0, 1)])
        self.refused("is a single point")
        frame.strokes.remove(frame.strokes[0])
        self.draw(frame, [(0, 0, 1), (math.nan, 0, 1)])
        self.refused("not a finite number")
        frame.strokes.remove(frame.strokes[0])
        self.draw(frame, [(40, 0, 1), (42, 0, 1)])
        self.refused("outside the picture")
        frame.strokes.remove(frame.strokes[0])
        self.draw(frame, self.arm())
        inside = Matrix.Translation((0, 0, 1.42)) @ Euler((math.radians(90), 0, 0)).to_matrix().to_4x4()
        self.refused("lies behind the view", ((Matrix.Translation((0, 1, 0)) @ inside).inverted(), front()[1]))
        frame.strokes.remove(frame.strokes[0])
        self.draw(frame, [(0.1 * k, 5, 1.4) for k in range(5)])  # seen from there
        self.refused("is inside the body", (inside.inverted(), front()[1]))
        self.refused("shows nothing", (Matrix.Diagonal((0, 0, 0, 0)), front()[1]))
        self.character.sketch_lines = "over"
        self.refused("are no pairs")
        bpy.context.view_layer.objects.active = self.rig
        bpy.ops.object.mode_set(mode="POSE")
        self.character.sketch_lines = "stick"
        for bone in self.rig.pose.bones:
            bone.lock_rotation, bone.lock_location = (True, True, True), (True, True, True)
            bone.bone.select = bone.name == "head"
        self.refused("leaves no control")
        with self.assertRaisesRegex(RuntimeError, "seen from nowhere"):
            bpy.ops.rigspace.sketch()


if __name__ == "__main__":
    rigspace_addon.register()
    folder, *tests = sys.argv[sys.argv.index("--") + 1 :]
    result = unittest.main(argv=["sketch", *tests], exit=False).result
    if not result.wasSuccessful():
        raise SystemExit(3)
