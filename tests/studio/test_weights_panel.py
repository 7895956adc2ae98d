"""The panel Weights at the socket: weights are computed and painted, taken back, kept; what is kept is what the printed
command makes."""

import json
import shlex
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from client import PROGRAM, Server  # noqa: E402


class Lists:
    """weights/*.bin: per point its joints and weights."""

    def __init__(self, data):
        self.version, points, entries = struct.unpack_from("<III", data, 0)
        start = struct.unpack_from(f"<{points + 1}I", data, 12)
        joints = struct.unpack_from(f"<{entries}I", data, 16 + 4 * points)
        weights = struct.unpack_from(f"<{entries}f", data, 16 + 4 * (points + entries))
        assert len(data) == 16 + 4 * (points + 2 * entries), len(data)
        self.points = [dict(zip(joints[a:b], weights[a:b])) for a, b in zip(start, start[1:])]


class Weights(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = Path(self.temporary.name)
        self.arm = self.folder / "arm.glb"
        subprocess.run([PROGRAM, "cast", "arm", "-o", self.arm], check=True, capture_output=True)
        self.server = Server(self.arm, folder=self.folder)
        self.page = self.server.page()
        self.page.opened()
        self.done("weights.prepare")
        self.page.until(lambda: self.weights()["state"] == "ready")

    def tearDown(self):
        self.page.close()
        self.server.stop()
        self.temporary.cleanup()

    def weights(self):
        return self.page.state["weights"]

    def done(self, command, **arguments):
        answer = self.page.do(command, **arguments)
        self.assertNotIn("error", answer, answer)
        return answer

    def lists(self, name="draft"):
        status, _, data = self.server.request("GET", f"/weights/{name}.bin")
        self.assertEqual(status, 200)
        return Lists(data)

    def compute(self, **options):
        version = self.weights()["version"]
        self.done("weights.compute", **options)
        self.page.until(lambda: self.weights()["version"] > version and self.page.state["job"] is None)

    def paint(self, **changed):
        joint = self.weights()["joints"][-1]["name"]
        return self.done("weights.paint", **{"mode": "add", "joint": joint, "points": [0], "radius": 0.05, "strength": 1.0,
                                             "mirrored": False, "stroke": 1, **changed})

    def test_computed_weights_are_measured_and_taken_back(self):
        before = self.lists().points
        self.assertEqual(before, self.lists("file").points)
        self.compute(method="nearest")
        self.assertTrue(all(len(each) <= 1 for each in self.lists().points))
        self.assertNotEqual(self.lists().points, before)
        self.page.until(lambda: self.weights()["difference"] is not None)
        answer = json.loads(subprocess.run([PROGRAM, "--json", "rig", "weights", self.arm, "--compare"], check=True, capture_output=True,
                                           text=True).stdout)
        compared = {row["method"]: row["share_of_swing"] for row in answer["methods"]}
        self.assertAlmostEqual(self.weights()["difference"]["share"], compared["nearest"], delta=1e-9)
        self.done("weights.undo")
        self.assertEqual(self.lists().points, before)
        self.assertFalse(self.weights()["changed"])
        self.done("weights.redo")
        self.assertTrue(all(len(each) <= 1 for each in self.lists().points))

    def test_a_stroke_is_answered_with_what_it_changed_and_is_one_step(self):
        before = self.lists().points
        version = self.weights()["version"]
        first = self.paint()
        self.assertEqual((first["from"], first["version"]), (version, version + 1))
        self.assertIn(0, first["points"])
        second = self.paint(points=[0, 3], stroke=1)
        self.page.until(lambda: self.weights()["stored"] == second["version"])
        now, joint = self.lists().points, len(self.weights()["joints"]) - 1
        self.assertEqual(now[0], {joint: 1})
        for point, flat in zip(second["points"], second["influences"]):
            for k in range(0, len(flat), 2):
                self.assertAlmostEqual(now[point][flat[k]], flat[k + 1], delta=1e-5)
        touched = set(first["points"]) | set(second["points"])
        for point, (a, b) in enumerate(zip(before, now)):
            self.assertTrue(point in touched or a == b)
            self.assertAlmostEqual(sum(b.values()), sum(a.values()), delta=1e-5)
        self.assertEqual(self.weights()["undo"], 1)
        self.assertTrue(self.weights()["painted"])
        self.assertEqual(self.weights()["command"], "")
        self.done("weights.undo")
        self.assertEqual(self.lists().points, before)

    def test_what_is_kept_is_what_the_printed_command_makes(self):
        self.compute(method="falloff", influences=2, smoothing=3)
        command = shlex.split(self.weights()["command"])
        self.assertEqual(command[0], "rigspace")
        self.assertEqual(Path(command[-1]).name, "arm.weights.glb")
        other = self.folder / "other.glb"
        subprocess.run([PROGRAM, *command[1:-1], other], check=True, capture_output=True)
        self.done("weights.keep")
        self.page.until(lambda: self.page.state["file"]["name"] == "arm.weights.glb" and self.page.state["job"] is None)
        self.assertEqual((self.folder / "arm.weights.glb").read_bytes(), other.read_bytes())
        self.done("weights.prepare")
        self.page.until(lambda: self.weights()["state"] == "ready")
        self.assertTrue(all(len(each) <= 2 for each in self.lists("file").points))
        self.paint()  # and once more: nothing that was there is written over
        kept = (self.folder / "arm.weights.glb").read_bytes()
        self.done("weights.keep")
        self.page.until(lambda: self.page.state["file"]["name"] == "arm.weights-2.glb" and self.page.state["job"] is None)
        self.assertEqual((self.folder / "arm.weights.glb").read_bytes(), kept)

    def test_a_cancelled_computation_leaves_everything_as_it_is(self):
        self.done("weights.compute", method="biharmonic")
        self.done("job.cancel")
        self.page.until(lambda: self.weights()["state"] == "ready" and self.page.state["job"] is None)
        self.assertEqual((self.weights()["version"], self.weights()["undo"]), (0, 0))
        self.compute(method="heat")  # and the next one runs
        self.assertEqual(self.weights()["method"], "heat")

    def test_what_is_painted_mirrored_is_painted_on_both_sides(self):
        self.done("file.cast", name="bobbin")
        self.page.until(lambda: self.page.state["file"]["name"] == "bobbin.glb" and self.page.state["job"] is None)
        self.done("weights.prepare")
        self.page.until(lambda: self.weights()["state"] == "ready")
        self.assertEqual(self.weights()["mirror"], "x")
        joints, lists = self.weights()["joints"], self.lists().points
        counts = [sum(each.get(j, 0) > 0.9 for each in lists) for j in range(len(joints))]
        joint = max((j for j in range(len(joints)) if joints[j]["twin"] != j), key=lambda j: counts[j])
        twin = joints[joint]["twin"]
        self.assertEqual(joints[twin]["twin"], joint)
        point = next(k for k, each in enumerate(lists) if each.get(joint, 0) > 0.9)
        answer = self.paint(mode="subtract", joint=joints[joint]["name"], points=[point], radius=0.15, strength=0.9, mirrored=True)
        self.page.until(lambda: self.weights()["stored"] == answer["version"])
        now = self.lists().points
        lost = [sum(max(0, a.get(j, 0) - b.get(j, 0)) for a, b in zip(lists, now)) for j in (joint, twin)]
        self.assertGreater(lost[0], 0)
        self.assertAlmostEqual(lost[1] / lost[0], 1, delta=0.2)  # meshes differ a little from side to side
        self.done("weights.undo")
        self.assertEqual(self.lists().points, lists)

    def test_what_cannot_be_is_said(self):
        for command, arguments, words in (
                ("weights.compute", {"method": "magic"}, "magic"),
                ("weights.compute", {"method": "heat", "influences": 9}, "influences"),
                ("weights.undo", {}, "nothing to go back to"),
                ("weights.keep", {}, "those of the file"),
                ("weights.paint", {"mode": "add", "joint": "no one", "points": [0], "radius": 1, "strength": 1, "stroke": 1}, "no one"),
                ("weights.paint", {"mode": "blur", "joint": "x", "points": [0], "radius": 1, "strength": 1, "stroke": 1}, "blur"),
                ("weights.paint", {"mode": "smooth", "joint": self.weights()["joints"][0]["name"], "points": [10**7], "radius": 1,
                                   "strength": 1, "stroke": 1}, "not on the character")):
            self.assertIn(words, self.page.do(command, **arguments)["error"]["sentence"])
        self.assertEqual(self.weights()["version"], 0)


if __name__ == "__main__":
    unittest.main()
