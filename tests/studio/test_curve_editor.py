"""The curve editor and modes of the studio."""

import math
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from client import poses  # noqa: E402
from studio_case import Studio  # noqa: E402


class Curves(Studio):
    def test_a_key_that_is_moved_shows_and_is_undone(self):
        self.page.do("play.set", clip="Walk", playing=False)
        self.baked()
        control = self.part()["nodes"][-1] + ".rx"
        got = self.page.do("curves.get", controls=[control])
        curve = got["curves"][0]
        self.assertEqual(len(curve["soft"]), len(got["times"]))
        keys = curve["keys"]
        middle = len(keys) // 2
        before = keys[middle]["value"]
        keys[middle]["value"] += 10
        self.page.do("curves.edit", control=control, keys=keys)
        again = self.page.do("curves.get", controls=[control])["curves"][0]["keys"]
        self.assertAlmostEqual(again[middle]["value"], before + 10, delta=1e-6)
        frame = self.frame_after(self.page.do("play.set", time=keys[middle]["time"]))
        soft, _ = poses(frame)
        self.page.do("history.undo")
        undone, _ = poses(self.frame_after(self.page.do("play.set", time=keys[middle]["time"])))
        index = self.page.state["file"]["nodes"].index(self.part()["nodes"][-1])
        dot = abs(sum(a * b for a, b in zip(soft[10 * index + 3:10 * index + 7], undone[10 * index + 3:10 * index + 7])))
        self.assertAlmostEqual(2 * math.degrees(math.acos(min(1, dot))), 10, delta=0.5)

    def test_a_mode_that_is_doubled_moves_farther_and_undo_takes_it_back(self):
        self.page.do("play.set", clip="Walk", playing=False)
        self.baked()
        self.assertNotIn("error", self.page.do("modes.find", count=3))
        shares = [mode["share"] for mode in self.page.state["modes"]["modes"]]
        self.assertEqual(shares, sorted(shares, reverse=True))
        before, artist = poses(self.frame_after(self.page.do("play.set", time=0.25)))
        self.assertNotIn("error", self.page.do("modes.set", mode=0, factor=3))
        after, _ = poses(self.frame_after(self.page.do("play.set", time=0.25)))
        size = lambda pose: sum((a - b) ** 2 for a, b in zip(pose, artist))  # noqa: E731
        self.assertGreater(size(after), 1.5 * size(before))
        self.assertEqual(self.page.state["modes"]["modes"][0]["factor"], 3)
        self.page.do("history.undo")
        self.page.until(lambda: self.page.state["modes"]["modes"][0]["factor"] == 1)
        again, _ = poses(self.frame_after(self.page.do("play.set", time=0.25)))
        self.assertLess(max(abs(a - b) for a, b in zip(again, before)), 1e-6)

    def test_less_tolerance_has_more_keys_and_a_muted_layer_is_the_artists(self):
        self.page.do("play.set", clip="Walk", playing=False)
        self.baked()
        control = self.part()["nodes"][0] + ".rx"
        counts = []
        for tolerance in (0.01, 0.0001):
            self.page.do("curves.tolerance", value=tolerance)
            counts.append(len(self.page.do("curves.get", controls=[control])["curves"][0]["keys"]))
        self.assertLess(counts[0], counts[1])
        self.page.do("curves.layer", mute=True)
        soft, artist = poses(self.frame_after(self.page.do("play.set", time=0.3)))
        self.assertLess(max(abs(a - b) for a, b in zip(soft, artist)), 1e-6)
        self.page.do("history.undo")


if __name__ == "__main__":
    unittest.main()
