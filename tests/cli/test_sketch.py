"""`rigspace sketch`: a drawing poses the character, in every file that is written; and what is refused."""
import json
import pathlib
import shutil
import tempfile
import unittest

from program import Glb, OwnFolder, rigspace


class Sketch(OwnFolder):
    @classmethod
    def setUpClass(cls):
        cls.shared = pathlib.Path(tempfile.mkdtemp())
        cls.hero = cls.shared / "hero.glb"
        cls.drawing = cls.shared / "drawing.json"
        for arguments in (("cast", "bobbin", "-o", cls.hero), ("sketch", "strokes", cls.hero, "--camera", "front", "-o", cls.drawing)):
            made = rigspace(*arguments)
            assert made.returncode == 0, made.stderr

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.shared)

    def redrawn(self):
        """The left arm, without its name, 40 pixels higher at its end and less towards the shoulder."""
        drawing = json.loads(self.drawing.read_text())
        (arm,) = [s for s in drawing["strokes"] if s["name"] == "clavicle_l"]
        count = len(arm["points"])
        points = [[x, y - 40 * k / count] for k, (x, y) in enumerate(arm["points"])]
        return {**drawing, "strokes": [points]}

    def pose(self, drawing, *arguments):
        path = self.folder / "drawn.json"
        path.write_text(drawing if isinstance(drawing, str) else json.dumps(drawing))
        return rigspace("--json", "sketch", "pose", self.hero, "--strokes", path, *arguments)

    def test_a_redrawn_arm_is_raised_and_nothing_else(self):
        glb, curves, png = (self.folder / f"pose.{end}" for end in ("glb", "rigspace.json", "png"))
        done = self.pose(self.redrawn(), "-o", glb, "-o", curves, "-o", png, "--size", 96)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        answer = json.loads(done.stdout)
        (pose,) = answer["poses"]
        (stroke,) = pose["strokes"]
        self.assertEqual(stroke["curve"], "clavicle_l")
        self.assertTrue(stroke["reached"], stroke)
        turned = {name for name, value in pose["controls"].items() if name[-2] == "r" and abs(value) > 2}
        self.assertTrue(any(name.startswith("upper_arm_l") for name in turned), turned)
        self.assertFalse(any("_r." in name for name in turned), turned)
        self.assertIn("Sketch", [a["name"] for a in Glb(glb).document["animations"]])
        self.assertTrue(png.read_bytes().startswith(b"\x89PNG"))
        self.assertIn("upper_arm_l", curves.read_text())

    def test_an_svg_of_the_present_pose_changes_nothing_much(self):
        svg = self.folder / "drawing.svg"
        self.assertEqual(rigspace("sketch", "strokes", self.hero, "--camera", "front", "-o", svg).returncode, 0)
        done = rigspace("--json", "sketch", "pose", self.hero, "--strokes", svg, "--camera", "front", "-o", self.folder / "x.obj")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        (pose,) = json.loads(done.stdout)["poses"]
        self.assertLess(pose["residual"], 0.01)

    def test_bad_drawings_are_one_sentence_and_nothing_is_written(self):
        for drawing, words in (
            ({"strokes": []}, "no strokes"),
            ({"strokes": [[]]}, "has no points"),
            ({"strokes": [[[0, 0]]]}, "is a single point"),
            ({"strokes": [[[0, 0], [None, 1]]]}, "not a finite number"),
            ({"strokes": [[[9, 9], [8, 9]]]}, "outside the picture"),
            ({"strokes": [{"points": [[0, 0], [0.1, 0]], "curve": "clavicle_ll"}]}, "did you mean"),
            ("{", "drawn.json"),
        ):
            out = self.folder / "bad.obj"
            done = self.pose(drawing, "-o", out)
            self.assertIn(done.returncode, (2, 3), done.stdout)
            error = json.loads(done.stdout)["error"]
            self.assertIn(words, " ".join((error["file"], error["problem"], error["remedy"])))
            self.assertFalse(out.exists())
        done = rigspace("sketch", "pose", self.hero, "--strokes", self.drawing, "--camera", "frnt", "-o", self.folder / "x.obj")
        self.assertEqual(done.returncode, 2)
        self.assertIn("front", done.stderr)


if __name__ == "__main__":
    unittest.main()
