"""Gravity, obstacles and cells of the studio."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from client import header, points, poses  # noqa: E402
from studio_case import Studio  # noqa: E402


class World(Studio):
    def swing(self, seconds=1.5):
        """The soft numbers of the last frame, after some time in the rest pose."""
        self.page.do("play.set", clip=None)
        self.page.do("controls.release")  # hands on: the solver runs until all is still
        frames = self.page.frames
        while self.page.frames < frames + 60 * seconds and (self.page.frames == frames or header(self.page.frame)[6] & 1):
            self.page.take()
        soft, artist = poses(self.page.frame)
        return max(abs(a - b) for a, b in zip(soft, artist))

    def test_less_gravity_lifts_and_the_command_says_so(self):
        self.assertEqual(self.page.state["world"]["gravity"], [0, -9.81, 0])
        self.page.do("world.set", gravity=0)
        self.assertEqual(self.page.state["world"]["gravity"], [0, 0, 0])
        self.assertGreater(self.swing(), 5e-3)
        self.assertIn("--gravity 0", self.page.state["export"]["command"])
        self.page.do("world.set", gravity=[1, -9.81, 0])
        self.assertIn("--gravity 1,-9.81,0", self.page.state["export"]["command"])
        for wrong in ([1, 2], "x", 1e9, [1, 2, None]):
            self.assertIn("error", self.page.do("world.set", gravity=wrong))
        self.page.do("history.undo")
        self.assertEqual(self.page.state["world"]["gravity"], [0, 0, 0])
        self.page.do("history.undo")
        self.assertEqual(self.page.state["world"]["gravity"], [0, -9.81, 0])
        self.assertNotIn("--gravity", self.page.state["export"]["command"])

    def test_a_ball_pushes_live_and_lets_go(self):
        tail = self.part()["nodes"][-1]
        candidate = self.part()["candidate"]
        file = self.page.state["file"]
        _, _, shares = self.server.request("GET", f"/file/{file['revision']}/shares.bin")
        self.assertTrue(any(shares[candidate * file["points"]:]), tail)
        self.assertIn("error", self.page.do("world.set", collide=["sphere:0,0,x,1"]))
        self.assertNotIn("error", self.page.do("world.set", collide=["sphere:0,0.6,-0.6,0.35", "ground"]))
        pushed = self.swing()
        self.assertNotIn("error", self.page.do("world.set", collide=["sphere:0,0.6,-5,0.35", "ground"]))  # it is moved away
        away = self.swing(4)
        self.assertNotIn("error", self.page.do("world.set", collide=[]))
        free = self.swing(4)
        self.assertGreater(pushed, 5e-3)
        self.assertLess(away, 0.2 * pushed)
        self.assertLess(free, 0.2 * pushed)

    def test_cells_follow_while_they_are_shown(self):
        file = self.page.state["file"]
        status, _, cells = self.server.request("GET", f"/file/{file['revision']}/cells.bin")
        nodes, edges = int.from_bytes(cells[:4], "little"), int.from_bytes(cells[4:8], "little")
        self.assertEqual((status, len(cells)), (200, 8 + 8 * edges))
        frame = self.frame_after(self.page.do("play.set", clip=None, cells=True))
        self.assertEqual(len(points(frame)[2]), 3 * nodes)
        frame = self.frame_after(self.page.do("play.set", cells=False))
        self.assertFalse(header(frame)[6] & 32)


if __name__ == "__main__":
    unittest.main()
