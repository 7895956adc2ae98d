"""Layers that a run writes: what plays, what stays as it was, layers merged and keys edited beneath them."""
import math
import pathlib

import bpy
import mathutils
import numpy
from addon_case import FOLDER, AddonCase, curves_of, played, state


class Addon(AddonCase):
    def test_the_result_is_a_layer_and_all_else_is_untouched_to_the_bit(self):
        before, shown = state(), played()
        self.simulated()
        after, soft = state(), played()
        self.assertEqual({name: before[0][name] for name in before[0]}, {name: after[0][name] for name in before[0]})
        self.assertGreater(abs(soft - shown).max(), 0.005)
        self.assertEqual([track.name for track in self.rig.animation_data.nla_tracks], ["Walk base", "Walk", "Walk_soft"])
        moved = {path.split('"')[1] for path, _ in after[0]["Walk_soft"]}
        self.assertEqual(moved, {"belly", "tail1", "tail2", "tail3"})
        self.track("Walk_soft").mute = True
        numpy.testing.assert_array_equal(played(), shown)
        self.track("Walk_soft").mute = False
        bpy.ops.rigspace.clear()
        self.assertEqual(state(), before)
        numpy.testing.assert_array_equal(played(), shown)

    def test_what_plays_is_what_was_written_and_again_the_same_bits(self):
        character = self.simulated()
        first, shown = state(), played()
        for frame, value in first[0]["Walk_soft"]['pose.bones["belly"].location', 1]:  # which the artist does not key
            bpy.context.scene.frame_set(int(frame))
            self.assertEqual(self.rig.pose.bones["belly"].location[1], value)
        bpy.context.scene.frame_set(9)  # where channels that no one keys are elsewhere than at rest
        for _ in range(2):
            bpy.ops.rigspace.simulate()
            self.assertEqual(state(), first)
            numpy.testing.assert_array_equal(played(), shown)
        character.parts[0].use_amount, character.parts[0].amount = True, 0.5
        bpy.ops.rigspace.simulate()
        self.assertNotEqual(state(), first)

    def test_bones_that_turn_by_axis_and_angle_play_what_was_told(self):
        from rigspace_addon import layers, rig

        turned = lambda x, y, z, angle: mathutils.Quaternion(mathutils.Vector((x, y, z)).normalized(), angle)  # noqa: E731
        artist = {frame: turned(math.cos(0.2 * frame), 0.3, 1, 0.5 * math.sin(0.5 * frame)) for frame in range(1, 26)}
        aside = {frame: turned(1, math.sin(0.3 * frame), 0.2, 0.4 * math.sin(0.4 * frame)) for frame in range(1, 26)}
        curves = self.rig.animation_data.action.fcurves
        for name in ("tail1", "tail3"):  # the second of them is keyed by nobody
            bone = self.rig.pose.bones[name]
            for curve in [each for each in curves if each.data_path == bone.path_from_id("rotation_quaternion")]:
                curves.remove(curve)
            bone.rotation_mode = "AXIS_ANGLE"
            for frame, turn in artist.items() if name == "tail1" else ():
                bone.rotation_axis_angle = (turn.angle, *turn.axis)
                bone.keyframe_insert("rotation_axis_angle", frame=frame)
        told = [{"node": name, "times": [(frame - 1) / 24 for frame in aside], "values": [[*turn[1:], turn[0]] for turn in aside.values()]}
                for name in ("tail1", "tail3")]
        shown = played(frames=range(1, 26))
        notes = layers.write_layers(rig.Subject("Body"), [{"name": "Walk_soft", "base": "Walk", "rotations": told}])
        self.assertEqual(notes, [])
        for frame in aside:
            bpy.context.scene.frame_set(frame)
            for name, expected in (("tail1", artist[frame] @ aside[frame]), ("tail3", aside[frame])):
                shown_turn = self.rig.pose.bones[name].matrix_basis.to_quaternion()
                apart = min((expected - shown_turn).magnitude, (expected + shown_turn).magnitude)
                self.assertLess(apart, 1e-5, f"{name} at frame {frame}")
        self.track("Walk_soft").mute = True
        self.assertLess(abs(played(frames=range(1, 26)) - shown).max(), 1e-6)

    def test_outside_the_result_the_artists_animation_goes_on_to_the_bit(self):
        places, outside, inside = self.curves_that_go_on(), (-10, -3.37, 0, 0.9, 30, 52.3, 100, 100.77), (1, 4, 7.3, 11.6)
        known, before = self.values(places, outside + inside), state()
        self.assertGreater(len({str(each) for each in known}), 11)  # it does move there
        shown = played(frames=outside)
        self.simulated(parts=[("tail?.r?", "tail"), ("belly.t?", "belly")])
        for _ in range(2):  # the second time over a strip that ends with the keys, as older versions made it
            self.assertEqual(self.values(places, outside), known[: len(outside)])
            numpy.testing.assert_array_equal(played(frames=outside), shown)
            self.assertNotEqual(self.values(places, inside), known[len(outside) :])
            self.track("Walk_soft").mute = True
            self.assertEqual(self.values(places, outside + inside), known)
            self.track("Walk_soft").mute = False
            strip = self.track("Walk").strips[0]
            strip.use_animated_time = False
            strip.frame_start = strip.action_frame_start = 1
            strip.frame_end = strip.action_frame_end = 25
            self.assertNotEqual(self.values(places, outside), known[: len(outside)])
            self.assertEqual(bpy.ops.rigspace.simulate(), {"FINISHED"})
        saved = pathlib.Path(FOLDER) / "goes_on.blend"
        bpy.ops.wm.save_as_mainfile(filepath=str(saved))
        self.open(saved)
        numpy.testing.assert_array_equal(played(frames=outside), shown)
        bpy.ops.rigspace.clear()
        self.assertEqual(state(), before)
        numpy.testing.assert_array_equal(played(frames=outside), shown)

    def test_blending_without_effect_stays_without_effect(self):
        animation = self.rig.animation_data  # without tracks Blender plays the action whole, whatever it is set to
        animation.action_blend_type, animation.action_extrapolation, animation.action_influence = "ADD", "NOTHING", 0.5
        told = lambda: (animation.action_blend_type, animation.action_extrapolation, animation.action_influence)  # noqa: E731
        places, frames = self.curves_that_go_on(), (-10, 4, 30, 100)
        known, before = self.values(places, frames), told()
        self.simulated()
        bpy.ops.rigspace.simulate()
        self.track("Walk_soft").mute = True
        self.assertEqual(self.values(places, frames), known)
        bpy.ops.rigspace.clear()
        self.assertEqual((told(), self.values(places, frames)), (before, known))

    def test_merged_it_goes_on_over_the_frames_of_the_scene(self):
        self.curves_that_go_on()
        bpy.context.scene.frame_start, bpy.context.scene.frame_end = 0, 60
        self.simulated()
        shown = played(frames=(0, 30, 60))
        self.assertGreater(abs(shown[1] - shown[2]).max(), 0.01)
        bpy.ops.rigspace.merge()
        self.assertLess(abs(played(frames=(0, 30, 60)) - shown).max(), 1e-6)

    def test_fixes_mutes_and_influences_survive_a_run_and_other_parts_a_run_of_one(self):
        character = self.simulated()
        bone = self.rig.pose.bones["tail2"]
        bpy.context.scene.frame_set(7)
        asked = bone.rotation_euler[0] + 0.3
        bone.rotation_euler[0] = asked
        bone.keyframe_insert("rotation_euler", index=0, frame=7)
        self.assertEqual(self.rig.animation_data.action.name, "Walk_fix")
        bpy.context.scene.frame_set(7)
        self.assertAlmostEqual(bone.rotation_euler[0], asked, places=5)
        bpy.context.scene.frame_set(5)
        self.assertEqual(character.influence, 1)
        whole = self.rig.pose.bones["belly"].location[1]  # which the artist does not key
        character.influence = 0.25
        self.assertAlmostEqual(self.rig.pose.bones["belly"].location[1], whole / 4, places=6)
        fixed, old = curves_of(bpy.data.actions["Walk_fix"]), curves_of(bpy.data.actions["Walk_soft"])
        character.active_part = 1
        character.parts[1].use_settle, character.parts[1].settle = True, 0.4
        bpy.ops.rigspace.simulate(only_active=True)
        new = curves_of(bpy.data.actions["Walk_soft"])
        self.assertEqual(curves_of(bpy.data.actions["Walk_fix"]), fixed)
        self.assertEqual(character.influence, 0.25)
        bpy.context.scene.frame_set(5)
        self.assertAlmostEqual(self.rig.pose.bones["belly"].location[1], whole / 4, places=6)
        self.assertEqual(set(new), set(old))
        for place in old:
            (self.assertEqual if "belly" in place[0] else self.assertNotEqual)(new[place], old[place], place)

    def test_a_range_is_made_again_and_blended(self):
        character = self.simulated()
        old = curves_of(bpy.data.actions["Walk_soft"])
        for part in character.parts:
            part.use_amount, part.amount = True, 0.3
        character.again_first, character.again_last = 4, 10
        bpy.ops.rigspace.simulate(range_only=True)
        new = curves_of(bpy.data.actions["Walk_soft"])
        place = ('pose.bones["belly"].location', 1)
        for (frame, before), (_, after) in zip(old[place], new[place]):
            inside = 4 < frame < 10
            self.assertEqual(before == after, not inside, frame)
        peak = max(range(5, 10), key=lambda frame: abs(old[place][frame - 1][1]))
        self.assertLess(abs(new[place][peak - 1][1]), abs(old[place][peak - 1][1]))
        turns = numpy.array([[co[1] for co in new['pose.bones["tail1"].rotation_quaternion', k]] for k in range(4)])
        numpy.testing.assert_allclose((turns**2).sum(axis=0), 1, atol=1e-6)

    def test_merged_it_plays_the_same_and_the_artists_action_stays(self):
        self.simulated()
        shown, mine = played(frames=(1, 5, 9, 13, 30)), curves_of(bpy.data.actions["Walk"])
        bpy.ops.rigspace.merge()
        self.assertEqual(self.rig.animation_data.action.name, "Walk_merged")
        self.assertEqual(len(self.rig.animation_data.nla_tracks), 0)
        self.assertLess(abs(played(frames=(1, 5, 9, 13)) - shown[:4]).max(), 1e-6)
        self.assertEqual(curves_of(bpy.data.actions["Walk"]), mine)

    def test_the_artist_edits_his_keys_beneath_the_result(self):
        self.simulated()
        before = state()
        bpy.ops.rigspace.edit_keys()
        self.assertTrue(self.rig.animation_data.use_tweak_mode)
        self.assertEqual(self.rig.animation_data.action.name, "Walk")
        bpy.ops.rigspace.edit_keys()
        self.assertEqual(state(), before)
        bpy.ops.rigspace.edit_keys()
        bone, curve = self.rig.pose.bones["tail2"], self.rig.animation_data.action.fcurves.find('pose.bones["tail2"].rotation_euler')
        handles = [(tuple(key.handle_left), tuple(key.handle_right)) for key in curve.keyframe_points[:-1]] if curve else []
        bone.rotation_euler[0] = 0.7
        bone.keyframe_insert("rotation_euler", index=0, frame=60.25)  # far behind the last of them
        bpy.ops.rigspace.edit_keys()
        self.assertEqual(self.values([(self.rig, 'pose.bones["tail2"].rotation_euler', 0)], [60.25, 100]), [[numpy.float32(0.7)]] * 2)
        if curve:
            self.assertEqual([(tuple(key.handle_left), tuple(key.handle_right)) for key in curve.keyframe_points[: len(handles)]], handles)

    def test_of_an_action_with_several_slots_a_datablock_has_its_own(self):
        """Actions of Blender 4.4 and later, which this Blender lacks: objects with what curves.py reads of them."""
        from types import SimpleNamespace as Some

        from rigspace_addon import curves

        slots = [Some(handle=handle, target_id_type=kind, name_display=name)
                 for handle, kind, name in ((1, "KEY", "Key"), (2, "OBJECT", "Other"), (3, "OBJECT", "Rig"), (4, "OBJECT", "Moved"))]
        bags = [Some(slot_handle=slot.handle, fcurves=[f"curve of {slot.name_display}"]) for slot in slots]
        action = Some(name="Walk", slots=slots, layers=[Some(strips=[Some(channelbags=bags)])])

        def owner(name, *, active=None, strip=None, kind="Object"):
            strips = [Some(action=action, action_slot=strip)] if strip else []
            animation = Some(action=action if active else None, action_slot=active, nla_tracks=[Some(strips=strips)])
            return Some(name=name, animation_data=animation, bl_rna=Some(identifier=kind))

        was, curves.layered = curves.layered, lambda: True
        self.addCleanup(setattr, curves, "layered", was)
        for expected, each in (("Rig", owner("Rig")), ("Key", owner("Key", kind="Key")), ("Other", owner("Nobody")),
                               ("Moved", owner("Rig", active=slots[3])), ("Moved", owner("Rig", strip=slots[3]))):
            self.assertEqual(curves.fcurves_of(action, each), [f"curve of {expected}"])
        self.assertEqual(curves.fcurves_of(action, owner("Lattice", kind="Lattice")), [])
        nobody = owner("Nobody")
        mover = owner("Rig", active=slots[3])
        copy = Some(name="Walk_merged", slots=[Some(**vars(slot)) for slot in slots], layers=action.layers)
        self.assertEqual(curves.slot_of(copy, mover, copy_of=action).handle, slots[3].handle)
        self.assertEqual(curves.slot_of(copy, mover).handle, slots[2].handle)
        curves.set_action(nobody, action)
        self.assertEqual((nobody.animation_data.action, nobody.animation_data.action_slot), (action, slots[1]))
