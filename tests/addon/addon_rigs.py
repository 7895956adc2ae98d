"""What Blender does to a rig beside the controls: things that are keyed and are no controls, limits, locks, IK, scales, modifiers
behind the armature, units."""
import math
import os
import pathlib
import subprocess
import time

import bpy
import mathutils
import numpy
from addon_case import FOLDER, AddonCase, curves_of, played


class Addon(AddonCase):
    def evaluated(self, frames):
        """What `rigspace eval` says of the file as it is now, at frames of the clip that plays, in Blender's axes."""
        file, out = pathlib.Path(FOLDER) / "rigs.blend", pathlib.Path(FOLDER) / "points.npy"
        bpy.ops.wm.save_as_mainfile(filepath=str(file), copy=True)
        told = []
        for frame in frames:
            subprocess.run([os.environ["RIGSPACE_PROGRAM"], "eval", file, "--object", "Body", "--clip", "Walk", "--time",
                            repr((frame - 1) / 24), "-o", out], check=True, capture_output=True)
            x, y, z = numpy.load(out).T
            told.append(numpy.stack([x, -z, y], axis=1))
        return numpy.stack(told)

    def shown(self, frames):
        matrix = numpy.array(bpy.data.objects["Body"].matrix_world)
        return played(frames=frames).reshape(len(frames), -1, 3) @ matrix[:3, :3].T + matrix[:3, 3]

    def test_what_is_keyed_and_is_no_control_moves_the_rig_as_in_blender(self):
        ik = self.rig.pose.bones["shin"].constraints["IK"]
        for frame, value in ((1, 1.0), (13, 0.2), (25, 1.0)):
            ik.influence = value
            ik.keyframe_insert("influence", frame=frame)
        path = bpy.data.curves.new("Path", "CURVE")
        path.dimensions = "3D"
        line = path.splines.new("POLY")
        line.points.add(2)
        for point, place in zip(line.points, ((0, 0, 0), (0.3, 0, 0), (0.3, 0.3, 0))):
            point.co = (*place, 1)
        road = bpy.data.objects.new("Road", path)
        walker = bpy.data.objects.new("Walker", None)
        for item in (road, walker):
            bpy.context.scene.collection.objects.link(item)
        follow = walker.constraints.new("FOLLOW_PATH")
        follow.target, follow.use_fixed_location = road, False
        path.use_path, path.path_duration = True, 50
        for frame, value in ((1, 0.0), (25, 40.0)):
            path.eval_time = value
            path.keyframe_insert("eval_time", frame=frame)
        copy = self.rig.pose.bones["belly"].constraints.new("COPY_LOCATION")
        copy.target, copy.use_offset, copy.target_space, copy.owner_space = walker, True, "WORLD", "WORLD"
        driver = self.rig.pose.bones["chest"].driver_add("scale", 0).driver  # by a property of the scene, and by the frame
        driver.type, driver.expression = "SCRIPTED", "1 + 0.2 * swell + 0.01 * frame"
        bpy.context.scene["swell"] = 0.0
        variable = driver.variables.new()
        variable.name, variable.targets[0].id_type = "swell", "SCENE"
        variable.targets[0].id, variable.targets[0].data_path = bpy.context.scene, '["swell"]'
        for frame, value in ((1, 0.0), (25, 1.0)):
            bpy.context.scene["swell"] = value
            bpy.context.scene.keyframe_insert('["swell"]', frame=frame)
        frames = (4, 13.5, 20)
        shown = self.shown(frames)
        self.assertLess(abs(self.evaluated(frames) - shown).max(), 2e-5)
        ik.mute = True
        self.assertGreater(abs(self.shown(frames) - shown).max(), 0.01)

    def test_locks_are_kept_and_limits_are_those_of_the_curves(self):
        from rigspace_addon import simulate

        body = bpy.data.objects["Body"]
        body.modifiers.remove(body.modifiers["Lattice"])
        tail1, tail2, tail3 = (self.rig.pose.bones[f"tail{k}"] for k in (1, 2, 3))
        tail1.lock_rotation = (False, True, False)  # turns by quaternions
        tail2.lock_rotation = (False, False, True)  # by Euler angles, which are keyed
        for frame, angle in ((1, 0.0), (25, 0.3)):
            tail2.rotation_euler = (0, 0, angle)
            tail2.keyframe_insert("rotation_euler", frame=frame)
        limit = tail3.constraints.new("LIMIT_ROTATION")
        limit.use_limit_x, limit.min_x, limit.max_x, limit.owner_space = True, -0.02, 0.02, "LOCAL"
        tail2.constraints["Limit Rotation"].min_x, tail2.constraints["Limit Rotation"].max_x = -0.03, 0.03
        self.set_up(parts=[("tail?.r?", "tail")])
        character = bpy.context.scene.rigspace.characters[-1]
        character.use_range = False
        bpy.ops.rigspace.simulate()
        self.assertRegex("; ".join(simulate.NOTES["Body"]), "tail2.rx meet their limits")
        soft = curves_of(bpy.data.actions["Walk_soft"])
        self.assertNotIn(('pose.bones["tail2"].rotation_euler', 2), soft)
        twist = [value for _, value in soft['pose.bones["tail1"].rotation_quaternion', 2]]
        bend = [value for _, value in soft['pose.bones["tail1"].rotation_quaternion', 1]]
        self.assertLess(numpy.abs(twist).max(), 0.05 * numpy.abs(bend).max())  # exp(r) of r across y alone
        for frame in range(1, 50):
            bpy.context.scene.frame_set(frame)
            self.assertLessEqual(abs(tail2.rotation_euler[0]), 0.03 + 1e-5, frame)
            self.assertLessEqual(abs(tail3.rotation_quaternion.to_euler("XYZ").x), 0.02 + 1e-4, frame)
        self.assertGreater(numpy.ptp([value for _, value in soft['pose.bones["tail2"].rotation_euler', 0]]), 0.03)

    def test_a_turn_beyond_a_limit_of_a_bone_with_quaternions_ends_at_it(self):
        from rigspace_addon import layers, rig

        tail3 = self.rig.pose.bones["tail3"]
        limit = tail3.constraints.new("LIMIT_ROTATION")
        limit.use_limit_x, limit.min_x, limit.max_x, limit.owner_space = True, -0.02, 0.02, "LOCAL"
        turn = mathutils.Euler((0.3, 0.1, 0)).to_quaternion()
        told = [{"node": "tail3", "times": [0, 1], "values": 2 * [[turn.x, turn.y, turn.z, turn.w]]}]
        notes = layers.write_layers(rig.Subject("Body"), [{"name": "Walk_soft", "base": "Walk", "rotations": told}])
        self.assertEqual(notes, ["Walk_soft: tail3 meet their limits in Blender, and are held there"])
        bpy.context.scene.frame_set(1)
        shown = tail3.rotation_quaternion.to_euler("XYZ")
        self.assertLess(abs(numpy.array(shown) - (0.02, 0.1, 0)).max(), 1e-5)
        relative = (tail3.parent.matrix.inverted() @ tail3.matrix).to_quaternion()  # as Blender poses it: the constraint changes nothing
        limit.mute = True
        bpy.context.view_layer.update()
        self.assertLess((relative - (tail3.parent.matrix.inverted() @ tail3.matrix).to_quaternion()).magnitude, 1e-5)

    def test_a_part_that_ik_turns_is_refused_at_once(self):
        self.set_up(parts=[("shin,thigh", "flesh")])
        began = time.monotonic()
        self.fails('bone "thigh" is turned by the constraint "IK" of "shin".*switch the constraint off|'
                   'bone "shin" is turned by the constraint "IK" of "shin".*switch the constraint off', bpy.ops.rigspace.simulate)
        self.assertLess(time.monotonic() - began, 5)

    def test_a_part_of_scales_breathes_about_one(self):
        from rigspace_addon import layers, rig

        hips = self.rig.pose.bones["hips"]
        for frame, size in ((1, 1.0), (25, 1.5)):
            hips.scale = (size, 1, 1)
            hips.keyframe_insert("scale", frame=frame)
        told = [{"control": "hips.sx", "times": [0, 1], "values": [1.2, 0.9]}, {"control": "tail1.sy", "times": [0, 1], "values": [1.2, 0.9]}]
        layers.write_layers(rig.Subject("Body"), [{"name": "Walk_soft", "base": "Walk", "tracks": told}])
        for frame, expected in ((1, 1.2), (25, 1.4)):  # the artist's, and 0.2 more, 0.1 less
            bpy.context.scene.frame_set(frame)
            self.assertAlmostEqual(hips.scale[0], expected, places=5)
            self.assertAlmostEqual(self.rig.pose.bones["tail1"].scale[1], {1: 1.2, 25: 0.9}[frame], places=5)

    def test_modifiers_behind_the_armature_are_left_out_and_said(self):
        from rigspace_addon import simulate

        body = bpy.data.objects["Body"]
        body.modifiers.remove(body.modifiers["Lattice"])
        body.modifiers.new("Thick", "SOLIDIFY")
        shin = self.rig.pose.bones["shin"]
        shin.constraints.remove(shin.constraints["IK"])
        self.set_up(parts=[("tail?.r?", "tail")])
        bpy.ops.rigspace.simulate()
        said = "\n".join(simulate.NOTES["Body"])
        self.assertIn('modifier "Thick" of "Body" is switched off, since it dresses up what the armature has moved', said)
        self.assertNotIn("Blender itself computes it", said)  # the fast path
        self.assertTrue(body.modifiers["Thick"].show_viewport)

    def test_the_unit_is_the_scenes_or_what_is_said(self):
        from rigspace_addon import simulate

        character = self.set_up()
        scene = bpy.context.scene
        self.assertIsNone(simulate.metres_per_unit(character, scene))
        scene.unit_settings.scale_length = 0.01
        self.assertAlmostEqual(simulate.metres_per_unit(character, scene), 0.01)
        character.unit = 0.1
        self.assertAlmostEqual(simulate.metres_per_unit(character, scene), 0.1)
        self.assertEqual(math.isfinite(character.unit), True)

    def test_an_object_that_was_simulated_is_put_back_where_it_was(self):
        from rigspace_addon import curves

        cage = bpy.data.objects["Cage"]
        curves.set_channel(cage, "location", 2, 0.5)
        self.assertEqual(cage.location[2], 0.5)
        self.assertIsInstance(cage.matrix_world, mathutils.Matrix)
