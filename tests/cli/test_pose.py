"""`rigspace pose`: points are pulled, controls follow, in every file that it writes; and what it refuses."""
import json
import pathlib
import shutil
import tempfile
import unittest

from program import Glb, OwnFolder, apart, points, rigspace


class Pose(OwnFolder):
    @classmethod
    def setUpClass(cls):
        cls.shared = pathlib.Path(tempfile.mkdtemp())
        cls.bar = cls.shared / "bar.rig.json"
        cls.hero = cls.shared / "hero.glb"
        for name, path in (("bar", cls.bar), ("bobbin", cls.hero)):
            made = rigspace("cast", name, "-o", path)
            assert made.returncode == 0, made.stderr

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.shared)

    def pose(self, file, *arguments):
        answer = rigspace("--json", "pose", file, *arguments)
        self.assertEqual(answer.returncode, 0, answer.stdout + answer.stderr)
        return json.loads(answer.stdout)

    def end_of_bar(self):
        """The vertex farthest to the right, and where it is."""
        rest = points(self.bar, self.folder)
        vertex = max(range(len(rest) // 3), key=lambda i: rest[3 * i])
        return vertex, rest[3 * vertex : 3 * vertex + 3]

    def test_a_pulled_vertex_is_where_it_was_pulled_in_every_output(self):
        vertex, home = self.end_of_bar()
        target = [home[0] - 0.02, home[1] + 0.12, home[2]]
        curves, obj, npy = (self.folder / f"pose.{end}" for end in ("rigspace.json", "obj", "npy"))
        text = ",".join(map(str, target))
        answer = self.pose(self.bar, "--pull", f"{vertex}={text}", "--free", "modes", "-o", curves, "-o", obj, "-o", npy)
        (pull,) = answer["pulls"]
        self.assertEqual(pull["vertex"], vertex)
        self.assertTrue(pull["reached"])
        self.assertLess(pull["distance"], 0.01 * answer["size"])
        self.assertEqual({c["name"] for c in answer["controls"]} - {"p1", "p2", "p3", "p4"}, set())
        written = [line.split()[1:4] for line in obj.read_text().splitlines() if line.startswith("v ")]
        there = [float(x) for x in written[vertex]]
        for a, b in zip(there, pull["position"]):
            self.assertAlmostEqual(a, b, delta=1e-9)
        # The curves, turned by hand, give the same points.
        clip = json.loads(curves.read_text())["clips"][0]
        self.assertEqual(clip["name"], "Pose")
        sets = [x for c in answer["controls"] for x in ("--set", f"{c['name']}={c['to']}")]
        by_hand = points(self.bar, self.folder, *sets)
        # Controls that turned by less than a thousandth of a typical change are not listed.
        self.assertLess(max(apart(by_hand[3 * vertex : 3 * vertex + 3], there)), 2e-3)

    def test_a_rig_file_becomes_a_glb_with_the_pose_as_a_clip(self):
        vertex, _ = self.end_of_bar()
        model = self.folder / "pose.glb"
        self.pose(self.bar, "--pull", f"{vertex}=+-0.015,0.1,0", "--free", "modes", "--name", "Up", "-o", model)
        self.assertIn("Up", [a["name"] for a in Glb(model).document["animations"]])

    def test_a_joint_of_a_glb_is_pulled_and_the_clip_is_added(self):
        model = self.folder / "pose.glb"
        picture = self.folder / "pose.png"
        answer = self.pose(self.hero, "--pull", "hand_l=+0.03,0.15,0.05", "-o", model, "-o", picture, "--size", 96)
        self.assertTrue(answer["pulls"][0]["reached"])
        names = [a["name"] for a in Glb(model).document["animations"]]
        self.assertEqual(names[-1], "Pose")
        self.assertIn("Walk", names)
        self.assertEqual(picture.read_bytes()[:4], b"\x89PNG")
        posed = points(model, self.folder, "--clip", "Pose")
        vertex = answer["pulls"][0]["vertex"]
        for k in range(3):
            self.assertAlmostEqual(posed[3 * vertex + k], answer["pulls"][0]["position"][k], delta=1e-4)
        # An arm was pulled: the feet stay, but for what the flesh hands on, a thousandth of the height.
        rest = points(self.hero, self.folder)
        low = [i for i in range(len(rest) // 3) if rest[3 * i + 1] < 0.02]
        moved = apart(rest, posed)
        self.assertLess(max(moved[i] for i in low), 2e-3)

    def test_a_path_becomes_a_motion(self):
        vertex, home = self.end_of_bar()
        path = self.folder / "up.csv"
        x, y, z = home
        path.write_text(f"time,x,y,z\n0,{x},{y},{z}\n0.5,{x - 0.02},{y + 0.12},{z}\n# and back\n1,{x},{y},{z}\n")
        for extra, most in (([], 0.02), (["--dynamic"], 0.1)):  # with momentum it lags behind
            curves = self.folder / "up.rigspace.json"
            answer = self.pose(self.bar, "--pull", f"{vertex}={path}", "--free", "modes", "--fps", 12, *extra, "-o", curves)
            self.assertEqual(answer["frames"], 13)
            self.assertLess(answer["largest_distance"], most * answer["size"])
            clip = json.loads(curves.read_text())["clips"][0]
            self.assertEqual(clip["name"], "Pose")

    def test_what_is_too_far_is_told(self):
        vertex, _ = self.end_of_bar()
        out = self.folder / "far.rigspace.json"
        answer = rigspace("pose", self.bar, "--pull", f"{vertex}=+1,0,0", "--free", "modes", "-o", out)
        self.assertIn("not reached", answer.stdout)
        self.assertIn(answer.returncode, (0, 4))

    def test_refusals_are_one_sentence(self):
        out = self.folder / "x.rigspace.json"
        bad = self.folder / "bad.csv"
        bad.write_text("0,1,2,3\n0,1,nan,3\n")
        for arguments, words in (
            (["--pull", "99999999=0,0,0"], "is not there"),
            (["--pull", "hnad_l=0,0,0"], 'did you mean "hand_l"'),
            (["--pull", "0=0,0"], "three numbers"),
            (["--pull", "0=0,nan,0"], "number"),
            (["--pull", "0"], "has no target"),
            (["--pull", f"0={bad}"], "bad.csv:2"),
            (["--pull", f"0={self.folder / 'none.csv'}"], "none.csv"),
            (["--pull", "0=0,0,0", "--hold", "nobody"], "neither a number nor a joint"),
            (["--pull", "0=0,0,0", "--free", "nobody*"], "meets no control"),
            (["--pull", "0=0,0,0", "--dynamic"], "needs a target that moves"),
        ):
            answer = rigspace("pose", self.hero, *arguments, "-o", out)
            self.assertIn(answer.returncode, (2, 3), arguments)
            self.assertIn(words, answer.stderr)
            self.assertEqual(len(answer.stderr.strip().splitlines()), 1, answer.stderr)
            self.assertFalse(out.exists())
        wrong = rigspace("pose", self.hero, "--pull", "0=0,0,0", "-o", self.folder / "x.fbx")
        self.assertEqual(wrong.returncode, 2)


if __name__ == "__main__":
    unittest.main()
