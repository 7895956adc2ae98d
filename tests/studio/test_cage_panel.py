"""The panel Cage at the socket: a cage is made and bound anew, its points are dragged, what is kept is what the printed
command makes, and its points are controls then."""

import math
import shlex
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from client import PROGRAM, Server  # noqa: E402


class Cage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder, cls.meshes = Path(cls.temporary.name) / "out", Path(cls.temporary.name) / "in"
        cls.folder.mkdir(), cls.meshes.mkdir()
        cls.arm = cls.meshes / "arm.glb"
        subprocess.run([PROGRAM, "cast", "arm", "-o", cls.arm], check=True, capture_output=True)

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def setUp(self):
        self.server = Server(self.arm, folder=self.folder)
        self.page = self.server.page()
        self.page.opened()
        self.done("play.set", clip=None)

    def tearDown(self):
        self.page.close()
        self.server.stop()

    def cage(self):
        return self.page.state["cage"]

    def places(self):
        flat = self.page.state["cage_places"]["points"]
        return [flat[k:k + 3] for k in range(0, len(flat), 3)]

    def done(self, command, **arguments):
        answer = self.page.do(command, **arguments)
        self.assertNotIn("error", answer, answer)
        return answer

    def make(self, **options):
        self.done("cage.make", **{"faces": 60, "coordinates": "mean-value", **options})
        self.page.until(lambda: self.cage()["state"] == "draft" and self.page.state["job"] is None and self.places())

    def shape(self):
        status, _, data = self.server.request("GET", "/cage/shape.bin")
        self.assertEqual(status, 200)
        version, points = struct.unpack_from("<II", data)
        self.assertEqual(len(data), 8 + 12 * points)
        return struct.unpack_from(f"<{3 * points}f", data, 8)

    def test_the_skin_follows_a_point_and_its_neighbours_go_along(self):
        self.make()
        rest, start = self.shape(), self.places()
        far = [start[0][0], start[0][1] + 0.1, start[0][2]]
        self.done("cage.drag", point=0, target=far)
        self.assertLess(max(map(abs, (a - b for a, b in zip(self.places()[0], far)))), 1e-5)
        self.assertEqual(self.cage()["moved"], 1)
        alone = self.shape()
        self.assertGreater(max(abs(a - b) for a, b in zip(alone, rest)), 1e-3)
        self.done("cage.drag", point=0, target=far, radius=0.3)
        self.assertGreater(self.cage()["moved"], 1)
        for before, now in zip(start, self.places()):
            reach = math.dist(before, start[0])
            moved = math.dist(before, now)
            self.assertTrue(moved < 0.1 + 1e-5 if reach < 0.3 else moved < 1e-5, (reach, moved))
        self.assertNotEqual(self.shape(), alone)
        self.done("cage.end", keep=True, point=0, target=far, radius=0.3)
        self.assertEqual(self.cage()["undo"], 1)
        self.done("cage.drag", point=1, target=[0, 0, 0])
        self.done("cage.end", keep=False)
        self.assertEqual(self.cage()["undo"], 1)
        self.done("cage.undo")
        self.assertEqual(self.shape(), rest)

    def test_the_same_cage_is_bound_by_other_coordinates(self):
        self.make()
        triangles = self.cage()["triangles"]
        self.done("cage.drag", point=0, target=[0, 1, 0]), self.done("cage.end", keep=True)
        moved = self.shape()
        self.make(coordinates="green")
        self.assertEqual(self.cage()["triangles"], triangles)
        self.assertEqual(self.cage()["undo"], 1)  # what was dragged stays
        self.assertNotEqual(self.shape(), moved)
        self.make(coordinates="green", offset=0.06)
        self.assertNotEqual(self.cage()["triangles"], triangles)
        self.assertEqual(self.cage()["moved"], 0)

    def test_what_is_kept_is_what_the_printed_command_makes(self):
        self.make(offset=0.04)
        command = self.cage()["command"]
        folder = Path(self.temporary.name) / "shell"
        folder.mkdir()
        words = shlex.split(command.replace(str(self.folder), str(folder)))
        self.assertEqual(words[0], "cp")
        subprocess.run(words[:3], check=True)
        self.assertEqual(words[3:7], ["&&", "rigspace", "rig", "cage"])
        subprocess.run([PROGRAM, *words[5:]], check=True, capture_output=True)
        start = self.places()
        target = [start[2][0], start[2][1] + 0.08, start[2][2]]
        self.done("cage.drag", point=2, target=target), self.done("cage.end", keep=True)
        self.done("cage.keep")
        self.page.until(lambda: self.page.state["file"]["name"] == "arm.rig.json" and self.cage()["state"] == "ready" and self.page.state["job"] is None)
        self.assertEqual((self.folder / "arm.rig.json").read_bytes(), (folder / "arm.rig.json").read_bytes())
        self.assertEqual((self.folder / "arm.glb").read_bytes(), self.arm.read_bytes())
        self.page.until(lambda: self.page.state["file"]["kind"] == "points" and self.places())
        self.assertLess(math.dist(self.places()[2], target), 1e-3)  # held where it was
        held = {each["name"] for each in self.page.state["controls"]["controls"] if each["held"] is not None}
        self.assertTrue(held and all(name.startswith("cage_2.") for name in held), held)
        self.done("cage.reset")
        self.assertLess(math.dist(self.places()[2], start[2]), 1e-3)
        self.assertIn("already", self.page.do("cage.make", faces=60, coordinates="green")["error"]["sentence"])

    def test_what_cannot_be_is_said(self):
        for command, arguments, words in (("cage.drag", {"point": 0, "target": [0, 0, 0]}, "no cage"), ("cage.keep", {}, "no cage"),
                                          ("cage.make", {"faces": 2, "coordinates": "green"}, "faces"),
                                          ("cage.make", {"faces": 60, "coordinates": "spherical"}, "spherical")):
            self.assertIn(words, self.page.do(command, **arguments)["error"]["sentence"])
        self.make()
        for arguments, words in (({"point": 0, "target": [0, 1]}, "no place"), ({"point": 10**6, "target": [0, 0, 0]}, "point")):
            self.assertIn(words, self.page.do("cage.drag", **arguments)["error"]["sentence"])
        self.assertIn("nothing to go back", self.page.do("cage.undo")["error"]["sentence"])


if __name__ == "__main__":
    unittest.main()
