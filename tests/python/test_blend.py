"""Characters in .blend files: the same as the command line. Blender makes the file; without it there is nothing to test."""
import json
import os
import pathlib
import shutil
import subprocess
import unittest

import numpy as np

import rigspace
from support import ROOT, InAFolder

PROGRAM = os.environ.get("RIGSPACE_PROGRAM")


@unittest.skipUnless(shutil.which("blender"), "blender is not installed")
class Blend(InAFolder):
    def setUp(self):
        super().setUp()
        subprocess.run(["blender", "-b", "--factory-startup", "--python-exit-code", "3", "--python",
                        str(ROOT / "tests/blender/make_plain.py"), "--", ".", "plain", "ik"], check=True, capture_output=True)

    def test_it_is_simulated_and_written_into_a_copy_as_the_command_line_does(self):
        if not PROGRAM:
            self.skipTest("RIGSPACE_PROGRAM is not set")
        hero = rigspace.load("plain.blend", object="Body")
        self.assertIn("translated", hero.warnings[-1])
        self.assertEqual([clip.name for clip in hero.clips], ["Walk"])
        for folder in ("program", "python"):
            pathlib.Path(folder).mkdir()
        result = rigspace.simulate(hero, {"tail?.r?": "tail"}, clip="Walk", end=0.25, loop=False)
        written = result.save("python/hero.soft.rigspace.json")
        self.assertIn("hero.soft.blend", [path.name for path in written])
        subprocess.run([PROGRAM, "simulate", "plain.blend", "--object", "Body", "--part", "tail?.r?=tail", "--clip", "Walk", "--end",
                        "0.25s", "--loop", "no", "-o", "program/hero.soft.rigspace.json"], check=True, capture_output=True)
        for name in ("hero.soft.rigspace.json", "hero.soft.glb"):
            self.assertEqual(pathlib.Path("python", name).read_bytes(), pathlib.Path("program", name).read_bytes(), name)
        self.assertEqual(json.loads(pathlib.Path("python/hero.soft.json").read_text())["input"]["object"], "Body")

    def test_blender_itself_is_the_rig_of_what_is_not_plain(self):
        hero = rigspace.load("ik.blend")
        self.assertIn("Blender itself computes it", hero.warnings[-1])
        moved = hero.rig.evaluate(hero.pose_at("Walk", 0.5))
        self.assertGreater(np.abs(moved - hero.rig.evaluate(hero.rig.rest)).max(), 0.05)
        hero.save("played.glb")
        self.assertEqual([clip.name for clip in rigspace.load("played.glb").clips], ["Walk"])

    def test_what_is_wrong_is_one_sentence(self):
        error = self.refused(rigspace.InputError, rigspace.load, "plain.blend", object="Boddy")
        self.assertIn('object "Boddy" is not in the file; its meshes are "Body"', str(error))
        self.refused(rigspace.UsageError, rigspace.load, "hero.glb", object="Body")


if __name__ == "__main__":
    unittest.main()
