"""Matching a motion inside Blender: bones of another armature, and points of another mesh, lead the character.

    blender -b --factory-startup --python-exit-code 3 --python tests/addon/match_inside.py -- FOLDER [TEST..]

RIGSPACE_PROGRAM is the program; the man of boxes is that of sketch_inside.py."""
import math
import pathlib
import sys
import unittest

import bpy

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from sketch_inside import BONES, make_man, rigspace_addon  # noqa: E402

FIRST, LAST = 3, 13
for side, x in (("L", 1), ("R", -1)):  # arms without hands are not found
    BONES[f"hand.{side}"] = ((0.72 * x, 0, 1.48), (0.86 * x, 0, 1.48), f"forearm.{side}", 0.03, "QUATERNION")


class Matched(unittest.TestCase):
    def setUp(self):
        self.rig, self.body = make_man()
        bpy.ops.rigspace.set_up()
        self.leader = self.rig.copy()
        self.leader.data, self.leader.name = self.rig.data.copy(), "Leader"
        bpy.context.scene.collection.objects.link(self.leader)
        for frame, angle in ((FIRST, 0.0), (LAST, 0.8)):
            for name, share in (("upper_arm.L", 1.0), ("thigh.R", -0.7), ("chest", 0.3)):
                bone = self.leader.pose.bones[name]
                bone.rotation_quaternion = (math.cos(angle * share / 2), math.sin(angle * share / 2), 0, 0)
                bone.keyframe_insert("rotation_quaternion", frame=frame)
        bpy.context.scene.frame_set(1)

    def select(self, *others):
        bpy.ops.object.select_all(action="DESELECT")
        for each in (self.body, *others):
            each.select_set(True)
        bpy.context.view_layer.objects.active = self.body

    def off(self):
        """Largest distance of a bone's ends from the leader's over all frames."""
        most, rig, leader = 0.0, bpy.data.objects["Rig"], bpy.data.objects["Leader"]
        for frame in range(FIRST, LAST + 1):
            bpy.context.scene.frame_set(frame)
            for other in leader.pose.bones:
                bone = rig.pose.bones[other.name]
                most = max(most, (bone.head - other.head).length, (bone.tail - other.tail).length)
        return most

    def test_bones_of_another_armature_lead_and_undo_takes_the_keys_back(self):
        self.select(self.leader)
        apart = self.off()
        self.assertGreater(apart, 0.3)
        bpy.ops.ed.undo_push(message="before")
        self.assertEqual(bpy.ops.rigspace.match(first=FIRST, last=LAST), {"FINISHED"})
        bpy.ops.ed.undo_push(message="matched")
        self.assertLess(self.off(), 0.02)  # of 1.8 m
        curves = bpy.data.objects["Rig"].animation_data.action.fcurves
        self.assertTrue(any("upper_arm.L" in curve.data_path for curve in curves))
        self.assertLess(len(curves[0].keyframe_points), LAST - FIRST + 1)  # keys, not samples
        bpy.ops.ed.undo()
        self.assertIsNone(bpy.data.objects["Rig"].animation_data)
        self.assertAlmostEqual(self.off(), apart, places=6)

    def test_points_of_a_copy_of_the_mesh_lead(self):
        twin = self.body.copy()
        twin.data, twin.name = self.body.data.copy(), "Twin"
        bpy.context.scene.collection.objects.link(twin)
        twin.parent, twin.modifiers[0].object = self.leader, self.leader
        self.select(twin)
        self.assertEqual(bpy.ops.rigspace.match(first=FIRST, last=LAST), {"FINISHED"})
        self.assertLess(self.off(), 0.05)

    def constrain(self):
        """Legs by IK: the rig is Blender's own, and its joints are what deforms the mesh."""
        bpy.context.view_layer.objects.active = self.rig
        bpy.ops.object.mode_set(mode="EDIT")
        for side in "LR":
            target = self.rig.data.edit_bones.new(f"foot_ik.{side}")
            foot = self.rig.data.edit_bones[f"foot.{side}"]
            target.head, target.tail, target.use_deform = foot.head, foot.tail, False
        bpy.ops.object.mode_set(mode="OBJECT")
        for side in "LR":
            constraint = self.rig.pose.bones[f"shin.{side}"].constraints.new("IK")
            constraint.target, constraint.subtarget, constraint.chain_count = self.rig, f"foot_ik.{side}", 2

    def test_a_rig_with_constraints_is_led_by_its_controls(self):
        self.constrain()
        self.select(self.leader)
        apart = self.off()
        self.assertEqual(bpy.ops.rigspace.match(first=FIRST, last=LAST), {"FINISHED"})
        self.assertLess(self.off(), 0.1 * apart)
        curves = [curve.data_path for curve in bpy.data.objects["Rig"].animation_data.action.fcurves]
        self.assertTrue(any("foot_ik.R" in path for path in curves))

    def test_without_a_leader_a_sentence_and_nothing_changed(self):
        self.select()
        with self.assertRaisesRegex(RuntimeError, "has nothing that leads"):
            bpy.ops.rigspace.match(first=FIRST, last=LAST)
        self.assertIsNone(self.rig.animation_data)


if __name__ == "__main__":
    rigspace_addon.register()
    told = sys.argv[sys.argv.index("--") + 2:]
    names = [f"Matched.{each}" for each in told] or None
    result = unittest.main(argv=["match", *(names or [])], exit=False).result
    sys.exit(not result.wasSuccessful())
