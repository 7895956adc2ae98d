"""Operators beside simulate: pulls, diagnostics, parts of a selection; keyed settings; errors."""
import os

import bpy
import numpy
from addon_case import AddonCase, points, state


class Addon(AddonCase):
    def test_a_pulled_point_comes_and_stays_on_the_fix_layer(self):
        character = self.simulated(parts=[("tail?.r?", "tail")])
        bpy.context.scene.frame_set(13)
        bpy.context.scene.cursor.location = (0, 1, 0.75)  # the tip of the tail
        bpy.ops.rigspace.pull_add()
        target, vertex = character.pulls[0].target, character.pulls[0].vertex
        before = points().reshape(-1, 3)[vertex].copy()
        target.location.z += 0.15
        bpy.context.view_layer.update()
        bpy.ops.rigspace.pull()
        bpy.context.scene.frame_set(20)
        bpy.context.scene.frame_set(13)
        gap = numpy.linalg.norm(points().reshape(-1, 3)[vertex] - numpy.array(target.location))
        self.assertLess(gap, 0.012)
        self.assertGreater(numpy.linalg.norm(points().reshape(-1, 3)[vertex] - before), 0.12)
        bpy.ops.rigspace.pull_clear()
        self.assertEqual(len(character.pulls), 0)

    def test_diagnostics_name_controls_and_show_the_body(self):
        from rigspace_addon import diagnose

        self.set_up()
        bpy.ops.rigspace.check()
        self.assertIn("without effect on the mesh: foot.rx, foot.ry, foot.rz", "\n".join(diagnose.FOUND["Body"]))
        bpy.ops.rigspace.show_body()
        edges = diagnose.BODIES["Body"]
        self.assertLess(abs(numpy.ptp(edges, axis=0) - numpy.array([0.56, 1.26, 1.3])).max(), 0.1)
        bpy.ops.rigspace.show_body()
        self.assertNotIn("Body", diagnose.BODIES)

    def test_what_is_wrong_is_one_sentence_and_changes_nothing(self):
        character = self.set_up(parts=[("wing*", "tail")])
        before = state()
        self.fails('part "wing\\*=tail" matches no control', bpy.ops.rigspace.simulate)
        character.parts[0].pattern = "??"
        self.fails("has no name in it", bpy.ops.rigspace.simulate)
        character.parts[0].pattern, character.parts[0].hits = "tail?.r?", "soon"
        self.fails('hit "soon" is no frame', bpy.ops.rigspace.simulate)
        character.parts[0].enabled = False
        self.fails("every part is switched off", bpy.ops.rigspace.simulate)
        self.fails("no result to clear", bpy.ops.rigspace.clear)
        self.fails("no result to merge", bpy.ops.rigspace.merge)
        character.parts[0].enabled, character.parts[0].hits = True, ""
        known = os.environ.pop("RIGSPACE_PROGRAM")
        bpy.context.preferences.addons["rigspace_addon"].preferences.program = "/nowhere/rigspace"
        try:
            self.fails('the rigspace program "/nowhere/rigspace" cannot be started', bpy.ops.rigspace.simulate)
        finally:
            bpy.context.preferences.addons["rigspace_addon"].preferences.program = ""
            os.environ["RIGSPACE_PROGRAM"] = known
        self.assertEqual(state(), before)
        bpy.data.objects["Rig"].animation_data_clear()
        bpy.data.objects["Body"].data.shape_keys.animation_data_clear()
        for action in list(bpy.data.actions):
            bpy.data.actions.remove(action)
        self.fails('"Body" is not animated', bpy.ops.rigspace.simulate)

    def test_settings_that_are_keyed_are_told_over_time(self):
        from rigspace_addon import rig, simulate

        part = self.set_up().parts[0]
        for frame, value in ((1, 1.0), (5, 0.2)):
            part.amount = value
            part.keyframe_insert("amount", frame=frame)
        subject = rig.Subject("Body", view="artist")
        told = simulate.value_of(part, "amount", subject, bpy.context.scene)
        times, values = zip(*(map(float, each.split(":")) for each in told.split(",")[:-1]))
        self.assertEqual((told.rsplit(",", 1)[1], len(times)), ("linear", 5))
        numpy.testing.assert_allclose((times[-1], values[0], values[-1]), (4 / 24, 1, 0.2), atol=1e-5)
        self.assertEqual(simulate.value_of(part, "rate", subject, bpy.context.scene), "3.0")

    def test_panels_do_not_look_through_the_scene_at_each_draw(self):
        from rigspace_addon import settings

        bpy.context.view_layer.objects.active = self.rig
        asked, was = [], settings.search_skinned
        settings.search_skinned = lambda *told: (asked.append(told), was(*told))[1]
        self.addCleanup(setattr, settings, "search_skinned", was)
        settings.SKINNED.clear()
        self.assertEqual({settings.mesh_of(bpy.context).name for _ in range(20)}, {"Body"})
        self.assertEqual(len(asked), 1)
        self.set_up(parts=())
        asked.clear()
        settings.SKINNED.clear()
        self.assertEqual({settings.character_of(bpy.context).mesh.name for _ in range(20)}, {"Body"})
        self.assertEqual(asked, [])

    def test_chains_turn_and_flesh_moves(self):
        from rigspace_addon import rig, simulate

        parts = self.set_up(parts=[("tail1, Body:puff", "tail"), ("belly", "belly")]).parts
        subject = rig.Subject("Body", view="artist")
        self.assertEqual([simulate.told_pattern(part, subject) for part in parts], ["tail1.r?,Body:puff", "belly"])

    def test_parts_of_a_selection_and_parts_that_are_found(self):
        character = self.set_up(parts=())
        bpy.context.view_layer.objects.active = self.rig
        bpy.ops.object.mode_set(mode="POSE")
        for bone in self.rig.pose.bones:
            bone.bone.select = bone.name.startswith("tail")
        bpy.ops.rigspace.part_add()
        self.assertEqual((character.parts[0].pattern, character.parts[0].preset), ("tail*", "tail"))
        bpy.ops.rigspace.part_remove()
        self.assertEqual(bpy.ops.rigspace.simulate(), {"FINISHED"})
        self.assertIn("tail", {part.preset for part in character.parts})
