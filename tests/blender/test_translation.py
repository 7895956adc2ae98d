"""Armatures with shape keys that rigspace builds of its own parts: they do what Blender does, or Blender goes on doing it."""
import json
import os
import pathlib
import random
import shutil
import sys
import tempfile
import unittest

import numpy

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))
from program import rigspace  # noqa: E402
from test_blend import ASSETS, SINGLE, blender, played  # noqa: E402

TRANSLATED = {"plain": "an armature with shape keys", "still_apart": "an armature with shape keys", "on_a_bone": "shape keys",
              "volume": "an armature with shape keys", "driven": "an armature with shape keys"}
STAYS = {"ik": 'bone "thigh" obeys the constraint "IK" of "shin"', "hinge": 'bone "chest" does not inherit rotation',
         "unscaled": 'bone "tail4" inherits scale in its own way (none)', "bent": 'bone "tail1" bends',
         "driven_more": "more than sums and products ('sin(turn)')", "apart": "moves the mesh against its armature",
         "smooth": 'modifier "Smooth" of "Body" is no armature'}


class by_blender:
    """What is run meanwhile is not translated."""

    def __enter__(self):
        os.environ["RIGSPACE_BLENDER_TRANSLATE"] = "0"

    def __exit__(self, *_):
        del os.environ["RIGSPACE_BLENDER_TRANSLATE"]


class Translation(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        os.environ["RIGSPACE_CACHE"] = str(cls.folder / "cache")
        blender(cls.folder, script="make_plain.py")

    def info(self, name):
        result = rigspace("info", self.folder / f"{name}.blend", "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        return json.loads(result.stdout)

    def points(self, name, *arguments):
        out = self.folder / "x.npy"
        result = rigspace("eval", self.folder / f"{name}.blend", *arguments, "-o", out)
        self.assertEqual(result.returncode, 0, result.stderr)
        return numpy.load(out)

    def test_each_says_what_it_is(self):
        for name, kind in TRANSLATED.items():
            with self.subTest(name):
                said = self.info(name)["warnings"][-1]
                self.assertTrue(said.startswith(f"{kind}: translated, within "), said)
                self.assertLess(float(said.split()[-3]), SINGLE)
        for name, why in STAYS.items():
            with self.subTest(name):
                said = self.info(name)["warnings"][-1]
                self.assertTrue(said.startswith("Blender itself computes it: "), said)
                self.assertIn(why, said)

    def test_controls_and_clips_are_the_same(self):
        ours = self.info("plain")
        with by_blender():
            theirs = self.info("plain")
        self.assertNotIn("translated", " ".join(theirs["warnings"]))
        for field in ("controls", "clips", "meshes"):
            self.assertEqual(ours[field], theirs[field])
        self.assertGreater(len(ours["controls"]), 80)

    def test_it_moves_as_blender_plays_it(self):
        for name, frames in {"plain": (4, 20.5), "volume": (13,), "driven": (20.5,)}.items():
            for frame, shown in zip(frames, played(self.folder / f"{name}.blend", frames=frames)["points"]):
                with self.subTest(name, frame=frame):
                    points = self.points(name, "--clip", "Walk", "--time", (frame - 1) / 24)
                    self.assertLess(abs(points - shown).max(), SINGLE)

    def test_random_poses_are_blenders(self):
        """Every control at once, angles as wide as they go, shapes beyond one."""
        chance = random.Random(3)
        controls = self.info("plain")["controls"]
        sets = []
        for control in controls:
            wide = {"degree": 100, "length": 0.2, "scale": 0.4}.get(control["unit"], 0.5)
            low, high = control["min"], control["max"]
            value = control["rest"] + wide * chance.uniform(-1, 1)
            value = max(value, low) if low is not None else value
            sets += ["--set", f"{control['name']}={min(value, high) if high is not None else value!r}"]
        points = self.points("plain", "--clip", "Walk", "--time", "0.7", *sets)
        with by_blender():
            shown = self.points("plain", "--clip", "Walk", "--time", "0.7", *sets)
        self.assertGreater(abs(shown - self.points("plain")).max(), 0.3)
        self.assertLess(abs(points - shown).max(), SINGLE * numpy.ptp(shown, axis=0).max())

    def test_simulated_either_way_it_is_the_same_motion(self):
        """By the full method: the fast one goes other ways where it has to spare a rig in another process."""
        curves = []
        for way in ("ours", "theirs"):
            folder = self.folder / way
            folder.mkdir()
            shutil.copy(self.folder / "plain.blend", folder / "hero.blend")
            arguments = ("simulate", folder / "hero.blend", "--clip", "Walk", "--part", "tail?.rx,tail?.rz=tail", "--end", "0.25s",
                         "--loop", "no", "--method", "full")
            if way == "ours":
                result = rigspace(*arguments)
            else:
                with by_blender():
                    result = rigspace(*arguments)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual("the rig was asked for" in result.stdout, way == "theirs")
            clip = json.loads((folder / "hero.soft.rigspace.json").read_text())["clips"][0]
            curves.append({track["control"]: numpy.array(track["values"]) for track in clip["tracks"]})
            self.assertTrue((folder / "hero.soft.blend").exists())
        ours, theirs = curves
        swing = max(numpy.ptp(values) for name, values in theirs.items() if name.startswith("tail"))
        self.assertGreater(swing, 3)  # degrees
        for name, values in theirs.items():
            self.assertLess(abs(values - ours[name]).max(), 0.01 * swing, name)
        again = rigspace("rerun", self.folder / "ours" / "hero.soft.json", "-o", self.folder / "again.rigspace.json")
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertEqual((self.folder / "again.rigspace.json").read_bytes(), (self.folder / "ours" / "hero.soft.rigspace.json").read_bytes())

    @unittest.skipUnless((ASSETS / "blend_quaternius_Slime").exists(), "test assets are absent")
    def test_a_real_character_without_ik_is_translated(self):
        for name, words in (("Slime", "an armature: translated"), ("Rat", 'obeys the constraint "IK"')):
            result = rigspace("info", ASSETS / f"blend_quaternius_{name}" / f"{name}.blend", "--json")
            self.assertIn(words, json.loads(result.stdout)["warnings"][-1])


if __name__ == "__main__":
    unittest.main()
