"""A rig file in the studio: points that the server evaluates, its own controls."""

import math
import os
import shlex
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from client import PROGRAM, Server, header, points, poses  # noqa: E402


class RigFile(unittest.TestCase):
    """A bar whose own controls bend it, by drivers and joints: the server sends its points."""

    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = Path(cls.temporary.name)
        cls.server = Server(folder=cls.folder)
        cls.page = cls.server.page()
        cls.page.until(lambda: "server" in cls.page.state)
        cls.page.do("file.cast", name="bar", rig=True)
        cls.page.opened()
        cls.changed("controls.free", pattern="modes", on=True)

    @classmethod
    def tearDownClass(cls):
        cls.page.close()
        cls.server.stop()
        cls.temporary.cleanup()

    @classmethod
    def changed(cls, command, **arguments):
        """A command after which the parts are made anew."""
        revision = cls.page.state["file"]["revision"]
        answer = cls.page.do(command, **arguments)
        assert "error" not in answer, answer
        cls.page.until(lambda: cls.page.state["file"]["revision"] > revision and cls.page.state["job"] is None)

    def frame_after(self, answer):
        self.assertNotIn("error", answer, answer)
        self.page.until(lambda: self.page.frame and header(self.page.frame)[3] >= answer["change"])
        return self.page.frame

    def control(self, name):
        return next(each for each in self.page.state["controls"]["controls"] if each["name"] == name)

    def evaluated(self, *settings):
        """Points of `rigspace eval`, without those of pieces that are not drawn."""
        out = self.folder / "eval.obj"
        subprocess.run([PROGRAM, "eval", self.folder / "bar.rig.json", *settings, "-o", out], check=True, capture_output=True)
        lines = [line.split() for line in out.read_text().splitlines()]
        return [float(x) for line in lines if line[0] == "v" for x in line[1:4]]

    def test_frames_hold_the_points_that_eval_gives(self):
        file = self.page.state["file"]
        self.assertEqual(file["kind"], "points")
        status, _, glb = self.server.request("GET", f"/file/{file['revision']}/model.glb")
        self.assertEqual((status, glb[:4]), (200, b"glTF"))
        self.page.do("play.set", clip=None)
        frame = self.frame_after(self.page.do("controls.hold", values={"p1": 20, "left_01.ry": 15}))
        _, artist, _ = points(frame)
        self.assertEqual(len(artist), 3 * file["points"])
        expected = self.evaluated("--set", "p1=20", "--set", "left_01.ry=15")
        self.assertLess(max(abs(a - b) for a, b in zip(artist, expected)), 1e-5)
        self.page.do("controls.release")

    def test_it_swings_live_and_what_stands_is_baked(self):
        self.frame_after(self.page.do("play.set", clip="Swing", time=0, playing=True, live=True))
        most, start = 0, self.page.frames
        while self.page.frames < start + 60:
            self.page.take()
            soft, artist, _ = points(self.page.frame)
            most = max(most, max(abs(a - b) for a, b in zip(soft, artist)))
        self.assertGreater(most, 1e-3)
        self.assertTrue(header(self.page.frame)[6] & 1, "solved live")
        self.page.do("play.set", playing=False)
        self.page.until(lambda: self.page.state["bake"]["state"] == "ready")
        frame = self.frame_after(self.page.do("play.set", time=0.4))
        self.assertTrue(header(frame)[6] & 8, "baked")
        soft, artist, _ = points(frame)
        self.assertGreater(max(abs(a - b) for a, b in zip(soft, artist)), 1e-4)

    def test_controls_are_bound_and_freed_by_name_and_pattern(self):
        self.assertTrue(all(self.control(f"p{k}")["free"] for k in (1, 2, 3, 4)))
        self.changed("controls.free", pattern="p4", on=False)
        self.assertEqual([self.control(f"p{k}")["free"] for k in (1, 2, 3, 4)], [True, True, True, False])
        self.assertEqual(len(self.page.state["parts"]["chosen"]), 1)
        self.changed("history.undo")
        self.assertTrue(self.control("p4")["free"])
        self.assertIn("error", self.page.do("controls.free", pattern="nobody*", on=True))
        self.assertIn("error", self.page.do("controls.free", pattern="modes", on=False))  # nothing would be left

    def test_stiffness_shows_on_the_control_and_on_the_body(self):
        file = self.page.state["file"]
        _, _, before = self.server.request("GET", f"/file/{file['revision']}/stiffness.bin")
        self.assertEqual((len(before), set(before) - {0}), (file["points"], {128}))
        self.changed("controls.stiffness", pattern="p1", value=3)
        self.assertEqual((self.control("p1")["stiffness"], self.control("p2")["stiffness"]), (3, 1))
        _, _, after = self.server.request("GET", f"/file/{self.page.state['file']['revision']}/stiffness.bin")
        self.assertGreater(max(after), 140)
        self.changed("history.undo")
        self.assertEqual(self.control("p1")["stiffness"], 1)
        self.assertIn("error", self.page.do("controls.stiffness", pattern="bar.tx", value=3))

    def test_a_joint_of_any_kind_turns_after_the_pointer(self):
        self.page.do("controls.release")
        self.page.do("play.set", clip=None)
        nodes = self.page.state["file"]["nodes"]
        def place(frame, node):  # of a joint whose parents do not turn
            return poses(frame)[1][10 * nodes.index(node):10 * nodes.index(node) + 3]
        frame = self.frame_after(self.page.do("controls.hold", values={"left_01.rx": 0}))
        length = math.dist(place(frame, "left_02"), (0, 0, 0))
        answer = self.page.do("controls.aim", joint="left_01", handle="left_02", target=[-5, 2, 3])
        frame = self.frame_after(answer)
        self.assertEqual(set(answer["values"]), {"left_01.rx", "left_01.ry", "left_01.rz"})
        self.assertAlmostEqual(math.dist(place(frame, "left_02"), (0, 0, 0)), length, delta=1e-4)
        # The handle lies on the ray from the joint to the target: turning farther brings it no nearer.
        worlds = self.page.do("controls.aim", joint="left_01", handle="left_02", target=[-5, 2, 3])
        for name, value in answer["values"].items():
            self.assertAlmostEqual(worlds["values"][name], value, delta=0.5)
        self.assertIn("error", self.page.do("controls.aim", joint="nobody", target=[0, 0, 0]))
        self.page.do("controls.release")

    def test_a_point_is_pulled_and_export_makes_what_the_command_makes(self):
        self.page.do("play.set", clip="Swing", playing=False)
        pull = self.page.do("pull.begin", point=0)["pull"]
        self.page.do("pull.move", pull=pull, position=[0, 1, 0])
        self.page.until(lambda: self.page.state["pulls"]["state"] == "pulling")
        self.page.do("pull.end", pull=pull)
        self.page.do("export.run")
        self.page.until(lambda: self.page.state["export"]["files"])
        files = self.page.state["export"]["files"]
        self.assertIn("bar.soft.rigspace.json", [each["name"] for each in files])
        exported = {each["name"]: self.server.request("GET", each["url"])[2] for each in files}
        for name in exported:
            os.remove(self.folder / name)
        subprocess.run([PROGRAM] + shlex.split(self.page.state["export"]["command"])[1:], check=True, capture_output=True)
        for name, data in exported.items():
            self.assertEqual((self.folder / name).read_bytes(), data, name)


if __name__ == "__main__":
    unittest.main()
