"""Characters in .blend files: what we evaluate is what Blender shows, and what we write is what Blender plays."""
import json
import math
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import numpy

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))
from program import rigspace  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
ASSETS = pathlib.Path(os.environ.get("RIGSPACE_ASSETS", HERE.parents[2] / "shared/assets"))
SINGLE = 1e-5  # of the size, which is near 1: Blender computes in single precision
FRAMES = (1, 4, 13, 20.5, 37, 49)


def blender(*arguments, script, file=None):
    command = ["blender", "-b", "--factory-startup", *([str(file)] if file else []), "--python-exit-code", "3",
               "--python", str(HERE / script), "--", *map(str, arguments)]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr


def played(file, *, item="Body", action="-", muted="-", frames=FRAMES):
    with tempfile.TemporaryDirectory() as folder:
        blender(f"{folder}/out.npz", item, action, muted, *frames, script="play.py", file=file)
        return dict(numpy.load(f"{folder}/out.npz"))


class Blend(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.first = pathlib.Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.first)
        os.environ["RIGSPACE_CACHE"] = str(cls.first / "cache")
        cls.hero = cls.first / "hero.blend"
        blender(cls.hero, script="make_character.py")
        cls.shown = played(cls.hero)
        cls.odd = cls.first / "odd"
        cls.odd.mkdir()
        blender(cls.odd, script="make_faults.py")

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def points(self, file, *arguments):
        out = self.folder / "x.npy"
        result = rigspace("eval", file, *arguments, "-o", out)
        self.assertEqual(result.returncode, 0, result.stderr)
        return numpy.load(out)

    def fails(self, code, *arguments, **environment):
        saved = {name: os.environ.get(name) for name in environment}
        os.environ.update(environment)
        try:
            result = rigspace(*arguments)
        finally:
            for name, value in saved.items():
                os.environ.pop(name) if value is None else os.environ.update({name: value})
        self.assertEqual((result.returncode, result.stdout), (code, ""), result.stderr)
        self.assertEqual(len(result.stderr.strip().splitlines()), 1, result.stderr)
        return result.stderr.strip()

    def test_eval_is_what_blender_shows_between_frames_too(self):
        for frame, shown in zip(FRAMES[2:4], self.shown["points"][2:4]):
            points = self.points(self.hero, "--clip", "Walk", "--time", (frame - 1) / 24)
            self.assertLess(abs(points - shown).max(), SINGLE)
        turned = played(self.hero, action="Turn", frames=(13,))["points"][0]  # where the action of the shapes says 0
        points = self.points(self.hero, "--clip", "Turn", "--time", "12f")
        self.assertLess(abs(points - turned).max(), SINGLE)
        self.assertGreater(abs(points - self.points(self.hero)).max(), 0.02)

    def test_info_tells_of_controls_clips_and_what_was_repaired(self):
        info = json.loads(rigspace("info", self.hero, "--json").stdout)
        self.assertEqual(info["meshes"], [{"name": "Body", "vertices": 738, "triangles": 1464}])
        self.assertEqual([clip["name"] for clip in info["clips"]], ["Walk", "Turn"])
        self.assertEqual(info["clips"][0]["duration"], 2)
        controls = {control["name"]: control for control in info["controls"]}
        self.assertAlmostEqual(controls["tail2.rx"]["max"], math.degrees(1.2), places=4)
        self.assertEqual((controls['chest["breath"]']["min"], controls["Body:puff"]["max"]), (-1, 1))
        self.assertNotIn("group", controls["Cage.p13.ty"])  # a point of a lattice: not among those that people pose with
        self.assertEqual(controls["tail2.rx"]["group"], "tail")
        for absent in ("Body:breath", "chest.tx", "foot.sx", "tail1.qw", "Rig.tx"):  # driven, connected, locked, hidden, unkeyed
            self.assertNotIn(absent, controls)

    def test_nla_tracks_of_an_override_are_a_clip_as_they_play(self):
        shown = played(self.odd / "layered.blend", frames=(28,))["points"][0]
        self.assertGreater(abs(shown - played(self.hero, frames=(28,))["points"][0]).max(), 0.02)
        self.assertLess(abs(shown - self.points(self.odd / "layered.blend", "--clip", "Scene", "--time", "27f")).max(), SINGLE)

    def test_layers_of_every_kind_play_as_they_are_evaluated(self):
        """A deviation of places, Euler angles, turns, shapes, properties and lattice points, keyed by the artist or not."""
        unit = {"t": "length", "r": "degree"}
        adds = {"belly.tx": 0.04, "tail2.rx": 15, "hips.tx": -0.1, "Body:puff": 0.2, 'chest["breath"]': 0.3, "Cage.p13.ty": -0.2}
        turns = {"tail1": 20, "chest": -15}  # degrees about y
        half = {node: math.radians(angle / 2) for node, angle in turns.items()}
        layer = {"name": "Walk_soft", "base": "Walk",
                 "tracks": [{"control": name, "unit": unit.get(name.split(".")[-1][0], "scalar"), "times": [0, 2], "values": [value, value]}
                            for name, value in adds.items()],
                 "rotations": [{"node": node, "times": [0, 2], "values": 2 * [[0, math.sin(h), 0, math.cos(h)]]} for node, h in half.items()]}
        out = self.folder / "layers.blend"
        host = HERE.parents[1] / "blender/host/rigspace_host.py"
        command = f"exec blender -b --factory-startup '{self.hero}' --python-exit-code 3 --python '{host}' -- --write 3>&1 1>&2"
        wrote = subprocess.run(["/bin/sh", "-c", command], input=json.dumps({"output": str(out), "layers": [layer]}) + "\n",
                               capture_output=True, text=True)
        self.assertEqual(wrote.stdout, '{"rigspace": 1, "warnings": []}\n', wrote.stderr)
        curves = self.folder / "clips.rigspace.json"
        self.assertEqual(rigspace("convert", self.hero, "-o", curves).returncode, 0)
        keyed = {track["control"]: track["values"][19] for track in json.loads(curves.read_text())["clips"][0]["tracks"]}
        values = {**{name: keyed.get(name, 0) + value for name, value in adds.items()}, **{f"{node}.ry": angle for node, angle in turns.items()}}
        sets = [argument for name, value in values.items() for argument in ("--set", f"{name}={value!r}")]
        points = self.points(self.hero, "--clip", "Walk", "--time", "19f", *sets)
        self.assertLess(abs(points - played(out, frames=(20,))["points"][0]).max(), SINGLE)
        muted = played(out, muted="_soft")
        numpy.testing.assert_array_equal(muted["points"], self.shown["points"])

    def test_what_is_odd_is_said(self):
        info = json.loads(rigspace("info", self.odd / "more_vertices.blend", "--json").stdout)
        self.assertEqual(info["meshes"][0]["vertices"], 738)
        said = "\n".join(info["warnings"])
        for words in ('modifier "Smooth" of "Body" is switched off, since it adds vertices', "scaled unevenly (1, 1, 1.5)",
                      "RIGSPACE_BLENDER_TRUST=1"):
            self.assertIn(words, said)
        for file, words in {
                "cycle.blend": 'there is a dependency cycle, ',
                "bad_key.blend": 'action "Walk": pose.bones["hips"].location[0] of "Rig" has a key that is not a finite number',
                "linked.blend": 'object "Body" is linked from //library.blend and cannot be animated here',
                "lost.blend": 'library "//gone.blend" is not there',
                "cube.blend": "has no mesh that an armature"}.items():
            message = self.fails(3, "info", self.odd / file)
            self.assertIn(words, message)
            self.assertIn(file, message)

    def test_what_is_wrong_is_one_sentence(self):
        self.assertIn('object "Boddy" is not in the file; its meshes are "Body"', self.fails(3, "info", self.hero, "--object", "Boddy"))
        self.assertIn('object "Rig" is no mesh but armature', self.fails(3, "info", self.hero, "--object", "Rig"))
        self.assertIn("needs Blender, which is not installed", self.fails(5, "info", self.hero, PATH="/nowhere"))
        self.assertIn("which is no program", self.fails(5, "info", self.hero, RIGSPACE_BLENDER="/nowhere/blender"))
        self.assertIn("does not exist", self.fails(3, "info", self.folder / "none.blend"))
        (self.folder / "text.blend").write_text("no")
        self.assertIn("is no .blend file", self.fails(3, "info", self.folder / "text.blend"))
        (self.folder / "broken.blend").write_bytes(b"BLENDER-v304" + bytes(100))
        self.assertIn("cannot be read by Blender", self.fails(3, "info", self.folder / "broken.blend"))
        self.assertIn("--object is for .blend files", self.fails(2, "info", "x.glb", "--object", "Body"))


class Simulated(unittest.TestCase):
    """One run on the character with its belly, which a lattice and hooks move, and its tail; in mid-run Blender is killed."""

    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.hero = cls.folder / "hero.blend"
        os.environ["RIGSPACE_CACHE"] = str(cls.folder / "cache")
        blender(cls.hero, script="make_character.py")
        cls.before = cls.hero.read_bytes()
        os.environ.update(RIGSPACE_BLENDER_HOST=str(HERE / "dying_host.py"), DIE_AT="300", DIED=str(cls.folder / "died"))
        try:
            cls.answer = rigspace("simulate", cls.hero, "--clip", "Walk", "--part", "belly.t?=belly", "--part", "tail?.r?=tail",
                                  "--set", "*.rate=3", "--end", "0.5s", "--loop", "no")
        finally:
            del os.environ["RIGSPACE_BLENDER_HOST"]
        assert cls.answer.returncode == 0, cls.answer.stderr
        cls.curves = json.loads((cls.folder / "hero.soft.rigspace.json").read_text())["clips"][0]
        cls.times = next(track["times"] for track in cls.curves["tracks"] if track["control"] == "belly.tx")
        cls.frames = [1 + 24 * time for time in cls.times]
        cls.shown = played(cls.hero, frames=cls.frames)
        cls.soft = played(cls.folder / "hero.soft.blend", frames=cls.frames)

    def test_it_moves_and_says_where_everything_is(self):
        self.assertGreater(abs(self.soft["points"] - self.shown["points"]).max(), 0.005)
        self.assertIn("hero.soft.blend: the result as layers above your animation", self.answer.stdout)
        self.assertEqual(self.hero.read_bytes(), self.before)
        self.assertEqual(list(self.folder.glob("*.writing*")) + list(self.folder.glob("*.partial")), [])

    def test_what_plays_is_what_was_written(self):
        names = list(self.soft["names"])
        tracks = {track["control"]: track["values"] for track in self.curves["tracks"]}
        for k, axis in enumerate("xyz"):
            self.assertLess(abs(self.soft["bones"][:, names.index("belly"), k] - tracks[f"belly.t{axis}"]).max(), 1e-6)
            self.assertLess(abs(self.soft["bones"][:, names.index("tail2"), 3 + k] - numpy.radians(tracks[f"tail2.r{axis}"])).max(), 1e-6)
        for track in self.curves["rotations"]:
            if track["node"] in ("tail1", "tail3"):
                x, y, z, w = numpy.array(track["values"]).T
                shown = self.soft["bones"][:, names.index(track["node"]), 3:7]
                self.assertLess(abs(abs((shown * numpy.stack([w, x, y, z], axis=1)).sum(axis=1)) - 1).max(), 1e-6)
        unmoved = [names.index(name) for name in names if not name.startswith("tail") and name != "belly"]
        numpy.testing.assert_array_equal(self.soft["bones"][:, unmoved], self.shown["bones"][:, unmoved])

    def test_muted_it_is_the_artists_to_the_bit_and_the_artists_keys_are_untouched(self):
        muted = played(self.folder / "hero.soft.blend", muted="_soft", frames=self.frames)
        numpy.testing.assert_array_equal(muted["points"], self.shown["points"])
        numpy.testing.assert_array_equal(muted["bones"], self.shown["bones"])
        numpy.testing.assert_array_equal(muted["keys"], self.shown["keys"])

    def test_blender_killed_in_mid_run_is_no_matter_and_a_rerun_makes_the_same_bits(self):
        self.assertTrue((self.folder / "died").exists())
        self.assertIn("was killed by signal 9 (Killed)", self.answer.stderr)
        self.assertIn("it was started again", self.answer.stderr)
        again = self.folder / "again.rigspace.json"
        result = rigspace("rerun", self.folder / "hero.soft.json", "-o", again)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stderr, f'{self.hero}: Blender itself computes it: modifier "Lattice" of "Body" is no armature\n')
        self.assertEqual(again.read_bytes(), (self.folder / "hero.soft.rigspace.json").read_bytes())


@unittest.skipUnless((ASSETS / "blend_quaternius_Rat").exists(), "test assets are absent")
class Assets(unittest.TestCase):
    def test_real_files_are_evaluated_as_blender_shows_them(self):
        for name, item, clip in (("Rat", "Rat", "Rat_Walk"), ("Slime", "Slime", "Slime_Attack"), ("Smooth_Female_Dress", "Female", "Female_Run")):
            file = ASSETS / f"blend_quaternius_{name}" / f"{name}.blend"
            with self.subTest(name), tempfile.TemporaryDirectory() as folder:
                result = rigspace("eval", file, "--clip", clip, "--time", "8f", "-o", f"{folder}/x.npy")
                self.assertEqual(result.returncode, 0, result.stderr)
                points = numpy.load(f"{folder}/x.npy")
                shown = played(file, item=item, action=clip, frames=(8, 9))["points"]  # clips begin at frame 0 or 1
                self.assertLess(min(abs(points - each).max() for each in shown), SINGLE * numpy.ptp(points, axis=0).max())


if __name__ == "__main__":
    unittest.main()
