"""The live preview: near the result, over at once, and nothing of it stays; a Blender that dies leaves nothing behind."""
import os
import pathlib
import signal
import subprocess
import sys
import time

import bpy
import numpy
from addon_case import FOLDER, AddonCase, state


def rest_of(rig):
    return [(tuple(bone.location), tuple(bone.rotation_quaternion), tuple(bone.rotation_euler)) for bone in rig.pose.bones]


class Addon(AddonCase):
    def plain_part(self):
        body, shin = bpy.data.objects["Body"], self.rig.pose.bones["shin"]
        body.modifiers.remove(body.modifiers["Lattice"])
        shin.constraints.remove(shin.constraints["IK"])
        character = self.set_up(parts=[("tail?.r?", "tail")])
        character.use_range, character.loop = False, "no"
        return character

    def turns(self, frames):
        told = []
        for frame in frames:
            bpy.context.scene.frame_set(frame)
            told.append([bone.matrix_basis.to_quaternion().to_exponential_map() for bone in map(self.rig.pose.bones.get, ("tail1", "tail2", "tail3"))])
        return numpy.array(told)

    def test_the_preview_is_near_the_result_and_leaves_nothing(self):
        from rigspace_addon import live

        character = self.plain_part()
        before, resting = state(), rest_of(self.rig)
        self.assertEqual(bpy.ops.rigspace.live(), {"FINISHED"})
        self.assertIsNotNone(live.Current.live)
        seen = self.turns(range(1, 50))
        process = live.Current.live.process
        character.parts[0].amount = 0
        self.turns(range(1, 8))
        self.assertLess(abs(self.turns(range(8, 12))).max(), 1e-6)  # a number that is changed is seen at once
        character.parts[0].amount = 1
        bpy.ops.rigspace.live()
        self.assertIsNone(live.Current.live)
        self.assertIsNotNone(process.poll())
        bpy.context.scene.frame_set(1)
        self.assertEqual((state(), rest_of(self.rig)), (before, resting))
        bpy.ops.rigspace.simulate()
        baked = self.turns(range(1, 50))
        self.assertGreater(abs(baked).max(), 0.03)
        gap = numpy.sqrt(((seen - baked)[2:] ** 2).mean() / (baked[2:] ** 2).mean())
        print(f"preview against result: {100 * gap:.1f} % r.m.s. of the result, largest {abs(seen - baked).max():.3f} of {abs(baked).max():.3f} rad")
        self.assertLess(gap, 0.25)

    def test_a_rig_that_blender_computes_is_previewed_too(self):
        character = self.set_up(parts=[("belly.t?", "belly")])
        character.use_range, character.loop = False, "no"
        belly = self.rig.pose.bones["belly"]

        def places():
            told = []
            for frame in range(1, 50):
                bpy.context.scene.frame_set(frame)
                told.append(tuple(belly.location))
            return numpy.array(told)

        bpy.ops.rigspace.live()
        seen = places()
        bpy.ops.rigspace.live()
        self.assertEqual(abs(places()).max(), 0)
        bpy.ops.rigspace.simulate()
        baked = places()
        gap = numpy.sqrt(((seen - baked)[12:] ** 2).mean() / (baked[12:] ** 2).mean())
        print(f"black box, preview against result: {100 * gap:.1f} % r.m.s. of {abs(baked).max():.4f}")
        self.assertLess(gap, 0.3)

    def test_a_preview_ends_in_words_when_the_rig_changes(self):
        from rigspace_addon import live

        self.plain_part()
        bpy.ops.rigspace.live()
        bpy.context.scene.frame_set(5)
        os.kill(live.Current.live.process.pid, signal.SIGKILL)
        bpy.context.scene.frame_set(6)
        self.assertIsNone(live.Current.live)
        self.assertIn("start the preview again", live.Current.failed)

    def test_a_blender_that_dies_leaves_no_process_and_no_copy(self):
        temporary = pathlib.Path(FOLDER) / "dying"
        temporary.mkdir()
        script = pathlib.Path(__file__).resolve().parent / "dying_inside.py"
        child = subprocess.Popen([bpy.app.binary_path, "-b", "--factory-startup", "--python", script, "--", *sys.argv[sys.argv.index("--") + 1 :][:3]],
                                 env={**os.environ, "TMPDIR": str(temporary), "RIGSPACE_CACHE": str(temporary / "cache")},
                                 stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        for line in child.stdout:  # until its program is at work
            if line.startswith(b"at work "):
                break
        program = int(line.split()[2])
        self.assertTrue(list(temporary.glob("rigspace_*")))
        child.kill()
        child.wait()
        child.stdout.close()
        for _ in range(300):
            time.sleep(0.05)
            if not pathlib.Path(f"/proc/{program}").exists() and not list(temporary.glob("rigspace_*")):
                break
        self.assertFalse(pathlib.Path(f"/proc/{program}").exists())
        self.assertEqual(list(temporary.glob("rigspace_*")), [])
        for _ in range(300):
            hosts = [entry for entry in pathlib.Path("/proc").iterdir() if entry.name.isdigit() and str(temporary).encode() in command_of(entry)]
            if not hosts:
                break
            time.sleep(0.05)
        self.assertEqual(hosts, [])


def command_of(entry):
    try:
        return (entry / "cmdline").read_bytes()
    except OSError:
        return b""
