"""simulate: the same as the command line, in memory."""
import json
import os
import pathlib
import subprocess
import unittest

import numpy as np

import rigspace
from support import InAFolder, make_hero

PROGRAM = os.environ.get("RIGSPACE_PROGRAM")


class Simulate(InAFolder):
    def test_it_writes_what_the_command_line_writes_to_the_bit(self):
        if not PROGRAM:
            self.skipTest("RIGSPACE_PROGRAM is not set")
        make_hero()
        for folder in ("program", "python"):
            pathlib.Path(folder).mkdir()
        pathlib.Path("edits.json").write_text(json.dumps({"kind": "rigspace fix", "schema": 1, "clips": [
            {"clip": "Walk", "influence": 0.9, "curves": {"tail_03.ry": [[0.1, 0], [0.3, 12], [0.5, 0]]}}]}))
        subprocess.run([PROGRAM, "simulate", "hero.glb", "--part", "tail*=tail", "--clip", "Walk", "--set",
                        "tail.amount=0:1,0.5:0.3", "--hit", "tail=0.25", "--end", "20f", "--additive",
                        "--set", "tail.lag=0.2@Walk@5:15", "--fix", "edits.json", "-o", "program/hero.soft.glb"], check=True, capture_output=True)
        result = rigspace.simulate(rigspace.load("hero.glb"), {"tail*": "tail"}, clip="Walk",
                                   set={"tail.amount": [(0, 1), (0.5, 0.3)], "tail.lag": "0.2@Walk@5:15"},
                                   hit={"tail": 0.25}, end="20f", additive=True, fix="edits.json")
        written = result.save("python/hero.soft.glb")
        self.assertEqual([path.name for path in written], ["hero.soft.glb", "hero.soft.html", "hero.soft.json"])
        for path in written:
            self.assertEqual(path.read_bytes(), (pathlib.Path("program") / path.name).read_bytes(), path.name)
        # And again: a result can be saved as often as one likes.
        again = result.save("python/again.soft.glb")
        self.assertEqual(rigspace.load(again[0]).clips[-1].name, rigspace.load(written[0]).clips[-1].name)

    def test_curves_are_the_deviation_that_the_soft_clip_has(self):
        hero = make_hero()
        result = rigspace.simulate(hero, "tail*=tail", clip="Walk")
        self.assertTrue(result.converged)
        curves = result.curves["Walk_soft"]
        self.assertEqual(curves.values.shape, (len(curves.controls), len(curves.times)))
        self.assertTrue(all("tail" in name for name in curves.controls))
        clip = result.report["clips"][0]
        self.assertEqual((clip["name"], clip["parts"][0]["name"], clip["failed_steps"]), ("Walk_soft", "tail", 0))
        self.assertGreater(clip["parts"][0]["swing_deg"], 1)
        soft = result.character
        walk, played = soft.pose_at("Walk", curves.times[0]), soft.pose_at("Walk_soft", curves.times[0])
        moved = soft.rig.evaluate(played) - soft.rig.evaluate(walk)
        self.assertGreater(np.abs(moved).max(), 0)
        self.assertIn("tail", str(result))

    def test_an_amount_of_zero_is_the_artists_motion(self):
        result = rigspace.simulate(make_hero(), "tail*=tail", clip="Walk", set={"tail.mix": 0})
        self.assertEqual(np.abs(result.curves["Walk_soft"].values).max(), 0)

    def test_clips_from_python_are_simulated_and_saved_with_the_file(self):
        hero = make_hero()
        root = next(c.name for c in hero.rig.controls if c.name.endswith(".tx"))
        shake = rigspace.Clip("Shake", {root: (np.arange(9) / 8, 0.1 * np.sin(np.arange(9)))}, "catmull_rom")
        result = rigspace.simulate(hero.with_clips(shake), "tail*=tail", clip="Shake", loop=False)
        self.assertEqual([path.name for path in result.save("shake.glb")], ["shake.glb", "shake.html"])
        names = [clip.name for clip in rigspace.load("shake.glb").clips]
        self.assertEqual(names, [clip.name for clip in hero.clips] + ["Shake", "Shake_soft"])

    def test_a_file_that_changed_meanwhile_is_not_written_over(self):
        hero = make_hero()
        result = rigspace.simulate(hero, "tail*=tail", clip="Walk", end=0.2)
        rigspace.cast("peanut", skeleton=True).save("other.glb")
        pathlib.Path("hero.glb").write_bytes(pathlib.Path("other.glb").read_bytes())
        self.assertIn("changed", self.refused(rigspace.InputError, result.save, "soft.glb").problem)
        self.assertFalse(pathlib.Path("soft.glb").exists())

    def test_a_rigs_own_controls_move_where_it_has_more_than_joints(self):
        peanut = rigspace.cast("peanut")
        result = rigspace.simulate(peanut, {"tail": "tail"}, clip="Walk", end=0.25, loop=False)
        controls = {control.name: control.group for control in peanut.rig.controls}
        curves = result.curves["Walk_soft"]
        self.assertTrue(all(controls[name] == "tail" for name in curves.controls), curves.controls)
        written = result.save("peanut.rigspace.json")
        self.assertEqual([path.name for path in written], ["peanut.rigspace.json", "peanut.glb", "peanut.html"])
        self.assertIn("Walk_soft", pathlib.Path("peanut.rigspace.json").read_text())

    def test_the_recipe_can_be_rerun(self):
        if not PROGRAM:
            self.skipTest("RIGSPACE_PROGRAM is not set")
        rigspace.simulate(make_hero(), "tail*=tail", clip="Walk", end=0.5, loop=False).save("hero.soft.glb")
        before = pathlib.Path("hero.soft.glb").read_bytes()
        ran = subprocess.run([PROGRAM, "rerun", "hero.soft.json", "--set", "tail.amount=0.5", "-o", "calmer.glb", "--json"],
                             capture_output=True, text=True)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertEqual(json.loads(ran.stdout)["clips"][0]["name"], "Walk_soft")
        self.assertEqual(pathlib.Path("hero.soft.glb").read_bytes(), before)

    def test_collisions_and_research_options_arrive(self):
        hero = make_hero()
        low = rigspace.simulate(hero, "tail*=tail", clip="Walk", end=0.3, collide=["ground", "sphere:0,0.1,-0.4,0.1"],
                                friction=0.1)
        self.assertEqual(low.report["clips"][0]["failed_steps"], 0)
        self.refused(rigspace.Error, rigspace.simulate, hero, "tail*=tail", clip="Walk", collide="cube:1")
        self.refused(rigspace.Error, rigspace.simulate, hero, "tail*=tail", clip="Walk", report="steps.csv")
        self.refused(rigspace.Error, rigspace.simulate, hero, "nobody*=tail")
        self.refused(rigspace.Error, rigspace.simulate, hero, "tail*=tail", clip="Nobody")


if __name__ == "__main__":
    unittest.main()
