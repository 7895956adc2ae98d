"""The add-on on characters that were not made for it: files of other people, and the human that Rigify makes.

    blender -b --factory-startup --python-exit-code 3 --python tests/addon/real_inside.py -- ADDON.zip ASSETS HUMAN.blend [Real.TEST..]"""
import json
import pathlib
import sys
import unittest

import bpy
import numpy

numpy.bool = bool  # Blender 3.4's glTF importer has the old name
ZIP, ASSETS, HUMAN, *TESTS = sys.argv[sys.argv.index("--") + 1 :]
ASSETS = pathlib.Path(ASSETS)


class Real(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        bpy.ops.preferences.addon_install(filepath=ZIP)
        bpy.ops.preferences.addon_enable(module="rigspace_addon")

    def open(self, file, action="", beyond=0):
        """A .blend or a .glb, with this action playing; the scene has its frames, and some behind."""
        if file.suffix == ".blend":
            bpy.ops.wm.open_mainfile(filepath=str(file))
        else:
            bpy.ops.wm.read_homefile(use_empty=True)
            bpy.ops.import_scene.gltf(filepath=str(file))
        self.mesh = max((item for item in bpy.data.objects if item.type == "MESH" and item.find_armature()),
                        key=lambda item: len(item.data.vertices))
        self.rig = self.mesh.find_armature()
        animation = self.rig.animation_data
        if action:
            for track in animation.nla_tracks:
                track.mute = True
            animation.action = next(each for each in bpy.data.actions if action in each.name)
        scene = bpy.context.scene
        scene.frame_start, scene.frame_end = (round(end) for end in animation.action.frame_range)
        scene.frame_end += beyond
        bpy.context.view_layer.objects.active = self.rig
        self.frames = range(scene.frame_start, scene.frame_end + 1)
        self.hard = self.played()
        bpy.ops.rigspace.set_up()
        self.character = scene.rigspace.characters[-1]

    def played(self):
        shown = []
        for frame in self.frames:
            bpy.context.scene.frame_set(frame)
            shape = self.mesh.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
            values = numpy.empty(3 * len(shape.vertices), numpy.float32)
            shape.vertices.foreach_get("co", values)
            shown.append(values)
        return numpy.stack(shown)

    def part(self, pattern, preset):
        part = self.character.parts.add()
        part.pattern, part.preset = pattern, preset
        return part

    def previewed(self):
        bpy.ops.rigspace.live()
        seen = self.played()
        bpy.ops.rigspace.live()
        return seen

    def notes(self):
        from rigspace_addon import simulate

        return "\n".join(simulate.NOTES[self.mesh.name])

    def apart(self, seen, soft):
        return numpy.sqrt(((seen - soft) ** 2).sum() / ((soft - self.hard) ** 2).sum())

    def check_shot(self, preview=0.1, fixes=True):
        """The preview is near the result, the artist's animation is beneath it to the bit, amounts, fixes and ranges work, and *Clear*
        gives everything back."""
        seen = self.previewed() if preview else None
        numpy.testing.assert_array_equal(self.played(), self.hard)  # nothing of the preview stays
        self.assertEqual(bpy.ops.rigspace.simulate(), {"FINISHED"})
        soft = self.played()
        if preview:
            gap = self.apart(seen, soft)
            print(f"{pathlib.Path(bpy.data.filepath).name or self.mesh.name}: preview {100 * gap:.1f} % from the result")
            self.assertLess(gap, preview)
        soft_tracks = [track for owner in (self.rig, self.mesh) if owner.animation_data for track in owner.animation_data.nla_tracks
                       if track.name.endswith("_soft")]
        self.assertTrue(soft_tracks)
        for track in soft_tracks:
            track.mute = True
        numpy.testing.assert_array_equal(self.played(), self.hard)
        for track in soft_tracks:
            track.mute = False
        part = self.character.parts[0]
        amount, part.amount = part.amount, 0.5 * part.amount  # at once
        self.assertLess(abs(self.played() - soft).max(), 0.8 * abs(soft - self.hard).max())
        self.assertGreater(abs(self.played() - soft).max(), 0.2 * abs(soft - self.hard).max())
        part.amount = amount
        if fixes:
            self.check_fix(soft)
        bpy.ops.rigspace.clear()
        numpy.testing.assert_array_equal(self.played(), self.hard)

    def check_fix(self, soft):
        """A turn of a simulated bone, fixed in the middle, changes six frames to each side."""
        node = json.loads(json.dumps(self.character.parts[0].pattern)).split(",")[0].split(".r")[0]
        bone = next(each for each in self.rig.pose.bones if each.name == node)
        middle = self.frames[len(self.frames) // 2]
        bpy.ops.object.mode_set(mode="POSE")
        for each in self.rig.pose.bones:
            each.bone.select = each == bone
        bpy.context.scene.frame_set(middle)
        if bone.rotation_mode == "QUATERNION":
            bone.rotation_quaternion = bone.rotation_quaternion @ type(bone.rotation_quaternion)((1, 0, 0), 0.5)
        else:
            bone.rotation_euler[0] += 0.5
        self.assertEqual(bpy.ops.rigspace.fix_here(), {"FINISHED"})
        bpy.ops.object.mode_set(mode="OBJECT")
        fixed = abs(self.played() - soft).max(axis=1)
        near = [abs(frame - middle) < 6 for frame in self.frames]
        self.assertGreater(fixed[self.frames.index(middle)], 0)
        self.assertLess(fixed[~numpy.array(near)].max(), 1e-3 * numpy.ptp(self.hard))

    def test_a_rat_on_ik_legs_whose_clips_key_its_tail(self):
        self.open(ASSETS / "blend_quaternius_Rat/Rat.blend", "Idle")
        self.check_shot()
        self.assertEqual([part.pattern for part in self.character.parts], [",".join(f"Tail{k}" for k in range(1, 8))])
        self.assertIn('obeys the constraint "IK"', self.notes())
        self.assertIn("belly (Body to Torso) has no bone of its own", self.notes())

    def test_a_part_inside_an_ik_chain_of_the_rat_is_refused_at_once(self):
        self.open(ASSETS / "blend_quaternius_Rat/Rat.blend", "Walk")
        self.part("BackUpLeg.L", "flesh")
        with self.assertRaisesRegex(RuntimeError, 'bone "BackUpLeg.L" is turned by the constraint "IK" of "BackLowLeg.L"'):
            bpy.ops.rigspace.simulate()

    def test_a_slime_has_no_part_by_itself_and_its_head_can_be_one(self):
        self.open(ASSETS / "blend_quaternius_Slime/Slime.blend", "Walk")
        with self.assertRaisesRegex(RuntimeError, r"belly \(Root to Body\) has no bone of its own: give the rig one there"):
            bpy.ops.rigspace.simulate()
        self.part("Head.t?", "jelly")
        self.check_shot(fixes=False)

    def test_a_woman_in_a_dress_has_a_firm_torso_and_her_fingers_can_trail(self):
        self.open(ASSETS / "blend_quaternius_Smooth_Female_Dress/Smooth_Female_Dress.blend", "Walk")
        with self.assertRaisesRegex(RuntimeError, "the torso is firm .*speak of clothes"):
            bpy.ops.rigspace.simulate()
        self.part("Fingers.L", "tail")
        self.check_shot()

    def test_an_imported_dinosaur_whose_vertices_are_split_along_its_edges(self):
        self.open(ASSETS / "census/Triceratops.glb", "Walk")
        self.check_shot()
        self.assertEqual([part.pattern for part in self.character.parts], [",".join(f"Tail{k}" for k in range(1, 6))])

    def test_a_human_of_rigify(self):
        self.open(pathlib.Path(HUMAN))
        bpy.context.scene.frame_end = 13
        self.frames = range(1, 14)
        self.hard = self.hard[:13]
        self.character.use_range, self.character.first, self.character.last = True, 1, 13
        self.part("longear*.L", "ear")
        self.check_shot(preview=0, fixes=False)  # the preview: bench blender


if __name__ == "__main__":
    result = unittest.main(argv=["real", *TESTS], exit=False).result
    if not result.wasSuccessful():
        raise SystemExit(3)
