"""Everyday shots: what plays behind the last key, ranges, cycles, frame rates that are no whole numbers; amounts that change at
once; fixes at a frame."""
import json
import math

import bpy
import numpy
from addon_case import AddonCase, curves_of, state


class Addon(AddonCase):
    def plain(self, *, keys_until=49):
        """The hero as a plain armature, which needs no Blender: a run takes seconds."""
        body = bpy.data.objects["Body"]
        body.modifiers.remove(body.modifiers["Lattice"])
        shin = self.rig.pose.bones["shin"]
        shin.constraints.remove(shin.constraints["IK"])
        for owner in (self.rig, body.data.shape_keys):
            for curve in owner.animation_data.action.fcurves:
                while curve.keyframe_points[-1].co[0] > keys_until:
                    curve.keyframe_points.remove(curve.keyframe_points[-1])

    def ready(self, *, scene_end, keys_until=49, parts=(("tail?.r?", "tail"),)):
        self.plain(keys_until=keys_until)
        bpy.context.scene.frame_end = scene_end
        character = self.set_up(parts=parts)
        character.use_range, character.loop = False, "auto"
        return character

    def turned(self, frames, bone="tail1"):
        """How far the result turns a bone that the artist does not key, degrees."""
        angles = []
        for frame in frames:
            bpy.context.scene.frame_set(math.floor(frame), subframe=frame - math.floor(frame))
            angles.append(math.degrees(self.rig.pose.bones[bone].matrix_basis.to_quaternion().angle))
        return numpy.minimum(angles, 360 - numpy.array(angles))

    def test_it_swings_on_behind_the_last_key_and_comes_to_rest(self):
        self.ready(scene_end=240, keys_until=25)
        self.assertEqual(bpy.ops.rigspace.simulate(), {"FINISHED"})
        moving = self.turned(range(2, 26)).max()
        self.assertGreater(moving, 2)
        behind = self.turned(range(26, 40))
        self.assertGreater(behind.max(), 0.1 * moving)
        self.assertLess(abs(numpy.diff(numpy.concatenate([self.turned([25]), behind]))).max(), 0.35 * moving)  # nothing jumps
        late = self.turned(range(100, 241))
        self.assertLess(late[:20].max(), 0.01 * moving)  # four seconds on the result has ended,
        self.assertEqual(late[40:].max(), 0)             # and at the scene's end nothing of it is left

    def test_only_frames_have_their_last_one_go_beyond_the_keys_and_ease_out(self):
        character = self.ready(scene_end=80, keys_until=25)
        character.use_range, character.first, character.last = True, 20, 31
        self.assertEqual(bpy.ops.rigspace.simulate(), {"FINISHED"})
        turned = self.turned(range(18, 45))
        self.assertEqual(turned[:3].max(), 0)  # to the first frame
        self.assertGreater(turned[13], 0.2 * turned.max())  # frame 31
        self.assertGreater(turned[13:16].max(), 0)
        self.assertTrue((turned[22:] == 0).all(), turned)  # from frame 40 on
        whole = turned[:14]
        character.last = 60
        bpy.ops.rigspace.simulate()
        self.assertLess(abs(self.turned(range(18, 32)) - whole).max(), 0.05 * whole.max())  # within the range nothing was faded

    def test_a_cycle_repeats_as_the_artists_does(self):
        self.ready(scene_end=200)
        for owner in (self.rig, bpy.data.objects["Body"].data.shape_keys):
            for curve in owner.animation_data.action.fcurves:
                curve.modifiers.new("CYCLES")
        self.assertEqual(bpy.ops.rigspace.simulate(), {"FINISHED"})
        first = self.turned(numpy.arange(1, 49, 3.5))
        self.assertGreater(first.max(), 1)
        for turns in (1, 3, -2):
            self.assertLess(abs(self.turned(numpy.arange(1, 49, 3.5) + 48 * turns) - first).max(), 2e-3, turns)
        keys = curves_of(bpy.data.actions["Walk_soft"])['pose.bones["tail1"].rotation_quaternion', 1]
        self.assertEqual((keys[0][0], keys[-1][0], keys[0][1]), (1, 49, keys[-1][1]))
        bpy.ops.rigspace.merge()
        self.assertLess(abs(self.turned([20, 68, 116]) - self.turned([20])).max(), 2e-3)

    def test_a_rate_that_is_no_whole_number_has_a_key_a_frame(self):
        bpy.context.scene.render.fps, bpy.context.scene.render.fps_base = 30, 1.001
        self.ready(scene_end=49)
        bpy.ops.rigspace.simulate()
        keys = curves_of(bpy.data.actions["Walk_soft"])['pose.bones["tail1"].rotation_quaternion', 1]
        self.assertEqual([frame for frame, _ in keys], list(range(1, 50)))

    def test_an_amount_changes_the_result_at_once_as_a_run_would(self):
        character = self.ready(scene_end=49)
        bpy.ops.rigspace.simulate()
        before, shown = state(), self.turned(range(1, 50))
        part = character.parts[0]
        part.amount = 0.4
        scaled = self.turned(range(1, 50))
        self.assertLess(abs(scaled - 0.4 * shown).max(), 0.02 * shown.max())
        part.amount = 0  # and nothing is lost
        self.assertLess(self.turned(range(1, 50)).max(), 1e-3)
        part.amount = 0.4
        bpy.ops.rigspace.simulate()
        self.assertLess(abs(self.turned(range(1, 50)) - scaled).max(), 0.02 * shown.max())
        part.amount = 1
        self.assertLess(abs(self.turned(range(1, 50)) - shown).max(), 0.02 * shown.max())
        bpy.ops.rigspace.simulate()
        self.assertEqual(state(), before)

    def test_a_fix_here_changes_frames_near_it_alone(self):
        character = self.ready(scene_end=49)
        bpy.ops.rigspace.simulate()
        character.fix_frames = 4
        frames = [*range(1, 17), *range(24, 50)]
        shown, bone = self.turned(range(1, 50), "tail3"), self.rig.pose.bones["tail3"]
        bpy.context.view_layer.objects.active = self.rig
        bpy.ops.object.mode_set(mode="POSE")
        for each in self.rig.pose.bones:
            each.bone.select = each == bone
        bpy.context.scene.frame_set(20)
        bone.rotation_quaternion = bone.rotation_quaternion.to_matrix().to_quaternion() @ bone.rotation_quaternion.__class__((1, 0, 0), 0.6)
        asked = bone.rotation_quaternion.copy()
        self.assertEqual(bpy.ops.rigspace.fix_here(), {"FINISHED"})
        bpy.context.scene.frame_set(1)
        bpy.context.scene.frame_set(20)
        self.assertLess((bone.rotation_quaternion.normalized() - asked.normalized()).magnitude, 1e-4)
        numpy.testing.assert_allclose(self.turned(frames, "tail3"), shown[[frame - 1 for frame in frames]], atol=1e-4)
        self.assertGreater(abs(self.turned([18, 22], "tail3") - shown[[17, 21]]).min(), 1)
        self.assertEqual({path.split('"')[1] for path, _ in curves_of(bpy.data.actions["Walk_fix"])}, {"tail3"})

    def test_a_character_is_removed_with_all_that_was_made_for_it(self):
        before = state()
        self.plain()
        self.set_up(parts=[("tail?.r?", "tail")])
        bpy.ops.rigspace.pull_add()
        bpy.ops.rigspace.simulate()
        bpy.ops.rigspace.remove_character()
        self.assertEqual(state(), before)
        self.assertEqual(len(bpy.context.scene.rigspace.characters), 0)
        self.assertFalse([item.name for item in bpy.data.objects if item.name.startswith("pull")])
        bpy.ops.rigspace.set_up()

    def test_without_an_active_action_no_other_one_is_taken(self):
        self.ready(scene_end=49)
        for owner in (self.rig, bpy.data.objects["Body"].data.shape_keys):
            owner.animation_data.action.use_fake_user = True
            owner.animation_data.action = None
        self.fails('has no active action; choose the one to simulate in the Action editor: .*"Walk"', bpy.ops.rigspace.simulate)

    def test_what_the_program_has_to_say_reaches_the_panel(self):
        from rigspace_addon import simulate

        self.ready(scene_end=49)
        self.rig.scale = (1, 1, 1.2)
        bpy.ops.rigspace.simulate()
        self.assertIn("is scaled unevenly", "\n".join(simulate.NOTES["Body"]))
        self.assertIn("amount", json.loads(bpy.data.actions["Walk_soft"]["rigspace_amounts"])["tail?.r?"])
